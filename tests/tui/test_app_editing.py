"""What compose shows of an edit and of deactivated recipients, and where the unread line stands."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from narrowcast.terminal.paths import Paths
from narrowcast_api.errors import InvalidInput, NoResponse
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.storage.records import Edit
from narrowcast_api.sync.session import Session
from narrowcast_api.wire.levels import Gate
from narrowcast_server.resources.messages import change_operations
from support.altered_servers import translating
from support.delays import hold
from support.screens import edit_newest, edit_opened, edit_own
from support.server import TestServer, running_server
from support.sessions import until
from support.stage import Stage, on_stage, run


async def test_a_deactivated_person_is_not_written_to(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        dario = stage.server.id("dario")
        await stage.go(Narrow.direct(frozenset({dario})))
        await stage.press("r")
        await stage.type("Are you in?")
        await stage.server.call("ada", "DELETE", f"/users/{dario}", {})
        await until(lambda: not stage.session.state.users.get(dario).is_active)  # type: ignore[union-attr]
        await stage.press("enter")
        assert "Dario Vance has left" in stage.notices[-1]
        assert stage.screen.writing.text.text == "Are you in?"
        assert stage.session.outbox.entries() == []


async def test_an_edit_shows_the_time_left_and_each_key_hint_once(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.server.call("ada", "PATCH", "/realm", {"message_content_edit_limit_seconds": 600})
        await until(lambda: stage.session.state.organization.get("message_content_edit_limit_seconds") == 600)
        await edit_own(stage)
        writing = stage.screen.writing
        assert "Editing message · 9 min left" in writing.target.sign.plain
        assert "Esc" not in writing.target.sign.plain
        assert writing.target.hint.plain.strip() == "Enter saves  Esc cancels"


async def test_after_an_edit_the_keys_are_where_they_were_before_it(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        message_id = await edit_own(stage)
        writing = stage.screen.writing
        await stage.press("end", "!", "enter")
        assert stage.screen.focused is stage.screen.messages.list
        await until(lambda: not stage.session.edits.all())
        assert writing.text.text == ""

        writing.focus_text()
        await run(stage, "message.edit")
        await edit_opened(stage, message_id)
        await stage.press("end", "?", "enter")
        assert stage.app.focused is writing.text, "one was writing"


@pytest.mark.parametrize("key", ["up", "left"])
async def test_up_or_left_in_an_empty_compose_box_edits_the_last_own_message(
    tmp_path: Path, key: str
) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic("general", "lunch")
        message_id = await stage.server.send("ada", "general", "lunch", "Soop")
        newest = await stage.server.send("bruno", "general", "lunch", "Soup?")
        await stage.shows(newest)
        await stage.press("r")
        await stage.type("ab")
        await stage.press(key)
        assert stage.screen.writing.editing is None, "the key moves the cursor in a text"
        await stage.press("ctrl+e", "ctrl+u", key)
        await edit_opened(stage, message_id)
        assert stage.screen.messages.list.selected == message_id
        await stage.press("escape")
        assert stage.screen.writing.text.text == ""


async def test_without_an_own_message_here_there_is_nothing_to_edit(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic("general", "lunch")
        await stage.press("r", "up")
        await stage.told("None of your messages")
        assert stage.screen.writing.editing is None


async def test_editing_a_message_again_goes_on_with_its_edit(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        message_id = await edit_own(stage)
        await stage.type(" and")
        stage.screen.focus_messages()
        await stage.press("e")
        await stage.type(" bread")
        assert stage.screen.writing.editing == message_id
        assert stage.screen.writing.text.text == "Soop and bread"
        assert stage.notices == []


async def test_editing_a_message_twice_in_both_conversations_goes_on_with_one_edit(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(180, 40)) as stage:
        message_id = await edit_own(stage)
        await stage.type(" and")
        left = stage.screen.conversation
        stage.screen.open_beside(Narrow.all())
        await until(lambda: stage.screen.conversation is not left and stage.screen.messages.has_focus_within)
        right = stage.screen.conversation
        await stage.shows(message_id)
        await stage.press("G", "e")
        await stage.type(" bread")
        assert (left.writing.text.text, right.writing.text.text) == ("Soop and bread", "")
        assert (left.writing.editing, right.writing.editing) == (message_id, None)


@pytest.mark.parametrize("arrives", [True, False])
async def test_a_message_is_edited_again_when_its_last_edit_was_saved_or_came_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arrives: bool
) -> None:
    async def lost(**_: object) -> None:
        raise NoResponse("no response within 30 s")

    async with on_stage(tmp_path) as stage:
        message_id = await edit_own(stage)
        messages, writing = stage.session.client.messages, stage.screen.writing
        if not arrives:
            monkeypatch.setattr(messages, "edit", lost)
        held = hold(monkeypatch, messages, "edit")
        await stage.press("end", "!", "enter")
        await until(lambda: held.waiting)
        await run(stage, "message.edit")
        await until(lambda: "still being saved" in stage.screen.messages.mode_hint)
        assert writing.text.text == ""
        held.release()
        await edit_opened(stage, message_id)
        assert writing.text.text == "Soop!"


async def test_an_edit_that_is_refused_comes_back_and_takes_no_keys(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        message_id = await edit_own(stage)
        writing = stage.screen.writing
        await stage.server.call("ada", "DELETE", f"/messages/{message_id}", {})
        await stage.press("end", "!", "enter")
        await until(lambda: writing.text.text == "Soop!")
        assert writing.editing == message_id
        assert stage.screen.focused is stage.screen.messages.list


async def delete(stage: Stage, message_id: int) -> None:
    await stage.server.call("ada", "DELETE", f"/messages/{message_id}", {})
    await until(lambda: stage.session.state.messages.get(message_id) is None)
    await stage.pilot.pause()


async def test_an_edit_of_a_message_that_is_deleted_meanwhile_becomes_a_draft_when_one_leaves(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path) as stage:
        message_id = await edit_own(stage)
        await stage.type(" and")
        await delete(stage, message_id)
        assert stage.notices[-1] == (
            "The message that you are editing was deleted. Esc saves your text as a draft."
        )
        await stage.type(" bread")
        assert stage.session.drafts.all() == []
        await stage.press("escape")
        assert stage.notices[-1] == "The message was deleted meanwhile. Your unsaved edit of it is in Drafts."
        (draft,) = stage.session.drafts.all()
        where = ChannelDestination(stage.server.channel("general"), "lunch")
        assert (draft.destination, draft.content) == (where, "Soop and bread")
        assert stage.session.edits.all() == []


async def test_an_edit_that_is_refused_because_its_message_was_deleted_becomes_a_draft_for_its_conversation(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path) as stage:
        message_id = await edit_own(stage)
        await stage.type(" and bread")
        await delete(stage, message_id)
        await stage.press("enter")
        await stage.told("Invalid message(s)")
        assert stage.screen.writing.editing == message_id
        await stage.press("c", "escape")
        (draft,) = stage.session.drafts.all()
        where = ChannelDestination(stage.server.channel("general"), "lunch")
        assert (draft.destination, draft.content) == (where, "Soop and bread")


async def test_an_edit_that_was_left_becomes_a_draft_when_its_message_is_deleted(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        message_id = await edit_own(stage)
        await stage.type(" and bread")
        await stage.press("escape")
        await delete(stage, message_id)
        assert stage.notices[-1] == "The message was deleted meanwhile. Your unsaved edit of it is in Drafts."
        assert [draft.content for draft in stage.session.drafts.all()] == ["Soop and bread"]
        assert stage.session.edits.all() == []


@pytest.mark.parametrize("typed", ["text", "address"])
async def test_an_edit_that_is_refused_while_one_writes_something_else_says_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: str
) -> None:
    async with on_stage(tmp_path) as stage:
        await edit_own(stage)
        writing, refused = stage.screen.writing, asyncio.Event()

        async def edit(**_parameters: object) -> None:
            await refused.wait()
            raise InvalidInput("It cannot be saved")

        monkeypatch.setattr(stage.session.client.messages, "edit", edit)
        await stage.press("end", "!", "enter", "r" if typed == "text" else "x")
        await stage.type("Bru")
        refused.set()
        await stage.told("It cannot be saved")
        assert "Edit not saved. It is restored when you edit this message again." in stage.notices
        await stage.type("no")
        field = writing.text if typed == "text" else writing.target.to
        assert (stage.app.focused, field.text) == (field, "Bruno")
        assert [edit.content for edit in stage.session.edits.all()] == ["Soop!"]


OnStage = Callable[[Path], AbstractAsyncContextManager[Stage]]


@asynccontextmanager
async def on_older_server(folder: Path) -> AsyncIterator[Stage]:
    """A stage whose server does not check what an edit started from."""
    async with on_stage(folder) as stage:
        stage.at_level(Gate.EDIT_EXPECTATION.level - 1)
        yield stage


@asynccontextmanager
async def on_translating_server(folder: Path) -> AsyncIterator[Stage]:
    """A stage whose server says in another language, with the general code, that an edit is based on an old text."""
    with translating(change_operations.routes):
        async with on_stage(folder) as stage:
            yield stage


async def editing_what_changes(stage: Stage, monkeypatch: pytest.MonkeyPatch, content: str) -> None:
    """Edits a message that is changed elsewhere at the same time: the event about that has not come yet."""
    message_id = await edit_own(stage)
    monkeypatch.setattr(stage.screen.writing, "messages_changed", lambda _ids: None)
    await stage.server.call("ada", "PATCH", f"/messages/{message_id}", {"content": content})
    await stage.press("end", "!", "enter")


@pytest.mark.parametrize(
    "on",
    [on_older_server, on_stage, on_translating_server],
    ids=["server does not check", "server checks", "server translates"],
)
async def test_an_edit_of_a_text_that_the_message_has_no_more_becomes_a_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, on: OnStage
) -> None:
    async with on(tmp_path) as stage:
        await editing_what_changes(stage, monkeypatch, "Soup")
        await stage.told("The message was changed meanwhile.")
        assert (await stage.server.newest("ada"))[-1]["content"] == "Soup"
        assert [draft.content for draft in stage.session.drafts.all()] == ["Soop!"]
        assert stage.session.edits.all() == []


@pytest.mark.parametrize(
    "on",
    [on_older_server, on_stage, on_translating_server],
    ids=["server does not check", "server checks", "server translates"],
)
async def test_an_edit_whose_response_was_lost_is_saved_once_more_without_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, on: OnStage
) -> None:
    async with on(tmp_path) as stage:
        await editing_what_changes(stage, monkeypatch, "Soop!")
        await until(lambda: stage.screen.writing.editing is None and not stage.screen.messages.mode_hint)
        await until(lambda: stage.session.edits.all() == [])
        assert stage.notices == []
        assert stage.session.drafts.all() == []


async def leave_behind(folder: Path, server: TestServer, message_id: int, content: str) -> None:
    """Leaves an unsaved edit, as a killed window of Ada's does."""
    paths = Paths.under(folder / "home-ada")
    session = await Session.open(server.account("ada"), data_dir=paths.data, cache_dir=paths.cache)
    session.edits.update(Edit(message_id, "Soop", content))
    await session.close()


async def test_an_edit_that_a_window_left_behind_is_told_unless_the_server_has_it(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        saved = await server.send("ada", "general", "lunch", "Soup")
        deleted = await server.send("ada", "general", "lunch", "Bread")
        unsaved = await server.send("ada", "general", "lunch", "Soop")
        await leave_behind(tmp_path, server, saved, "Soup")
        await leave_behind(tmp_path, server, deleted, "Bread and butter")
        await server.call("ada", "DELETE", f"/messages/{deleted}", {})
        await leave_behind(tmp_path, server, unsaved, "Soup and bread")
        async with on_stage(tmp_path, server=server) as stage:
            await until(lambda: any("unsaved edit of a message" in text for text in stage.notices))
            await until(lambda: [edit.message_id for edit in stage.session.edits.all()] == [unsaved])
            assert sum("have an unsaved edit" in text for text in stage.notices) == 1
            assert [draft.content for draft in stage.session.drafts.all()] == ["Bread and butter"]
            await stage.go(Narrow.topic(server.channel("general"), "lunch"))
            await edit_newest(stage, unsaved)
            assert stage.screen.writing.text.text == "Soup and bread"


def is_read(stage: Stage, message_id: int) -> bool:
    message = stage.session.state.messages.get(message_id)
    return message is not None and message.is_read


async def test_the_line_of_unread_messages_is_where_they_begin_at_each_opening(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        narrow = Narrow.topic(stage.server.channel("general"), "lunch")
        await stage.go(Narrow.mentions())  # a view in which the message is not read as it arrives
        first = await stage.server.send("bruno", "general", "lunch", "one")
        await until(lambda: first in stage.session.state.unreads)
        stage.screen.go(narrow)
        view = stage.session.view(narrow)
        await until(lambda: view.first_unread == first)
        await until(lambda: is_read(stage, first))
        stage.screen.go(Narrow.mentions())
        second = await stage.server.send("bruno", "general", "lunch", "two")
        await until(lambda: second in view.ids)
        stage.screen.go(narrow)
        await until(lambda: view.first_unread == second)
        await until(lambda: is_read(stage, second))
        stage.screen.go(Narrow.mentions())
        stage.screen.go(narrow)
        await until(lambda: view.first_unread is None)


async def test_messages_that_arrive_in_view_get_no_unread_line(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        narrow = Narrow.topic(stage.server.channel("general"), "lunch")
        view = await stage.go(narrow)

        async def arrive(text: str) -> int:
            sent = await stage.server.send("bruno", "general", "lunch", text)
            await until(lambda: sent in view.ids)
            return sent

        async def line_after(text: str) -> int | None:
            await arrive(text)
            await until(lambda: is_read(stage, view.ids[-1]))
            return view.first_unread

        assert await line_after("before your eyes") is None
        stage.app.app_focus = False
        away = await arrive("while you were away")
        await arrive("and another")
        assert view.first_unread == away
        stage.app.app_focus = True
        assert await line_after("and one when you are back") == away, "the line stays where one finds it"


async def test_messages_that_arrive_behind_a_dialog_are_not_read_before_it_closes(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        narrow = Narrow.topic(stage.server.channel("general"), "lunch")
        view = await stage.go(narrow)
        await stage.press("I")
        assert stage.app.screen is not stage.screen
        below = await stage.server.send("bruno", "general", "lunch", "peekaboo")
        await until(lambda: below in stage.screen.messages.list.ids_in_view())
        await stage.pilot.pause()
        assert stage.session.read_marks.pending == ()
        assert view.first_unread == below
        await stage.press("I")
        await until(lambda: is_read(stage, below))
