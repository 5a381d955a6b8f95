"""`Extension`: registers the functions of an extension by decorators. Nothing here runs them."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar, cast, overload

from msgspec import Struct

from narrowcast.extend.app import App
from narrowcast.extend.values import Card, Code, Link, Offer
from narrowcast_api.events.status import ConnectionStatus
from narrowcast_api.model.messages import Message
from narrowcast_api.model.users import User
from narrowcast_api.resources.status import Status

__all__ = [
    "HOOK_SECONDS",
    "MAX_HOOK_SECONDS",
    "CodeCard",
    "CommandEntry",
    "CompletionEntry",
    "Extension",
    "LinkCard",
    "SegmentEntry",
    "SlashEntry",
]

S = TypeVar("S")
CommandFunction = TypeVar("CommandFunction", bound=Callable[[App[Any]], Awaitable[None] | None])
SlashFunction = TypeVar("SlashFunction", bound=Callable[[App[Any], str], Awaitable[str | None] | str | None])

HOOK_SECONDS = 10.0
"""Default time limit of an async function, in seconds."""
MAX_HOOK_SECONDS = 120.0
MIN_EVERY = 1.0
"""Minimum seconds between two readings of a segment."""
_NAME = re.compile(r"[a-z][a-z0-9-]{0,30}")
_WORD = re.compile(r"[^\s/:@#]{1,30}")

MessageHook = Callable[[App[S], Message], Awaitable[None]]
StatusHook = Callable[[App[S], User, Status], Awaitable[None]]
ConnectionHook = Callable[[App[S], ConnectionStatus], Awaitable[None]]


class CommandEntry(Struct, frozen=True):
    """A command. `id`: without the prefix of the extension."""

    id: str
    title: str
    keys: tuple[str, ...]
    function: Callable[..., Any]


class SlashEntry(Struct, frozen=True):
    """A slash command. `word`: without the slash."""

    word: str
    about: str
    function: Callable[..., Any]


class CompletionEntry(Struct, frozen=True):
    """A completion for text before the cursor that matches a pattern."""

    pattern: re.Pattern[str]
    function: Callable[..., Any]


class LinkCard(Struct, frozen=True):
    """A card for links whose address matches a pattern."""

    pattern: re.Pattern[str]
    function: Callable[..., Any]


class CodeCard(Struct, frozen=True):
    """A card for code blocks in some languages."""

    languages: frozenset[str]
    function: Callable[..., Any]


class SegmentEntry(Struct, frozen=True):
    """A segment of the status line. `every`: seconds between readings; None: only when the line is updated."""

    function: Callable[..., Any]
    every: float | None


class Extension(Generic[S]):
    """One extension. ``S`` is the type of its settings.

    ``name``: lower-case letters, digits and hyphens; its commands are called ``extension.NAME.ID``, its settings
    are in ``[extensions.NAME]`` of config.toml. ``about``: one line for doctor and the settings screen.
    ``settings``: a dataclass whose fields have defaults; types are checked, and a ValueError from its
    ``__post_init__`` is reported. ``seconds``: how long an async function may take before the extension is turned
    off. Raises ValueError for an invalid name or number of seconds.
    """

    @overload
    def __init__(self: Extension[None], name: str, about: str, *, seconds: float = HOOK_SECONDS) -> None: ...

    @overload
    def __init__(
        self, name: str, about: str, *, settings: type[S], seconds: float = HOOK_SECONDS
    ) -> None: ...

    def __init__(
        self, name: str, about: str, *, settings: type[S] | None = None, seconds: float = HOOK_SECONDS
    ) -> None:
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is not a name: use lower-case letters, digits and hyphens")
        if not 0 < seconds <= MAX_HOOK_SECONDS:
            raise ValueError(f"seconds: {seconds} is not between 0 and {MAX_HOOK_SECONDS:g}")
        self.name = name
        self.about = about
        self.settings = settings
        self.seconds = seconds
        self.commands: list[CommandEntry] = []
        self.slashes: list[SlashEntry] = []
        self.completions: list[CompletionEntry] = []
        self.link_cards: list[LinkCard] = []
        self.code_cards: list[CodeCard] = []
        self.segments: list[SegmentEntry] = []
        self.message_hooks: list[MessageHook[S]] = []
        self.mention_hooks: list[MessageHook[S]] = []
        self.status_hooks: list[StatusHook[S]] = []
        self.connection_hooks: list[ConnectionHook[S]] = []
        self.start_hooks: list[Callable[[App[S]], Awaitable[None]]] = []

    # what users invoke

    def command(
        self, command_id: str, title: str, *, keys: Sequence[str] = ()
    ) -> Callable[[CommandFunction], CommandFunction]:
        """Adds a command to the palette, with keys by Textual's names ("f12", "ctrl+t"). Keys already in use
        are skipped; users can set others in ``[keys]``.
        """
        if not _NAME.fullmatch(command_id):
            raise ValueError(f"{command_id!r} is not an id: use lower-case letters, digits and hyphens")
        if command_id in {entry.id for entry in self.commands}:
            raise ValueError(f"there are two commands {command_id!r}")

        def add(function: CommandFunction) -> CommandFunction:
            self.commands.append(CommandEntry(command_id, title, tuple(keys), function))
            return function

        return add

    def slash(self, word: str, about: str) -> Callable[[SlashFunction], SlashFunction]:
        """Adds a slash command, ``/word`` at the beginning of a message. The function receives the text after
        the word; the text it returns is sent in place of the message, None sends nothing. The message stays
        in compose until the function returns, and if it fails.
        """
        if not _WORD.fullmatch(word):
            raise ValueError(f"{word!r} cannot be typed as a slash command")

        def add(function: SlashFunction) -> SlashFunction:
            self.slashes.append(SlashEntry(word, about, function))
            return function

        return add

    def completion(
        self, pattern: str
    ) -> Callable[
        [Callable[[App[S], re.Match[str]], Iterable[Offer]]],
        Callable[[App[S], re.Match[str]], Iterable[Offer]],
    ]:
        """Offers completions for text that matches ``pattern`` right before the cursor, in the current line
        of compose.
        """
        compiled = re.compile(f"(?:{pattern})$")

        def add(
            function: Callable[[App[S], re.Match[str]], Iterable[Offer]],
        ) -> Callable[[App[S], re.Match[str]], Iterable[Offer]]:
            self.completions.append(CompletionEntry(compiled, function))
            return function

        return add

    # what messages show

    def link_card(
        self, pattern: str
    ) -> Callable[[Callable[[App[S], Link], Card | None]], Callable[[App[S], Link], Card | None]]:
        """Shows a card for each link whose address matches ``pattern`` from its beginning; the function
        returns None for no card.
        """
        compiled = re.compile(pattern)

        def add(function: Callable[[App[S], Link], Card | None]) -> Callable[[App[S], Link], Card | None]:
            self.link_cards.append(LinkCard(compiled, function))
            return function

        return add

    def code_card(
        self, *languages: str
    ) -> Callable[[Callable[[App[S], Code], Card | None]], Callable[[App[S], Code], Card | None]]:
        """Shows a card in place of code blocks in these languages; the function returns None to leave a block
        as it is.
        """
        folded = frozenset(language.lower() for language in languages)

        def add(function: Callable[[App[S], Code], Card | None]) -> Callable[[App[S], Code], Card | None]:
            self.code_cards.append(CodeCard(folded, function))
            return function

        return add

    def segment(
        self, *, every: float | None = None
    ) -> Callable[[Callable[[App[S]], str]], Callable[[App[S]], str]]:
        """Adds a segment to the status line; an empty text shows nothing. It is read again when the line is
        updated, after `App.redraw`, and ``every`` so many seconds.
        """
        if every is not None and every < MIN_EVERY:
            raise ValueError(f"every: {every} is less than {MIN_EVERY:g} second")

        def add(function: Callable[[App[S]], str]) -> Callable[[App[S]], str]:
            self.segments.append(SegmentEntry(function, every))
            return function

        return add

    # events

    def on_start(self, hook: Callable[[App[S]], Awaitable[None]]) -> Callable[[App[S]], Awaitable[None]]:
        """Called once for each open account, whether on the screen or not."""
        self.start_hooks.append(hook)
        return hook

    def on_message(self, hook: MessageHook[S]) -> MessageHook[S]:
        """Called for each new message of an open account, whether on the screen or not, including the user's own
        messages. The hooks of one account are called one after the other, those of two accounts may overlap.
        """
        self.message_hooks.append(hook)
        return hook

    def on_mention(self, hook: MessageHook[S]) -> MessageHook[S]:
        """Called for each new message that mentions the current user, by name, group or wildcard."""
        self.mention_hooks.append(hook)
        return hook

    def on_status(self, hook: StatusHook[S]) -> StatusHook[S]:
        """Called when a user's status changes, including the current user's; an empty `Status` means none."""
        self.status_hooks.append(hook)
        return hook

    def on_connection(self, hook: ConnectionHook[S]) -> ConnectionHook[S]:
        """Called when the state of the connection to the server changes."""
        self.connection_hooks.append(hook)
        return hook

    def checked_settings(self, table: dict[str, object]) -> S:
        """The settings of a table of config.toml. Raises ValueError for the first invalid one, with its key and the
        reason.
        """
        if self.settings is None:
            if table:
                raise ValueError(f"{next(iter(table))}: there is no such setting")
            return cast(S, None)
        from pydantic import TypeAdapter, ValidationError

        if not dataclasses.is_dataclass(self.settings):
            raise ValueError("settings is not a dataclass")
        known = {field.name for field in dataclasses.fields(self.settings)}
        for key in table:
            if key not in known:
                raise ValueError(f"{key}: there is no such setting")
        try:
            return cast(S, TypeAdapter(self.settings).validate_python(table))
        except ValidationError as error:
            detail = error.errors()[0]
            key = next((str(part) for part in detail["loc"]), "")
            message = detail["msg"].removeprefix("Value error, ")
            raise ValueError(f"{key}: {message}" if key else message) from error
