"""The way back through views, and through links within one."""

from __future__ import annotations

from pathlib import Path

from narrowcast.screens.main.history import LONGEST, Stop, Trail
from narrowcast_api.narrow.narrow import Narrow
from support.server import running_server
from support.sessions import until
from support.stage import on_stage

ALL, SOUP, STEW = Narrow.all(), Narrow.topic(1, "soup"), Narrow.topic(1, "stew")


def test_one_comes_back_to_the_message_that_one_left() -> None:
    trail = Trail()
    trail.go(Stop(ALL), None)
    trail.go(Stop(SOUP), 7)
    trail.go(Stop(STEW, 30), 12)
    assert trail.step(-1, 31) == Stop(SOUP, 12)
    assert trail.step(-1, 12) == Stop(ALL, 7)
    assert trail.step(-1, 7) is None
    assert trail.step(1, 7) == Stop(SOUP, 12)
    assert trail.step(1, 12) == Stop(STEW, 31)
    assert trail.step(1, 31) is None


def test_a_link_within_a_view_is_a_step_and_opening_it_again_is_none() -> None:
    trail = Trail()
    trail.go(Stop(SOUP), None)
    trail.go(Stop(SOUP, 3), 90)
    trail.go(Stop(SOUP), 3)
    trail.go(Stop(SOUP, 3), 3)
    assert trail.step(-1, 3) == Stop(SOUP, 90)
    assert trail.step(-1, 90) is None


def test_what_lay_ahead_is_forgotten_and_the_trail_has_an_end() -> None:
    trail = Trail()
    for number in range(LONGEST + 20):
        trail.go(Stop(SOUP, number), number - 1)
    steps = 0
    while trail.step(-1, None) is not None:
        steps += 1
    assert steps == LONGEST - 1
    trail.go(Stop(STEW), None)
    assert trail.step(1, None) is None


async def test_back_leads_from_a_link_to_where_one_followed_it(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        ids = [await server.send("bruno", "general", "soup", f"spoon {number}") for number in range(60)]
        address = f"{server.url}/#narrow/channel/{server.channel('general')}-general/topic/soup/near/{ids[3]}"
        last = await server.send("bruno", "general", "soup", f"[there]({address})")
        async with on_stage(tmp_path, size=(100, 20), server=server) as stage:
            messages = stage.screen.messages
            soup = Narrow.topic(server.channel("general"), "soup")
            stage.screen.go(soup, "newest")
            await until(lambda: messages.selected_id == last)
            await stage.press("o", "a")
            await until(lambda: messages.selected_id == ids[3])
            await stage.press("alt+left")
            await until(lambda: messages.selected_id == last)
            assert messages.narrow == soup
            await stage.press("alt+right")
            await until(lambda: messages.selected_id == ids[3])
