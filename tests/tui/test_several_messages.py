"""Choosing several messages, and what is then done with all of them; forwarding."""

from __future__ import annotations

from pathlib import Path

from narrowcast.screens.dialogs.picker import Picker
from narrowcast_api.narrow.narrow import Narrow
from support.screens import confirm, fill, screen_text
from support.sessions import until
from support.stage import Stage, on_stage


async def choose_two(stage: Stage) -> list[int]:
    """Chooses the first and the last of three messages of Ada's."""
    await stage.in_topic("general", "lunch", "Anybody?")
    ids = [await stage.server.send("ada", "general", "lunch", text) for text in ("one", "two", "three")]
    await stage.shows(ids[-1])
    messages = stage.screen.messages.list
    messages.position.select(ids[0])
    await stage.press("comma")
    assert messages.selected == ids[1], "the next message is selected"
    await stage.press("j", "comma")
    assert "2 selected" in stage.status_line
    assert screen_text(stage.app.screen).count("✓") >= 2
    return [ids[0], ids[2]]


async def test_all_chosen_messages_are_starred_and_escape_ends_the_choice(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        ids = await choose_two(stage)
        assert "Esc ends" in stage.status_line, (
            "the key that ends the choice is named on a narrow terminal too"
        )
        await stage.press("ctrl+s")
        state = stage.session.state
        await until(lambda: all((one := state.messages.get(i)) and one.is_starred for i in ids))
        assert stage.screen.messages.list.overlay is None
        await stage.press("comma")
        assert stage.screen.messages.list.overlay is not None
        await stage.press("escape")
        assert stage.screen.messages.list.overlay is None


async def test_chosen_messages_are_quoted_together_and_deleted_after_a_question(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        ids = await choose_two(stage)
        await stage.press("greater_than_sign")
        writing = stage.screen.writing
        await until(lambda: writing.text.text.count("```quote") == 2)
        assert writing.text.text.index("one") < writing.text.text.index("three")
        await stage.press("ctrl+a", "ctrl+home", "ctrl+k")
        writing.text.text = ""
        stage.screen.focus_messages()
        messages = stage.screen.messages.list
        for message_id in ids:
            messages.position.select(message_id)
            await stage.press("comma")
        await stage.press("delete")
        assert "Delete 2 messages?" in screen_text(stage.app.screen)
        await confirm(stage)
        await until(lambda: not any(message_id in stage.session.state.messages for message_id in ids))


async def test_chosen_messages_are_moved_to_another_topic(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        ids = await choose_two(stage)
        await stage.press("m")
        await fill(stage, topic="dinner")
        state = stage.session.state
        await until(lambda: all((one := state.messages.get(i)) and one.topic == "dinner" for i in ids))
        topics = [message.topic for message in state.messages if message.content == "<p>two</p>"]
        assert topics == ["lunch"]


async def test_chosen_messages_of_several_topics_are_moved_to_the_topic_of_the_first(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        first = await stage.server.send("ada", "general", "lunch", "one")
        other = await stage.server.send("ada", "general", "supper", "two")
        await stage.go(Narrow.all())
        await stage.shows(other)
        messages = stage.screen.messages.list
        for message_id in (first, other):
            messages.position.select(message_id)
            await stage.press("comma")
        await stage.press("m")
        await fill(stage, topic="lunch")
        state = stage.session.state
        await until(lambda: (moved := state.messages.get(other)) is not None and moved.topic == "lunch")
        await stage.closed()
        for message_id in (first, other):
            messages.position.select(message_id)
            await stage.press("comma")
        await stage.press("m")
        await fill(stage, topic="lunch")
        assert "Choose a different topic or channel." in screen_text(stage.app.screen)


async def test_a_chosen_message_that_somebody_else_deletes_does_not_keep_the_others(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        ids = await choose_two(stage)
        await stage.press("delete")
        await stage.server.call("ada", "DELETE", f"/messages/{ids[0]}")
        await until(lambda: ids[0] not in stage.session.state.messages)
        await confirm(stage)
        await until(lambda: ids[1] not in stage.session.state.messages)
        assert stage.notices == []


async def test_a_chosen_message_that_somebody_else_deletes_is_not_moved_and_the_others_are(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path) as stage:
        ids = await choose_two(stage)
        await stage.press("m")
        await stage.server.call("ada", "DELETE", f"/messages/{ids[0]}")
        await until(lambda: ids[0] not in stage.session.state.messages)
        await fill(stage, topic="dinner")
        await until(lambda: (one := stage.session.state.messages.get(ids[1])) and one.topic == "dinner")
        await stage.closed()


async def test_a_message_is_forwarded_with_its_link_to_a_conversation_that_is_chosen(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic("general", "lunch", "Soup at noon")
        await stage.press("W")
        assert isinstance(stage.app.screen, Picker)
        await stage.type("chiyo")
        await stage.press("enter")
        chiyo = stage.server.id("chiyo")
        await until(lambda: stage.screen.narrow == Narrow.direct(frozenset({chiyo})))
        writing = stage.screen.writing
        await until(lambda: "Soup at noon" in writing.text.text)
        assert "[said](" in writing.text.text
        assert "/near/" in writing.text.text
        assert writing.target.to.text == "Chiyo Tanaka"
