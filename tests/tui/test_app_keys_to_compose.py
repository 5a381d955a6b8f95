"""Which field c, x and r focus, and that nothing typed right after them is run as a command."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from narrowcast.panes.compose.drafts import ComposeNote
from narrowcast.screens.conversations.screen import InboxScreen
from narrowcast.screens.messages.drafts import DraftsScreen
from narrowcast_api.events.status import ConnectionKind, ConnectionStatus
from narrowcast_api.narrow.destinations import ChannelDestination, DirectDestination
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.protocols.outbox_item import OutboxState
from support.screens import archive, at_once
from support.sessions import until
from support.stage import Stage, on_stage


@asynccontextmanager
async def at(folder: Path, channel: str = "", topic: str | None = None) -> AsyncIterator[Stage]:
    """A stage in a channel, a topic, or all messages, with one message of Bruno's in #general."""
    async with on_stage(folder) as stage:
        await stage.server.send("bruno", "general", "lunch", "Anybody?")
        channel_id = stage.server.channel(channel) if channel else 0
        narrow = Narrow.all()
        if channel:
            narrow = Narrow.channel(channel_id) if topic is None else Narrow.topic(channel_id, topic)
        await stage.go(narrow)
        yield stage


async def test_c_in_a_view_without_a_channel_asks_for_the_channel(tmp_path: Path) -> None:
    async with at(tmp_path) as stage:
        await at_once(stage, "cgen")
        target = stage.screen.writing.target
        assert (target.channel.text, target.topic.text) == ("gen", "")
        assert stage.app.focused is target.channel


async def test_c_in_a_channel_asks_for_the_topic_and_in_a_topic_for_the_text(tmp_path: Path) -> None:
    async with at(tmp_path, "general") as stage:
        await at_once(stage, "ctea")
        target, writing = stage.screen.writing.target, stage.screen.writing
        assert (target.channel.text, target.topic.text) == ("general", "tea")
        await stage.go(Narrow.topic(stage.server.channel("general"), "lunch"))
        await at_once(stage, "csoup")
        assert writing.text.text == "soup"


async def test_typing_in_a_focused_recipient_field_replaces_its_content(tmp_path: Path) -> None:
    async with at(tmp_path, "general", "lunch") as stage:
        target = stage.screen.writing.target
        await stage.press("c", "shift+tab")
        await at_once(stage, "dinner")
        assert target.topic.text == "dinner"
        await stage.press("shift+tab", "right")
        await at_once(stage, "x")
        assert target.channel.text == "generalx", "moving the cursor unmarks the text"
        await stage.press("tab", "backspace")
        assert target.topic.text == ""


async def test_a_letter_without_a_command_says_so_and_where_a_command_has_it(tmp_path: Path) -> None:
    async with at(tmp_path, "general", "lunch") as stage:
        await stage.press("h", "y")
        await stage.told(
            "y (Copy selected text, or a part of the message) works in the messages: Tab goes there."
        )
        assert stage.app.focused is not stage.screen.messages.list
        await stage.press("tab", "Q")
        await stage.told("No command has the key Q. c writes to a channel, x to a person, ? lists all keys.")
        await stage.press("ctrl+p", "escape", "I")
        await until(lambda: isinstance(stage.app.screen, InboxScreen))
        await stage.press("Q")
        await stage.told(
            "No command has the key Q here. c writes to a channel, x to a person, F1 lists all keys."
        )
        await stage.press("home", "d")
        await until(lambda: isinstance(stage.app.screen, DraftsScreen))
        await stage.press("Q")
        await stage.told("No command has the key Q here. F1 lists the keys.")


async def test_c_goes_on_with_the_message_that_is_being_written(tmp_path: Path) -> None:
    async with at(tmp_path) as stage:
        await at_once(stage, "cgeneral")
        await stage.press("tab")
        await at_once(stage, "tea")
        await stage.press("tab")
        await at_once(stage, "with milk")
        await stage.press("escape")
        await at_once(stage, "c?")
        assert stage.screen.writing.text.text == "with milk?"
        where = ChannelDestination(stage.server.channel("general"), "tea")
        assert stage.screen.writing.destination() == (where, "")


async def test_r_replies_to_a_message_that_still_waits(tmp_path: Path) -> None:
    async with at(tmp_path, "general", "lunch") as stage:
        stage.session.context.status = ConnectionStatus(ConnectionKind.RECONNECTING, 0.0)
        where = ChannelDestination(stage.server.channel("general"), "lunch")
        local_id = stage.session.outbox.send(where, "first")
        await stage.drawn()
        await stage.press("G")
        assert stage.screen.messages.list.selected == local_id
        await at_once(stage, "rsecond")
        assert stage.screen.writing.text.text == "second"
        assert stage.screen.writing.destination() == (where, "")
        assert all(entry.state is not OutboxState.FAILED for entry in stage.session.outbox.entries())


async def test_letters_after_a_key_that_could_not_act_run_nothing(tmp_path: Path) -> None:
    async with at(tmp_path, "general", "lunch") as stage:
        stage.session.context.status = ConnectionStatus(ConnectionKind.RECONNECTING, 0.0)
        stage.session.outbox.send(ChannelDestination(stage.server.channel("general"), "lunch"), "first")
        await stage.drawn()
        await stage.press("G")
        focused, narrow = stage.app.focused, stage.screen.narrow
        await at_once(stage, "ecxI+dfaC")
        assert stage.app.focused is focused
        assert stage.app.screen is stage.screen
        assert stage.screen.narrow == narrow
        assert "still on its way" in stage.notices[-1]
        await stage.press("escape")
        await at_once(stage, "x")
        assert stage.screen.writing.target.is_direct, "another key ends it"


async def test_letters_after_a_command_that_may_not_be_run_here_run_nothing(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        where = await stage.in_topic("design", "soup")
        await archive(stage, where.channel_id)
        await at_once(stage, "mxI")
        assert "#design is archived" in stage.notices[-1]
        assert stage.app.screen is stage.screen
        assert not stage.screen.writing.target.is_direct


async def test_escape_on_top_of_escape_does_not_leave_the_conversation(tmp_path: Path) -> None:
    async with at(tmp_path, "general", "lunch") as stage:
        narrow = stage.screen.narrow
        await stage.press("c")
        await stage.press("escape", "escape", "escape")
        assert stage.screen.narrow == narrow
        assert stage.screen.messages.has_focus_within
        await stage.press("j", "escape")
        assert isinstance(stage.app.screen, InboxScreen)


async def test_a_restored_draft_takes_the_rows_of_its_text(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        server = stage.server
        where = DirectDestination(frozenset({server.id("bruno")}))
        await stage.go(Narrow.direct(where.user_ids))
        await stage.press("c")
        await stage.go(Narrow.direct(where.user_ids))
        stage.screen.writing.begin.reply(where)
        await stage.type("Have you seen")
        await until(lambda: stage.screen.unfinished.note.read())
        await stage.app.accounts.close()
        async with on_stage(tmp_path, server=server) as again:
            await until(lambda: again.screen.writing.text.text == "Have you seen")
            await again.pilot.pause()
            assert again.screen.writing.text.size.height == 1


async def test_the_draft_in_compose_is_restored_even_if_its_conversation_has_a_newer_one(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path) as stage:
        where = await stage.in_topic("general", "soup")
        await stage.press("c")
        await stage.type("Have you seen")
        await until(lambda: stage.screen.unfinished.note.read())
        newer = stage.session.drafts.save(None, where, "an unsaved edit")
        await stage.app.accounts.close()
        async with on_stage(tmp_path, server=stage.server) as again:
            await until(lambda: again.screen.writing.text.text == "Have you seen")
            assert again.session.drafts.get(newer) is not None
            assert "draft" not in "".join(again.notices)


async def test_notes_about_the_open_draft_are_written_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, go_on = ComposeNote.write, threading.Event()

    def slow_at_first(note: ComposeNote, draft_ids: Sequence[str]) -> None:
        if draft_ids:
            go_on.wait()
        write(note, draft_ids)

    async with at(tmp_path, "general", "lunch") as stage:
        monkeypatch.setattr(ComposeNote, "write", slow_at_first)
        draft, noted = stage.screen.writing.draft, stage.screen.unfinished.note
        await at_once(stage, "csoup")
        first = draft.id
        await at_once(stage, "ctrl+u")
        go_on.set()
        await until(lambda: noted.read() == [] and noted.path.exists())
        await stage.type("bread")
        await until(lambda: noted.read() == [draft.id])
        assert draft.id != first


async def test_on_a_low_terminal_compose_takes_one_row_until_one_writes(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await stage.in_topic("general", "lunch")
        writing = stage.screen.writing
        assert writing.size.height == 1
        assert "c channel  x direct" in writing.target.hint.plain
        await at_once(stage, "csoup")
        await stage.pilot.pause()
        assert (writing.size.height, writing.text.text) == (3, "soup")
        assert "Enter sends" in writing.target.hint.plain
        assert "Ctrl-j new line" in stage.status_line, "the keys of compose stay named"
        await stage.press("escape")
        assert writing.size.height == 3, "what is written stays in sight"
        await stage.press("c", "ctrl+u", "escape")
        await stage.pilot.pause()
        assert writing.size.height == 1
        assert "c channel  x direct" in writing.target.hint.plain
        await stage.press("tab")
        assert stage.app.focused is writing.text
        assert writing.size.height == 3


async def test_a_reply_after_a_draft_elsewhere_names_the_key_that_sends(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        lunch, soup = [await stage.server.send("bruno", "general", topic) for topic in ("lunch", "soup")]
        view = await stage.go(Narrow.channel(stage.server.channel("general")))
        await until(lambda: soup in view.ids)
        await stage.press("G")
        await at_once(stage, "rMe")
        await stage.press("escape", "k", "r")
        await stage.pilot.pause()
        writing = stage.screen.writing
        assert stage.screen.messages.selected_id == lunch
        assert (stage.app.focused, writing.text.text) == (writing.text, "")
        assert "Enter sends" in writing.target.hint.plain


async def test_pasted_lines_are_one_message_in_a_terminal_that_types_them(tmp_path: Path) -> None:
    async with at(tmp_path, "general", "lunch") as stage:
        writing = stage.screen.writing
        await at_once(stage, "c", "one\rtwo @bru\r\rfour")
        assert writing.text.text == "one\ntwo @bru\n\nfour"
        assert stage.session.outbox.entries() == []
        await at_once(stage, "!", "enter")
        assert writing.text.text == ""
        assert [entry.content for entry in stage.session.outbox.entries()] in (
            ["one\ntwo @bru\n\nfour!"],
            [],  # confirmed by the server already
        )
