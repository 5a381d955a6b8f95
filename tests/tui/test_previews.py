"""The messages beside the list of the switcher, and beside those that a search has found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.screen import Screen

from narrowcast.screens.dialogs.picker import Picker
from narrowcast.screens.dialogs.search import SearchScreen
from narrowcast.screens.messages.found import FoundScreen
from narrowcast.screens.messages.last_messages import RESTS, STAYS
from narrowcast.screens.messages.message_preview import MessagePreview
from narrowcast_api.errors import TransportError
from narrowcast_api.http.connection import Connection
from narrowcast_api.narrow.narrow import Narrow
from support.clock import VirtualClock
from support.screens import screen_rows, screen_text
from support.sessions import until
from support.stage import Stage, on_stage


async def switched(stage: Stage, typed: str) -> None:
    """Opens the switcher and types into it."""
    await stage.press("ctrl+k")
    await until(lambda: isinstance(stage.app.screen, Picker))
    await stage.type(typed)


@pytest.fixture(autouse=True)
def colours(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal with all colours, where the message that was found has a bar with a sign."""
    monkeypatch.setenv("COLORTERM", "truecolor")


def requests_for_messages(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The parameters of all requests for messages from now on."""
    asked: list[Any] = []
    request = Connection.request

    async def noted(connection: Connection, method: str, path: str, *rest: Any, **options: Any) -> Any:
        if (method, path) == ("GET", "/messages"):
            asked.append(rest)
        return await request(connection, method, path, *rest, **options)

    monkeypatch.setattr(Connection, "request", noted)
    return asked


async def test_the_switcher_shows_the_last_messages_where_there_is_room_without_any_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with on_stage(tmp_path, size=(120, 40)) as stage:
        await stage.in_topic("general", "lunch", "Leek **soup** at noon")
        asked = requests_for_messages(monkeypatch)
        await switched(stage, "lunch")
        await until(lambda: "Leek soup at noon" in screen_text(stage.app.screen))
        rows = screen_rows(stage.app.screen)
        place = next(number for number, row in enumerate(rows) if "Leek soup" in row)
        assert "# general › lunch" in rows[place - 2].partition(" │ ")[0]
        assert "Bruno Castell" in rows[place - 1].partition(" │ ")[2]
        assert asked == []
        await stage.pilot.resize_terminal(99, 30)
        await until(lambda: "Leek soup at noon" not in screen_text(stage.app.screen))
        await stage.pilot.resize_terminal(100, 30)
        await until(lambda: "Leek soup at noon" in screen_text(stage.app.screen))


async def test_what_is_not_cached_is_asked_for_once_and_only_after_a_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with on_stage(tmp_path, size=(120, 40)) as stage:
        await stage.server.call(
            "bruno", "POST", "/users/me/subscriptions", {"subscriptions": [{"name": "jam"}]}
        )
        await stage.server.send("bruno", "jam", "pots", "Plums are ripe")
        await until(lambda: any(channel.name == "jam" for channel in stage.session.state.channels))
        clock = VirtualClock()
        monkeypatch.setattr(stage.session, "clock", clock)
        asked = requests_for_messages(monkeypatch)
        await switched(stage, "jam")
        for seconds in (STAYS, RESTS):
            await until(lambda seconds=seconds: seconds in clock.sleeping)  # type: ignore[misc]
            assert asked == []
            await clock.advance(seconds)
        await until(lambda: "Plums are ripe" in screen_text(stage.app.screen))
        await stage.type("x")
        await until(lambda: "Plums are ripe" not in screen_text(stage.app.screen))
        await stage.press("backspace")
        await until(lambda: STAYS in clock.sleeping)
        await clock.advance(STAYS)
        await until(lambda: "Plums are ripe" in screen_text(stage.app.screen))
        assert len(asked) == 1
        assert stage.session.state.unreads.count_all() == 0


async def test_why_nothing_can_be_shown_is_told_without_control_characters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refused(*_: object, **__: object) -> object:
        raise TransportError("no\x1b[2J\nway")

    async with on_stage(tmp_path, size=(120, 40)) as stage:
        monkeypatch.setattr(stage.session, "newest_cached", nothing_cached)
        monkeypatch.setattr(Connection, "request", refused)
        await switched(stage, "general")
        await until(lambda: "no␛[2J" in screen_text(stage.app.screen))
        assert "\x1b" not in screen_text(stage.app.screen)


async def nothing_cached(*_: object) -> list[object]:
    """An empty cache."""
    return []


async def test_what_a_muted_user_wrote_is_not_shown_beside_the_switcher(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(120, 40)) as stage:
        await stage.in_topic("general", "lunch", "Leek soup")
        await stage.server.send("chiyo", "general", "lunch", "And bread")
        await stage.server.call("ada", "POST", f"/users/me/muted_users/{stage.server.id('bruno')}")
        await until(lambda: stage.session.state.users.muted)
        await switched(stage, "lunch")
        picker = stage.app.screen
        await until(lambda: "And bread" in picked(picker))
        assert "Leek soup" not in picked(picker)


async def test_a_message_that_was_found_is_shown_whole_between_its_neighbours(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(120, 40)) as stage:
        long = "\n\n".join(f"Leek {number}" for number in range(8))
        for text in ("Before it", long, "After it", "Much later"):
            last = await stage.server.send("bruno", "general", "lunch", text)
        await until(lambda: last in stage.session.state.messages)
        stage.session.context.status = stage.session.status._replace(
            kind=type(stage.session.status.kind).OFFLINE
        )
        await stage.press("slash")
        await stage.type("leek")
        await stage.press("enter")
        await until(lambda: isinstance(stage.app.screen, FoundScreen))
        await until(lambda: "After it" in screen_text(stage.app.screen))
        rows = [row.partition("│")[2] for row in screen_rows(stage.app.screen)]
        first = next(number for number, row in enumerate(rows) if "▌   Leek 0" in row[40:])  # beside the list
        assert "│   Before it" in rows[first - 3]
        assert "▌   Leek 7" in rows[first + 14]
        assert "│   After it" in rows[first + 17]
        await stage.press("enter")
        assert stage.screen.narrow == Narrow.topic(stage.server.channel("general"), "lunch")


async def searched(stage: Stage, typed: str) -> SearchScreen:
    """Opens the search and types into it."""
    await stage.press("slash")
    await stage.type(typed)
    screen = stage.app.screen
    assert isinstance(screen, SearchScreen)
    return screen


def beside(screen: SearchScreen) -> str:
    """The text of the preview."""
    assert screen.preview is not None
    place = screen.preview.region
    return "\n".join(row[place.x : place.right] for row in screen_rows(screen)[place.y : place.bottom])


async def test_while_one_types_a_search_what_is_found_is_shown_whole_beside_the_list(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(120, 40)) as stage:
        for text in ("Before it", "Leek **soup**", "After it", "Bread and leek", "Much later"):
            last = await stage.server.send("bruno", "general", "lunch", text)
        await until(lambda: last in stage.session.state.messages)
        screen = await searched(stage, "leek")
        await until(lambda: "▌   Bread and leek" in beside(screen))
        assert "2 cached messages" in screen_text(screen)
        edge = screen.frame.region
        await stage.press("down", "down")
        await until(lambda: "▌   Leek soup" in beside(screen))
        for neighbour in ("│   Before it", "│   After it"):
            assert neighbour in beside(screen)
        await stage.type(" zzz")
        await until(lambda: "No cached messages match" in screen_text(screen))
        assert screen.frame.region == edge, "nothing moves while one types"
        await stage.pilot.resize_terminal(99, 40)
        await until(lambda: screen.preview is not None and not screen.preview.display)


async def test_enter_goes_to_a_found_message_that_one_has_moved_to_and_else_searches(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(120, 40)) as stage:
        for text in ("Leek soup", "Leek pie"):
            last = await stage.server.send("bruno", "general", "lunch", text)
        await until(lambda: last in stage.session.state.messages)
        screen = await searched(stage, "leek")
        await until(lambda: "2 cached messages" in screen_text(screen))
        assert "Enter searches" in screen.key_line.keys
        await stage.press("down")
        assert "Enter goes to the message" in screen.key_line.keys
        await stage.type("s")
        assert "Enter searches" in screen.key_line.keys
        await stage.press("backspace")
        await until(lambda: "2 cached messages" in screen_text(screen))
        await stage.press("down", "enter")
        await until(lambda: stage.app.screen is stage.screen)
        lunch = Narrow.topic(stage.server.channel("general"), "lunch")
        assert stage.screen.narrow == lunch
        await until(lambda: stage.screen.messages.selected_id == last)
        screen = await searched(stage, "leek")
        await until(lambda: "2 cached messages" in screen_text(screen))
        await stage.press("down", "down", "enter")
        await until(lambda: stage.app.screen is stage.screen)
        await until(lambda: stage.screen.messages.selected_id == last - 1)
        await searched(stage, "leek")
        await stage.press("enter")
        assert stage.screen.narrow == Narrow.search("leek")


async def test_a_letter_of_a_search_reads_nothing_for_the_preview_before_a_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with on_stage(tmp_path, size=(120, 40)) as stage:
        message_id = await stage.server.send("bruno", "general", "lunch", "Leek soup")
        await until(lambda: message_id in stage.session.state.messages)
        clock = VirtualClock()
        monkeypatch.setattr(stage.session, "clock", clock)
        screen = await searched(stage, "leek")
        await until(lambda: "1 cached message" in screen_text(screen))
        await until(lambda: STAYS in clock.sleeping)
        assert isinstance(screen.preview, MessagePreview)
        assert not screen.preview.shown.messages
        await clock.advance(STAYS)
        await until(lambda: "▌   Leek soup" in beside(screen))


def picked(screen: Screen[Any]) -> str:
    """The texts of the frame on the screen, without what lies behind."""
    return "\n".join(row.partition("│")[2] for row in screen_rows(screen))
