"""Notifications of messages that arrive while the user looks elsewhere, on a live account."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from narrowcast.app import notifications as module
from narrowcast.app.notifications import Notifier
from narrowcast.config.config import Notifications
from narrowcast.runtime.looking import LOOKING
from narrowcast.terminal.notifications import BELL, Popup
from narrowcast_api.clock import SystemClock
from narrowcast_api.protocols import read_marks
from narrowcast_api.state.changes import Change, MessagesAdded
from narrowcast_api.sync.arrivals import Arrivals
from narrowcast_api.sync.session import Session
from support.server import TestServer, running_server
from support.sessions import session_of, until

DAY = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)


class Looking:
    """What the user has in view."""

    def __init__(self, focused: bool | None = False) -> None:
        self.focus = focused
        self.seen: set[int] = set()
        self.left: set[int] = set()

    def focused(self) -> bool | None:
        return self.focus

    def in_view(self) -> Collection[int]:
        return self.seen

    def left_in_view(self) -> Collection[int]:
        return self.left


class Written:
    """A terminal that records what is sent to it."""

    def __init__(self) -> None:
        self.sequences: list[str] = []

    def write(self, sequence: str) -> None:
        self.sequences.append(sequence)


class Later(SystemClock):
    """A clock that is some seconds ahead."""

    def __init__(self, by: float) -> None:
        self._by = by

    def monotonic(self) -> float:
        return super().monotonic() + self._by


class Bench:
    """Ada's notifier, and Bruno, who writes to her."""

    def __init__(
        self, server: TestServer, session: Session, notifier: Notifier, sight: Looking, output: Written
    ) -> None:
        self.server = server
        self.session = session
        self.notifier = notifier
        self.sight = sight
        self.output = output
        self._moment = Arrivals(session, module.GRACE, lambda messages: None)  # ends after the notifier's
        self._come: set[int] = set()
        self._then: Callable[[int], object] = self._come.add
        session.subscribe(self._on_changes)

    def _on_changes(self, changes: Sequence[Change]) -> None:
        """Runs after the notifier, for every change."""
        for message_id in {
            one for change in changes if isinstance(change, MessagesAdded) for one in change.ids
        }:
            self._then(message_id)
            self._come.add(message_id)

    async def write(self, text: str, then: Callable[[int], object] | None = None, /, **where: object) -> int:
        """Sends a message from Bruno and returns once Ada's notifier has received it. ``then`` is called on
        arrival, at the start of the grace period.
        """
        self._then = then or self._come.add
        to = where or {"type": "direct", "to": f"[{self.session.state.me}]"}
        sent = await self.server.call("bruno", "POST", "/messages", {"content": text, **to})
        message_id = int(sent["id"])
        await until(lambda: message_id in self._come)
        return message_id

    def close(self) -> None:
        self._moment.close()

    async def told(self) -> list[str]:
        """What the terminal received once the grace period of all messages is over."""
        await until(lambda: not self._moment.is_waiting)
        return self.output.sequences


@asynccontextmanager
async def bench(
    folder: Path, config: Notifications | None = None, *, focused: bool | None = False, now: datetime = DAY
) -> AsyncIterator[Bench]:
    async with (
        running_server(folder / "server") as server,
        session_of(server.account("ada"), folder / "ada") as session,
    ):
        sight, output = Looking(focused), Written()
        notifier = Notifier(
            session,
            config or Notifications(),
            sight,
            output,
            popup=Popup.OSC777,
            local_time=lambda: now,
        )
        on = Bench(server, session, notifier, sight, output)
        yield on
        on.close()
        await notifier.close()


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "GRACE", 0.05)


CHANNEL = {"type": "channel", "to": "general", "topic": "lunch"}


async def test_a_direct_message_rings_and_pops_up(tmp_path: Path) -> None:
    async with bench(tmp_path) as on:
        await on.write("soup **today**")
        assert await on.told() == [BELL, "\x1b]777;notify;Bruno Castell;soup today\x1b\\"]
        await on.write("it was <time:2020-03-04T12:00:00Z>")
        assert re.search(r"it was \w{3} \d Mar 2020 \d+:\d\d", (await on.told())[-1])


async def test_a_mention_is_told_and_other_channel_messages_are_not(tmp_path: Path) -> None:
    async with bench(tmp_path) as on:
        await on.write("to all", **CHANNEL)
        assert await on.told() == []
        await on.write("hello @**Ada Moreno**", **CHANNEL)
        said = await on.told()
        assert said[0] == BELL
        assert "in #general › lunch" in said[1]


async def test_what_is_on_a_focused_screen_is_not_told(tmp_path: Path) -> None:
    async with bench(tmp_path, focused=True) as on:
        await on.write("seen", on.sight.seen.add)
        assert await on.told() == []
        await on.write("in another view")
        assert len(await on.told()) == 2


async def test_messages_seen_before_looking_away_do_not_notify_even_if_not_yet_marked_on_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_marks, "REQUEST_INTERVAL", 3600.0)
    async with bench(tmp_path) as on:
        first = await on.write("one")
        on.session.read_marks.seen([first])
        await until(lambda: first not in on.session.read_marks.pending)
        already = list(await on.told())
        await on.write("two", lambda one: on.session.read_marks.seen([one]))  # queued, not sent
        assert await on.told() == already
        await on.write("three", on.sight.left.add)
        assert await on.told() == already


async def test_visible_messages_notify_if_the_terminal_has_no_focus(tmp_path: Path) -> None:
    async with bench(tmp_path, focused=False) as on:
        await on.write("not seen", on.sight.seen.add)
        assert len(await on.told()) == 2


async def test_where_no_terminal_tells_of_its_focus_the_last_key_counts(tmp_path: Path) -> None:
    async with bench(tmp_path, focused=None) as on:
        await on.write("seen", on.sight.seen.add)
        assert await on.told() == []
        on.session.clock = Later(LOOKING + 1)
        await on.write("away", on.sight.seen.add)
        assert len(await on.told()) == 2
        on.notifier.key_pressed()
        await on.write("back", on.sight.seen.add)
        assert len(await on.told()) == 2


async def test_a_message_read_within_the_grace_period_does_not_notify(tmp_path: Path) -> None:
    async with bench(tmp_path, focused=True) as on:
        messages = on.session.state.messages

        def read(message_id: int) -> None:
            message = messages.get(message_id)
            assert message is not None
            messages.put(replace(message, flags=message.flags | {"read"}))

        await on.write("read on the phone", read)
        assert await on.told() == []


async def test_quiet_hours_are_quiet(tmp_path: Path) -> None:
    quiet = Notifications(quiet=["11:00-13:00"])
    async with bench(tmp_path, quiet) as on:
        await on.write("soup")
        assert await on.told() == []


@pytest.mark.parametrize(
    ("config", "popup", "bells"),
    [
        (Notifications(sound="off"), True, 0),
        (Notifications(), True, 1),
    ],
)
async def test_sound_can_be_configured_separately(
    tmp_path: Path, config: Notifications, popup: bool, bells: int
) -> None:
    async with bench(tmp_path, config) as on:
        await on.write("soup")
        said = await on.told()
        assert said.count(BELL) == bells
        assert any(one.startswith("\x1b]777") for one in said) is popup


async def test_the_servers_settings_decide_at_once(tmp_path: Path) -> None:
    async with bench(tmp_path) as on:
        await on.server.call("ada", "PATCH", "/settings", {"enable_desktop_notifications": "false"})
        await until(lambda: not on.session.state.settings.flag("enable_desktop_notifications", True))
        await on.write("soup")
        assert await on.told() == [BELL]
        await on.server.call("ada", "PATCH", "/settings", {"enable_sounds": "false"})
        await until(lambda: not on.session.state.settings.flag("enable_sounds", True))
        await on.write("more soup")
        assert await on.told() == [BELL]


async def test_many_at_once_are_told_together_with_one_bell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "GRACE", 1.5)
    async with bench(tmp_path) as on:
        await asyncio.gather(*(on.write(f"message {number}") for number in range(7)))
        assert await on.told() == [BELL, "\x1b]777;notify;7 new messages;Bruno Castell\x1b\\"]


async def test_the_command_of_the_configuration_gets_what_is_told(tmp_path: Path) -> None:
    target = tmp_path / "said"
    command = [
        "sh",
        "-c",
        'printf "%s|" "$@" > ' + str(target),
        "x",
        "{sender}",
        "{place}",
        "{reason}",
        "{body}",
    ]
    async with bench(tmp_path, Notifications(command=command)) as on:
        await on.write("@**Ada Moreno** -- soup", **CHANNEL)
        await until(lambda: target.exists() and target.read_text().endswith("soup|"))
        assert target.read_text() == "Bruno Castell|#general › lunch|mention|@Ada Moreno -- soup|"
