"""The first history of a new user: recent messages of their public channels, as the service gives them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final

from narrowcast_server.organization.core import Core
from narrowcast_server.organization.models import Channel, FlagBit, User

__all__ = ["give_history"]

_MAX_MESSAGES: Final = 1000
_UNREAD: Final = 20
"""How many of the newest messages are unread, as a start."""
_SECONDS: Final = 12 * 7 * 86_400
"""The greatest age of a message."""


def give_history(core: Core, user: User, channels: Iterable[Channel]) -> None:
    """Adds the newest 1,000 messages of the public ones of these channels, at most 12 weeks old, to the
    history of a new user; the newest 20 are unread. Emits no events: a new account has no event queue yet.
    """
    ids = core.store.integers(
        "SELECT id FROM messages WHERE channel_id IN (SELECT value FROM json_each(?)) AND timestamp > ?"
        " ORDER BY id DESC LIMIT ?",
        json.dumps([channel.id for channel in channels if not channel.invite_only]),
        core.now() - _SECONDS,
        _MAX_MESSAGES,
    )
    unread, read = int(FlagBit.HISTORICAL), int(FlagBit.HISTORICAL | FlagBit.READ)
    core.store.execute_many(
        "INSERT OR IGNORE INTO user_messages (user_id, message_id, flags) VALUES (?, ?, ?)",
        [(user.id, message_id, unread if n < _UNREAD else read) for n, message_id in enumerate(ids)],
    )
