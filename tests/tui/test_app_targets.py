"""Compose sends to the target of the open view, or to one chosen in that view; never to a leftover one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, permutations
from pathlib import Path

import pytest
from textual.containers import Vertical

from narrowcast.panes.compose.fields import TargetLine
from narrowcast.panes.open_view import OpenView
from narrowcast.text import names
from narrowcast_api.narrow.destinations import ChannelDestination, DirectDestination
from narrowcast_api.narrow.narrow import Narrow
from support.server import TestServer
from support.sessions import until
from support.stage import Stage, on_stage


def views(server: TestServer) -> list[Narrow]:
    """One view of each kind, and a second one of each kind that has a target."""
    general, engineering = server.channel("general"), server.channel("engineering")
    bruno, chiyo = server.id("bruno"), server.id("chiyo")
    return [
        Narrow.channel(general),
        Narrow.channel(engineering),
        Narrow.topic(general, "lunch"),
        Narrow.topic(engineering, "lunch"),
        Narrow.topic(general, ""),
        Narrow.direct(frozenset({bruno})),
        Narrow.direct(frozenset({bruno, chiyo})),
        Narrow.direct(frozenset()),
        Narrow.all(),
        Narrow.directs(),
        Narrow.mentions(),
        Narrow.starred(),
        Narrow.search("soup"),
        Narrow.search("soup", Narrow.channel(general)),
        Narrow.search("sender:bruno"),
    ]


def assert_true_to_view(stage: Stage, narrow: Narrow) -> None:
    """Asserts that title, fields and destination all belong to the open view."""
    state, writing = stage.session.state, stage.screen.writing
    assert stage.screen.title_line.plain.lstrip().startswith(names.view(state, narrow))
    assert stage.screen.messages.narrow == narrow
    where, problem = writing.destination()
    assert where == narrow.new_message_destination
    shown = (writing.target.channel.text, writing.target.topic.text, writing.target.to.text)
    if isinstance(where, ChannelDestination):
        assert shown == (names.channel(state, where.channel_id), where.topic, "")
    elif isinstance(where, DirectDestination):
        assert shown == ("", "", names.recipients(state, where.user_ids))
    else:
        assert shown == ("", "", "")
        assert problem
    assert writing.target.is_direct == isinstance(where, DirectDestination)


def tour(count: int) -> Iterator[int]:
    """Numbers below ``count``, from 0 back to 0, in an order in which each follows every other one once."""
    for low in range(count):
        for high in range(low + 1, count):
            yield low
            yield high
    yield 0


def test_a_tour_visits_every_ordered_pair_once() -> None:
    ways = list(pairwise(tour(15)))
    assert len(ways) == 15 * 14
    assert set(ways) == set(permutations(range(15), 2))


@pytest.mark.parametrize("chosen", [None, "elsewhere", "person"])
async def test_from_every_view_to_every_view_the_target_is_that_of_the_view(
    tmp_path: Path, chosen: str | None
) -> None:
    async with on_stage(tmp_path) as stage:
        targets: dict[str, ChannelDestination | DirectDestination] = {
            "elsewhere": ChannelDestination(stage.server.channel("engineering"), "left over"),
            "person": DirectDestination(frozenset({stage.server.id("dario")})),
        }
        every = views(stage.server)
        stage.screen.go(every[0])
        for number in list(tour(len(every)))[1:]:
            if chosen is not None:
                stage.screen.writing.begin.reply(targets[chosen])
                assert stage.screen.writing.destination() == (targets[chosen], "")
                stage.screen.writing.text.insert("words")
            stage.screen.go(every[number])
            assert_true_to_view(stage, every[number])
            assert stage.screen.writing.text.text == ""
        kept = {draft.destination.key for draft in stage.session.drafts.all() if draft.destination}
        assert kept == ({targets[chosen].key} if chosen is not None else set())


async def test_an_address_that_was_shown_for_another_view_is_never_read(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        state, channel_id = stage.session.state, stage.server.channel("general")
        view = OpenView()
        line = TargetLine(view)  # not notified of view changes
        await stage.screen.mount(Vertical(line))
        dario = DirectDestination(frozenset({stage.server.id("dario")}))
        view.show(Narrow.direct(dario.user_ids))
        line.show(state, dario)
        assert line.read(state) == (dario, "")
        view.show(Narrow.channel(channel_id))
        assert line.read(state) == (ChannelDestination(channel_id, ""), "")
        assert line.channel.text == "general"


async def test_words_in_a_view_without_a_target_go_to_nobody(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.press("a", "tab")
        assert stage.app.focused is stage.screen.writing.text
        await stage.type("hello")
        await stage.press("enter")
        assert stage.session.outbox.entries() == []
        assert stage.screen.writing.text.text == "hello"
        assert "Select a channel" in stage.notices[-1]


async def test_text_written_in_another_view_is_kept_and_the_user_is_told_where(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        general = stage.server.channel("general")
        await stage.go(Narrow.topic(general, "lunch"))
        await stage.press("c")
        await stage.type("half a thought")
        stage.screen.go(Narrow.channel(stage.server.channel("engineering")))
        assert stage.screen.writing.text.text == ""
        await stage.pilot.pause()
        assert stage.notices[-1] == "Saved as a draft for #general › lunch."
        stage.screen.go(Narrow.topic(general, "lunch"))
        assert stage.screen.writing.text.text == "half a thought"
        assert stage.screen.writing.destination()[0] == ChannelDestination(general, "lunch")


async def test_opening_a_draft_opens_the_conversation_that_it_is_for(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        where = DirectDestination(frozenset({stage.server.id("dario")}))
        stage.session.drafts.save(None, where, "Are you in?")
        await stage.go(Narrow.channel(stage.server.channel("general")))
        await stage.press("d", "enter")
        assert stage.screen.narrow == Narrow.direct(where.user_ids)
        assert stage.screen.writing.text.text == "Are you in?"
        assert stage.screen.writing.destination() == (where, "")


async def test_a_draft_for_elsewhere_is_not_restored_into_the_view_of_the_next_start(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        server = stage.server
        general = Narrow.channel(server.channel("general"))
        await stage.go(general)
        stage.screen.writing.begin.reply(DirectDestination(frozenset({server.id("dario")})))
        await stage.type("Are you in?")
        await until(lambda: stage.screen.unfinished.note.read())
        await stage.app.accounts.close()
        async with on_stage(tmp_path, server=server) as again:
            await until(lambda: any("You have a draft for Dario" in notice for notice in again.notices))
            assert again.screen.narrow == general
            assert again.screen.writing.text.text == ""
            assert again.screen.writing.destination() == (general.new_message_destination, "")


async def test_leaving_compose_without_a_word_returns_to_the_target_of_the_view(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        narrow = Narrow.direct(frozenset({stage.server.id("dario")}))
        await stage.go(narrow)
        await stage.press("c")
        assert not stage.screen.writing.target.is_direct
        await stage.press("escape")
        assert_true_to_view(stage, narrow)
