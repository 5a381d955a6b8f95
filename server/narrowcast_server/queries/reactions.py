"""Reactions on a message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_server.organization.models import Message, User
from narrowcast_server.storage.store import Row

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core


def name_in_use(core: Core, message: Message, code: str, reaction_type: str) -> str | None:
    """The emoji name of the existing reactions with this code; None if there are none."""
    row = core.store.one(
        "SELECT emoji_name FROM reactions WHERE message_id = ? AND emoji_code = ? AND reaction_type = ?",
        message.id,
        code,
        reaction_type,
    )
    return None if row is None else row["emoji_name"]


def own_reactions(core: Core, user: User, message: Message) -> list[Row]:
    """The user's reactions to a message."""
    return core.store.all("SELECT * FROM reactions WHERE message_id = ? AND user_id = ?", message.id, user.id)
