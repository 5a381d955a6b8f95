"""A message goes to the recipients it was meant for, whatever people and channels are called."""

from __future__ import annotations

from pathlib import Path

import pytest

from narrowcast_api.narrow.destinations import ChannelDestination, DirectDestination
from narrowcast_api.narrow.narrow import Narrow
from support.screens import screen_text
from support.sessions import until
from support.stage import Stage, on_stage


async def rename(stage: Stage, person: str, name: str) -> int:
    """Renames a user and returns their id once the app has the new name."""
    user_id = stage.server.id(person)
    await stage.server.call("ada", "PATCH", f"/users/{user_id}", {"full_name": name})
    await until(lambda: stage.session.state.users.name(user_id) == name)
    return user_id


async def test_a_reply_goes_to_the_right_one_of_two_people_with_one_name(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        twins = [await rename(stage, person, "Sam Twin") for person in ("chiyo", "dario")]
        for user_id in twins:
            where = DirectDestination(frozenset({user_id}))
            stage.screen.writing.begin.direct(where)
            assert stage.screen.writing.target.read(stage.session.state) == (where, "")
            field = stage.screen.writing.target.to
            field.text += " "  # edited: now the name must be resolved
            assert stage.screen.writing.target.read(stage.session.state) == (where, "")


async def test_a_name_that_several_have_is_not_guessed(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        for person in ("chiyo", "dario"):
            await rename(stage, person, "Sam Twin")
        await stage.press("x")
        await stage.type("Sam Twin")
        await stage.press("escape")
        where, problem = stage.screen.writing.target.read(stage.session.state)
        assert where is None
        assert problem.startswith("No unique user matches 'Sam Twin'")


async def test_a_comma_in_a_name_does_not_make_two_people_of_one(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        where = DirectDestination(frozenset({await rename(stage, "chiyo", "Tanaka, Chiyo")}))
        stage.screen.writing.begin.direct(where)
        stage.screen.writing.target.to.text += " "
        assert stage.screen.writing.target.read(stage.session.state) == (where, "")


async def test_a_channel_that_is_renamed_while_one_writes_stays_the_destination(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        where = ChannelDestination(stage.server.channel("general"), "lunch")
        stage.screen.writing.begin.channel(where)
        target = stage.screen.writing.target
        await stage.server.call("ada", "PATCH", f"/streams/{where.channel_id}", {"new_name": "canteen"})
        await until(lambda: target.channel.text == "canteen")
        assert target.read(stage.session.state) == (where, "")


async def test_a_destination_whose_name_is_not_known_yet_is_kept(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        for where in (ChannelDestination(987_654, "lunch"), DirectDestination(frozenset({987_654}))):
            stage.screen.writing.target.show(stage.session.state, where)
            assert stage.screen.writing.target.read(stage.session.state) == (where, "")


async def test_a_part_of_a_name_that_one_alone_has_becomes_the_name(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        writing = stage.screen.writing
        await stage.press("x")
        await stage.type("bru, elif,chi")
        assert writing.target.to.text == "Bruno Castell, Elif Kaya, chi"
        await stage.press("escape")  # completions
        await stage.press("tab")
        assert writing.target.to.text == "Bruno Castell, Elif Kaya, Chiyo Tanaka"
        where = DirectDestination(frozenset(stage.server.id(person) for person in ("bruno", "elif", "chiyo")))
        assert writing.destination() == (where, "")
        await stage.press("escape", "c")
        await stage.type("engin")
        await stage.press("escape", "tab")
        assert writing.target.channel.text == "engineering"


async def test_a_part_of_a_name_that_several_have_stays_as_it_was_typed(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await rename(stage, "chiyo", "Sam North")
        await rename(stage, "dario", "Sam South")
        await stage.press("x")
        await stage.type("sam,nobody,")
        assert stage.screen.writing.target.to.text == "sam, nobody, "


async def in_topic_field(stage: Stage, typed: str) -> None:
    """Types a topic into the address of a message to a channel that has the topic "quick start card"."""
    await stage.server.send("bruno", "general", "quick start card", "Is it printed?")
    await stage.go(Narrow.channel(stage.server.channel("general")))
    await stage.press("c")
    await stage.type(typed)
    await until(lambda: stage.session.state.topics.is_loaded(stage.server.channel("general")))
    await stage.pilot.pause()


def offered(stage: Stage) -> list[tuple[str, str]]:
    """The completions that are shown: text and detail."""
    writing = stage.screen.writing
    shown = writing.completion.list.items if writing.has_class("-offering") else ()
    return [(choice.text, choice.detail) for choice in shown]


@pytest.mark.parametrize("key", ["enter", "tab"])
async def test_a_new_topic_is_never_replaced_by_one_whose_name_begins_so(tmp_path: Path, key: str) -> None:
    async with on_stage(tmp_path) as stage:
        await in_topic_field(stage, "quick")
        assert offered(stage) == [("quick", "new topic"), ("quick start card", "")]
        await stage.press(key)
        assert stage.screen.writing.text.has_focus
        await stage.type("hi")
        await stage.press("enter")
        topics, general = stage.session.state.topics, stage.server.channel("general")
        await until(lambda: "quick" in [topic.name for topic in topics.of(general)])


@pytest.mark.parametrize("key", ["enter", "tab"])
async def test_a_topic_that_was_chosen_with_the_arrows_is_taken(tmp_path: Path, key: str) -> None:
    async with on_stage(tmp_path) as stage:
        await in_topic_field(stage, "quick")
        await stage.press("down", key)
        assert stage.screen.writing.target.topic.text == "quick start card"
        assert stage.screen.writing.text.has_focus


async def test_a_topic_that_there_is_is_not_offered_as_a_new_one(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.server.send("bruno", "general", "Quick", "First")
        await in_topic_field(stage, "quick")
        assert offered(stage) == [("Quick", ""), ("quick start card", "")]


async def test_a_link_to_a_new_topic_is_not_replaced_by_one_to_another_topic(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await in_topic_field(stage, "soup")
        await stage.press("enter")
        await stage.type("see #general>quick")
        assert offered(stage) == [("quick", "new topic"), ("quick start card", "#general")]
        await stage.press("tab")
        assert stage.screen.writing.text.text == "see #**general>quick** "


async def test_the_title_of_a_direct_conversation_follows_a_new_name(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.go(Narrow.direct(frozenset({stage.server.id("chiyo")})))
        await rename(stage, "chiyo", "Chiyo Renamed")
        await stage.drawn()
        assert "Chiyo Renamed" in stage.screen.title_line.plain


async def test_a_name_and_enter_lead_to_the_message(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.press("x")
        await stage.type("brun")
        await stage.press("enter")
        writing = stage.screen.writing
        assert writing.target.to.text == "Bruno Castell"
        assert stage.app.focused is writing.text


async def test_notes_to_yourself_are_named_so_and_the_field_says_what_else_fits_while_one_is_in_it(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.go(Narrow.direct(frozenset()))
        await stage.press("r")
        assert " To yourself ─" in screen_text(stage.screen)
        await stage.press("shift+tab")
        await until(lambda: " To yourself (or names, separated by commas)" in screen_text(stage.screen))
        await stage.press("tab")
        await until(lambda: " To yourself ─" in screen_text(stage.screen))
