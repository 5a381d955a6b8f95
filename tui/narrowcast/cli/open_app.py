"""``narrowcast``: the app with the stored account, or with the welcome screen."""

from __future__ import annotations

import argparse
import asyncio
import gc
import importlib
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from narrowcast.app import accounts
from narrowcast.app.config_load import load
from narrowcast.cli import startup_cache
from narrowcast.cli.account_choice import chosen_file
from narrowcast.cli.outcome import CommandError, Exit
from narrowcast.terminal import last_screen, late_suggestions, without_palette
from narrowcast.terminal.logs import start_log
from narrowcast.terminal.mouse import takes_mouse
from narrowcast.terminal.paths import Paths

if TYPE_CHECKING:
    from narrowcast.app.app import NarrowcastApp, Opening
    from narrowcast.app.config import Config

START_SECONDS = 1.0
"""Seconds during which loaded modules count as part of startup."""

APP = (
    "narrowcast.terminal.textual_classes",  # before Textual creates classes
    "textual.screen",
    "textual.app",
    "narrowcast.screens.dialogs.picker",
    "narrowcast.app.app",
)
"""What the app consists of, in steps of some milliseconds."""


def run(args: argparse.Namespace) -> int:
    paths = Paths.of_user()
    path = chosen_file(args, paths, load(paths.config_file))
    if args.rc and path is not None:
        accounts.read(
            path
        )  # a file named on the command line is checked before the app takes over the screen
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
    config = load(paths.config_file)

    start_log(None if opening == "demo" else paths.log_file)  # the demo logs to its own folder
    without_palette.install()
    late_suggestions.install()
    make = partial(
        _app,
        opening,
        config=config,
        paths=paths,
        demo_data=demo_data,
        link=link,
        alone=alone,
        extensions=extensions,
    )
    code = asyncio.run(_run(opening, config, paths, make))
    if startup_cache.of_this_start() is not None:
        importlib.import_module("narrowcast.cli.startup_cache_writer").save()
    from narrowcast.terminal.driver import TerminalWriter  # imports Textual

    if TerminalWriter.is_stuck:
        os._exit(code)  # the terminal accepts no output: Python would wait for it forever
    return code


async def _run(opening: Opening, config: Config, paths: Paths, make: Callable[..., NarrowcastApp]) -> int:
    """Runs the app until it ends; returns its exit code."""
    mouse = config.appearance.mouse and takes_mouse(os.environ)
    if not isinstance(opening, Path) or last_screen.shown() is None:
        app = make()
        return _code(app, await app.run_async(mouse=mouse))

    from narrowcast.app.early_session import EarlySession, load_in_steps

    asyncio.get_running_loop().call_later(START_SECONDS, startup_cache.end)
    early = EarlySession(opening, paths, config)
    try:
        await early.asked()
        await early.load_painting()
        await load_in_steps(*APP)
        if (cache := startup_cache.of_this_start()) is not None:
            importlib.import_module("narrowcast.cli.startup_styles").use(cache)
        app = make(early=early)
        return _code(app, await app.run_async(mouse=mouse))
    finally:
        await early.close()


def _loaded() -> type[NarrowcastApp]:
    for name in APP:
        importlib.import_module(name)
    from narrowcast.app.app import NarrowcastApp

    return NarrowcastApp


def _app(opening: Opening, **options: Any) -> NarrowcastApp:
    from rich.console import Console

    app = _loaded()(opening, **options)
    app.error_console = Console(markup=False, highlight=False, stderr=True, color_system=None)
    return app


def _code(app: NarrowcastApp, result: int | None) -> int:
    return result if result is not None else app.return_code or 0


def check_terminal() -> None:
    """Raises CommandError if the terminal cannot show the app, with the alternatives."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise CommandError(
            "the app needs a terminal; in scripts use: narrowcast send, read, search, export",
            Exit.USAGE,
        )
    if os.environ.get("TERM", "") in {"", "dumb", "unknown"}:
        raise CommandError(
            "this terminal (TERM=dumb) cannot show the app; set TERM to your terminal type, such as xterm-256color, "
            "or use: narrowcast send, read, search",
            Exit.USAGE,
        )
