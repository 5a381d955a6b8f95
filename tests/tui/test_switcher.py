"""The switcher while lists of topics arrive."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from textual import events

from narrowcast.commands import go
from narrowcast.commands.go import OFFER_EVERY
from narrowcast.runtime.looking import Looking
from narrowcast.screens.dialogs import picker as dialog_picker
from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.picker import Choice, Picker
from narrowcast.screens.later.reminders import RemindersScreen
from narrowcast.screens.later.scheduled import ScheduledScreen
from narrowcast.screens.main import choices
from narrowcast.screens.main.choices import ChoiceTarget
from narrowcast.screens.workspace import Workspace
from narrowcast.text import names
from narrowcast.text.matching import SearchedNames
from narrowcast.widgets.tints import channel_tint, ground_of
from narrowcast_api.errors import InvalidInput
from narrowcast_api.narrow.narrow import Narrow
from support.clock import VirtualClock
from support.sessions import until
from support.stage import Stage, on_stage

CHANNELS = 6


async def in_more_channels(stage: Stage) -> None:
    """Ada subscribes to further channels, each with a topic that she has not seen."""
    for number in range(CHANNELS):
        params = {"subscriptions": [{"name": f"team {number}"}]}
        await stage.server.call("bruno", "POST", "/users/me/subscriptions", params)
        await stage.server.send("bruno", f"team {number}", f"topic {number}")
        await stage.server.call("ada", "POST", "/users/me/subscriptions", params)
    channels = stage.session.state.channels
    await until(lambda: sum(one.name.startswith("team ") for one in channels.subscribed()) == CHANNELS)


class Watched:
    """The lists of topics, each of which takes some seconds, and the topics that the switcher offers after each."""

    def __init__(
        self, stage: Stage, monkeypatch: pytest.MonkeyPatch, seconds: float, fails: int = -1
    ) -> None:
        self.offered: list[set[str]] = []
        self.loaded = 0
        session, clock, set_choices = stage.session, VirtualClock(), Picker.set_choices
        load = session.loader.topics

        async def topics(channel_id: int) -> None:
            if self.loaded == fails:
                raise InvalidInput("")
            await load(channel_id)
            self.loaded += 1
            clock.lapse(seconds)

        def offer(
            picker: Picker[ChoiceTarget], choices: Sequence[Choice[ChoiceTarget]], searched: Any = None
        ) -> None:
            self.offered.append({choice.text for choice in choices if choice.detail == "topic"})
            set_choices(picker, choices, searched)

        monkeypatch.setattr(session.loader, "topics", topics)
        monkeypatch.setattr(session, "clock", clock)
        monkeypatch.setattr(Picker, "set_choices", offer)


ALL = {f"#team {number} › topic {number}" for number in range(CHANNELS)}


async def test_lists_of_topics_that_arrive_quickly_are_offered_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with on_stage(tmp_path) as stage:
        await in_more_channels(stage)
        watched = Watched(stage, monkeypatch, 0.0)
        go.switcher(stage.screen)
        await until(lambda: watched.offered)
        assert len(watched.offered) == 1
        assert watched.offered[0] >= ALL


async def test_lists_of_topics_that_arrive_slowly_are_offered_as_they_arrive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with on_stage(tmp_path) as stage:
        await in_more_channels(stage)
        watched = Watched(stage, monkeypatch, OFFER_EVERY)
        go.switcher(stage.screen)
        await until(lambda: watched.offered and watched.offered[-1] >= ALL)
        assert len(watched.offered) == watched.loaded >= CHANNELS


async def test_the_topics_that_were_fetched_before_an_error_are_offered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with on_stage(tmp_path) as stage:
        await in_more_channels(stage)
        watched = Watched(stage, monkeypatch, 0.0, fails=CHANNELS)
        go.switcher(stage.screen)
        await until(lambda: watched.offered)
        assert watched.offered[0] & ALL


@pytest.mark.parametrize("typed", ["general > lunch", "#general>lunch", "general lunch"])
async def test_a_topic_is_found_by_its_channel_however_both_are_separated(tmp_path: Path, typed: str) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic("general", "lunch")
        picker = await switched(stage, typed)
        assert [choice.text for choice in picker.list.shown] == ["#general › lunch"]


async def test_what_was_typed_is_lit_and_all_names_begin_in_one_column(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLORTERM", "truecolor")
    async with on_stage(tmp_path, size=(80, 30)) as stage:
        await stage.in_topic("general", "lunch")
        picker = await switched(stage, "ge lu")
        (topic,) = picker.list.shown
        (row,) = picker.list.render_item(topic, 60, False)
        lit = picker.list.part_style("choice--lit").color
        assert [cell.text for cell in row if cell.style is not None and cell.style.color == lit] == [
            "ge",
            "lu",
        ]
        assert row.text.startswith("# general › lunch ")
        sign = next(iter(row)).style
        channel = stage.session.state.channels.get(stage.server.channel("general"))
        assert sign is not None
        assert channel is not None
        assert sign.color == channel_tint(ground_of(picker.list), names.channel_color(channel)).color


@pytest.mark.parametrize(
    ("typed", "screen"), [("scheduled", ScheduledScreen), ("reminders", RemindersScreen)]
)
async def test_the_lists_of_what_comes_later_are_views(
    tmp_path: Path, typed: str, screen: type[ManageScreen[Any]]
) -> None:
    async with on_stage(tmp_path) as stage:
        await switched(stage, typed)
        await stage.press("enter")
        await until(lambda: isinstance(stage.app.screen, screen))


async def switched(stage: Stage, typed: str) -> Picker[ChoiceTarget]:
    """Opens the switcher and types into it."""
    await stage.press("ctrl+k")
    await until(lambda: isinstance(stage.app.screen, Picker))
    await stage.type(typed)
    picker = stage.app.screen
    assert isinstance(picker, Picker)
    return picker


async def test_in_a_large_organization_enter_waits_for_the_people_behind_typed_letters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    released, complete = asyncio.Event(), go._complete

    async def held(screen: Workspace, everywhere: choices.Everywhere, picker: Picker[ChoiceTarget]) -> None:
        await released.wait()
        await complete(screen, everywhere, picker)

    monkeypatch.setattr(choices, "MANY_PEOPLE", 3)
    monkeypatch.setattr(choices, "STEP", 1)
    monkeypatch.setattr(go, "_complete", held)
    async with on_stage(tmp_path) as stage:
        elif_ = stage.server.id("elif")
        await stage.press("ctrl+k")
        picker = stage.app.screen
        assert isinstance(picker, Picker)
        assert "Inbox" in [choice.text for choice in picker.list.items]
        assert "Elif Kaya" not in [choice.text for choice in picker.list.items]
        await stage.type("elif")
        await stage.press("enter")
        assert stage.app.screen is picker
        released.set()
        await until(lambda: stage.screen.narrow == Narrow.direct(frozenset({elif_})))


async def test_in_a_large_organization_the_people_wait_while_a_key_was_just_pressed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choices, "MANY_PEOPLE", 3)
    monkeypatch.setattr(choices, "STEP", 1)
    monkeypatch.setattr(go, "AFTER_KEY", 3600.0)
    async with on_stage(tmp_path) as stage:
        now = 0.0
        stage.app.looking = Looking(lambda: now)
        await stage.press("ctrl+k")
        picker = stage.app.screen
        assert isinstance(picker, Picker)
        assert "Elif Kaya" not in [choice.text for choice in picker.list.items]
        await stage.press("escape")
        now += 3600.0
        go.switcher(stage.screen)
        await until(lambda: isinstance(stage.app.screen, Picker))
        later = stage.app.screen
        assert isinstance(later, Picker)
        await until(lambda: "Elif Kaya" in [choice.text for choice in later.list.items])


async def test_letters_that_are_typed_at_once_filter_the_list_once_and_leaving_waits_for_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dialog_picker, "BEHIND", 1e9)
    async with on_stage(tmp_path) as stage:
        await stage.press("ctrl+k")
        picker = stage.app.screen
        assert isinstance(picker, Picker)
        searched: list[str] = []
        best = SearchedNames.best

        def counted(names: SearchedNames, query: str, most: int | None = None) -> list[int]:
            searched.append(query)
            return best(names, query, most)

        monkeypatch.setattr(SearchedNames, "best", counted)
        for letter in "lunch" * 19:
            stage.app.post_message(events.Key(letter, letter))
        stage.app.post_message(events.Key("down", None))
        await until(lambda: searched)
        assert searched == ["lunch" * 19]
        searched.clear()
        for letter in "lunch" * 19:
            stage.app.post_message(events.Key(letter, letter))
        stage.app.post_message(events.Key("escape", None))
        await until(lambda: stage.app.screen is not picker)
        assert len(searched) <= 1
