"""One event applied to the state: plain code, no I/O, and the changes that it made.

Each kind of event has a handler in one of the `apply_...` modules. A kind that nobody handles changes
nothing. An event that could not be read raises: what follows it cannot be trusted, so the stream registers
anew.
"""

from __future__ import annotations

from narrowcast_api.errors import MalformedAnswer
from narrowcast_api.state import apply_account, apply_channels, apply_messages, apply_people
from narrowcast_api.state.changes import Change
from narrowcast_api.state.handlers import Handler
from narrowcast_api.state.state import State
from narrowcast_api.wire.events import (
    BadEvent,
    Event,
    RealmUserUpdateEvent,
    StreamCreateEvent,
    SubscriptionPeerAddEvent,
)

_HANDLERS: dict[type[Event], Handler] = {
    **apply_messages.handlers.table,
    **apply_people.handlers.table,
    **apply_channels.handlers.table,
    **apply_account.handlers.table,
}

HANDLED = frozenset(_HANDLERS)
"""The kinds of event that change the state."""


REOPENED_WITHIN = 300.0
"""Seconds within which the groups and permissions of somebody who came back are asked for: every client of an
organization does so.
"""


def snapshot_within(state: State, event: Event) -> float | None:
    """Seconds within which a fresh snapshot has to tell what the event does not; None where the event tells all. To be
    asked before it is applied.

    One's own role decides which channels, people and addresses one sees. Somebody whose account opens again is in the
    groups and permissions of before, of which nothing was known while it was closed.
    """
    if not isinstance(event, RealmUserUpdateEvent):
        return None
    user = state.users.get(event.person.user_id)
    if user is None:
        return None
    values = event.person.values
    if user.user_id == state.me and values.get("role", user.role) != user.role:
        return 0.0
    return REOPENED_WITHIN if not user.is_active and values.get("is_active") is True else None


def apply(state: State, event: Event) -> tuple[Change, ...]:
    """Applies `event`; returns what changed.

    Raises `MalformedAnswer` for an event that could not be read, `BadRow` for one whose content is unusable.
    """
    if isinstance(event, BadEvent):
        raise MalformedAnswer(f"an event of kind {event.kind!r} could not be read: {event.error}")
    if not isinstance(event, StreamCreateEvent | SubscriptionPeerAddEvent):
        state.channels.settle_counts()
    handler = _HANDLERS.get(type(event))
    return handler(state, event) if handler is not None else ()
