"""Notifying others that a user is typing. The server keeps no state (TYP-26)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from narrowcast_server.organization.models import Channel, User
from narrowcast_server.organization.personal import switched_on
from narrowcast_server.rules import access
from narrowcast_server.rules.addresses import api_address
from narrowcast_server.rules.visibility import watchers

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core


def type_direct(core: Core, user: User, recipients: Iterable[User], operation: str) -> None:
    """Emits `start` or `stop` in a direct conversation, to everyone in it."""
    people = {person.id: person for person in recipients} | {user.id: user}
    everybody = [people[identity] for identity in sorted(people)]
    core.emit(
        {
            "type": "typing",
            "message_type": "direct",
            "op": operation,
            "sender": _as_typist(core, user),
            "recipients": [_as_typist(core, person) for person in everybody],
        },
        watchers(core, user, [person.id for person in everybody if person.is_active and _listens(person)]),
    )


def type_in_channel(core: Core, user: User, channel: Channel, topic: str, operation: str) -> None:
    """Emits `start` or `stop` in a topic, to the subscribers, except in channels with very many."""
    subscribers = access.subscriber_ids(core, channel.id)
    if len(subscribers) > core.config.limits.typing_max_subscribers:
        return
    core.emit(
        {
            "type": "typing",
            "message_type": "stream",
            "op": operation,
            "sender": _as_typist(core, user),
            "stream_id": channel.id,
            "topic": topic,
        },
        watchers(core, user, [identity for identity in subscribers if _listens(core.users[identity])]),
    )


def _as_typist(core: Core, user: User) -> dict[str, object]:
    return {"user_id": user.id, "email": api_address(core, user)}


def _listens(user: User) -> bool:
    return switched_on(user, "receives_typing_notifications")
