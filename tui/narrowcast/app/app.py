"""The app: one live account on screen, from the first paint to a clean end."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from textual.binding import BindingType
from textual.screen import Screen

from narrowcast.app.account import CLOSE_SECONDS, AccountApp
from narrowcast.app.config import Config
from narrowcast.app.context import in_app
from narrowcast.app.themes import THEMES, sixteen_colours
from narrowcast.commands.registry import REGISTRY, Command, Context, bindings_for, by_id
from narrowcast.terminal.paths import Paths

if TYPE_CHECKING:
    from narrowcast.app.demo_server import DemoServer
    from narrowcast.screens.main.screen import MainScreen
    from narrowcast.terminal.signal_handler import SignalHandler

log = logging.getLogger(__name__)

COLLECT_AFTER = 2.0
"""Seconds after which the collector of garbage runs again; while the app starts there is none."""

QUIT_AGAIN = 5.0
"""Seconds within which asking to quit once more quits at once."""

Opening = Path | Literal["demo", "welcome"]
"""What to open: the account in a file, the demo, or the welcome screen."""


def _collect_from_now_on() -> None:
    gc.freeze()
    gc.enable()


class NarrowcastApp(AccountApp, inherit_bindings=False):
    """Keys, themes, the demo, the way in and the way out."""

    TITLE = "Narrowcast"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.APP)]
    CSS = """
    Toast { max-width: 60; padding: 0 1; }
    ToastRack { dock: top; align: right top; }
    """

    def __init__(
        self,
        opening: Opening,
        *,
        config: Config | None = None,
        paths: Paths | None = None,
        demo_data: Path | None = None,
        link: str = "",
    ) -> None:
        super().__init__(paths or Paths.of_user(), config or Config())
        self.opening = opening
        self.link = link
        self.demo: DemoServer | None = None
        self.keys: dict[str, tuple[str, ...]] = {command.id: command.keys for command in REGISTRY}
        self.outside: asyncio.subprocess.Process | None = None
        """A program that has the terminal for now."""
        self._demo_data = demo_data
        self._first_screen: MainScreen | None = None
        self._signals: SignalHandler | None = None
        self._leaving = False
        self._asked_to_quit = False
        self._send_later = False

    # from start to end

    async def on_load(self) -> None:
        """Themes, keys and the account's screen, before anything is drawn: so the first frame shows messages."""
        for theme in THEMES:
            self.register_theme(theme)
        wanted = self.config.appearance.theme
        if wanted == "narrowcast" and sixteen_colours(
            os.environ.get("TERM", ""), os.environ.get("COLORTERM", "")
        ):
            wanted = "terminal"
        self.theme = wanted
        if self.console.color_system == "256":
            from narrowcast.terminal.colours import NearestOf256

            self._filters.append(NearestOf256())
        if self.config.keymap:
            self._use_keys()

        if isinstance(self.opening, Path):
            self._first_screen = await self.open_screen(self.opening)

    def _use_keys(self) -> None:
        """The keys of the configuration, for every screen that is opened from now on."""
        from narrowcast.commands.keymap import effective, textual_keymap

        self.keys = effective(self.config.keymap)
        self.set_keymap(textual_keymap(self.config.keymap))
        for command in REGISTRY:
            if not command.keys and self.keys[command.id]:
                self.bind(",".join(self.keys[command.id]), command.handler, show=False)

    def use_config(self, config: Config) -> None:
        """A configuration that was changed while the app runs: theme and keys at once, the rest where it is read."""
        if config.appearance.theme != self.config.appearance.theme:
            self.theme = config.appearance.theme
        self.config = config
        self._use_keys()

    def get_default_screen(self) -> Screen[Any]:
        """The screen of the account where there is one: no empty one is laid out and painted below it."""
        return super().get_default_screen() if self._first_screen is None else self._first_screen

    async def on_mount(self) -> None:
        """Take up the signals, then open what was asked for."""
        self.set_timer(COLLECT_AFTER, _collect_from_now_on)
        if not self.is_headless and sys.platform != "win32":
            from narrowcast.terminal.driver import TerminalDriver
            from narrowcast.terminal.signal_handler import SignalHandler

            self._signals = SignalHandler(in_app(self._leave_now))
            self._signals.start()
            if isinstance(self._driver, TerminalDriver):
                driver = self._driver
                self._signals.also_clean = lambda: driver.title_to_restore
                self._driver.lost = self._signals.vanished
                self._driver.leaving = self._is_going
                self._driver.repainting = self.forget_screen
        if self.opening == "demo":
            self.spawn(self.start_demo(), "start the demo")
        elif self.opening == "welcome":
            self.show_welcome()
        elif self._first_screen is None:
            self.show_welcome(self.problem)
        else:
            self.bring_to_life()

    async def start_demo(self) -> None:
        """A server of its own, then the account of the person whom the demo is about."""
        from narrowcast.app.demo_server import DemoFailed, DemoServer
        from narrowcast.screens.start.welcome import WaitScreen

        wait = WaitScreen("Starting the demo server…")
        await self.push_screen(wait)
        self.demo = DemoServer(self._demo_data)
        try:
            account = await self.demo.start()
        except DemoFailed as error:
            log.error("%s", error)
            self.show_welcome(error.user_message)
            return
        client = self.demo.folder / "client"
        is_new = not client.exists()
        self.paths = Paths.under(client)
        await self.open_account(account)
        if is_new:
            from narrowcast.screens.main.demo_start import begin_at_welcome

            begin_at_welcome(self.screen)

    def _is_going(self) -> bool:
        return self._leaving or (self._signals is not None and self._signals.is_leaving)

    def _leave_now(self, code: int) -> None:
        """A signal came, or the terminal went."""
        self.spawn(self.leave(code), "leave")

    async def leave(self, code: int = 0) -> None:
        """Keep the draft, close the session within a bound, give the terminal back."""
        if self._leaving:
            return
        self._leaving = True
        if self.outside is not None:  # an editor has the terminal: it gives it back first
            self.outside.terminate()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(self.outside.wait()), CLOSE_SECONDS)
        if self.screen is self.main_screen and self.account_file == self.opening:
            self.keep_screen()
        await self.close_session()
        if self._send_later and self.account_file is not None:
            from narrowcast.app.unsent import send_in_background

            try:
                send_in_background(self.account_file.absolute())
            except OSError as error:
                log.warning("nothing is sent in the background: %s", error)
        try:
            if self.demo is not None:
                await self.demo.stop()
        except Exception:
            log.exception("the demo's server did not stop")
        self.exit(code)

    def on_unmount(self) -> None:
        if self._signals is not None:
            self._signals.stop()

    # commands of the registry

    def action_app_help(self) -> None:
        from narrowcast.screens.dialogs.help import HelpScreen

        heard: list[str] = []
        if self.screen is not self.main_screen:
            bindings = (active.binding for active in self.screen.active_bindings.values())
            heard = [binding.id for binding in bindings if binding.id]
        self.push_screen(HelpScreen(self.keys, heard))

    def action_app_palette(self) -> None:
        from narrowcast.screens.dialogs.palette import palette

        level = self.session.state.server.level if self.session is not None else 0
        self.push_screen(palette(self.keys, level), self._run_chosen)

    def _run_chosen(self, command: Command | None) -> None:
        if command is not None:
            self.call_later(self.perform, command)

    async def perform(self, command: Command) -> None:
        """Run a command, on the nearest owner of its action from the focus outwards, else anywhere on screen."""
        if command.function is not None:
            self.action_command(command.id)
            return
        name = f"action_{command.handler.partition('(')[0]}"
        start = self.focused or self.screen
        near: list[Any] = [*start.ancestors_with_self, *self.screen.walk_children(), self]
        for node in near:
            if hasattr(node, name):
                await self.run_action(command.handler, node)
                return
        self.refuse(f"{command.title}: not available here.")

    def action_command(self, command_id: str) -> None:
        """Run the function of a command on the main screen."""
        from narrowcast.commands.run import run

        screen, command = self.main_screen, by_id()[command_id]
        if screen is not None and self.screen is screen:
            run(screen, command)
        else:
            self.refuse(f"{command.title}: not available here.")

    def action_app_redraw(self) -> None:
        self.forget_screen()
        self.screen.refresh(layout=True)

    def action_app_theme(self) -> None:
        names = [theme.name for theme in THEMES]
        place = names.index(self.theme) + 1 if self.theme in names else 0
        self.theme = names[place % len(names)]
        self.tell(f"Theme: {self.theme}", seconds=2)

    async def action_app_suspend(self) -> None:
        self.action_suspend_process()

    def action_app_quit(self) -> None:
        selected = self.screen.get_selected_text()
        if selected:
            self.copy_to_clipboard(selected)
            self.screen.clear_selection()
            self.tell("Copied.")
            return
        if self.session is not None and self.demo is None and not self._asked_to_quit:
            from narrowcast.app.unsent import ask, waiting

            if count := waiting(self.session):
                self._asked_to_quit = True
                question, chosen = ask(count, self._leave_unsent)
                self.push_screen(question, chosen)
                self.set_timer(QUIT_AGAIN, self._forget_question)
                return
        self.spawn(self.leave(), "leave")

    def _forget_question(self) -> None:
        self._asked_to_quit = False

    def _leave_unsent(self, send: bool) -> None:
        self._send_later = send
        self.spawn(self.leave(), "leave")
