"""What one does to a message shows before the server has answered, and goes when it refuses."""

from __future__ import annotations

import asyncio

import pytest

from narrowcast_api.errors import NotConnected, ReactionAlreadyExists
from narrowcast_api.model.messages import Message, Reaction
from narrowcast_api.protocols.message_acts import MessageActs
from narrowcast_api.state.apply import apply
from support import live

THUMB = Reaction("+1", "1f44d", "unicode_emoji", live.ADA)


class Stage:
    """Ada's state with one message, and a server that answers when the test says so."""

    def __init__(self, problem: Exception | None = None) -> None:
        self.state = live.make_state()
        live.apply(self.state, live.message_event(live.channel_message(101)))
        self.acts = MessageActs(requests=self, show=lambda event: apply(self.state, event))
        self.go_on = asyncio.Event()
        self.problem = problem
        self.asked: list[object] = []

    @property
    def message(self) -> Message:
        message = self.state.messages.get(101)
        assert message is not None
        return message

    async def change_flag(self, message_id: int, flag: str, on: bool) -> None:
        await self._answer((message_id, flag, on))

    async def change_reaction(self, message_id: int, reaction: Reaction, on: bool) -> None:
        await self._answer((message_id, reaction.emoji_name, on))

    async def _answer(self, what: object) -> None:
        self.asked.append(what)
        await self.go_on.wait()
        if self.problem is not None:
            raise self.problem


async def test_a_star_a_fold_and_a_reaction_show_before_anything_is_sent() -> None:
    stage = Stage()
    sending = [
        stage.acts.flag(101, "starred", True),
        stage.acts.flag(101, "collapsed", True),
        stage.acts.reaction(101, THUMB, True),
    ]
    assert stage.message.flags == {"starred", "collapsed"}
    assert (stage.message.reactions, stage.state.starred) == ((THUMB,), {101})
    assert stage.asked == []
    stage.go_on.set()
    for act in sending:
        await act
    assert stage.asked == [(101, "starred", True), (101, "collapsed", True), (101, "+1", True)]


async def test_what_is_refused_is_taken_back_and_raised() -> None:
    stage = Stage(NotConnected("no route"))
    stage.go_on.set()
    for act in (stage.acts.flag(101, "starred", True), stage.acts.reaction(101, THUMB, True)):
        with pytest.raises(NotConnected):
            await act
    assert (stage.message.flags, stage.message.reactions, stage.state.starred) == (frozenset(), (), set())


async def test_acts_on_one_message_are_sent_one_after_the_other() -> None:
    stage = Stage()
    both = [stage.acts.reaction(101, THUMB, on) for on in (True, False)]
    assert stage.message.reactions == ()
    sending = asyncio.gather(*both)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert stage.asked == [(101, "+1", True)]
    stage.go_on.set()
    await sending
    assert stage.asked == [(101, "+1", True), (101, "+1", False)]


async def test_a_reaction_that_was_there_already_stays() -> None:
    stage = Stage(ReactionAlreadyExists("REACTION_ALREADY_EXISTS", "Reaction already exists."))
    stage.go_on.set()
    await stage.acts.reaction(101, THUMB, True)
    assert stage.message.reactions == (THUMB,)


async def test_the_event_that_follows_changes_nothing_more() -> None:
    stage = Stage()
    stage.go_on.set()
    await stage.acts.reaction(101, THUMB, True)
    reaction = {
        "emoji_name": "+1",
        "emoji_code": "1f44d",
        "reaction_type": "unicode_emoji",
        "user_id": live.ADA,
    }
    live.apply(stage.state, {"type": "reaction", "op": "add", "message_id": 101, **reaction})
    assert stage.message.reactions == (THUMB,)
