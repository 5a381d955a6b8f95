"""Two conversations side by side: which one has focus, where messages go, what the next start shows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from textual import events

from narrowcast.screens.dialogs.picker import Picker
from narrowcast.screens.main.conversation_pane import ConversationPane
from narrowcast.screens.main.side_by_side import SideBySide, SideNote
from narrowcast_api.narrow.narrow import Narrow
from support.screens import edit_opened
from support.server import running_server
from support.sessions import fetched, until
from support.stage import Stage, on_stage, run

WIDE = (180, 40)


def topic(stage: Stage, name: str) -> Narrow:
    return Narrow.topic(stage.server.channel("general"), name)


async def two(stage: Stage) -> tuple[ConversationPane, ConversationPane]:
    """Opens lunch on the left and supper on the right, which has the focus."""
    await stage.go(topic(stage, "lunch"))
    left = stage.screen.conversation
    stage.screen.open_beside(topic(stage, "supper"))
    await until(lambda: stage.screen.conversation is not left and stage.screen.messages.has_focus_within)
    return left, stage.screen.conversation


async def say(stage: Stage, text: str) -> None:
    """Sends a message in the focused conversation."""
    await stage.press("r" if stage.screen.messages.selected_id is not None else "c")
    if stage.screen.app.focused is not stage.screen.writing.text:
        stage.screen.writing.focus_text()
    await stage.type(text)
    await stage.press("enter")


async def sent(stage: Stage, text: str) -> str | None:
    """The topic that a message was sent to, according to the server's event."""
    messages = stage.session.state.messages
    await until(lambda: any(text in message.content for message in messages))
    (message,) = [one for one in messages if text in one.content]
    return message.topic


async def test_each_has_a_view_and_a_target_of_its_own(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=WIDE) as stage:
        left, right = await two(stage)
        assert (left.narrow, right.narrow) == (topic(stage, "lunch"), topic(stage, "supper"))
        await say(stage, "said on the right")
        assert await sent(stage, "said on the right") == "supper"
        await stage.press("escape", "alt+o")
        assert stage.screen.conversation is left
        await say(stage, "said on the left")
        assert await sent(stage, "said on the left") == "lunch"
        await stage.press("escape")
        await stage.go(topic(stage, "breakfast"))
        assert (left.narrow, right.narrow) == (topic(stage, "breakfast"), topic(stage, "supper"))


async def test_new_messages_are_shown_in_either_conversation(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=WIDE) as stage:
        left, right = await two(stage)
        for name in ("lunch", "supper"):
            await stage.server.send("bruno", "general", name, f"about {name}")
        for conversation, name in ((left, "lunch"), (right, "supper")):
            view = conversation.messages.view
            assert view is not None
            get = stage.session.state.messages.get
            await until(lambda: bool(view.ids) and f"about {name}" in get(view.ids[-1]).content)  # type: ignore[union-attr]  # noqa: B023


async def test_both_are_fetched_again_when_events_were_missed(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=WIDE) as stage:
        left, right = await two(stage)
        for one in (left, right):
            await fetched(one.messages.view)
        stage.session.views.mark_stale()
        stage.session.views.refresh_on_screen()
        assert len(stage.session.views_on_screen) == 2
        await until(lambda: not any(one.messages.view.is_stale for one in (left, right)))  # type: ignore[union-attr]


async def test_the_conversation_that_stays_open_is_fetched_again_when_events_were_missed(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path, size=WIDE) as stage:
        left, _ = await two(stage)
        await fetched(left.messages.view)
        await stage.press("alt+o", "alt+z")
        await until(lambda: stage.screen.side.all == [left])
        assert stage.session.views_on_screen == [left.messages.view]
        stage.session.views.mark_stale()
        stage.session.views.refresh_on_screen()
        await until(lambda: not left.messages.view.is_stale)  # type: ignore[union-attr]


async def test_a_view_that_is_shown_beside_is_gone_to_and_not_shown_twice(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=WIDE) as stage:
        left, right = await two(stage)
        await stage.go(topic(stage, "lunch"))
        assert stage.screen.conversation is left
        assert (left.narrow, right.narrow) == (topic(stage, "lunch"), topic(stage, "supper"))


async def test_going_back_changes_the_conversation_with_the_focus_only(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=WIDE) as stage:
        await stage.go(topic(stage, "breakfast"))
        await stage.go(topic(stage, "supper"))
        left, right = await two(stage)
        await stage.press("alt+o")
        await run(stage, "go.back")
        assert stage.screen.conversation is left
        assert (left.narrow, right.narrow) == (topic(stage, "breakfast"), topic(stage, "supper"))
        await run(stage, "go.forward")
        assert (left.narrow, right.narrow) == (topic(stage, "lunch"), topic(stage, "supper"))


async def test_the_key_opens_the_selected_conversation_or_asks(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=WIDE) as stage:
        await stage.server.send("bruno", "general", "lunch", "soup")
        await stage.go(Narrow.all())
        await until(lambda: stage.screen.messages.selected_id is not None)
        await stage.press("vertical_line")
        await until(lambda: stage.screen.narrow == topic(stage, "lunch"))
        assert [one.narrow for one in stage.screen.side.all] == [Narrow.all(), topic(stage, "lunch")]
        await until(lambda: stage.screen.messages.has_focus_within)
        await stage.press("vertical_line")
        await until(lambda: isinstance(stage.app.screen, Picker))


async def test_tab_goes_through_both_and_a_draft_outlives_its_place(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=WIDE) as stage:
        left, right = await two(stage)
        await stage.press("tab")
        assert right.writing.has_focus_within
        await stage.type("half a thought")
        await stage.press("escape", "alt+o", "alt+z")
        await until(lambda: stage.screen.side.all == [left])
        await until(lambda: [one.content for one in stage.session.drafts.all()] == ["half a thought"])
        await stage.go(topic(stage, "supper"))
        await until(lambda: stage.screen.writing.text.text == "half a thought")


async def reply_in_combined_feed(stage: Stage, text: str) -> ConversationPane:
    """Writes a reply to lunch in the combined feed."""
    message_id = await stage.server.send("bruno", "general", "lunch", "Anybody?")
    await stage.go(Narrow.all())
    await stage.shows(message_id)
    await stage.press("G", "r")
    await stage.type(text)
    return stage.screen.conversation


def texts(stage: Stage) -> list[str]:
    """The texts in compose, from left to right."""
    return [one.writing.text.text for one in stage.screen.side.all]


async def test_a_draft_moves_to_its_conversation_that_is_opened_beside_and_is_sent_once(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path, size=WIDE) as stage:
        left = await reply_in_combined_feed(stage, "hello all")
        await stage.press("escape", "vertical_line")
        await until(lambda: stage.screen.conversation is not left)
        assert texts(stage) == ["", "hello all"]
        assert left.writing.destination()[0] is None
        await stage.press("c")
        await stage.type("!")
        await stage.drawn()
        assert texts(stage) == ["", "hello all!"]
        await stage.press("enter")
        assert await sent(stage, "hello all!") == "lunch"
        await stage.drawn()
        assert texts(stage) == ["", ""]
        assert stage.notices == []


async def test_a_reply_continues_the_draft_that_the_other_conversation_shows(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=WIDE) as stage:
        left = await reply_in_combined_feed(stage, "hello")
        await stage.press("escape", "vertical_line")
        await until(lambda: stage.screen.conversation is not left)
        await stage.press("alt+o", "r")
        await stage.type(" all")
        assert texts(stage) == ["hello all", ""]
        assert [draft.content for draft in stage.session.drafts.all()] == ["hello all"]


async def test_a_draft_stays_where_it_is_being_written_when_its_conversation_is_opened_beside(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path, size=WIDE) as stage:
        left = await reply_in_combined_feed(stage, "hello")
        stage.screen.open_beside(topic(stage, "lunch"), keys=False)
        await until(lambda: len(stage.screen.side.all) == 2)
        await stage.type(" all")
        assert texts(stage) == ["hello all", ""]
        assert stage.screen.conversation is left
        await stage.press("enter")
        assert await sent(stage, "hello all") == "lunch"


async def test_keys_wait_for_the_second_conversation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole: list[bool] = []
    enter = SideBySide.enter

    def note(side: SideBySide, conversation: ConversationPane) -> None:
        whole.append(conversation.messages.list.is_attached and conversation.writing.text.is_attached)
        enter(side, conversation)

    monkeypatch.setattr(SideBySide, "enter", note)
    async with on_stage(tmp_path, size=WIDE) as stage:
        await stage.server.send("bruno", "general", "lunch", "soup")
        await until(lambda: stage.screen.messages.selected_id is not None)
        for key in ("vertical_line", "c", "h", "i"):
            stage.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await until(lambda: [one.content for one in stage.session.drafts.all()] == ["hi"])
        first, second = stage.screen.side.all
        assert (first.narrow, second.narrow) == (Narrow.all(), topic(stage, "lunch"))
        assert stage.app.focused is second.writing.text
        assert whole
        assert all(whole)


async def test_a_change_of_a_message_outlives_its_place(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=WIDE) as stage:
        await two(stage)
        await say(stage, "Soop")
        await sent(stage, "Soop")
        await stage.press("escape")
        await until(lambda: stage.screen.messages.selected_id is not None)
        await stage.press("e")
        await edit_opened(stage)
        await stage.type(" and bread")
        await stage.press("escape", "alt+o", "alt+z")
        await until(lambda: len(stage.screen.side.all) == 1)
        await stage.go(topic(stage, "supper"))
        await until(lambda: stage.screen.messages.selected_id is not None)
        await stage.press("e")
        await until(lambda: stage.screen.writing.text.text == "Soop and bread")


async def test_the_next_start_restores_the_drafts_of_both(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        async with on_stage(tmp_path, size=WIDE, server=server) as stage:
            await two(stage)
            await stage.press("c")
            await stage.type("on the right")
            await stage.press("escape", "alt+o", "c")
            await stage.type("on the left")
            await until(lambda: len(stage.screen.unfinished.note.read()) == 2)
        async with on_stage(tmp_path, size=WIDE, server=server) as stage:
            await until(lambda: len(stage.screen.side.all) == 2)
            await until(lambda: texts(stage) == ["on the left", "on the right"])
            assert stage.notices == []


async def test_the_next_start_tells_of_a_draft_that_the_second_conversation_had_for_elsewhere(
    tmp_path: Path,
) -> None:
    async with running_server(tmp_path / "server") as server:
        async with on_stage(tmp_path, size=WIDE, server=server) as stage:
            await stage.go(topic(stage, "supper"))
            left = stage.screen.conversation
            stage.screen.open_beside(Narrow.all())
            await until(lambda: stage.screen.conversation is not left)
            lunch = topic(stage, "lunch").destination
            assert lunch is not None
            stage.screen.writing.begin.reply(lunch)
            await stage.type("hello all")
            await stage.press("escape", "alt+o")
            await until(lambda: len(stage.screen.unfinished.note.read()) == 1)
        async with on_stage(tmp_path, size=WIDE, server=server) as stage:
            await stage.told("You have a draft for #general › lunch")


async def test_closing_a_conversation_forgets_its_draft_for_the_next_start(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=WIDE) as stage:
        left, right = await two(stage)
        await stage.press("c")
        await stage.type("on the right")
        await stage.press("escape", "alt+o", "c")
        await stage.type("on the left")
        noted = stage.screen.unfinished.note
        await until(lambda: noted.read() == [left.writing.draft.id, right.writing.draft.id])
        await stage.press("escape", "alt+o", "alt+z")
        await until(lambda: noted.read() == [right.writing.draft.id])


async def test_they_are_swapped_and_resized(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=WIDE) as stage:
        left, right = await two(stage)
        before = right.size.width
        await stage.press("alt+full_stop")
        await until(lambda: right.size.width > before)
        await run(stage, "pane.swap")
        await until(lambda: right.region.x < left.region.x)
        assert stage.screen.conversation is right


async def test_a_narrow_terminal_shows_one_of_them_and_says_why(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=WIDE) as stage:
        left, right = await two(stage)
        await stage.pilot.resize_terminal(120, 40)
        await until(lambda: not left.display)
        assert right.display
        await stage.press("vertical_line")
        assert "Two conversations need 160 columns; this terminal has 120." in stage.notices
        assert right.messages.region.right == 120  # no divider
        await stage.press("alt+o")
        await until(lambda: left.display and not right.display)
        assert left.messages.has_focus_within
        assert left.messages.region.right == 120
        await stage.pilot.resize_terminal(*WIDE)
        await until(lambda: left.display and right.display)


async def test_the_next_start_shows_both(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        async with on_stage(tmp_path, size=WIDE, server=server) as stage:
            await two(stage)
            await stage.press("alt+o")
            await stage.press("alt+comma")
            await until(lambda: any(tmp_path.rglob("beside")))
        async with on_stage(tmp_path, size=WIDE, server=server) as stage:
            await until(lambda: len(stage.screen.side.all) == 2)
            wanted = [topic(stage, "lunch"), topic(stage, "supper")]
            await until(lambda: [one.narrow for one in stage.screen.side.all] == wanted)
            assert stage.screen.narrow == topic(stage, "lunch")
            await run(stage, "pane.close-beside")
            await until(lambda: not any(tmp_path.rglob("beside")))


def test_an_unusable_record_of_the_layout_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / "beside"
    assert SideNote.read(path) is None
    for text in ("", "nonsense", '{"narrow": "nonsense"}', '{"narrow": 5}', "[]"):
        path.write_text(text)
        assert SideNote.read(path) is None
    path.write_text(f'{{"narrow": {json.dumps(Narrow.all().dump())}, "share": 1000000}}')
    assert SideNote.read(path) == SideNote(Narrow.all().dump(), share=70)
