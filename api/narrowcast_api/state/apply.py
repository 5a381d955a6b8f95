"""Applies one event to the state, without I/O, and returns what it changed.

Each kind of event has a handler in one of the `apply_...` modules; a kind without a handler changes nothing.
An event that could not be read raises: later events may depend on it, so the stream registers again.
"""

from __future__ import annotations

from narrowcast_api.errors import MalformedResponse
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


REACTIVATION_SPREAD = 300.0
"""Seconds within which a snapshot is fetched for the groups and permissions of a reactivated user, spread
because every client of an organization does so.
"""


def snapshot_within(state: State, event: Event) -> float | None:
    """The seconds within which a fresh snapshot must be fetched for what the event leaves out; None if it
    leaves out nothing. Call it before the event is applied.

    The user's own role decides which channels, users and email addresses are visible. A reactivated user is
    in the same groups and permissions as before, which were unknown while the account was deactivated.
    """
    if not isinstance(event, RealmUserUpdateEvent):
        return None
    user = state.users.get(event.person.user_id)
    if user is None:
        return None
    values = event.person.values
    if user.user_id == state.me and values.get("role", user.role) != user.role:
        return 0.0
    return REACTIVATION_SPREAD if not user.is_active and values.get("is_active") is True else None


def apply(state: State, event: Event) -> tuple[Change, ...]:
    """Applies `event`; returns what changed.

    Raises `MalformedResponse` for an event that could not be read, `BadRow` for one whose content is unusable.
    """
    if isinstance(event, BadEvent):
        raise MalformedResponse(f"an event of kind {event.kind!r} could not be read: {event.error}")
    if not isinstance(event, StreamCreateEvent | SubscriptionPeerAddEvent):
        state.channels.settle_counts()
    handler = _HANDLERS.get(type(event))
    return handler(state, event) if handler is not None else ()
