"""Drives the app by its keyboard on a Zulip server: everyday operations, each confirmed by what the server then says,
and each command of the palette, which must open or say why it cannot.
"""

from __future__ import annotations

import asyncio
import logging
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from textual.pilot import Pilot

from live.site import JsonObject, LiveSite
from narrowcast.app.app import NarrowcastApp
from narrowcast.keys.registry import every
from narrowcast.terminal.paths import Paths
from narrowcast_api import debug_log
from narrowcast_api.wire.vocabulary import MessageFlag, VisibilityPolicy
from support.processes import Late
from support.sessions import until

_PERSON: Final = "ada"
_OTHER: Final = "bruno"
_CHANNEL: Final = "general"
_SECONDS: Final = 15.0
_REFUSED: Final = re.compile(r"^request .*(?:status=[45]|error=)")
_SKIPPED: Final = frozenset(
    {
        *("app.quit", "app.suspend", "app.palette", "app.debug", "account.sign-out", "account.deactivate"),
        *("organization.deactivate", "account.key", "own.presence", "compose.editor", "app.theme"),
        "app.choose-theme",
    }
)
"""Commands that end the app, or whose effect would disturb those after them."""
_MAY_BE_REFUSED: Final = frozenset(
    {"topic.summarize", "write.call", "channel.copy-email", "account.two-factor"}
)
"""Commands that need something that a server may lack."""


class RequestsSeen(logging.Handler):
    """The requests that the server has refused, as the debug log names them."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.refused: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        line = record.getMessage()
        if _REFUSED.search(line):
            self.refused.append(line)


@dataclass
class Keyboard:
    """An app with an account of the site, and what went wrong so far."""

    site: LiveSite
    app: NarrowcastApp
    pilot: Pilot[int]
    failures: list[str] = field(default_factory=list)
    done: int = 0
    topic: str = ""

    def failed(self, what: str) -> None:
        """Notes a failure, and writes it at once: all commands together take many minutes."""
        self.failures.append(what)
        sys.stdout.write(f"KEYBOARD {what}\n")
        sys.stdout.flush()

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        for character in text:
            await self.pilot.press("space" if character == " " else character)
        await self.pilot.pause()

    async def home(self) -> None:
        """Closes dialogs and leaves compose."""
        for _ in range(6):
            if self.app.screen is self.app.accounts.screen:
                break
            await self.press("escape")
        await self.press("escape")

    async def at(self, message_id: int) -> None:
        """Opens the conversation of a message and selects it, by its number."""
        await self.home()
        await self.press("a", "semicolon")
        await self.type(str(message_id))
        await self.press("enter")
        with suppress(Late):
            await until(lambda: self.is_at(message_id), _SECONDS)
            await self.press("S")  # from a feed what is muted vanishes
            await until(lambda: self.is_at(message_id), _SECONDS)
        await self.pilot.pause()

    def is_at(self, message_id: int) -> bool:
        """Whether the message is selected in the pane that has the focus."""
        screen = self.app.accounts.screen
        return (
            screen is not None
            and screen.messages.list.has_focus
            and screen.messages.list.selected == message_id
        )

    async def command(self, title: str) -> None:
        """Runs a command from the palette, by its name."""
        await self.press("ctrl+p")
        await self.type(title)
        await self.press("enter")

    async def sent(self, name: str, text: str, topic: str = "") -> int:
        """The id of a message that a user sends in the channel."""
        fields = {
            "type": "stream",
            "to": self.site.channel(_CHANNEL),
            "topic": topic or self.topic,
            "content": text,
        }
        return int((await self.site.call(name, "POST", "/messages", fields))["id"])

    async def message(self, message_id: int) -> JsonObject:
        """A message, as the server has it for the person."""
        path = f"/messages/{message_id}"
        found: JsonObject = (await self.site.call(_PERSON, "GET", path, {"apply_markdown": False}))["message"]
        return found

    async def newest(self) -> JsonObject:
        """The newest message that the person can read."""
        page = {"anchor": "newest", "num_before": 1, "num_after": 0, "apply_markdown": False}
        found: JsonObject = (await self.site.call(_PERSON, "GET", "/messages", page))["messages"][-1]
        return found

    async def policy(self, topic: str) -> int:
        """The visibility policy of a topic."""
        rows = (await self.site.call(_PERSON, "POST", "/register", {"fetch_event_types": ["user_topic"]}))[
            "user_topics"
        ]
        return next((row["visibility_policy"] for row in rows if row["topic_name"] == topic), 0)

    async def confirmed(self, what: str, is_so: Callable[[], Awaitable[bool]]) -> None:
        """Waits until the server says that an operation was carried out; notes a failure if it does not."""
        self.done += 1
        try:
            await until(is_so, _SECONDS)
        except Late:
            self.failed(f"{what}: not on the server")


async def run(site: LiveSite, folder: Path) -> Keyboard:
    """All operations, then all commands."""
    seen = RequestsSeen()
    log = logging.getLogger(debug_log.NAME)
    log.addHandler(seen)
    log.setLevel(logging.DEBUG)
    log.propagate = False
    logging.disable(logging.NOTSET)
    try:
        async with _opened(site, folder) as keyboard:
            await _operations(keyboard)
            await _commands(keyboard, seen)
    finally:
        log.removeHandler(seen)
        log.setLevel(logging.NOTSET)
        log.propagate = True
        logging.disable(logging.CRITICAL)
    return keyboard


@asynccontextmanager
async def _opened(site: LiveSite, folder: Path) -> AsyncIterator[Keyboard]:
    rc = folder / "ada.zuliprc"
    site.accounts[_PERSON].write_zuliprc(rc)
    app = NarrowcastApp(rc, paths=Paths.under(folder / "home"))
    async with app.run_test(size=(140, 45)) as pilot:
        await until(lambda: app.accounts.session is not None and app.accounts.session.is_live, _SECONDS * 2)
        app.looking.key_pressed()
        yield Keyboard(site, app, pilot)
        await app.accounts.close()


async def _operations(keyboard: Keyboard) -> None:
    """What people do every day."""
    for number, operation in enumerate(OPERATIONS):
        keyboard.topic = f"keyboard {number}"
        try:
            await operation(keyboard)
        except (Late, LookupError, AssertionError) as error:
            keyboard.failed(f"{operation.__name__}: {error!r}")
        await keyboard.home()


async def reply(keyboard: Keyboard) -> None:
    await keyboard.at(await keyboard.sent(_OTHER, "Anybody?"))
    await keyboard.press("r")
    await keyboard.type("Here I am")
    await keyboard.press("ctrl+d")

    async def is_so() -> bool:
        newest = await keyboard.newest()
        return (newest["subject"], newest["content"]) == (keyboard.topic, "Here I am")

    await keyboard.confirmed("reply", is_so)


async def quote(keyboard: Keyboard) -> None:
    await keyboard.at(await keyboard.sent(_OTHER, "Soup today"))
    await keyboard.press("greater_than_sign")
    await asyncio.sleep(1)
    await keyboard.type("Good")
    await keyboard.press("ctrl+d")

    async def is_so() -> bool:
        newest = await keyboard.newest()
        return "```quote\nSoup today\n```" in newest["content"] and "Good" in newest["content"]

    await keyboard.confirmed("quote", is_so)


async def reply_to_the_sender(keyboard: Keyboard) -> None:
    await keyboard.at(await keyboard.sent(_OTHER, "Psst"))
    await keyboard.press("R")
    await keyboard.type("What is it")
    await keyboard.press("ctrl+d")

    async def is_so() -> bool:
        newest = await keyboard.newest()
        return (newest["type"], newest["content"]) == ("private", "What is it")

    await keyboard.confirmed("direct message to the sender", is_so)


async def edit(keyboard: Keyboard) -> None:
    message_id = await keyboard.sent(_PERSON, "One")
    await keyboard.at(message_id)
    await keyboard.press("e", "end")
    await keyboard.type(" and two")
    await keyboard.press("ctrl+d")

    async def is_so() -> bool:
        return bool((await keyboard.message(message_id))["content"] == "One and two")

    await keyboard.confirmed("edit", is_so)


async def delete(keyboard: Keyboard) -> None:
    message_id = await keyboard.sent(_PERSON, "A mistake")
    await keyboard.at(message_id)
    await keyboard.press("delete", "right", "enter")

    async def is_so() -> bool:
        response = await keyboard.site.raw(_PERSON, "GET", f"/messages/{message_id}", {})
        return response.status_code == 400

    await keyboard.confirmed("delete", is_so)


async def react(keyboard: Keyboard) -> None:
    message_id = await keyboard.sent(_OTHER, "Cake")
    await keyboard.at(message_id)
    await keyboard.press("plus")

    async def has(number: int) -> bool:
        return len((await keyboard.message(message_id))["reactions"]) == number

    await keyboard.confirmed("reaction", lambda: has(1))
    await keyboard.press("plus")
    await keyboard.confirmed("reaction taken back", lambda: has(0))


async def star(keyboard: Keyboard) -> None:
    message_id = await keyboard.sent(_OTHER, "Keep this")
    await keyboard.at(message_id)
    await keyboard.press("ctrl+s")

    async def is_starred() -> bool:
        return MessageFlag.STARRED in (await keyboard.message(message_id))["flags"]

    async def is_not() -> bool:
        return not await is_starred()

    await keyboard.confirmed("star", is_starred)
    await keyboard.press("ctrl+s")
    await keyboard.confirmed("star taken back", is_not)


async def read_and_unread(keyboard: Keyboard) -> None:
    message_id = await keyboard.sent(_OTHER, "Read me")
    await keyboard.at(message_id)

    async def is_read() -> bool:
        return MessageFlag.READ in (await keyboard.message(message_id))["flags"]

    async def is_not() -> bool:
        return not await is_read()

    await keyboard.press("Z")
    await keyboard.confirmed("read", is_read)
    await keyboard.press("U")
    await keyboard.confirmed("unread", is_not)


async def policies_of_topics(keyboard: Keyboard) -> None:
    await keyboard.at(await keyboard.sent(_OTHER, "A topic"))
    for what, key, wanted in (
        ("topic muted", "M", VisibilityPolicy.MUTED),
        ("topic no longer muted", "M", VisibilityPolicy.NONE),
        ("topic followed", "alt+w", VisibilityPolicy.FOLLOWED),
        ("topic no longer followed", "alt+w", VisibilityPolicy.NONE),
    ):
        await keyboard.press(key)

        async def is_so(wanted: VisibilityPolicy = wanted) -> bool:
            return await keyboard.policy(keyboard.topic) == wanted

        await keyboard.confirmed(what, is_so)


async def resolve(keyboard: Keyboard) -> None:
    message_id = await keyboard.sent(_PERSON, "Solved")
    await keyboard.at(message_id)
    await keyboard.press("alt+r")

    async def is_so() -> bool:
        return str((await keyboard.message(message_id))["subject"]).startswith("\N{HEAVY CHECK MARK}")

    await keyboard.confirmed("topic resolved", is_so)


async def mute_the_channel(keyboard: Keyboard) -> None:
    await keyboard.at(await keyboard.sent(_OTHER, "Noise"))
    for what, wanted in (("channel muted", True), ("channel no longer muted", False)):
        await keyboard.press("alt+m")

        async def is_so(wanted: bool = wanted) -> bool:
            rows = (await keyboard.site.call(_PERSON, "GET", "/users/me/subscriptions"))["subscriptions"]
            return any(row["name"] == _CHANNEL and row["is_muted"] is wanted for row in rows)

        await keyboard.confirmed(what, is_so)


OPERATIONS: Final[tuple[Callable[[Keyboard], Awaitable[None]], ...]] = (
    *(reply, quote, reply_to_the_sender, edit, delete, react, star, read_and_unread),
    *(policies_of_topics, resolve, mute_the_channel),
)


async def _commands(keyboard: Keyboard, seen: RequestsSeen) -> None:
    """Runs each command of the palette on a message, and closes what it opened. The server must refuse nothing."""
    keyboard.topic = "keyboard commands"
    message_id = await keyboard.sent(_OTHER, "Of all things")
    for command in every():
        if not command.palette or command.id in _SKIPPED:
            continue
        if not keyboard.is_at(message_id):
            await keyboard.at(message_id)
        before = len(seen.refused)
        try:
            await keyboard.command(command.title)
            await asyncio.sleep(0.3)
        except Exception as error:  # any is a fault of the command, and the others are still to be run
            keyboard.failed(f"{command.id}: {error!r}")
        keyboard.done += 1
        if command.id not in _MAY_BE_REFUSED:
            for line in seen.refused[before:]:
                keyboard.failed(f"{command.id}: {line}")
        await keyboard.home()
