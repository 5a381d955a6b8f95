"""Read receipts of messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_server.organization.models import Message, User
from narrowcast_server.organization.personal import switched_on
from narrowcast_server.queries.users import people

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core


def readers_of(core: Core, viewer: User, message: Message) -> list[int]:
    """Ids of the users who have read a message and send read receipts, except its sender and users muted by
    or muting `viewer`.
    """
    readers = core.store.integers(
        "SELECT user_id FROM user_messages WHERE message_id = ? AND flags & 257 = 1"
        " AND user_id NOT IN (SELECT muted_id FROM muted_users WHERE user_id = ?)"
        " AND user_id NOT IN (SELECT user_id FROM muted_users WHERE muted_id = ?) ORDER BY user_id",
        message.id,
        viewer.id,
        viewer.id,
    )
    telling = {
        person.id for person in people(core) if person.is_active and switched_on(person, "send_read_receipts")
    }
    return [reader for reader in readers if reader in telling and reader != message.sender_id]
