"""Dialogs whose content arrives while the user already does something else: they do not take over the keyboard."""

from __future__ import annotations

from pathlib import Path

import pytest

from narrowcast.commands import people
from narrowcast.screens.dialogs.picker import Picker
from narrowcast.screens.messages.preview import PreviewScreen
from narrowcast.widgets.editor import Editor
from narrowcast_api.events.status import ConnectionKind
from support.delays import Held, hold
from support.sessions import until
from support.stage import Stage, on_stage


async def writes_a_reply(stage: Stage, held: Held) -> None:
    """Begins a reply, in the middle of which the response arrives."""
    await until(lambda: held.waiting)
    await stage.press("r")
    await stage.type("yes ag")
    await held.arrive(stage)
    await stage.type("reed")
    assert stage.app.screen is stage.screen
    assert stage.screen.writing.text.text == "yes agreed"


async def everybody_reads(stage: Stage) -> None:
    """Others read all messages, so that there are readers to list."""
    for name in ("bruno", "chiyo"):
        await stage.server.call(name, "POST", "/mark_all_as_read")


async def searches_and_writes(stage: Stage, held: Held, text: str) -> None:
    """Searches for a text, and begins a direct message before the response arrives."""
    await stage.press("slash")
    await stage.type(text)
    await stage.press("enter")
    await until(lambda: held.waiting)
    await stage.press("x")
    await stage.type("bru")
    await held.arrive(stage)


@pytest.mark.parametrize(
    ("key", "operation", "notice"),
    [
        ("V", "read_receipts", "The list of readers did not open, because you pressed other keys. V"),
        ("H", "history", "The edit history did not open, because you pressed other keys. H opens it."),
    ],
)
async def test_a_dialog_about_a_message_does_not_open_over_a_reply(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str, operation: str, notice: str
) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic()
        await everybody_reads(stage)
        held = hold(monkeypatch, stage.session.client.messages, operation)
        await stage.press(key)
        await writes_a_reply(stage, held)
        await stage.told(notice)


async def test_a_dialog_opens_behind_another_window_and_takes_the_keys_when_that_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic()
        await everybody_reads(stage)
        held = hold(monkeypatch, stage.session.client.messages, "read_receipts")
        await stage.press("V")
        await until(lambda: held.waiting)
        stage.app.app_focus = False
        await held.arrive(stage)
        stage.app.app_focus = True
        assert isinstance(stage.app.screen, Picker)
        await stage.type("b")
        assert stage.app.screen.query_one(Editor).text == "b"
        await stage.close_all()
        assert stage.screen.messages.has_focus_within


async def test_the_card_of_a_user_who_had_to_be_fetched_does_not_open_over_a_reply(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic()
        held = hold(monkeypatch, stage.session.client.users, "get")
        chiyo = stage.server.id("chiyo")
        stage.session.state.users.remove(chiyo)
        people.show(stage.screen, chiyo)
        await writes_a_reply(stage, held)
        await stage.told("did not open, because you pressed other keys. Open it again.")


async def test_the_picture_of_a_user_does_not_open_after_the_card_was_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic()
        held = hold(monkeypatch, stage.session.client.users, "get")
        await stage.press("u", "v")
        await until(lambda: held.waiting)
        await stage.press("escape")
        await stage.closed()
        await writes_a_reply(stage, held)


@pytest.mark.parametrize("goes_on", [False, True])
async def test_a_preview_opens_only_if_the_text_is_still_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, goes_on: bool
) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic()
        await stage.press("c")
        await stage.type("I thi")
        held = hold(monkeypatch, stage.session.client.messages, "render")
        stage.screen.run("write.preview")
        await until(lambda: held.waiting)
        if goes_on:
            await stage.type("nk")
        await held.arrive(stage)
        assert isinstance(stage.app.screen, PreviewScreen) is not goes_on
        await stage.close_all()
        assert stage.screen.writing.text.text == ("I think" if goes_on else "I thi")


async def test_a_search_that_the_server_refuses_is_not_asked_for_again_over_a_new_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with on_stage(tmp_path) as stage:
        held = hold(monkeypatch, stage.session.pages, "fetch")
        await searches_and_writes(stage, held, "id:nonsense")
        await stage.drawn()
        assert stage.app.screen is stage.screen
        assert stage.screen.writing.target.to.text == "bru"
        assert "Invalid narrow" in stage.screen.messages.list.empty.text


async def test_cached_messages_that_were_found_do_not_open_over_a_new_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with on_stage(tmp_path) as stage:
        stage.session.context.status = stage.session.status._replace(kind=ConnectionKind.OFFLINE)
        held = hold(monkeypatch, stage.session, "search_cached")
        await searches_and_writes(stage, held, "soup from:chiyo")
        await stage.told("The search results did not open")
        assert stage.app.screen is stage.screen
