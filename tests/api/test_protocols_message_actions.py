"""The user's acts on a message show before the server has responded, and are reverted if it rejects them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from msgspec.structs import replace

from narrowcast_api.errors import BadRequest, NotConnected, ReactionAlreadyExists
from narrowcast_api.model.messages import Message, Reaction
from narrowcast_api.protocols.message_actions import MessageActions
from narrowcast_api.state.changes import ServerNotice
from narrowcast_api.state.state import State
from narrowcast_api.storage.executors import inline
from narrowcast_api.storage.journal import Journal, JournalChanges
from narrowcast_api.storage.journal_rows import act_row
from narrowcast_api.storage.records import ActionRecord
from narrowcast_api.wire.events import ReactionEvent, UpdateMessageFlagsEvent
from support import live
from support.clock import VirtualClock
from support.contexts import PartContext

THUMB = Reaction("+1", "1f44d", "unicode_emoji", live.ADA)


@dataclass
class FetchedMessage:
    """The response to a request for one message."""

    message: Message | None


class Stage:
    """Ada's state with one message, and a server that responds when the test says so."""

    def __init__(self, problem: Exception | None = None, journal: Journal | None = None) -> None:
        state = live.make_state()
        live.apply(state, live.message_event(live.channel_message(101)))
        self.clock = VirtualClock()
        self.journal = journal or Journal.open(None, executor=inline)
        self.context = PartContext(self.journal, self.clock, state, name=f"{self.journal.window}-")
        self.context.answer(flags=self, reactions=self, messages=self)
        self.changes = self.context.published
        self.acts = MessageActions(self.context)
        self.go_on = asyncio.Event()
        self.problem = problem
        self.asked: list[object] = []
        self.on_server: bool | None = None
        self.is_checked = asyncio.Event()
        self.is_checked.set()
        self.checked: list[int] = []

    @property
    def message(self) -> Message:
        message = self.state.messages.get(101)
        assert message is not None
        return message

    @property
    def state(self) -> State:
        return self.context.state

    @state.setter
    def state(self, state: State) -> None:
        self.context.state = state

    @property
    def online(self) -> bool:
        return self.context.online

    @online.setter
    def online(self, online: bool) -> None:
        self.context.online = online

    # the operations of the client

    async def change(self, *, message_ids: list[int], op: str, flag: str) -> None:
        await self._response((message_ids[0], flag, op == "add"))

    async def add(self, *, message_id: int, emoji_name: str, **_: str) -> None:
        await self._response((message_id, emoji_name, True))

    async def remove(self, *, message_id: int, emoji_name: str, **_: str) -> None:
        await self._response((message_id, emoji_name, False))

    async def get(self, *, message_id: int) -> FetchedMessage:
        self.checked.append(message_id)
        await self.is_checked.wait()
        if self.on_server is None:
            return FetchedMessage(None)
        reaction = THUMB if self.on_server else THUMB._replace(user_id=live.BRUNO)
        return FetchedMessage(replace(self.message, reactions=(reaction,)))

    async def _response(self, what: object) -> None:
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


async def test_a_rejected_act_is_reverted_and_raises() -> None:
    stage = Stage(BadRequest("BAD_REQUEST", "Invalid message(s)"))
    stage.go_on.set()
    for act in (stage.acts.flag(101, "starred", True), stage.acts.reaction(101, THUMB, True)):
        with pytest.raises(BadRequest):
            await act
    assert stage.journal.load_acts() == []
    assert (stage.message.flags, stage.message.reactions, stage.state.starred) == (frozenset(), (), set())


async def test_an_earlier_act_of_another_window_stays_applied_when_a_later_own_act_is_rejected() -> None:
    stage = Stage()
    stage.online = False
    await stage.acts.flag(101, "starred", True)
    earlier = ActionRecord("earlier", 0, 101, "starred", None, None, None, False, "another window")
    heard = {("acts", "earlier"): act_row(earlier)}
    stage.acts.on_journal(JournalChanges(heard))
    assert stage.state.starred == {101}
    (own,) = stage.journal.load_acts()
    stage.acts.on_journal(JournalChanges({("acts", own.act_id): None}))  # rejected, maybe in another window
    assert stage.state.starred == set()
    stage.acts.on_journal(JournalChanges(dict.fromkeys(heard)))
    assert stage.state.starred == set(), "it was not starred before either"


async def test_acts_on_messages_that_a_restored_server_has_lost_are_not_sent_for_others() -> None:
    stage = Stage()
    stage.online = False
    for message_id in (100, 101):
        await stage.acts.flag(message_id, "starred", True)
    stage.acts.on_older_server(lambda message_id: message_id > 100)
    assert [record.message_id for record in stage.journal.load_acts()] == [100]
    assert stage.acts.waiting == 1


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


def hear(stage: Stage, event: UpdateMessageFlagsEvent | ReactionEvent) -> None:
    """Applies an event of the server to the state and the acts."""
    stage.context.apply_expected(event)
    stage.acts.on_event(event)


def in_another_window(act_id: str, *, is_on: bool, position: int = 1) -> JournalChanges:
    """A reaction of another window, as the journal reports it."""
    record = ActionRecord(act_id, position, 101, None, *THUMB[:3], is_on, "another window")
    return JournalChanges({("acts", act_id): act_row(record)})


async def test_a_reaction_of_another_window_stays_here_if_its_event_came_before_the_end_of_the_act() -> None:
    stage = Stage()
    stage.acts.on_journal(in_another_window("one", is_on=True))
    assert stage.message.reactions == (THUMB,)
    hear(stage, ReactionEvent(op="add", message_id=101, reaction=THUMB))
    stage.acts.on_journal(JournalChanges({("acts", "one"): None}))
    await stage.clock.settle()
    assert (stage.message.reactions, stage.checked) == ((THUMB,), [])


@pytest.mark.parametrize(
    ("on_server", "shown"), [(True, (THUMB,)), (False, ()), (None, (THUMB,))], ids=["there", "not", "unknown"]
)
async def test_without_an_event_the_server_is_asked_whether_it_accepted_another_windows_reaction(
    on_server: bool | None, shown: tuple[Reaction, ...]
) -> None:
    stage = Stage()
    stage.on_server = on_server
    stage.acts.on_journal(in_another_window("one", is_on=True))
    hear(stage, ReactionEvent(op="add", message_id=101, reaction=THUMB._replace(user_id=live.BRUNO)))
    stage.acts.on_journal(JournalChanges({("acts", "one"): None}))
    await stage.clock.settle()
    assert stage.checked == [101]
    assert tuple(one for one in stage.message.reactions if one.user_id == live.ADA) == shown


async def test_the_event_of_an_act_does_not_show_over_a_later_one_that_is_not_sent_yet() -> None:
    stage = Stage()
    stage.go_on.set()
    acts = [stage.acts.flag(101, "starred", on) for on in (True, False)]
    reactions = [stage.acts.reaction(101, THUMB, on) for on in (True, False)]
    for first in (acts[0], reactions[0]):
        await first
    hear(stage, UpdateMessageFlagsEvent(op="add", flag="starred", messages=[101]))
    hear(stage, ReactionEvent(op="add", message_id=101, reaction=THUMB))
    assert (stage.message.flags, stage.message.reactions) == (frozenset(), ())
    for second in (acts[1], reactions[1]):
        await second


async def test_what_another_client_does_while_an_act_is_being_sent_shows() -> None:
    stage = Stage()
    sending = asyncio.ensure_future(stage.acts.flag(101, "starred", True))
    await stage.clock.settle()
    for op in ("add", "remove"):
        hear(stage, UpdateMessageFlagsEvent(op=op, flag="starred", messages=[101]))
    stage.go_on.set()
    await sending
    assert stage.state.starred == set()


@asynccontextmanager
async def running(stage: Stage) -> AsyncIterator[None]:
    """Runs the sender of pending acts."""
    task = asyncio.ensure_future(stage.acts.run())
    yield
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_what_is_asked_about_reactions_of_other_windows_ends_with_the_sender() -> None:
    stage = Stage()
    stage.is_checked.clear()
    before = asyncio.all_tasks()
    async with running(stage):
        stage.acts.on_journal(in_another_window("one", is_on=True))
        stage.acts.on_journal(JournalChanges({("acts", "one"): None}))
        await stage.clock.settle()
        assert stage.checked == [101]
    assert asyncio.all_tasks() == before


async def test_offline_acts_are_shown_and_sent_in_order_once_connected() -> None:
    stage = Stage()
    stage.go_on.set()
    stage.online = False
    async with running(stage):
        await stage.acts.flag(101, "starred", True)
        await stage.acts.reaction(101, THUMB, True)
        await stage.acts.flag(101, "starred", False)
        assert (stage.asked, stage.acts.waiting) == ([], 3)
        assert (stage.message.flags, stage.message.reactions) == (frozenset(), (THUMB,))
        stage.online = True
        stage.acts.wake()
        await stage.clock.settle()
    assert stage.asked == [(101, "starred", True), (101, "+1", True), (101, "starred", False)]
    assert (stage.acts.waiting, stage.journal.load_acts()) == (0, [])


async def test_an_act_lost_by_the_network_is_retried_and_later_acts_wait_behind_it() -> None:
    stage = Stage(NotConnected("no route"))
    stage.go_on.set()
    async with running(stage):
        await stage.acts.reaction(101, THUMB, True)
        assert stage.message.reactions == (THUMB,)
        await stage.acts.reaction(101, THUMB, False)
        assert stage.acts.waiting == 2
        assert not stage.message.reactions
        stage.problem = None
        await stage.clock.advance(40)
    assert stage.asked[-2:] == [(101, "+1", True), (101, "+1", False)]
    assert stage.acts.waiting == 0


async def test_a_pending_act_that_is_rejected_later_is_reverted_and_reported() -> None:
    stage = Stage(BadRequest("BAD_REQUEST", "Invalid message(s)"))
    stage.go_on.set()
    stage.online = False
    async with running(stage):
        await stage.acts.reaction(101, THUMB, True)
        stage.online = True
        stage.acts.wake()
        await stage.clock.settle()
    assert stage.message.reactions == ()
    (notice,) = [change for change in stage.changes if isinstance(change, ServerNotice)]
    assert "Invalid message(s)" in notice.text
    assert stage.acts.waiting == 0


async def test_a_rejection_keeps_later_changes_of_the_message() -> None:
    stage = Stage(BadRequest("BAD_REQUEST", "Invalid message(s)"))
    acts = asyncio.gather(
        *(stage.acts.flag(101, "starred", on) for on in (True, False, True)), return_exceptions=True
    )
    await stage.clock.settle()
    first, stage.go_on = stage.go_on, asyncio.Event()
    first.set()
    await stage.clock.settle()
    assert stage.asked == [(101, "starred", True), (101, "starred", False)]
    assert stage.message.flags == {"starred"}
    stage.problem = None
    stage.go_on.set()
    assert (await acts)[1:] == [None, None]
    assert stage.message.flags == {"starred"}


async def test_a_refusal_shows_nothing_again_that_another_client_has_undone_to_another_message() -> None:
    stage = Stage(BadRequest("BAD_REQUEST", "Invalid message(s)"))
    live.apply(stage.state, live.message_event(live.channel_message(102)))
    refused = asyncio.ensure_future(stage.acts.flag(101, "starred", True))
    await stage.clock.settle()
    refusing, stage.go_on = stage.go_on, asyncio.Event()
    slow = asyncio.ensure_future(stage.acts.flag(102, "starred", True))
    await stage.clock.settle()
    undone = {"op": "remove", "flag": "starred", "messages": [102], "all": False}
    live.apply(stage.state, {"type": "update_message_flags", **undone})
    refusing.set()
    with pytest.raises(BadRequest):
        await refused
    assert stage.state.starred == set()
    stage.problem = None
    stage.go_on.set()
    await slow


async def test_a_refusal_brings_back_what_the_newest_snapshot_says_and_no_star_of_a_message_that_is_gone() -> (
    None
):
    stage = Stage(BadRequest("BAD_REQUEST", "Invalid message(s)"))
    stage.go_on.set()
    stage.state.starred.add(101)
    stage.online = False
    async with running(stage):
        await stage.acts.flag(101, "starred", False)
        stage.acts.on_snapshot()  # the event no longer lists the star: the message was deleted
        stage.online = True
        stage.acts.wake()
        await stage.clock.settle()
    assert stage.asked == [(101, "starred", False)]
    assert stage.state.starred == set()


async def test_pending_acts_show_in_other_windows_and_are_sent_by_one_if_their_own_has_ended(
    tmp_path: Path,
) -> None:
    file = tmp_path / "journal.db"
    first = Stage(journal=Journal.open(file, window="first", executor=inline))
    second = Stage(journal=Journal.open(file, window="second", executor=inline))
    first.online = False
    second.go_on.set()
    async with running(second):
        await first.acts.flag(101, "starred", True)
        second.acts.on_journal(second.journal.refresh().result())
        await second.clock.settle()
        assert ("starred" in second.message.flags, second.asked) == (True, [])
        second.acts.on_journal(second.journal.take_over({"first"}).result())
        await second.clock.settle()
    assert second.asked == [(101, "starred", True)]
    first.acts.on_journal(first.journal.refresh().result())
    assert first.acts.waiting == 0
    first.journal.close()
    second.journal.close()


async def test_pending_acts_stay_applied_to_a_snapshot_that_lacks_them() -> None:
    stage = Stage()
    stage.online = False
    await stage.acts.flag(101, "starred", True)
    stage.state = live.make_state()
    live.apply(stage.state, live.message_event(live.channel_message(101)))
    stage.acts.on_snapshot()
    assert stage.state.starred == {101}
