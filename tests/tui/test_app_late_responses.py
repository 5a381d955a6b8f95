"""Responses that arrive while the user already does something else: compose stays as it is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from narrowcast_api.errors import NoResponse
from narrowcast_api.narrow.destinations import ChannelDestination, DirectDestination
from narrowcast_api.narrow.narrow import Narrow
from support.delays import Held, hold
from support.screens import at_once, edit_opened
from support.sessions import until
from support.stage import Stage, on_stage, run


@pytest.fixture
def sources(monkeypatch: pytest.MonkeyPatch) -> Callable[[Stage], Held]:
    """Holds back the sources of messages from the call on."""
    return lambda stage: hold(monkeypatch, stage.session.client.messages, "get")


Hold = Callable[[Stage], Held]


async def two_topics(stage: Stage, person: str = "bruno") -> tuple[int, int]:
    """Shows all messages: one in lunch by `person`, and one in supper by Bruno; returns their ids."""
    first = await stage.server.send(person, "general", "lunch", "Anybody?")
    second = await stage.server.send("bruno", "general", "supper", "What now?")
    await stage.go(Narrow.all())
    await stage.shows(second)
    return first, second


async def select(stage: Stage, message_id: int) -> None:
    stage.screen.messages.list.position.select(message_id)
    await stage.pilot.pause()


async def press_and_reply_elsewhere(stage: Stage, key: str, on: int, other: int, held: Held) -> None:
    """Presses a key on one message, leaves what it opens, and replies to another before the response arrives."""
    await select(stage, on)
    await stage.press(key)
    await until(lambda: held.waiting)
    await stage.press("escape")
    await select(stage, other)
    await stage.press("r")
    await stage.type("yes ag")
    await held.arrive(stage)
    await stage.type("reed")


def supper(stage: Stage) -> ChannelDestination:
    return ChannelDestination(stage.server.channel("general"), "supper")


async def test_a_quote_that_arrives_while_one_writes_elsewhere_is_not_inserted(
    tmp_path: Path, sources: Hold
) -> None:
    async with on_stage(tmp_path) as stage:
        first, second = await two_topics(stage)
        await press_and_reply_elsewhere(stage, "greater_than_sign", first, second, sources(stage))
        writing = stage.screen.writing
        assert (writing.destination()[0], writing.text.text) == (supper(stage), "yes agreed")
        assert stage.notices[-1].startswith("The quote was not inserted, because you pressed other keys")
        assert stage.notices[-1].endswith("> quotes the message again.")


async def test_an_edit_that_was_left_before_its_text_arrived_stays_closed(
    tmp_path: Path, sources: Hold
) -> None:
    async with on_stage(tmp_path) as stage:
        own, second = await two_topics(stage, "ada")
        await press_and_reply_elsewhere(stage, "e", own, second, sources(stage))
        writing = stage.screen.writing
        assert writing.editing is None
        assert (writing.destination()[0], writing.text.text) == (supper(stage), "yes agreed")
        assert stage.notices == []


async def test_what_is_typed_before_the_text_of_an_edit_arrives_is_text_and_no_command(
    tmp_path: Path, sources: Hold
) -> None:
    async with on_stage(tmp_path) as stage:
        own, _ = await two_topics(stage, "ada")
        await select(stage, own)
        held = sources(stage)
        await at_once(stage, "e Quit? d")
        await until(lambda: held.waiting)
        writing = stage.screen.writing
        assert (writing.text.text, writing.target.sign.plain.strip()) == (" Quit? d", "Loading message…")
        await stage.press("enter")
        assert stage.notices[-1] == "The message is still loading."
        await held.arrive(stage)
        assert stage.app.screen is stage.screen
        assert writing.text.text == "Anybody? Quit? d"
        await stage.press("ctrl+z")
        assert writing.text.text == "Anybody?"


async def test_what_is_typed_for_an_edit_whose_text_does_not_arrive_is_in_drafts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with on_stage(tmp_path) as stage:

        async def lost(**_: object) -> None:
            raise NoResponse("no response within 30 s")

        own, _ = await two_topics(stage, "ada")
        await select(stage, own)
        monkeypatch.setattr(stage.session.client.messages, "get", lost)
        held = hold(monkeypatch, stage.session.client.messages, "get")
        await at_once(stage, "ehere")
        await until(lambda: held.waiting)
        await held.arrive(stage)
        await stage.told("The message was not loaded. What you typed is in Drafts.")
        assert stage.screen.writing.editing is None
        assert [draft.content for draft in stage.session.drafts.all()] == ["here"]
        assert stage.session.edits.all() == []


async def test_an_unsaved_edit_is_kept_when_the_text_of_its_message_does_not_arrive(
    tmp_path: Path, sources: Hold
) -> None:
    async with on_stage(tmp_path) as stage:
        own, _ = await two_topics(stage, "ada")
        await select(stage, own)
        await stage.press("e")
        await edit_opened(stage, own)
        await stage.type(" now")
        await stage.press("escape")
        held = sources(stage)
        await stage.press("e")
        await until(lambda: held.waiting)
        await stage.press("escape")
        held.release()
        await stage.press("e")
        await edit_opened(stage, own)
        assert stage.screen.writing.text.text == "Anybody? now"


async def test_what_is_typed_before_a_quote_arrives_stands_below_it(tmp_path: Path, sources: Hold) -> None:
    async with on_stage(tmp_path) as stage:
        first, _ = await two_topics(stage)
        await select(stage, first)
        held = sources(stage)
        await at_once(stage, ">Me, d")
        await until(lambda: held.waiting)
        await held.arrive(stage)
        await stage.type("efinitely")
        writing = stage.screen.writing
        assert stage.app.screen is stage.screen
        assert "```quote\nAnybody?\n```\nMe, definitely" in writing.text.text
        assert writing.destination()[0] == ChannelDestination(stage.server.channel("general"), "lunch")


@pytest.mark.parametrize("window", ["in front", "behind another"])
async def test_a_quote_goes_to_compose_in_which_nothing_happened_meanwhile(
    tmp_path: Path, sources: Hold, window: str
) -> None:
    async with on_stage(tmp_path) as stage:
        first, _ = await two_topics(stage)
        await select(stage, first)
        held = sources(stage)
        await stage.press("greater_than_sign")
        await until(lambda: held.waiting)
        stage.app.app_focus = window == "in front"
        await held.arrive(stage)
        writing = stage.screen.writing
        stage.app.app_focus = True
        assert writing.text.has_focus
        assert writing.destination()[0] == ChannelDestination(stage.server.channel("general"), "lunch")
        assert "```quote\nAnybody?\n```" in writing.text.text
        assert f"/near/{first}" in writing.text.text


async def test_a_quote_goes_to_the_topic_to_which_its_message_was_moved_meanwhile(
    tmp_path: Path, sources: Hold
) -> None:
    async with on_stage(tmp_path) as stage:
        first, _ = await two_topics(stage)
        await select(stage, first)
        held = sources(stage)
        await stage.press("greater_than_sign")
        await until(lambda: held.waiting)
        changes = {"topic": "supper", "propagate_mode": "change_one"}
        await stage.server.call("bruno", "PATCH", f"/messages/{first}", changes)
        messages = stage.session.state.messages
        await until(lambda: (message := messages.get(first)) is not None and message.topic == "supper")
        await held.arrive(stage)
        assert "```quote\nAnybody?\n```" in stage.screen.writing.text.text
        assert stage.screen.writing.destination()[0] == supper(stage)


async def test_a_quote_goes_to_no_other_conversation_than_that_of_its_key(
    tmp_path: Path, sources: Hold
) -> None:
    async with on_stage(tmp_path, size=(180, 40)) as stage:
        first, _ = await two_topics(stage)
        left = stage.screen.conversation
        stage.screen.open_beside(Narrow.from_destination(supper(stage)))
        await until(lambda: stage.screen.conversation is not left)
        right = stage.screen.conversation
        await run(stage, "pane.other-side")
        await select(stage, first)
        held = sources(stage)
        await stage.press("greater_than_sign")
        await until(lambda: held.waiting)
        await run(stage, "pane.other-side")
        await held.arrive(stage)
        assert (left.writing.text.text, right.writing.text.text) == ("", "")
        assert stage.screen.conversation is right
        await stage.told("The quote was not inserted")


async def test_a_quote_that_arrives_under_a_dialog_does_not_change_compose(
    tmp_path: Path, sources: Hold
) -> None:
    async with on_stage(tmp_path) as stage:
        first, _ = await two_topics(stage)
        await select(stage, first)
        held = sources(stage)
        await stage.press("greater_than_sign")
        await until(lambda: held.waiting)
        await stage.press("ctrl+p")
        assert stage.app.screen is not stage.screen
        await held.arrive(stage)
        await stage.told("The quote was not inserted")
        assert stage.screen.writing.text.text == ""


async def test_quotes_of_several_messages_that_arrive_while_one_writes_elsewhere_are_not_inserted(
    tmp_path: Path, sources: Hold
) -> None:
    async with on_stage(tmp_path) as stage:
        first, second = await two_topics(stage)
        await select(stage, first)
        await stage.press("comma")
        await press_and_reply_elsewhere(stage, "greater_than_sign", first, second, sources(stage))
        writing = stage.screen.writing
        assert (writing.destination()[0], writing.text.text) == (supper(stage), "yes agreed")
        assert stage.notices[-1].endswith("> quotes the message again.")


async def test_a_forwarded_message_that_arrives_while_one_writes_elsewhere_changes_nothing(
    tmp_path: Path, sources: Hold
) -> None:
    async with on_stage(tmp_path) as stage:
        first, second = await two_topics(stage)
        await select(stage, first)
        held = sources(stage)
        await stage.press("W")
        await stage.type("chiyo")
        await stage.press("enter")
        await until(lambda: held.waiting)
        await stage.press("escape")
        await stage.go(Narrow.all())
        await select(stage, second)
        await stage.press("r")
        await stage.type("yes ag")
        await held.arrive(stage)
        await stage.type("reed")
        writing = stage.screen.writing
        assert stage.screen.narrow == Narrow.all()
        assert (writing.destination()[0], writing.text.text) == (supper(stage), "yes agreed")
        assert stage.notices[-1].endswith("W forwards again.")


async def test_what_is_typed_before_a_forwarded_message_arrives_stands_below_it(
    tmp_path: Path, sources: Hold
) -> None:
    async with on_stage(tmp_path) as stage:
        first, _ = await two_topics(stage)
        await select(stage, first)
        held = sources(stage)
        await stage.press("W")
        await stage.type("chiyo")
        await stage.press("enter")
        await until(lambda: held.waiting)
        await stage.type("Look, d")
        await held.arrive(stage)
        await stage.type("efinitely")
        writing = stage.screen.writing
        assert "```quote\nAnybody?\n```\nLook, definitely" in writing.text.text
        assert writing.destination()[0] == DirectDestination(frozenset({stage.server.id("chiyo")}))


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Held:
    """Holds back the addresses of video calls."""

    async def call() -> str:
        return "https://calls.example/1"

    held = Held(call)
    monkeypatch.setattr("narrowcast.commands.writing.new_call", lambda _session, _room: held())
    return held


CALL = "[Join video call.](https://calls.example/1) "


async def test_the_link_to_a_call_goes_into_the_text_that_one_continues_to_write(
    tmp_path: Path, calls: Held
) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic("general", "lunch")
        await stage.press("c")
        await stage.type("Here")
        calling = asyncio.ensure_future(run(stage, "write.call"))
        await until(lambda: calls.waiting)
        await stage.type(" it is:")
        await calls.arrive(stage)
        await calling
        assert stage.screen.writing.text.text == f"Here it is: {CALL}"


async def test_the_link_to_a_call_goes_into_a_draft_when_one_writes_elsewhere(
    tmp_path: Path, calls: Held
) -> None:
    async with on_stage(tmp_path) as stage:
        lunch = await stage.in_topic("general", "lunch")
        await stage.press("c")
        await stage.type("Here")
        calling = asyncio.ensure_future(run(stage, "write.call"))
        await until(lambda: calls.waiting)
        stage.screen.writing.begin.reply(supper(stage))
        await stage.type("yes ag")
        await calls.arrive(stage)
        await calling
        await stage.type("reed")
        assert stage.screen.writing.text.text == "yes agreed"
        drafts = {draft.content: draft.destination for draft in stage.session.drafts.all()}
        assert drafts == {f"Here {CALL}": lunch, "yes agreed": supper(stage)}
        await stage.told("The link to the video call is in your draft to #general › lunch.")


@pytest.mark.parametrize("how", ["link", "number"])
async def test_a_message_that_had_to_be_fetched_does_not_open_over_a_reply(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    async with on_stage(tmp_path) as stage:
        general = stage.server.channel("general")
        there = await stage.server.send("bruno", "general", "breakfast", "Good morning")
        address = f"{stage.server.url}/#narrow/channel/{general}-general/topic/breakfast/near/{there}"
        _, second = await two_topics(stage)
        linking = await stage.server.send("bruno", "general", "lunch", f"See [there]({address})")
        await stage.shows(linking)
        held = hold(monkeypatch, stage.session.loader, "message")
        await select(stage, linking)
        if how == "link":
            await stage.press("o", "a")
        else:
            await stage.press(";")
            await stage.type(str(there))
            await stage.press("enter")
        await until(lambda: held.waiting)
        await select(stage, second)
        await stage.press("r")
        await stage.type("yes ag")
        await held.arrive(stage)
        await stage.type("reed")
        assert stage.screen.narrow == Narrow.all()
        assert stage.screen.writing.text.text == "yes agreed"
        assert stage.notices[-1].startswith("The message did not open, because you pressed other keys")
