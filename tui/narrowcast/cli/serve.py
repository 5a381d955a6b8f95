"""``narrowcast serve``: the embedded server in the foreground."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from narrowcast.cli.outcome import CommandError, Exit
from narrowcast.terminal.paths import Paths


def run(args: argparse.Namespace) -> int:
    """Serve until interrupted; with ``--check`` verify the data folder instead."""
    if bool(args.tls_cert) != bool(args.tls_key):
        raise CommandError("--tls-cert and --tls-key go together", Exit.USAGE)
    data = Path(args.data).expanduser() if args.data else Paths.of_user().data / "server"
    from narrowcast_server import serve
    from narrowcast_server.storage import checking

    if args.check:
        return _check(checking.check(data), data)
    limits = None if args.rate_limit is None else (args.rate_limit,)
    options = serve.Options(
        host=args.host,
        port=args.port,
        data=data,
        demo=args.demo,
        dialect=args.dialect,
        tls_cert=_file(args.tls_cert),
        tls_key=_file(args.tls_key),
        rate_limits=limits,
    )
    if args.feature_level is not None:
        options = replace(options, feature_level=args.feature_level)
    return serve.run(options)


def _file(name: str | None) -> Path | None:
    return Path(name).expanduser() if name else None


def _check(faults: list[str], data: Path) -> int:
    for fault in faults:
        sys.stderr.write(f"narrowcast: {fault}\n")
    if not faults:
        sys.stdout.write(f"{data} is sound\n")
    return Exit.FAILED if faults else Exit.DONE
