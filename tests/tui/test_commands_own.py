"""Status, presence, alert words, views, files, checked by what the server stores afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace
from textual.screen import Screen

from narrowcast.screens.conversations.screen import InboxScreen
from narrowcast.screens.dialogs.progress import ProgressScreen
from narrowcast.screens.later.reminders import RemindersScreen
from narrowcast.screens.later.scheduled import ScheduledScreen
from narrowcast.screens.own.alert_words import AlertWordsScreen
from narrowcast.screens.own.files import FilesScreen
from narrowcast.screens.own.views import ViewsScreen
from narrowcast.widgets.one_line import Piece
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.routes import flags
from support.screens import fill, form_of
from support.sessions import until
from support.stage import on_stage, run


async def test_a_status_has_words_and_an_emoji_and_goes_again(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "own.status")
        await stage.type("at lunch")
        await stage.press("tab")
        await stage.type("nothinglikethis")
        await stage.press("ctrl+d")
        form = await form_of(stage)
        await until(lambda: "No emoji named" in form.shown_problems)
        await stage.press("ctrl+u")
        await stage.type("tad")
        await stage.press("tab", "ctrl+d")
        await stage.closed()
        path = f"/users/{stage.server.id('ada')}/status"
        status = (await stage.server.call("ada", "GET", path))["status"]
        assert (status["status_text"], status["emoji_name"]) == ("at lunch", "tada")
        assert "Status set." in stage.notices
        await run(stage, "own.clear-status")
        await stage.told("cleared")
        assert "status_text" not in (await stage.server.call("ada", "GET", path))["status"]


async def test_an_emptied_status_is_cleared_and_not_once_more_later(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "own.status")
        await fill(stage, text="", until="+2h")
        await stage.closed()
        assert stage.notices == ["Status cleared."]


async def test_a_user_can_appear_offline_and_become_visible_again(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await run(stage, "own.presence")
        await until(lambda: not stage.session.state.settings.flag("presence_enabled", True))
        await run(stage, "own.presence")
        await until(lambda: stage.session.state.settings.flag("presence_enabled", True))


async def test_alert_words_are_added_and_taken_out(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "own.alert-words")
        screen = stage.app.screen
        assert isinstance(screen, AlertWordsScreen)
        await stage.press("n")
        await stage.type("soup, deploy")
        await stage.press("enter")
        await until(lambda: [row.text for row in screen.list.items] == ["deploy", "soup"])
        await stage.press("x", "down", "enter")
        await until(lambda: [row.text for row in screen.list.items] == ["soup"])
        assert (await stage.server.call("ada", "GET", "/users/me/alert_words"))["alert_words"] == ["soup"]


async def test_everything_is_read_after_a_question(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.go(Narrow.starred())
        for topic in ("soup", "bread"):
            await stage.server.send("bruno", "general", topic)
        await until(lambda: stage.session.state.unreads.count_all() == 2)
        await run(stage, "own.read-all")
        await stage.press("down", "enter")
        await until(lambda: stage.session.state.unreads.count_all() == 0)
        await until(lambda: "All messages marked as read." in stage.notices)


@pytest.mark.parametrize("stops", [False, True])
async def test_marking_everything_as_read_shows_how_far_it_is_and_stops_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stops: bool
) -> None:
    monkeypatch.setattr(flags, "IDS_PER_REQUEST", 2)
    shown: list[str] = []

    def show(screen: ProgressScreen, pieces: Sequence[Piece]) -> None:
        shown.append("".join(text for text, _ in pieces))
        if stops and "%" in shown[-1]:
            screen.stopped = True

    monkeypatch.setattr(ProgressScreen, "show", show)
    async with on_stage(tmp_path) as stage:
        await stage.go(Narrow.starred())
        for topic in ("soup", "bread", "salt", "tea"):
            await stage.server.send("bruno", "general", topic)
        unreads = stage.session.state.unreads
        await until(lambda: len(unreads) == 4)
        await run(stage, "own.read-all")
        await stage.press("down", "enter")
        if stops:
            await stage.told("Stopped. 2 messages marked as read.")
            await until(lambda: len(unreads) == 2)
        else:
            await stage.told("All messages marked as read.")
            await until(lambda: not len(unreads))
        assert shown[:2] == ["Please wait…", "━━━━━━━━────────  50% of 4 messages"]


async def test_without_the_number_of_unread_messages_those_marked_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []
    monkeypatch.setattr(
        ProgressScreen, "show", lambda _, pieces: shown.append("".join(text for text, _ in pieces))
    )
    async with on_stage(tmp_path) as stage:
        await stage.go(Narrow.starred())
        await stage.server.send("bruno", "general", "soup")
        await until(lambda: len(stage.session.state.unreads) == 1)
        stage.session.state.unreads.old_missing = True
        await run(stage, "own.read-all")
        await stage.press("down", "enter")
        await stage.told("All messages marked as read.")
        assert shown == ["Please wait…", "1 message"]


async def test_the_open_view_is_kept_under_a_name(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        soup = Narrow.topic(stage.server.channel("general"), "soup / bread")
        await stage.go(soup)
        await run(stage, "own.views")
        screen = stage.app.screen
        assert isinstance(screen, ViewsScreen)
        await stage.press("n", "ctrl+u")
        await stage.type("Kitchen")
        await stage.press("ctrl+d")
        await until(lambda: [row.text for row in screen.list.items] == ["Kitchen"])
        await stage.press("escape")
        await stage.go(Narrow.all())
        await run(stage, "own.views")
        await stage.press("enter")
        assert stage.screen.narrow == soup
        await run(stage, "own.views")
        await stage.press("x", "down", "enter")
        await until(lambda: not stage.session.state.navigation_views.all())
        assert (await stage.server.call("ada", "GET", "/navigation_views"))["navigation_views"] == []


@pytest.mark.parametrize(
    ("fragment", "opens"),
    [("scheduled", ScheduledScreen), ("reminders", RemindersScreen), ("inbox", InboxScreen)],
)
async def test_a_saved_view_that_is_a_list_opens_the_list(
    tmp_path: Path, fragment: str, opens: type[Screen[None]]
) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.session.client.navigation_views.add(fragment=fragment, is_pinned=False)
        await until(lambda: stage.session.state.navigation_views.all())
        await run(stage, "own.views")
        await stage.press("enter")
        await until(lambda: isinstance(stage.app.screen, opens))


async def test_uploaded_files_lead_to_their_messages_and_are_deleted(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        path = tmp_path / "menu.txt"
        path.write_text("soup")
        sent = await stage.session.client.uploads.upload(path=path)
        message_id = await stage.server.send("ada", "general", "soup", f"[menu]({sent.url})")
        await until(lambda: message_id in stage.session.state.messages)  # and all earlier events too
        await run(stage, "own.files")
        screen = stage.app.screen
        assert isinstance(screen, FilesScreen)
        await until(lambda: [row.text for row in screen.list.items] == ["menu.txt"])
        await stage.press("enter")
        await until(lambda: stage.screen.narrow == Narrow.topic(stage.server.channel("general"), "soup"))
        await run(stage, "own.files")
        await until(lambda: isinstance(stage.app.screen, FilesScreen) and bool(stage.app.screen.list.items))
        await stage.press("x", "down", "enter")
        await until(lambda: isinstance(stage.app.screen, FilesScreen) and not stage.app.screen.list.items)
        assert (await stage.server.call("ada", "GET", "/attachments"))["attachments"] == []


async def test_a_report_is_refused_before_it_is_written_where_nobody_gets_it(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic()
        state, leads = stage.session.state, stage.server.channel("leads")
        state.server = replace(state.server, level=382)
        await run(stage, "message.report")
        assert "reporting is not enabled" in stage.notices[-1]
        await stage.server.call("ada", "PATCH", "/realm", {"moderation_request_channel_id": leads})
        await until(lambda: state.organization.get("moderation_request_channel_id") == leads)
        await run(stage, "message.report")
        assert (await form_of(stage)).row("reason")
