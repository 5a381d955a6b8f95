"""``narrowcast serve``: runs the embedded server in the foreground."""

from __future__ import annotations

import argparse
import asyncio
import sys
from dataclasses import replace
from pathlib import Path

from narrowcast.cli.outcome import CommandError, Exit
from narrowcast.terminal.paths import Paths
from narrowcast.text.safe_text import safe_line
from narrowcast_api import memory
from narrowcast_api.storage.folders import expand_home


def run(args: argparse.Namespace) -> int:
    """Serves until interrupted; with ``--check`` only verifies the data folder."""
    if bool(args.tls_cert) != bool(args.tls_key):
        raise CommandError("--tls-cert and --tls-key must be given together", Exit.USAGE)
    data = expand_home(args.data) if args.data else Paths.of_user().data / "server"
    if args.serve_command == "admin":
        return _admin(args, data)
    if chosen := _chosen(args):
        return _check(data) if chosen == "check" else _copy(args, data, chosen)
    from narrowcast_server import serve

    limits = None if args.rate_limit is None else (args.rate_limit,)
    options = serve.Options(
        host=args.host,
        port=args.port,
        data=data,
        demo=args.demo,
        dialect=args.dialect,
        url=args.url or "",
        tls_cert=_file(args.tls_cert),
        tls_key=_file(args.tls_key),
        rate_limits=limits,
    )
    if args.feature_level is not None:
        options = replace(options, feature_level=args.feature_level)
    memory.tune_malloc()
    return serve.run(options)


def _chosen(args: argparse.Namespace) -> str:
    """The option that runs something else than the server; empty if there is none."""
    chosen = [name for name in ("check", *_COPIES) if getattr(args, name)]
    if len(chosen) > 1:
        words = " and ".join(f"--{name.replace('_', '-')}" for name in chosen)
        raise CommandError(f"{words} cannot be combined", Exit.USAGE)
    if args.with_keys and chosen != ["backup"]:
        raise CommandError("--with-keys works only with --backup", Exit.USAGE)
    if args.zulip_level is not None and chosen != ["export_zulip"]:
        raise CommandError("--zulip-level works only with --export-zulip", Exit.USAGE)
    return "".join(chosen)


def _admin(args: argparse.Namespace, data: Path) -> int:
    """Runs a command of the operator, through the running server or without one."""
    from narrowcast_server.operator.arguments import Fault
    from narrowcast_server.operator.control import ask

    names = ("who", "role", "days", "uses", "limit", "invitation", "to", "permission", "revoke")
    arguments = {name: str(getattr(args, name)) for name in names if hasattr(args, name)}
    try:
        lines = asyncio.run(ask(data, args.admin_command, arguments))
    except Fault as fault:
        raise CommandError(fault.message, Exit.FAILED) from fault
    _print(lines)
    return Exit.DONE


def _print(lines: list[str]) -> None:
    for line in lines:
        sys.stdout.write(f"{safe_line(line)}\n")


_COPIES = ("backup", "restore", "export_zulip", "import_zulip")


def _copy(args: argparse.Namespace, data: Path, kind: str) -> int:
    """Runs the options that copy all data from or to a file."""
    from narrowcast_server.operator.data_folder import CopyError, LevelError, copy

    file = expand_home(getattr(args, kind))
    try:
        copy(
            kind,
            data,
            file,
            with_keys=args.with_keys,
            level=args.zulip_level,
            say=lambda line: _print([line]),
        )
    except LevelError as error:
        raise CommandError(str(error), Exit.USAGE) from error
    except CopyError as error:
        raise CommandError(str(error), Exit.FAILED) from error
    return Exit.DONE


def _file(name: str | None) -> Path | None:
    return expand_home(name) if name else None


def _check(data: Path) -> int:
    from narrowcast_server.operator.data_folder import check

    faults = check(data)
    for fault in faults:
        sys.stderr.write(f"narrowcast: {fault}\n")
    if not faults:
        sys.stdout.write(f"{data}: OK\n")
    return Exit.FAILED if faults else Exit.DONE
