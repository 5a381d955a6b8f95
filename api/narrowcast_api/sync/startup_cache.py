"""The state that is cached between sessions: read before the network is used, written at the end."""

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

MAX_RENEWED_BYTES = 4 * 2**20
"""The size in bytes of a cached snapshot up to which it is updated at the end of a session."""

_LARGE = 2**18
"""The size in bytes of a cached snapshot above which it is treated as that of a large organization."""


def load_state(cache: Cache, clock: Clock) -> State:
    """Returns the state of the last session; an empty one with user id 0 if none can be read."""
    raw = cache.load_snapshot()
    if raw is not None:
        if len(raw) > _LARGE:
            memory.tune_malloc()  # all of this is freed when the snapshot arrives
        with suppress(ValueError, RecursionError):
            response = from_json(raw)
            if isinstance(response, dict):
                return State.from_snapshot(
                    response, now=clock.now(), monotonic=clock.monotonic, from_cache=True
                )
    state = State(0, clock.monotonic)
    state.from_cache = True
    return state


def save_progress(cache: Cache, state: State) -> None:
    """Updates unread, starred and recent data in the cached snapshot, for the first paint at the next start."""
    raw = cache.load_snapshot()
    if raw is None or len(raw) > MAX_RENEWED_BYTES:
        return
    with suppress(ValueError, RecursionError):
        response = from_json(raw)
        if isinstance(response, dict) and response.get("user_id") == state.me:
            cache.save_snapshot(to_json({**response, **dump_progress(state)}))


def cached_messages(
    cache: Cache, state: State, narrow: Narrow, before: int | None, limit: int = PAGE
) -> list[Message]:
    """Returns the newest cached messages of a narrow before an id, ascending: at most ``limit``."""
    destination = narrow.destination
    if destination is not None:
        return cache.load_conversation(destination, state.me, limit, before)
    if len(narrow.terms) == 1 and narrow.channel_id is not None:
        return cache.load_channel(narrow.channel_id, limit, before)
    if narrow == Narrow.starred():
        starred = sorted(i for i in frozenset(state.starred) if before is None or i < before)
        return cache.load_messages(starred[-limit:])
    newest = cache.load_newest(PAGE * 5 if narrow.terms else limit, before)
    return [message for message in newest if narrow.matches(message, state)][-limit:]
