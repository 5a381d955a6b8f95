"""The state between two sessions: read before the network, written at the end."""

from __future__ import annotations

from contextlib import suppress

from narrowcast_api import memory
from narrowcast_api.clock import Clock
from narrowcast_api.model.messages import Message
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.narrow.page import PAGE
from narrowcast_api.state.snapshots import dump_progress
from narrowcast_api.state.state import State
from narrowcast_api.storage.cache import Cache
from narrowcast_api.storage.codec import from_json, to_json

RENEWED_UP_TO = 4 * 2**20
"""Bytes of a cached snapshot up to which it is worth the time at the end to keep it true."""

_LARGE = 2**18
"""Bytes of a cached snapshot from which on it is that of a large organization."""


def load_state(cache: Cache, clock: Clock) -> State:
    """The state of the last session; an empty one of nobody's (id 0) if there is none that can be read."""
    raw = cache.load_snapshot()
    if raw is not None:
        if len(raw) > _LARGE:
            memory.keep_large_blocks_apart()  # of what is read here all is free again when the snapshot is there
        with suppress(ValueError, RecursionError):
            answer = from_json(raw)
            if isinstance(answer, dict):
                return State.from_snapshot(
                    answer, now=clock.now(), monotonic=clock.monotonic, from_cache=True
                )
    state = State(0, clock.monotonic)
    state.from_cache = True
    return state


def keep_progress(cache: Cache, state: State) -> None:
    """Puts what is unread, starred and recent now into the cached snapshot, for the next first paint."""
    raw = cache.load_snapshot()
    if raw is None or len(raw) > RENEWED_UP_TO:
        return
    with suppress(ValueError, RecursionError):
        answer = from_json(raw)
        if isinstance(answer, dict) and answer.get("user_id") == state.me:
            cache.save_snapshot(to_json({**answer, **dump_progress(state)}))


def cached_messages(cache: Cache, state: State, narrow: Narrow, before: int | None) -> list[Message]:
    """What the cache has of a narrow: the newest page before an id, ascending."""
    destination = narrow.destination
    if destination is not None:
        return cache.load_conversation(destination, state.me, PAGE, before)
    if len(narrow.terms) == 1 and narrow.channel_id is not None:
        return cache.load_channel(narrow.channel_id, PAGE, before)
    if narrow == Narrow.starred():
        starred = sorted(i for i in state.starred if before is None or i < before)
        return cache.load_messages(starred[-PAGE:])
    newest = cache.load_newest(PAGE * 5 if narrow.terms else PAGE, before)
    return [message for message in newest if narrow.matches(message, state)][-PAGE:]
