"""``narrowcast``: the app with the stored account, or with the welcome screen."""

from __future__ import annotations

import argparse
import asyncio
import gc
import importlib
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from narrowcast.app.early_session import begin
from narrowcast.cli.account_choice import chosen_file
from narrowcast.cli.outcome import CommandError, Exit
from narrowcast.config import account_files
from narrowcast.config.config_load import load
from narrowcast.terminal.keyboard import takes_mouse
from narrowcast.terminal.logs import start_log
from narrowcast.terminal.paths import Paths

if TYPE_CHECKING:
    from narrowcast.app.app import Opening


def run(args: argparse.Namespace) -> int:
    paths = Paths.of_user()
    path = chosen_file(args, paths, load(paths.config_file))
    if args.rc and path is not None:
        account_files.read(
            path
        )  # a file named on the command line is checked before the app takes the screen
    return run_app(
        path if path is not None else "welcome",
        paths,
        alone=bool(args.rc or args.account),
        extensions=not args.no_extensions,
    )


def run_app(
    opening: Opening,
    paths: Paths,
    *,
    demo_data: Path | None = None,
    link: str = "",
    alone: bool = False,
    extensions: bool = True,
) -> int:
    """Runs the app in the terminal. ``alone``: opens no other account. Raises CommandError if the terminal
    cannot show the app.
    """
    check_terminal()
    gc.disable()  # startup leaves no garbage; the app enables collection after its first paint
    forget_old_start(paths.cache)
    config = load(paths.config_file)
    start_log(None if opening == "demo" else paths.log_file)  # the demo logs to its own folder
    mouse = config.appearance.mouse and takes_mouse(os.environ)
    options = {"demo_data": demo_data, "link": link, "alone": alone, "extensions": extensions}
    code = asyncio.run(_run(opening, mouse, config=config, paths=paths, **options))
    from narrowcast.terminal.driver import TerminalWriter  # imports Textual

    if TerminalWriter.is_stuck:
        os._exit(code)  # the terminal accepts no output: Python would wait for it forever
    return code


async def _run(opening: Opening, mouse: bool, *, paths: Paths, **options: Any) -> int:
    """Runs the app until it ends; returns its exit code."""
    early = asyncio.create_task(begin(opening, paths)) if isinstance(opening, Path) else None
    await asyncio.to_thread(
        importlib.import_module, "narrowcast.app.app"
    )  # the session uses the network meanwhile
    from narrowcast.app.app import NarrowcastApp

    app = NarrowcastApp(opening, paths=paths, early=early, **options)
    result = await app.run_async(mouse=mouse)
    return result if result is not None else app.return_code or 0


def forget_old_start(cache: Path) -> None:
    """Deletes the compiled code that earlier versions kept for their starts."""
    with suppress(OSError):
        (cache / "start.code").unlink()


def check_terminal() -> None:
    """Raises CommandError if the terminal cannot show the app, with the alternatives."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise CommandError(
            "the app needs a terminal; in scripts use: narrowcast send, read, search, export",
            Exit.USAGE,
        )
    kind = os.environ.get("TERM", "")
    if kind in {"", "dumb", "unknown"}:
        what = f"TERM={kind}" if kind else "TERM is not set"
        raise CommandError(
            f"this terminal ({what}) cannot show the app; set TERM to your terminal type, such as xterm-256color, "
            "or use: narrowcast send, read, search",
            Exit.USAGE,
        )
