"""All extensions of the app: their commands and keys, and what they add to compose, messages and the status line."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from msgspec.structs import replace
from textual.notifications import SeverityLevel

from narrowcast.content.blocks import CardBlock, Document
from narrowcast.extend.declare import CommandEntry, Extension, LinkCard, SegmentEntry, SlashEntry
from narrowcast.extend.values import Code, Link, Offer, Refused
from narrowcast.extensions.cards import CardMaker, as_card, with_cards
from narrowcast.extensions.events import Hooks
from narrowcast.extensions.handle import Handle
from narrowcast.extensions.host_app import HostApp, OpenAccount
from narrowcast.extensions.limits import watch_tasks
from narrowcast.extensions.loading import FoundExtension
from narrowcast.extensions.running import RunningExtension
from narrowcast.extensions.settings import ExtensionSettings
from narrowcast.keys import registry
from narrowcast.keys.command import Command
from narrowcast.keys.keymap import free_keys
from narrowcast.screens.workspace import Workspace
from narrowcast.text.safe_text import safe_line

__all__ = ["GROUP", "ExtensionHost"]

GROUP = "Extensions"
"""The heading of their commands."""
SEGMENT_CELLS = 24
"""Maximum width of a segment of the status line, in cells."""
MAX_OFFERS = 7


class _AtWork:
    """One extension for one account."""

    def __init__(self, running: RunningExtension, handle: Handle, hooks: Hooks) -> None:
        self.running = running
        self.handle = handle
        self.hooks = hooks

    @property
    def extension(self) -> Extension[Any]:
        return self.running.extension

    async def close(self) -> None:
        await self.hooks.close()
        await self.handle.close()


class ExtensionHost:
    """Holds the loaded extensions. `attach` starts them for an account, `detach` stops them; they add to the screen
    only for the account given to `show`.
    """

    def __init__(self, app: HostApp, found: Sequence[FoundExtension]) -> None:
        self._app = app
        self._at_work: dict[OpenAccount, list[_AtWork]] = {}
        self._shown: OpenAccount | None = None
        self._timers: list[asyncio.TimerHandle] = []
        self._withdraw: Callable[[], None] = lambda: None
        self._unwatch = watch_tasks(asyncio.get_running_loop())
        self.settings = ExtensionSettings(found)
        self.running = [
            RunningExtension(one.extension, one.settings, self._tell, self._redraw)
            for one in found
            if one.extension is not None and one.enabled and not one.problem
        ]
        for one in found:
            if one.problem:
                self._tell(f"Extension not loaded: {one.problem} ({one.source})", "error")

    def _tell(self, text: str, severity: SeverityLevel) -> None:
        self._app.tell(text, severity=severity, seconds=10 if severity == "error" else None)

    # lifecycle

    def add_commands(self) -> list[Command]:
        """Registers the commands of all extensions, each with its keys that are free, and returns the commands."""
        commands: list[Command] = []
        keys = dict(self._app.keys)
        own = self._app.config.keys
        for running in self.running:
            for entry in running.extension.commands:
                command_id = f"{registry.EXTENSION}{running.name}.{entry.id}"
                chosen = own.get(command_id)
                chosen_keys = (
                    entry.keys if chosen is None else [chosen] if isinstance(chosen, str) else chosen
                )
                function = self._function_of(running, entry)
                command = Command(command_id, safe_line(entry.title, 80), (), function, group=GROUP)
                others = keys if chosen is None else {one: keys[one] for one in own if one in keys}
                free, problems = free_keys(command, chosen_keys, others)
                for problem in problems:
                    self._tell(f"Extension {running.name}: {problem}.", "warning")
                keys[command_id] = free
                commands.append(replace(command, keys=free))
        self._withdraw = registry.add(commands)
        return commands

    def _function_of(self, running: RunningExtension, entry: CommandEntry) -> Callable[[Workspace], object]:
        def function(screen: Workspace) -> object:
            if not running.is_on:
                screen.tell(
                    f"The extension {running.name} is turned off: {running.why_off}.", severity="warning"
                )
                return None
            handle = next((one.handle for one in self._here if one.running is running), None)
            if handle is None:
                return None
            return running.call_hook(f"the command {entry.id}", entry.function, handle)

        return function

    def attach(self, account: OpenAccount) -> None:
        """Starts the extensions for an account that is live."""
        self._at_work[account] = [self._put_to_work(running, account) for running in self.running]
        if account is self._shown:
            self._begin_on_screen()

    def _put_to_work(self, running: RunningExtension, account: OpenAccount) -> _AtWork:
        handle = Handle(self._app, running, account, lambda: self._screen_of(account), self._redraw)
        return _AtWork(running, handle, Hooks(account.session, running, handle))

    async def detach(self, account: OpenAccount) -> None:
        """Stops the extensions for an account that is being closed."""
        if account is self._shown:
            self.hide()
        at_work = self._at_work.pop(account, [])
        await asyncio.gather(*(one.close() for one in at_work), return_exceptions=True)

    def show(self, account: OpenAccount) -> None:
        """Shows what the extensions add for this account, which is on the screen now."""
        self._shown = account
        self._begin_on_screen()

    def hide(self) -> None:
        """Stops showing what extensions add: no account is on the screen."""
        self._shown = None
        for timer in self._timers:
            timer.cancel()
        self._timers = []

    def _begin_on_screen(self) -> None:
        for one in self._here:
            for segment in one.extension.segments:
                if segment.every is not None:
                    self._again(one.running, segment)
        self._redraw()

    @property
    def _here(self) -> list[_AtWork]:
        """The extensions that run for the account on the screen; none until they have started for it."""
        return self._at_work.get(self._shown, []) if self._shown is not None else []

    def _screen_of(self, account: OpenAccount) -> Workspace | None:
        return account.screen if account is self._shown else None

    def close(self) -> None:
        """Removes everything that the extensions added."""
        self._withdraw()
        self._unwatch()

    def _again(self, running: RunningExtension, segment: SegmentEntry) -> None:
        every = segment.every or 0.0

        def read() -> None:
            self._timers = [timer for timer in self._timers if timer is not handle]
            if self._shown is not None and self._shown.screen is not None and running.is_on:
                self._shown.screen.show_status()
                self._again(running, segment)

        handle = asyncio.get_running_loop().call_later(every, read)
        self._timers.append(handle)

    def _redraw(self) -> None:
        screen = self._shown.screen if self._shown is not None else None
        if screen is not None:
            screen.show_status()
            if self.has_cards:
                screen.show_cards()

    # contributions

    def segments(self) -> list[str]:
        """The segments of the status line, in the order of the extensions; safe to show."""
        texts: list[str] = []
        for one in self._here:
            for segment in one.extension.segments:
                text = one.running.call_now("a segment", _text_of(segment.function), one.handle)
                if text:
                    texts.append(safe_line(text, SEGMENT_CELLS))
        return texts

    @property
    def has_cards(self) -> bool:
        """Whether an extension makes cards."""
        return any(one.extension.link_cards or one.extension.code_cards for one in self._here)

    def cards(self, document: Document) -> Document:
        """The message, with the extensions' cards for its links and code."""
        return with_cards(document, CardMaker(self._card_of_link, self._card_of_code))

    def _card_of_link(self, url: str, text: str) -> CardBlock | None:
        for one in self._here:
            for entry in one.extension.link_cards:
                card = one.running.call_now("a card", _link_card, entry, one, url, text)
                if card is not None:
                    return card
        return None

    def _card_of_code(self, language: str, source: str) -> CardBlock | None:
        for one in self._here:
            for entry in one.extension.code_cards:
                if language in entry.languages:
                    card = one.running.call_now(
                        "a card", _made, entry.function, one, Code(language, source), ""
                    )
                    if card is not None:
                        return card
        return None

    def offers(self, line: str) -> tuple[int, list[Offer]] | None:
        """Completions for the end of the current line in compose: the start of the text that they replace, and the
        offers.
        """
        for one in self._here:
            for entry in one.extension.completions:
                offers = one.running.call_now(
                    "a completion", _completed, entry.pattern, entry.function, one.handle, line
                )
                if offers is not None:
                    return offers
        return None

    @property
    def slash_commands(self) -> list[tuple[str, str]]:
        """The word of each slash command, and its description."""
        return [(slash.word, slash.about) for _, slash in self._slashes()]

    def _slashes(self) -> Iterable[tuple[_AtWork, SlashEntry]]:
        return [(one, slash) for one in self._here if one.running.is_on for slash in one.extension.slashes]

    def slash(self, content: str, done: Callable[[str | None], None]) -> bool:
        """Runs the slash command at the beginning of a text; returns whether there is one. ``done`` receives
        the text to send in its place, or None for nothing; it is not called if the command failed.
        """
        word, _, rest = content.removeprefix("/").partition(" ")
        word, newline, more = word.partition("\n")
        for one, slash in self._slashes():
            if content.startswith("/") and slash.word == word:
                argument = f"{newline}{more} {rest}" if newline else rest
                self._app.spawn(self._run_slash(one, slash, argument.strip(), done), f"run /{word}")
                return True
        return False

    async def _run_slash(
        self, one: _AtWork, slash: SlashEntry, argument: str, done: Callable[[str | None], None]
    ) -> None:
        try:
            text = await one.running.call_async(f"/{slash.word}", slash.function, one.handle, argument)
        except Refused:
            return  # the user has been notified
        if text is not None and not isinstance(text, str):
            one.running.turn_off(f"/{slash.word} gave back {type(text).__name__} instead of a string")
            return
        done(text)


def _text_of(function: Callable[..., Any]) -> Callable[..., str]:
    def read(handle: Handle) -> str:
        text = function(handle)
        if not isinstance(text, str):
            raise TypeError(f"a segment must be a string, not {type(text).__name__}")
        return text

    return read


def _link_card(entry: LinkCard, one: _AtWork, url: str, text: str) -> CardBlock | None:
    match = entry.pattern.match(url)
    return _made(entry.function, one, Link(url, text, match), url) if match is not None else None


def _made(function: Callable[..., Any], one: _AtWork, value: Link | Code, link: str) -> CardBlock | None:
    given = function(one.handle, value)
    return None if given is None else as_card(given, link, one.running.name)


def _completed(
    pattern: re.Pattern[str], function: Callable[..., Any], handle: Handle, line: str
) -> tuple[int, list[Offer]] | None:
    """Matches the pattern and calls the function, both within the time limit: a pattern can take as long as a
    function.
    """
    match = pattern.search(line)
    if match is None:
        return None
    offers = [offer for offer, _ in zip(function(handle, match), range(MAX_OFFERS), strict=False)]
    if not all(isinstance(offer, Offer) for offer in offers):
        raise TypeError("a completion must return Offers")
    return (match.start(), offers) if offers else None
