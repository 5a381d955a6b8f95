"""``narrowcast``: the app with the stored account, or with the welcome screen."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from narrowcast.app import accounts
from narrowcast.app.config_load import load
from narrowcast.cli.account_choice import chosen_file
from narrowcast.cli.outcome import CommandError, Exit
from narrowcast.terminal import late_suggestions, without_palette
from narrowcast.terminal.logs import start_log
from narrowcast.terminal.mouse import takes_mouse
from narrowcast.terminal.paths import Paths
from narrowcast_api.http import httpcore_waiting

if TYPE_CHECKING:
    from narrowcast.app.app import Opening


def run(args: argparse.Namespace) -> int:
    paths = Paths.of_user()
    path = chosen_file(args, paths, load(paths.config_file))
    if args.rc and path is not None:
        accounts.read(path)  # a file named on the command line is checked before the screen is taken
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
    """Take the terminal. ``alone``: open no other account. Raises CommandError where no terminal can show the app."""
    check_terminal()
    gc.disable()  # nothing of the start is garbage; the app collects again once it has painted
    config = load(paths.config_file)

    start_log(None if opening == "demo" else paths.log_file)  # the demo logs into its own folder
    without_palette.install()
    late_suggestions.install()
    httpcore_waiting.install()
    from rich.console import Console

    from narrowcast.app.app import NarrowcastApp

    app = NarrowcastApp(
        opening,
        config=config,
        paths=paths,
        demo_data=demo_data,
        link=link,
        alone=alone,
        extensions=extensions,
    )
    app.error_console = Console(markup=False, highlight=False, stderr=True, color_system=None)
    code = app.run(mouse=config.appearance.mouse and takes_mouse(os.environ))
    code = app.return_code or 0 if code is None else code
    if sys.platform != "win32":
        from narrowcast.terminal.driver import TerminalWriter

        if TerminalWriter.is_stuck:
            os._exit(code)  # the terminal takes nothing: Python would wait for it forever
    return code


def check_terminal() -> None:
    """Refuse what cannot show the app, and say what to do instead."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise CommandError(
            "the app needs a terminal; for scripts there are: narrowcast send, read, search, export",
            Exit.USAGE,
        )
    if os.environ.get("TERM", "") in {"", "dumb", "unknown"}:
        raise CommandError(
            "this terminal (TERM=dumb) cannot show the app; set TERM to what it is, such as xterm-256color, "
            "or use: narrowcast send, read, search",
            Exit.USAGE,
        )
