"""The switcher while lists of topics arrive."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from narrowcast.commands import go
from narrowcast.commands.go import OFFER_EVERY
from narrowcast.screens.dialogs.picker import Choice, Picker
from narrowcast.screens.main.choices import Target
from narrowcast_api.errors import InvalidInput
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

        def offer(picker: Picker[Target], choices: Sequence[Choice[Target]]) -> None:
            self.offered.append({choice.text for choice in choices if choice.detail == "topic"})
            set_choices(picker, choices)

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
