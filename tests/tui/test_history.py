"""Going back through views, and through links within one."""

from __future__ import annotations

from pathlib import Path

from narrowcast.screens.main.history import MAX_ENTRIES, History, VisitedView
from narrowcast_api.narrow.narrow import Narrow
from support.server import running_server
from support.sessions import until
from support.stage import on_stage

ALL, SOUP, STEW = Narrow.all(), Narrow.topic(1, "soup"), Narrow.topic(1, "stew")


def test_going_back_returns_to_the_message_that_was_left() -> None:
    history = History()
    history.go(VisitedView(ALL), None)
    history.go(VisitedView(SOUP), 7)
    history.go(VisitedView(STEW, 30), 12)
    assert history.step(-1, 31) == VisitedView(SOUP, 12)
    assert history.step(-1, 12) == VisitedView(ALL, 7)
    assert history.step(-1, 7) is None
    assert history.step(1, 7) == VisitedView(SOUP, 12)
    assert history.step(1, 12) == VisitedView(STEW, 31)
    assert history.step(1, 31) is None


def test_following_a_link_within_a_view_is_a_step_but_opening_the_current_place_again_is_not() -> None:
    history = History()
    history.go(VisitedView(SOUP), None)
    history.go(VisitedView(SOUP, 3), 90)
    history.go(VisitedView(SOUP), 3)
    history.go(VisitedView(SOUP, 3), 3)
    assert history.step(-1, 3) == VisitedView(SOUP, 90)
    assert history.step(-1, 90) is None


def test_a_view_that_is_shown_beside_is_skipped() -> None:
    history = History()
    for entry in (VisitedView(ALL), VisitedView(SOUP), VisitedView(STEW)):
        history.go(entry, 7)
    assert history.step(-1, 12, SOUP) == VisitedView(ALL, 7)
    assert history.step(1, 8, SOUP) == VisitedView(STEW, 12)
    assert history.step(-1, 12, ALL) == VisitedView(SOUP, 7)
    assert history.step(-1, 12, ALL) is None


def test_a_topic_that_was_moved_into_a_neighbouring_view_is_one_step_with_it() -> None:
    history = History()
    for place in (VisitedView(ALL), VisitedView(SOUP, 5), VisitedView(STEW, 5), VisitedView(ALL, 7)):
        history.go(place, None)
    assert history.step(-1, None) == VisitedView(STEW, 5)
    history.move(STEW, SOUP)
    assert history.step(-1, None) == VisitedView(ALL)
    assert history.step(1, None) == VisitedView(SOUP, 5)
    assert history.step(1, None) == VisitedView(ALL, 7)
    assert history.step(1, None) is None


def test_a_new_step_discards_the_steps_ahead_and_the_history_is_bounded() -> None:
    history = History()
    for number in range(MAX_ENTRIES + 20):
        history.go(VisitedView(SOUP, number), number - 1)
    steps = 0
    while history.step(-1, None) is not None:
        steps += 1
    assert steps == MAX_ENTRIES - 1
    history.go(VisitedView(STEW), None)
    assert history.step(1, None) is None


async def test_back_leads_from_a_link_to_where_one_followed_it(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        ids = [await server.send("bruno", "general", "soup", f"spoon {number}") for number in range(60)]
        address = f"{server.url}/#narrow/channel/{server.channel('general')}-general/topic/soup/near/{ids[3]}"
        last = await server.send("bruno", "general", "soup", f"[there]({address})")
        async with on_stage(tmp_path, size=(100, 20), server=server) as stage:
            messages = stage.screen.messages
            soup = Narrow.topic(server.channel("general"), "soup")
            await stage.go(soup, "newest")
            await until(lambda: messages.selected_id == last)
            await stage.press("o", "a")
            await until(lambda: messages.selected_id == ids[3])
            await stage.press("alt+left")
            await until(lambda: messages.selected_id == last)
            assert messages.narrow == soup
            await stage.press("alt+right")
            await until(lambda: messages.selected_id == ids[3])
