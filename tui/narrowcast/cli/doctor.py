"""``narrowcast doctor``: checks the terminal, the configuration, the cache and the server."""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import locale
import logging
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec

from narrowcast.cli.account_choice import chosen_file
from narrowcast.cli.outcome import Exit, explain
from narrowcast.cli.printing import as_json, say
from narrowcast.cli.records import Finding
from narrowcast.cli.unsent import SENDER, counted, windows
from narrowcast.config import account_files
from narrowcast.config.config import Config, ConfigError, Notifications
from narrowcast.config.config_load import load
from narrowcast.extensions.search import FOLDER, has_extensions
from narrowcast.terminal.notifications import Popup, can_have_title, choose
from narrowcast.terminal.paths import Paths
from narrowcast.text import formats
from narrowcast.text.safe_text import safe_line
from narrowcast_api.account import is_cleartext
from narrowcast_api.regular_files import regular
from narrowcast_api.storage.account_storage import AccountStorage
from narrowcast_api.storage.executors import inline
from narrowcast_api.storage.windows import Machine
from narrowcast_api.version import VERSION
from narrowcast_assets.installing import with_extra

if TYPE_CHECKING:
    from narrowcast_api.account import Account

log = logging.getLogger(__name__)

P = ParamSpec("P")

MARKS = {"ok": "✓", "note": "·", "problem": "✗"}


def run(args: argparse.Namespace) -> int:
    """Prints the findings. Returns exit code 1 if there is a problem."""
    if args.keys:
        from narrowcast.keys.keymap import key_table

        say(key_table())
        return Exit.DONE
    findings = list(examine(args))
    if args.json:
        for finding in findings:
            say(as_json(finding))
    else:
        area = ""
        for finding in findings:
            if finding.area != area:
                area = finding.area
                say(f"{area}")
            say(f"  {MARKS[finding.level]} {safe_line(finding.text)}")
    return Exit.FAILED if any(finding.level == "problem" for finding in findings) else Exit.DONE


def examine(args: argparse.Namespace) -> Iterator[Finding]:
    """Runs all checks, and yields each finding at once. A check that fails is a finding too, and the others run."""
    paths = Paths.of_user()
    config = Config()
    with suppress(ConfigError):  # which `_configuration` reports
        config = load(paths.config_file)
    yield from _checked("program", _program)
    yield from _checked("terminal", _terminal)
    yield from _checked("configuration", _configuration, paths)
    yield from _checked("notifications", _notifications, config.notifications)
    if not args.no_extensions:
        yield from _checked("extensions", _extensions, paths, config)
    yield from _checked("account", _account, args, paths, config)


def _checked(
    area: str, check: Callable[P, Iterator[Finding]], *args: P.args, **kwargs: P.kwargs
) -> Iterator[Finding]:
    try:
        yield from check(*args, **kwargs)
    except Exception as error:
        log.info("the check of %s failed", area, exc_info=error)
        yield Finding(area, "problem", _explained(error))


def _explained(error: Exception) -> str:
    message, _ = explain(error) or (
        f"unexpected error ({type(error).__name__}: {error}); for the details: narrowcast doctor --debug FILE",
        Exit.FAILED,
    )
    return message


def _configuration(paths: Paths) -> Iterator[Finding]:
    try:
        load(paths.config_file)
        there = "read" if paths.config_file.exists() else "not found; defaults are used"
        yield Finding("configuration", "ok", f"{paths.config_file}: {there}")
    except ConfigError as error:
        for problem in error.problems:
            yield Finding("configuration", "problem", problem)
    try:
        if paths.log_file.exists():
            regular(paths.log_file)
        problem = _why_unusable(paths.state)
        text = f"log: {paths.log_file}: {problem}" if problem else f"log: {paths.log_file}"
        yield Finding("configuration", "problem" if problem else "note", text)
    except OSError as error:
        yield Finding("configuration", "problem", f"log: {paths.log_file}: {error.strerror}")


def _program() -> Iterator[Finding]:
    yield Finding(
        "program",
        "ok",
        f"narrowcast {VERSION}, Python {platform.python_version()}, {platform.system()}",
    )
    for extra, module in (("images", "textual_image"), ("keyring", "keyring"), ("socks", "socksio")):
        there = importlib.util.find_spec(module) is not None
        text = f"extra {extra}: " + ("installed" if there else f"not installed ({with_extra(extra)})")
        yield Finding("program", "ok" if there else "note", text)


def _terminal() -> Iterator[Finding]:
    term, colorterm = os.environ.get("TERM", ""), os.environ.get("COLORTERM", "")
    if term in {"", "dumb", "unknown"}:
        yield Finding(
            "terminal",
            "problem",
            f"TERM={term or '(not set)'}: the app cannot be shown; the other commands work",
        )
    else:
        yield Finding("terminal", "ok", f"TERM={term}")
    size = shutil.get_terminal_size()
    level = "ok" if size.columns >= 80 and size.lines >= 24 else "note"
    yield Finding(
        "terminal", level, f"{size.columns} columns, {size.lines} rows (at least 80 x 24 is recommended)"
    )
    if os.environ.get("NO_COLOR") is not None:
        yield Finding("terminal", "note", "NO_COLOR is set: no colors are used")
    elif colorterm in {"truecolor", "24bit"}:
        yield Finding("terminal", "ok", "16 million colors")
    else:
        count = "256" if "256" in term else "16"
        hint = (
            "" if not os.environ.get("SSH_TTY") else "; over SSH: SendEnv COLORTERM, if the terminal has more"
        )
        yield Finding("terminal", "note", f"{count} colors (COLORTERM is not set{hint})")
    encoding = locale.getpreferredencoding(False)
    good = encoding.lower().replace("-", "") == "utf8"
    yield Finding(
        "terminal", "ok" if good else "problem", f"encoding {encoding}" + ("" if good else ": set LANG")
    )
    if os.environ.get("TMUX"):
        yield from _tmux()


def _notifications(config: Notifications) -> Iterator[Finding]:
    def one(level: str, text: str) -> Finding:
        return Finding("notifications", level, text)

    chosen = choose(config.popup, os.environ, passthrough=config.passthrough)
    shown = "none" if chosen.way is Popup.OFF else f"by {chosen.way.value}"
    yield one("note" if chosen.way is Popup.OFF else "ok", f"pop-ups: {shown} ({chosen.why})")
    if config.command:
        there = shutil.which(config.command[0]) is not None
        yield one(
            "ok" if there else "problem",
            f"command: {config.command[0]}" + ("" if there else " was not found"),
        )
    else:
        yield one("note", "command: none (notifications.command)")
    yield one("ok" if config.sound == "bell" else "note", f"sound: {config.sound}")
    title = "off" if not config.title else "on" if can_have_title(os.environ) else "this terminal has none"
    yield one("ok" if title == "on" else "note", f"unread messages in the title: {title}")
    if config.quiet:
        yield one("note", f"quiet: {', '.join(config.quiet)}")


def _extensions(paths: Paths, config: Config) -> Iterator[Finding]:
    """Loads the extensions as the app would, to report their problems."""

    folder = paths.config / FOLDER
    if not has_extensions(folder):
        yield Finding("extensions", "note", f"none (files in {folder}, or packages)")
        return

    from narrowcast.extensions.loading import load_all

    found = load_all(folder, config.extensions)
    for one in found:
        if one.problem:
            yield Finding("extensions", "problem", f"{one.name}: {one.problem} ({one.source})")
        elif not one.enabled:
            yield Finding("extensions", "note", f"{one.name}: not enabled ({one.source})")
        elif one.extension is not None:
            yield Finding("extensions", "ok", f"{one.name}: {one.extension.about} ({one.source})")
    for name in sorted(set(config.extensions) - {one.name for one in found}):
        yield Finding("extensions", "note", f"{name}: has settings, but no such extension was found")


_TMUX: tuple[tuple[str, Callable[[str], bool], str], ...] = (
    (
        "escape-time",
        lambda value: value.isdecimal() and int(value) <= 50,
        "Esc responds slowly: set -sg escape-time 10",
    ),
    (
        "focus-events",
        lambda value: value == "on",
        "focus is not reported, so notifications depend on the last key press: set -g focus-events on",
    ),
    (
        "set-clipboard",
        lambda value: value in {"on", "external"},
        "copying does not reach the clipboard: set -g set-clipboard on",
    ),
    (
        "extended-keys",
        lambda value: value in {"on", "always"},
        "Shift-Enter cannot be told from Enter: set -s extended-keys on",
    ),
    (
        "allow-passthrough",
        lambda value: value in {"on", "all"},
        "images and pop-ups do not get through: set -g allow-passthrough on",
    ),
)


_SINCE = {"external": (3, 2)}
"""The version of tmux from which on a value is enough."""


def _ask_tmux(program: str, *arguments: str) -> str:
    """What tmux prints. Raises OSError, or TimeoutExpired after two seconds."""
    result = subprocess.run(  # noqa: S603 - the user's own tmux, fixed arguments
        [program, *arguments], capture_output=True, text=True, timeout=2, check=False
    )
    return result.stdout.strip()


def _version(text: str) -> tuple[int, int]:
    """Of "tmux 3.3a" or "tmux next-3.5"; (0, 0) of what has no number."""
    found = re.search(r"(\d+)\.(\d+)", text)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _tmux() -> Iterator[Finding]:
    program = shutil.which("tmux")
    if program is None:
        return
    for option, good, advice in _TMUX:
        try:
            value = next(
                filter(None, (_ask_tmux(program, "show-options", kind, option) for kind in ("-gsv", "-gv"))),
                "",
            )
            is_good = good(value) and _version(_ask_tmux(program, "-V")) >= _SINCE.get(value, (0, 0))
        except (OSError, subprocess.TimeoutExpired):
            return
        if is_good:
            yield Finding("terminal", "ok", f"tmux {option} {value}")
        else:
            yield Finding("terminal", "note", f"tmux {option} {value or '(none)'}: {advice}")


def _account(args: argparse.Namespace, paths: Paths, config: Config) -> Iterator[Finding]:
    try:
        path = chosen_file(args, paths, config)
        if path is None:
            yield Finding("account", "note", "no account is stored; log in with: narrowcast login URL")
            return
        account = account_files.read(path)
    except Exception as error:
        yield Finding("account", "problem", _explained(error))
        return
    yield Finding("account", "ok", f"{account.email} at {account.site} ({path})")
    if is_cleartext(account.site):
        yield Finding(
            "account",
            "problem",
            f"{account.site} does not encrypt: anyone on the network can read the key and the messages",
        )
    yield from _checked("cache", _storage, paths, account.site, account.email)
    yield from _checked("outbox", _outbox, account, paths)
    if not args.offline:
        yield asyncio.run(_server(path))


def _storage(paths: Paths, site: str, email: str) -> Iterator[Finding]:
    for what, folder in (("cache", paths.cache), ("journal", paths.data)):
        if problem := _why_unusable(folder):
            yield Finding("cache", "problem", f"{what}: {problem}")
            continue
        size = sum(file.stat().st_size for file in _files(folder))
        yield Finding("cache", "ok", f"{what}: {folder}, {formats.size(size)}")
    if not _files(paths.data):
        return
    storage = AccountStorage.open(paths.data, paths.cache, site, email, kind="command", executor=inline)
    try:
        for warning in storage.warnings:
            yield Finding("cache", "note", warning)
    finally:
        storage.close()


def _outbox(account: Account, paths: Paths) -> Iterator[Finding]:
    open_windows = windows(account, paths)
    senders = [window.pid for window in open_windows if window.kind == SENDER]
    for window in open_windows:
        if window.kind != SENDER:
            where = f" on {window.machine.host}" if window.machine.boot != Machine.here().boot else ""
            yield Finding("windows", "ok", f"{window.kind}, process {window.pid}{where}")
    waiting, failed = counted(account, paths)
    if waiting or failed or senders:
        who = "".join(f"; process {pid} sends them" for pid in senders)
        yield Finding("outbox", "note", f"{waiting} waiting to be sent, {failed} failed{who}")


def _why_unusable(folder: Path) -> str:
    """Why no file can be made in a folder, which itself is made when it is needed; empty if one can."""
    there = next(one for one in (folder, *folder.parents) if one.exists())
    if not there.is_dir():
        return f"{there} is not a folder"
    return "" if os.access(there, os.W_OK | os.X_OK) else f"{there} cannot be written"


def _files(folder: Path) -> list[Path]:
    return [file for file in folder.rglob("*") if file.is_file()] if folder.is_dir() else []


async def _server(path: Path) -> Finding:
    try:
        from narrowcast_api.client import Client

        async with Client.open(account_files.read(path)) as client:
            server = await client.connection.identified()
            me = await client.users.me()
    except Exception as error:
        log.info("the check of the server failed", exc_info=error)
        return Finding("server", "problem", _explained(error))
    return Finding(
        "server",
        "ok",
        f"version {server.version}, feature level {server.level}; logged in as {me.full_name}",
    )
