"""The app: one live account on screen, from the first paint to a clean end."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import sys
from collections.abc import Awaitable
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast

from rich.console import RenderableType
from textual import events
from textual.app import App
from textual.binding import BindingType
from textual.driver import Driver
from textual.screen import Screen

from narrowcast import accounts
from narrowcast.actions import REGISTRY, Action, Context, bindings_for
from narrowcast.config import Config
from narrowcast.owner import in_app
from narrowcast.platform.key_queue import KeyQueue
from narrowcast.platform.paths import Paths
from narrowcast.themes import THEMES, sixteen_colours

if TYPE_CHECKING:
    from narrowcast.demo_server import DemoServer
    from narrowcast.platform.guardian import Guardian
    from narrowcast.platform.screen_memory import ScreenMemory
    from narrowcast.screens.main import MainScreen
    from narrowcast_api.session import Session

log = logging.getLogger(__name__)

CLOSE_SECONDS = 2.0
"""How long the session may take to say goodbye to the server."""

COLLECT_AFTER = 2.0
"""Seconds after which the collector of garbage runs again; while the app starts there is none."""

Opening = Path | Literal["demo", "welcome"]
"""What to open: the account in a file, the demo, or the welcome screen."""


def terminal_driver() -> type[Driver] | None:
    """Our driver where there is a POSIX terminal, else Textual's choice."""
    if sys.platform == "win32":
        return None
    from narrowcast.platform.driver import TerminalDriver

    return TerminalDriver


def _collect_from_now_on() -> None:
    gc.freeze()
    gc.enable()


MOST_NOTICES = 3
"""Notices that stand on the screen at once."""


class NarrowcastApp(App[int], inherit_bindings=False):
    """Holds the session and what outlives screens: keys, themes, notices, the way out."""

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
    ) -> None:
        super().__init__(driver_class=terminal_driver())
        self.opening = opening
        self.config = config or Config()
        self.paths = paths or Paths.of_user()
        self.session: Session | None = None
        self.account_file: Path | None = None
        """Where the account that is open is stored."""
        self.demo: DemoServer | None = None
        self.keys: dict[str, tuple[str, ...]] = {action.id: action.keys for action in REGISTRY}
        self._demo_data = demo_data
        self.outside: asyncio.subprocess.Process | None = None
        """A program that has the terminal for now."""
        self._first_screen: MainScreen | None = None
        self._problem = ""
        """Why an account could not be opened, for its user."""
        self._guardian: Guardian | None = None
        self._running_session: asyncio.Task[None] | None = None
        self._leaving = False
        self._typed = KeyQueue(self, self._take_key)
        self._memory: ScreenMemory | None = None
        if sys.platform != "win32":
            from narrowcast.platform.screen_memory import ScreenMemory

            self._memory = ScreenMemory()
        self._work: set[asyncio.Task[None]] = set()

    # keys

    async def on_event(self, event: events.Event) -> None:
        """Keys and pastes wait for one another; all else goes its way."""
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            await super().on_event(event)
        else:
            self._typed.put(event)

    async def _take_key(self, event: events.Event) -> None:
        try:
            await super().on_event(event)
        except Exception as error:
            self._handle_exception(error)
        if self.session is not None:
            self.session.presence.key_pressed()

    # what reaches the terminal

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        """Send what differs from what the terminal shows, instead of whole regions."""
        if self._memory is not None:
            renderable = cast("RenderableType | None", self._memory.lean(renderable))
        super()._display(screen, renderable)

    def forget_screen(self) -> None:
        """Somebody else may have written to the terminal: the next frame is sent whole."""
        if self._memory is not None:
            self._memory.forget()

    def on_resize(self) -> None:
        """Terminals move text about when they are resized."""
        self.forget_screen()

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
        self.theme = wanted if wanted in self.available_themes else "narrowcast"
        if self.config.keys:
            from narrowcast.keymap import effective, textual_keymap

            self.keys = effective(self.config.keys)
            self.set_keymap(textual_keymap(self.config.keys))
            for action in REGISTRY:
                if not action.keys and self.keys[action.id]:
                    self.bind(",".join(self.keys[action.id]), action.handler, show=False)

        if isinstance(self.opening, Path):
            self._first_screen = await self._open_screen(self.opening)

    def get_default_screen(self) -> Screen[Any]:
        """The screen of the account where there is one: no empty one is laid out and painted below it."""
        return super().get_default_screen() if self._first_screen is None else self._first_screen

    async def on_mount(self) -> None:
        """Take up the signals, then open what was asked for."""
        self.set_timer(COLLECT_AFTER, _collect_from_now_on)
        if not self.is_headless and sys.platform != "win32":
            from narrowcast.platform.driver import TerminalDriver
            from narrowcast.platform.guardian import Guardian

            self._guardian = Guardian(in_app(self._leave_now))
            self._guardian.start()
            if isinstance(self._driver, TerminalDriver):
                self._driver.lost = self._guardian.vanished
                self._driver.leaving = self._is_going
                self._driver.repainting = self.forget_screen
        if self.opening == "demo":
            self.spawn(self.start_demo(), "start the demo")
        elif self.opening == "welcome":
            self.show_welcome()
        elif self._first_screen is None:
            self.show_welcome(self._problem)
        else:
            self._bring_to_life()

    def show_welcome(self, problem: str = "") -> None:
        """The screen for who has no account yet, or one that cannot be opened."""
        from narrowcast.screens.welcome import WelcomeScreen

        self.push_screen(WelcomeScreen(problem))

    async def start_demo(self) -> None:
        """A server of its own, then the account of the person whom the demo is about."""
        from narrowcast.demo_server import DemoFailed, DemoServer
        from narrowcast.screens.welcome import WaitScreen

        wait = WaitScreen("Starting the demo: a server of its own, with people who talk…")
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
            from narrowcast.screens.demo_start import begin_at_welcome

            begin_at_welcome(self.screen)

    async def open_account(self, path: Path) -> None:
        """Show the account from what is known of it, then bring it to life."""
        screen = await self._open_screen(path)
        if screen is None:
            self.show_welcome(self._problem)
            return
        self._bring_to_life()
        await self.push_screen(screen)

    async def _open_screen(self, path: Path) -> MainScreen | None:
        """The screen of an account that shows what is known of it; None and a problem if it cannot be opened."""
        from narrowcast_api.errors import NarrowcastError

        try:
            account = accounts.read(path)
            from narrowcast_api.session import Session

            self.session = await Session.open(account, data_dir=self.paths.data, cache_dir=self.paths.cache)
            from narrowcast.screens.main import MainScreen
        except NarrowcastError as error:
            self._problem = error.user_message
            return None
        except Exception as error:
            log.exception("the account cannot be opened")
            self._problem = f"The account cannot be opened ({type(error).__name__}); the log has more."
            return None
        self.account_file = path
        return MainScreen(
            self.session,
            people=self.config.appearance.people,
            enter_sends=self.config.compose.enter == "send",
        )

    def _bring_to_life(self) -> None:
        """Run the session, with the network once the first frame is painted."""
        if self.session is None:
            return
        painted = asyncio.Event()
        self.session.hold_back(painted)
        self._running_session = self.spawn(self.session.run(), "keep the account live")
        self.call_after_refresh(painted.set)

    async def reopen(self) -> None:
        """Take up the account anew as its file has it now, such as with another key."""
        if self.account_file is not None:
            await self._replace_main(self.account_file)

    async def end_account(self, reason: str) -> None:
        """The account is no more: back to the welcome, which says why."""
        self._problem = reason
        await self._replace_main(None)

    async def _replace_main(self, path: Path | None) -> None:
        """Close the account that is open; in its place comes that of ``path``, else the welcome."""
        old = self.main_screen
        await self.close_session()
        while old is not None and self.screen is not old and len(self.screen_stack) > 1:
            await self.pop_screen()
        screen = None if path is None else await self._open_screen(path)
        mounted: Awaitable[object] | None = None
        if screen is None:
            self.show_welcome(self._problem)
        else:
            mounted = self.push_screen(screen)
        if old is not None:  # not switch_screen: that leaves a moment without any screen
            self._screen_stack.remove(old)
            await old.remove()
        if mounted is not None:
            await mounted
            self._bring_to_life()

    def _is_going(self) -> bool:
        return self._leaving or (self._guardian is not None and self._guardian.is_leaving)

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
        await self.close_session()
        try:
            if self.demo is not None:
                await self.demo.stop()
        except Exception:
            log.exception("the demo's server did not stop")
        self.exit(code)

    async def close_session(self) -> None:
        """Keep what is being written and let the account go, within a bound."""
        if (screen := self.main_screen) is not None:
            screen.keep()
        session, self.session = self.session, None
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                if self._running_session is not None:
                    self._running_session.cancel()
                if session is not None:
                    await session.close()
        except Exception:
            log.exception("the session did not close")

    def on_unmount(self) -> None:
        """The terminal is ours no longer."""
        if self._guardian is not None:
            self._guardian.stop()

    @property
    def main_screen(self) -> MainScreen | None:
        """The main screen, if an account is open."""
        if self.session is None:
            return None
        from narrowcast.screens.main import MainScreen

        return next((screen for screen in self.screen_stack if isinstance(screen, MainScreen)), None)

    # notices and work

    def tell(self, text: str, *, severity: str = "information", seconds: float | None = None) -> None:
        """A notice in a corner. ``text`` may come from anywhere."""
        from narrowcast.safe_text import safe_block

        level = cast(Literal["information", "warning", "error"], severity)
        self.notify(safe_block(text[:500]), severity=level, timeout=seconds, markup=False)

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: Literal["information", "warning", "error"] = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """As Textual's, at the top, where it hides neither compose nor the newest message. What stands there
        already is not said twice, and a few notices are enough at once.
        """
        standing = list(self._notifications)
        same = [notice for notice in standing if notice.message == message]
        for notice in same or standing[: max(0, len(standing) + 1 - MOST_NOTICES)]:
            self._unnotify(notice, refresh=False)
        super().notify(message, title=title, severity=severity, timeout=timeout, markup=markup)

    def spawn(self, work: Awaitable[object], what: str) -> asyncio.Task[None]:
        """Do ``work`` in the background. Whatever goes wrong becomes a notice and a line in the log."""
        task = asyncio.ensure_future(self._guarded(work, what))
        self._work.add(task)
        task.add_done_callback(self._work.discard)
        return task

    async def _guarded(self, work: Awaitable[object], what: str) -> None:
        from narrowcast_api.errors import NarrowcastError

        try:
            await work
        except NarrowcastError as error:
            log.warning("could not %s: %s", what, error)
            self.tell(error.user_message, severity="error")
        except Exception as error:
            log.exception("could not %s", what)
            self.tell(f"Could not {what}: {type(error).__name__}. The log has more.", severity="error")

    def _handle_exception(self, error: Exception) -> None:
        """A defect in a handler ends the app: log it, keep the draft, and leave the terminal clean."""
        log.error("unhandled", exc_info=error)
        try:
            if (screen := self.main_screen) is not None:
                screen.keep()
        except Exception:
            log.exception("the text in the editor was not kept as a draft")
        if self.is_headless:
            super()._handle_exception(error)  # tests want to see it
            return
        self._return_code = 1
        self.panic(
            f"narrowcast: a defect ended the app ({type(error).__name__}); what you wrote is kept. "
            f"Details: {self.paths.log_file}"
        )

    # actions of the registry

    def action_app_help(self) -> None:
        from narrowcast.screens.help import HelpScreen

        self.push_screen(HelpScreen(self.keys))

    def action_app_palette(self) -> None:
        from narrowcast.screens.palette import palette

        level = self.session.state.server.level if self.session is not None else 0
        self.push_screen(palette(self.keys, level), self._run_chosen)

    def _run_chosen(self, action: Action | None) -> None:
        if action is not None:
            self.call_later(self.perform, action)

    async def perform(self, action: Action) -> None:
        """Do an action, on the nearest owner of its handler from the focus outwards, else anywhere on
        screen.
        """
        if action.run:
            self.action_act(action.id)
            return
        name = f"action_{action.handler}"
        start = self.focused or self.screen
        near: list[Any] = [*start.ancestors_with_self, *self.screen.walk_children(), self]
        for node in near:
            if hasattr(node, name):
                await self.run_action(action.handler, node)
                return
        self.tell(f"{action.title}: not possible here.", severity="warning")

    def action_act(self, action_id: str) -> None:
        """Do an act of `narrowcast.acts` on the main screen."""
        from narrowcast.acts.running import run

        screen = self.main_screen
        action = next(action for action in REGISTRY if action.id == action_id)
        if screen is not None and self.screen is screen:
            run(screen, action)
        else:
            self.tell(f"{action.title}: not possible here.", severity="warning")

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
        self.spawn(self.leave(), "leave")
