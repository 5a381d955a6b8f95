"""What must hold after a history, once the network works and time has passed."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence

from narrowcast_api.events.stream import PROOF_SECONDS
from narrowcast_api.events.watchdog import HEARTBEAT_SHARE
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.routes.events import DEFAULT_LONGPOLL_SECONDS
from narrowcast_api.state.state import State
from narrowcast_api.storage.records import OutboxState
from simulation.service import Service
from simulation.window import Window
from simulation.words import Words
from support.state_facts import differences, facts

NOTICED_AFTER = 1.0 + HEARTBEAT_SHARE * DEFAULT_LONGPOLL_SECONDS + PROOF_SECONDS
"""Seconds after which a window must report that it receives nothing."""


def deaf(windows: Sequence[Window], now: float) -> Iterator[str]:
    """Lists windows that claim to be live although they have received nothing for long."""
    for window in windows:
        since = window.network.silent_since
        if since is not None and now - since > NOTICED_AFTER and window.session.is_live:
            yield f"{window.name} is live at {now:.0f} s, and nothing has passed since {since:.0f} s"


def problems(words: Words, windows: Sequence[Window], service: Service) -> Iterator[str]:
    """Lists the problems now. The last window is another user's."""
    yield from _words(words, windows, service)
    yield from _order(words, windows, service)
    yield from _drafts(words, windows, service)
    yield from _corrections(words, windows, service)
    for window in windows:
        if window.session.is_live:
            yield from _state(window, service)
            for narrow in (*window.seen, Narrow.all()):
                yield from _view(window, narrow, service)
            yield from _waiting(window)
        else:
            status = window.session.status
            yield f"{window.name} is {status.kind}: {status.detail}"
    tasks = len(asyncio.all_tasks())
    if tasks > sum(window.most_tasks for window in windows):
        yield f"{tasks} tasks are left"


def _words(words: Words, windows: Sequence[Window], service: Service) -> Iterator[str]:
    """Each message is on the server once, or its author is informed that it is not."""
    said = Counter(content for _, content in service.sends)
    offered = {entry.local_id: entry for window in windows for entry in window.session.outbox.entries()}
    for entry in offered.values():
        if entry.state is not OutboxState.FAILED:
            yield f"{entry} is still {entry.state} after the network healed"
    failed = Counter(entry.content for entry in offered.values())
    taken_back = Counter(words.taken_back)
    may_be_lost = Counter(written.text for written in words.may_be_lost)
    for text, times in Counter(written.text for written in words.written).items():
        if said[text] > times:
            yield f"{text!r} was written {times} times and sent {said[text]} times"
        if said[text] + failed[text] > times:
            yield f"{text!r} was sent, and is offered as not sent"
        if said[text] + failed[text] + taken_back[text] + may_be_lost[text] < times:
            yield f"{text!r} is lost: {times} times written, {said[text]} times sent"


def _order(words: Words, windows: Sequence[Window], service: Service) -> Iterator[str]:
    """Messages that one window sent, and that never failed, are on the server in the order of writing. One that was
    taken back while nobody knew whether it had arrived holds up no other.
    """
    ids = {message.content: message.id for message in service.messages.values()}
    unsure = words.failed | words.left_behind | set(words.taken_back)
    sent = [
        one
        for one in words.written
        if one.text in ids and one.text not in unsure and not one.text.startswith("again")
        if one.place not in words.moved
    ]
    for window in windows:
        own = [one for one in sent if one.window == window.name]
        for place in dict.fromkeys(one.place for one in own):
            there = [ids[one.text] for one in own if one.place == place]
            if there != sorted(there):
                yield f"{window.name}: the messages to {place} are out of order"


def _drafts(words: Words, windows: Sequence[Window], service: Service) -> Iterator[str]:
    """Drafts are the same everywhere and not duplicated, and no text is lost unless a user saw it and deleted
    or replaced it.
    """
    kept: set[str] = set()
    for owner in {window.user_id for window in windows}:
        own = [window for window in windows if window.user_id == owner]
        if len({window.home for window in own}) > 1 or len(own) > 2:
            # Two devices may rescue the same words, where both lost events; and of three windows that write at one
            # moment, the two that were slower.
            continue
        times = Counter(draft["content"] for user_id, draft in service.drafts.values() if user_id == owner)
        if twice := [text for text, number in times.items() if number > 1]:
            yield f"drafts are there twice: {twice}"
    for window in windows:
        there = sorted(
            draft["content"] for owner, draft in service.drafts.values() if owner == window.user_id
        )
        # The service trims trailing spaces, which stay here: the user may go on typing after them.
        here = sorted(draft.content.rstrip() for draft in window.session.drafts.all())
        if here != there:
            yield f"{window.name}: drafts {here}, on the server {there}"
        kept.update(here)
    if lost := words.drafts.keys() - words.done_with - kept:
        yield f"drafts are lost: {sorted(lost)}"


def _corrections(words: Words, windows: Sequence[Window], service: Service) -> Iterator[str]:
    """Text that was appended to a message is in it, or is offered to its author, unless the author deleted it."""
    texts = [*words.done_with, *(message.content for message in service.messages.values())]
    for window in windows:
        texts += [edit.content for edit in window.session.edits.all()]
        texts += [draft.content for draft in window.session.drafts.all()]
    for correction in words.corrections:
        if not any(correction in text for text in texts):
            yield f"{correction!r} is lost"


def _state(window: Window, service: Service) -> Iterator[str]:
    """The state after all events equals a new snapshot."""
    state = window.session.state
    fresh = State.from_snapshot({**service.register(window.user_id, {}, "")}, now=window.clock.now())
    mine, theirs = facts(state), facts(fresh)
    for of in (mine, theirs):
        of.pop("direct conversations")  # checked below
    found = differences(mine, theirs)
    for others in fresh.directs.recent():
        # If the newest message was deleted unseen, no event names the one before: the list may be out of order.
        newest, its_newest = state.directs.newest(others), fresh.directs.newest(others)
        if newest is None or (its_newest is not None and newest < its_newest):
            found[f"direct conversation {others}"] = (newest, its_newest)
    if found:
        yield f"{window.name}: the state differs from a fresh one: {found}"


def _view(window: Window, narrow: Narrow, service: Service) -> Iterator[str]:
    """A view shows the newest messages with their current content."""
    state, me = window.session.state, window.user_id
    feed = [] if narrow.terms else [{"operator": "in", "operand": "home"}]
    readable = service.messages_in([*narrow.to_wire(state.server, state, me), *feed], me)
    view = window.session.view(narrow)
    shown = list(view.ids)
    if shown != readable[-len(shown) :] or (readable and not shown) or view.gaps:
        yield f"{window.name}: the view {narrow} shows {shown} with gaps {view.gaps}, there are {readable}"
    for message_id in shown:
        here, there = window.session.state.messages.get(message_id), service.messages[message_id]
        if here is None or here.content != f"<p>{there.content}</p>":
            yield f"{window.name}: message {message_id} is {here}, it should be {there}"
        elif len(here.reactions) != len(there.reactions):
            yield f"{window.name}: reactions of {message_id}: {here.reactions}, not {there.reactions}"


def _waiting(window: Window) -> Iterator[str]:
    session = window.session
    if session.message_actions.waiting:
        yield f"{window.name}: {session.message_actions.waiting} stars and reactions never left"
    if session.read_marks.pending:
        yield f"{window.name}: read marks {session.read_marks.pending} never left"
