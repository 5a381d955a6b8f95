"""The app: accounts, keys, terminal output and shutdown, combined in Textual's app class."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from rich.console import Console, RenderableType
from textual import events
from textual.binding import BindingType
from textual.notifications import Notify
from textual.screen import Screen

from narrowcast.app.copying import Copying
from narrowcast.app.debugging import Debugging
from narrowcast.app.demo import Demo
from narrowcast.app.key_queue import KeyQueue
from narrowcast.app.open_accounts import OpenAccounts
from narrowcast.app.shutdown import Shutdown
from narrowcast.app.theme_colours import computed_colours
from narrowcast.app.unheard_keys import why_unheard
from narrowcast.commands.run import AppWithCommands
from narrowcast.config.config import Config, Density
from narrowcast.config.config_file import Value, change
from narrowcast.config.themes import THEMES, has_sixteen_colours, own_themes
from narrowcast.extensions.start import Extensions
from narrowcast.keys.keymap import effective, textual_keymap, without_lost
from narrowcast.keys.registry import REGISTRY, Command, Context, bindings_for
from narrowcast.runtime.background import could_not
from narrowcast.runtime.context import FollowsConfig
from narrowcast.runtime.frames import SLOW
from narrowcast.runtime.looking import Looking
from narrowcast.screens.dialogs.help import HelpScreen
from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.palette import palette
from narrowcast.screens.settings.find import setting_choices
from narrowcast.screens.settings.themes import ThemePicker
from narrowcast.terminal.clipboard_answers import ClipboardAnswer
from narrowcast.terminal.driver import TerminalDriver
from narrowcast.terminal.fallbacks import NearestOf256
from narrowcast.terminal.output import TerminalOutput
from narrowcast.terminal.paths import Paths
from narrowcast.terminal.textual_fixes import FixedApp, FixedScreen, end_notice
from narrowcast.terminal.textual_reads import add_bindings, add_line_filter, driver_of, notices_of
from narrowcast.text.safe_text import safe_block
from narrowcast.widgets.editor import Editor
from narrowcast.widgets.style_sheet import style_sheet
from narrowcast_api import debug_log
from narrowcast_api.tasks import Tasks

if TYPE_CHECKING:
    from textual.notifications import SeverityLevel

    from narrowcast.app.early_session import Early
    from narrowcast.screens.dialogs.palette import ChosenCommand
    from narrowcast.screens.main.screen import MainScreen

log = logging.getLogger(__name__)

COLLECT_AFTER = 2.0
"""Seconds after start until garbage collection runs again; it is off while the app starts."""

COPIES = "ctrl+c"
"""The key that copies the selected text, if there is any, instead of quitting."""

MAX_NOTICES = 3
"""Maximum number of notices on the screen at once."""

MAX_NOTICE = 500
"""Maximum length of a notice, in characters."""

Opening = Path | Literal["demo", "welcome"]
"""What to open: the account in a file, the demo, or the welcome screen."""


def _collect_from_now_on() -> None:
    gc.freeze()
    gc.enable()


class NarrowcastApp(AppWithCommands[int], FixedApp[int], inherit_bindings=False):
    """The app. Other modules see only `narrowcast.runtime.context.AppContext` of it."""

    TITLE = "Narrowcast"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.APP)]
    CSS = style_sheet(__name__)

    def __init__(
        self,
        opening: Opening,
        *,
        config: Config | None = None,
        paths: Paths | None = None,
        demo_data: Path | None = None,
        link: str = "",
        extensions: bool = True,
        alone: bool = False,
        early: Early | None = None,
    ) -> None:
        self._is_loaded = False
        super().__init__(driver_class=TerminalDriver)
        self.error_console = Console(markup=False, highlight=False, stderr=True, color_system=None)
        self.opening = opening
        self.paths = paths or Paths.of_user()
        self.config = config or Config()
        self.keys: dict[str, tuple[str, ...]] = {command.id: command.keys for command in REGISTRY}
        self.looking = Looking()
        self.external_program: asyncio.subprocess.Process | None = None
        """An external program that uses the terminal at the moment."""
        self.extensions = Extensions(self, self.paths.config / "extensions" if extensions else None)
        self.accounts = OpenAccounts(self, self.extensions, link, alone=alone, early=early)
        self.demo = Demo(self, self.accounts, demo_data)
        self._tasks = Tasks(self._tell_failure)
        self._debugging = Debugging(self)
        self.output = TerminalOutput(self)
        self._copying = Copying(self, self.spawn)
        self._leaving = Shutdown(self, self.accounts, self._keep_screen, self.demo.stop)
        self._typed = KeyQueue(self, self._take_key, self.accounts.arrival.settled)
        self._pressed = ""
        """The last key."""
        self._first_screen: MainScreen | None = None
        self._changing_config = asyncio.Lock()

    # start and end

    def get_css_variables(self) -> dict[str, str]:
        """Empty until a theme is chosen: nothing is drawn before that."""
        if not self._is_loaded:
            return {}
        variables = super().get_css_variables()
        own = computed_colours(self.current_theme, variables, in_256=self.console.color_system == "256")
        self.theme_variables = {**variables, **own}
        return self.theme_variables

    def refresh_css(self, animate: bool = True) -> None:
        """Does nothing until there is a screen."""
        if self.screen_stack:
            super().refresh_css(animate)

    async def on_load(self) -> None:
        """Prepares themes, keys and the account's screen before drawing, so that the first frame shows messages."""
        self._register_themes(self.config)
        self._is_loaded = True
        chosen = self.config.appearance.theme
        term, colorterm = os.environ.get("TERM", ""), os.environ.get("COLORTERM", "")
        has_few = chosen == "narrowcast" and has_sixteen_colours(term, colorterm)
        if has_few or self.no_color:  # what has no colours must not rely on grounds
            chosen = "terminal"
        self.theme = chosen
        self.stylesheet.set_variables(self.get_css_variables())  # no style was parsed before
        if self.console.color_system == "256":
            add_line_filter(self, NearestOf256())
        if self.config.keymap:
            self._use_keys()

        if isinstance(self.opening, Path):
            self._first_screen = await self.accounts.load(self.opening)

    def _register_themes(self, config: Config) -> None:
        for theme in (*THEMES, *own_themes(config.themes)):
            self.register_theme(theme)

    def _use_keys(self) -> None:
        """Applies the configured keys to all screens that are opened from now on."""
        self.keys = effective(self.config.keymap, self.config.keys)
        self.set_keymap(textual_keymap(self.keys))

    def add_commands(self, commands: Sequence[Command]) -> None:
        """Adds the commands of extensions that were just loaded, with their keys."""
        add_bindings(self, [command.binding() for command in commands])
        self.keys.update({command.id: command.keys for command in commands})
        if own := {command.id for command in commands} & set(self.config.keys):
            self.keys = without_lost(self.keys, own)
            self.set_keymap(textual_keymap(self.keys))

    def use_config(self, config: Config) -> None:
        """Applies a configuration that was changed at run time: theme and keys at once, the rest when it is
        next read.
        """
        self._register_themes(config)
        if config.appearance.theme != self.config.appearance.theme:
            self.theme = config.appearance.theme
        self.config = config
        self._use_keys()
        for screen in self.screen_stack:
            if isinstance(screen, FollowsConfig):
                screen.config_changed()

    async def change_config(self, key: str, value: Callable[[], Value | None]) -> None:
        async with self._changing_config:
            self.use_config(await asyncio.to_thread(change, self.paths.config_file, key, value()))

    def get_default_screen(self) -> Screen[Any]:
        """The account's screen if it was loaded, so that no empty default screen is laid out and painted below it."""
        return FixedScreen(id="_default") if self._first_screen is None else self._first_screen

    async def on_mount(self) -> None:
        """Installs the signal handlers, then opens what was requested."""
        self.set_timer(COLLECT_AFTER, _collect_from_now_on)
        self._leaving.take_signals(self.output.forget)
        self._debugging.begin()
        self.spawn(self._copying.prepare(), "look for the clipboard")
        if self.opening == "demo":
            self.spawn(self.demo.start(), "start the demo")
        elif self.opening == "welcome":
            self.accounts.show_welcome()
        elif self._first_screen is None:
            self.accounts.show_welcome(self.accounts.problem)
        else:
            self.accounts.go_live()

    async def on_unmount(self) -> None:
        self.extensions.close()
        self._leaving.leave_signals()
        await self._tasks.close()

    def failed(self, error: Exception) -> None:
        """Handles a bug in a handler, which ends the app: logs it, saves the draft and restores the terminal."""
        log.error("unhandled", exc_info=error)
        try:
            self.accounts.keep()
        except Exception:
            log.exception("the text in the editor was not kept as a draft")
        if self.is_headless:
            super().failed(error)  # so that tests see it
            return
        details = f"Details: {self.paths.log_file}"
        if self.demo.is_temporary:
            details = "To keep a log of it: narrowcast demo --data DIR"
        name = type(error).__name__
        self.exit(
            return_code=1, message=f"narrowcast: internal error ({name}); your drafts are saved. {details}"
        )

    # keys

    async def on_event(self, event: events.Event) -> None:
        """Queues keys and pastes, which are handled one after the other, and what the mouse does after them; passes on
        all other events at once.
        """
        if isinstance(event, events.AppFocus | events.AppBlur):
            self.looking.focus_reported(isinstance(event, events.AppFocus))
        elif isinstance(event, events.MouseDown | events.MouseScrollDown | events.MouseScrollUp):
            self.looking.key_pressed()
        typed = isinstance(event, events.Key | events.Paste)
        if event.is_forwarded and isinstance(event, events.Key):
            self.refuse(self._why_unheard(event))
            await super().on_event(event)
        elif event.is_forwarded or not (
            typed or (isinstance(event, events.MouseEvent) and self._typed.is_busy)
        ):
            await super().on_event(event)
        else:
            self._typed.put(event)

    def _why_unheard(self, event: events.Key) -> str:
        """Why nothing happens at a letter that no field and no mode has taken; empty if a command has it."""
        front = self.screen
        if not event.is_printable or isinstance(self.focused, Editor):
            return ""
        has_panes = front is self.accounts.screen
        return why_unheard(event.key, self.focused or front, self.keys, has_panes=has_panes)

    async def _take_key(self, event: events.Event) -> None:
        self._pressed = event.key if isinstance(event, events.Key) else ""
        started = time.perf_counter()
        try:
            await super().on_event(event)
        except Exception as error:
            self.failed(error)
        if (passed := time.perf_counter() - started) > SLOW:
            debug_log.note("slow", "key", ms=passed * 1000)
        self.looking.key_pressed()
        self.accounts.key_pressed()

    @property
    def keys_wait(self) -> bool:
        return self._typed.has_more

    def copy(self, text: str, copied: Callable[[], object]) -> None:
        self._copying.copy(text, copied)

    async def read_clipboard(self) -> bytes | None:
        return await self._copying.read()

    def on_clipboard_answer(self, event: ClipboardAnswer) -> None:
        self._copying.answered(event.content)

    def field_left(self) -> None:
        """Called when Escape left a field: ignores another one at once, which is not meant for the screen behind."""
        self._typed.guard.hold_escape()

    # output to the terminal

    def changed_part(self, frame: RenderableType) -> RenderableType | None:
        """Only the cells that differ from what the terminal shows, not whole regions."""
        return self.output.difference(frame)

    def on_resize(self) -> None:
        self.output.resized()

    def on_side_margins(self) -> None:
        self.output.can_move_columns()

    def _keep_screen(self) -> None:
        """Saves the screen for the next start with the same arguments, if it shows the account they open."""
        if self.accounts.file == self.opening:
            self.output.keep()

    # notices and background tasks

    def tell(
        self, text: str, *, severity: SeverityLevel = "information", seconds: float | None = None
    ) -> None:
        """Shows a notice in a corner. ``text`` is untrusted."""
        self.notify(text[:MAX_NOTICE], severity=severity, timeout=seconds)

    def refuse(self, text: str) -> bool:
        """Shows why a key had no effect, and does not run text that is typed right after it as commands. Does
        nothing if ``text`` is empty; returns whether there was a text.
        """
        if text:
            self._typed.guard.refuse_text()
            self.tell(text, severity="warning")
        return bool(text)

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: Literal["information", "warning", "error"] = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """As Textual's, but a notice with the same text is replaced, and the oldest ones are removed if there are too
        many. ``message`` is untrusted.
        """
        super().notify(safe_block(message), title=title, severity=severity, timeout=timeout, markup=markup)

    def on_notify(self, event: Notify) -> None:
        """Makes room for a notice. Textual shows it afterwards."""
        standing = notices_of(self)
        same = [notice for notice in standing if notice.message == event.notification.message]
        for notice in same or standing[: max(0, len(standing) + 1 - MAX_NOTICES)]:
            end_notice(self, notice)

    def spawn(self, work: Awaitable[object], what: str) -> asyncio.Task[None]:
        """Runs ``work`` in the background. Errors are shown as a notice and logged."""
        return self._tasks.start(work, what)

    def _tell_failure(self, what: str, error: Exception) -> None:
        self.tell(could_not(what, error), severity="error")

    # actions of commands

    def action_app_help(self) -> None:
        active: list[str] = []
        if self.screen is not self.accounts.screen:
            bindings = (key.binding for key in self.screen.active_bindings.values())
            active = [binding.id for binding in bindings if binding.id and self.keys.get(binding.id)]
        self.push_screen(HelpScreen(self.keys, active))

    def action_app_palette(self) -> None:
        session = self.accounts.session
        server = session.state.server if session is not None else None
        settings = setting_choices(session.state) if session is not None else ()
        self.push_screen(palette(self.keys, server, settings), self._run_chosen)

    def _run_chosen(self, chosen: ChosenCommand | None) -> None:
        if chosen is not None:
            self.call_later(self._perform_chosen, chosen)

    async def _perform_chosen(self, chosen: ChosenCommand) -> None:
        await self.perform(chosen.command)
        if chosen.row is not None and isinstance(self.screen, ManageScreen):
            self.screen.show_row(chosen.row)

    async def action_app_debug(self) -> None:
        self.spawn(self._debugging.toggle(), "write the debug log")

    def action_app_redraw(self) -> None:
        self.output.forget()
        self.screen.refresh(layout=True)

    def action_app_theme(self) -> None:
        """Takes the next of our own themes and the user's, until the app ends."""
        names = [theme.name for theme in (*THEMES, *own_themes(self.config.themes))]
        place = names.index(self.theme) + 1 if self.theme in names else 0
        self.theme = names[place % len(names)]
        self.tell(f"Theme: {self.theme}", seconds=2)

    def action_app_choose_theme(self) -> None:
        self.push_screen(ThemePicker(self, self.config.themes), self._theme_chosen)

    def _theme_chosen(self, name: str | None) -> None:
        if name is not None and name != self.config.appearance.theme:
            self.spawn(self.change_config("appearance.theme", lambda: name), "save the theme")

    def action_app_density(self) -> None:
        """Shows more on the screen, or more space between things; saved for the next start."""
        appearance = self.config.appearance
        density: Density = "compact" if appearance.has_air(self.size.height) else "comfortable"
        self.use_config(replace(self.config, appearance=replace(appearance, density=density)))
        self.tell(f"Density: {density}", seconds=2)
        self.spawn(
            self.change_config("appearance.density", lambda: self.config.appearance.density),
            "save the density",
        )

    async def action_app_suspend(self) -> None:
        driver = driver_of(self)
        if isinstance(driver, TerminalDriver):
            driver.stop_job()

    def action_app_quit(self) -> None:
        selected = self.screen.get_selected_text() if self._pressed == COPIES else None
        if selected:
            self.screen.clear_selection()
            self.copy(selected, lambda: self.tell("Copied."))
        elif self.demo.is_open:
            self._leaving.begin()
        else:
            self._leaving.ask()
