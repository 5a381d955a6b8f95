"""What lists and panes show when there is nothing in them: in the middle, with the keys that work."""

from __future__ import annotations

from pathlib import Path

import pytest

from narrowcast.screens.conversations.listing import Only
from narrowcast.screens.conversations.screen import InboxScreen
from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.widgets.empty import Empty
from narrowcast_api.narrow.narrow import Narrow
from support.message_stage import staged
from support.message_views import ListApp
from support.screens import screen_text
from support.sessions import until
from support.stage import on_stage, run

EMPTY = Empty("No soup", "Soup is served at noon.", (("go.all", "shows all"), ("go.search", "searches")))


def rows_of(app: ListApp) -> list[str]:
    return [app.list.compose_row(y).text.rstrip() for y in range(app.list.room.height)]


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (30, 9)])
async def test_it_stands_in_the_middle(size: tuple[int, int]) -> None:
    app = ListApp([])
    async with app.run_test(size=size) as pilot:
        app.list.empty = EMPTY
        app.list.changed()
        await pilot.pause()
        rows = rows_of(app)
        shown = [row for row in rows if row]
        assert [row.strip() for row in shown] == [EMPTY.heading, EMPTY.text, "a shows all  / searches"]
        above = rows.index(shown[0])
        below = len(rows) - 1 - rows.index(shown[-1])
        assert abs(above - below) <= 1
        for row in shown:
            left, right = len(row) - len(row.lstrip()), size[0] - len(row)
            assert abs(left - right) <= 1


async def test_in_few_rows_the_heading_comes_first() -> None:
    app = ListApp([])
    async with app.run_test(size=(40, 1)) as pilot:
        app.list.empty = EMPTY
        app.list.changed()
        await pilot.pause()
        assert [row.strip() for row in rows_of(app)] == [EMPTY.heading]


@pytest.mark.parametrize(
    ("narrow", "heading", "key"),
    [
        (Narrow.mentions(), "No mentions", "a shows all messages"),
        (Narrow.starred(), "No starred messages", "a shows all messages"),
        (Narrow.directs(), "No direct messages", "x writes to a person"),
        (Narrow.search("xylophone"), "No messages match", "/ searches again"),
    ],
    ids=["mentions", "starred", "directs", "search"],
)
async def test_a_view_says_what_belongs_in_it(tmp_path: Path, narrow: Narrow, heading: str, key: str) -> None:
    async with staged(tmp_path) as stage:
        await stage.show(narrow)
        await stage.see(heading)
        await stage.see(key)


async def test_an_empty_inbox_leads_elsewhere_and_a_limited_one_to_the_others(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "go.inbox")
        inbox = stage.app.screen
        assert isinstance(inbox, InboxScreen)
        await until(lambda: "t recent conversations" in screen_text(inbox))
        inbox.only = Only.MUTED
        inbox.refresh_rows()
        await until(lambda: "v shows others" in screen_text(inbox))
        assert "Shown are only: muted." in screen_text(inbox)


async def test_a_list_that_is_as_tall_as_its_content_shows_all_of_it(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "write.snippets")
        await until(lambda: "n creates" in screen_text(stage.app.screen))
        assert "A snippet is a text to insert into messages." in screen_text(stage.app.screen)


@pytest.mark.parametrize(
    ("command", "keys"),
    [
        ("write.snippets", "n creates  Esc closes"),
        ("go.scheduled", "Esc closes"),
        ("go.drafts", "u undoes deletion  Esc closes"),
        ("people.invitations", "n invites by email  l creates a link  Esc closes"),
        ("go.inbox", "v shows only"),
    ],
)
async def test_an_empty_list_shows_no_key_that_needs_a_row(tmp_path: Path, command: str, keys: str) -> None:
    async with on_stage(tmp_path, size=(120, 30)) as stage:
        await run(stage, command)
        screen = stage.app.screen
        assert isinstance(screen, ManageScreen)
        await until(lambda: screen.key_line.keys == keys)
        assert not screen.list.items
        await stage.press("down")
        assert screen.key_line.keys == keys


async def test_with_the_first_row_its_keys_come_and_a_message_stays(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(120, 30)) as stage:
        await run(stage, "write.snippets")
        screen = stage.app.screen
        assert isinstance(screen, ManageScreen)
        screen.say("Just saved.")
        create = stage.session.client.saved_snippets.create
        snippet = await create(title="Greeting", content="Hello")
        await until(lambda: screen.key_line.keys.startswith("Enter inserts"))
        assert screen.key_line.said == "Just saved."
        await stage.session.client.saved_snippets.delete(saved_snippet_id=snippet)
        await until(lambda: screen.key_line.keys == "n creates  Esc closes")


async def test_without_channels_the_left_pane_offers_to_browse_them(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        names = [channel.name for channel in stage.session.state.channels.subscribed()]
        assert "browse channels" not in screen_text(stage.screen)
        await stage.server.call("ada", "DELETE", "/users/me/subscriptions", {"subscriptions": names})
        await until(lambda: not stage.session.state.channels.subscribed())
        await until(lambda: "browse channels" in screen_text(stage.screen))
