"""Emoji reactions, with their events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_server.actions.user_topics import follow_after_reacting
from narrowcast_server.organization.dialect import outgoing_reaction_type
from narrowcast_server.organization.emoji import Emoji
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import Message, User
from narrowcast_server.queries.as_seen import reactor
from narrowcast_server.queries.messages import audience_of
from narrowcast_server.rules.addresses import api_address
from narrowcast_server.rules.visibility import watchers

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core


def add_reaction(core: Core, user: User, message: Message, emoji: Emoji) -> None:
    """Adds a reaction; raises REACTION_ALREADY_EXISTS if the user has added it already."""
    if core.store.one(
        "SELECT 1 FROM reactions WHERE message_id = ? AND user_id = ? AND emoji_code = ? AND reaction_type = ?",
        message.id,
        user.id,
        emoji.code,
        emoji.type,
    ):
        raise ServiceError("Reaction already exists.", "REACTION_ALREADY_EXISTS")
    limit = core.config.quotas.reactions_a_message
    own = "SELECT count(*) FROM reactions WHERE message_id = ? AND user_id = ?"
    if (core.store.integer(own, message.id, user.id) or 0) >= limit:
        raise ServiceError(f"You have too many reactions to this message (limit: {limit}).")
    core.store.insert(
        "INSERT INTO reactions (message_id, user_id, emoji_name, emoji_code, reaction_type) VALUES (?, ?, ?, ?, ?)",
        message.id,
        user.id,
        emoji.name,
        emoji.code,
        emoji.type,
    )
    if message.channel_id is not None:
        follow_after_reacting(core, user, message.channel_id, message.topic)
    _emit(core, "add", user, message, emoji)


def remove_reaction(core: Core, user: User, message: Message, emoji: Emoji) -> bool:
    """Removes the user's own reaction; returns False if there is none."""
    removed = core.store.execute(
        "DELETE FROM reactions WHERE message_id = ? AND user_id = ? AND emoji_code = ? AND reaction_type = ?",
        message.id,
        user.id,
        emoji.code,
        emoji.type,
    )
    if removed:
        _emit(core, "remove", user, message, emoji)
    return bool(removed)


def _emit(core: Core, operation: str, user: User, message: Message, emoji: Emoji) -> None:
    person = {"user_id": user.id, "email": api_address(core, user), "full_name": user.full_name}
    audience = audience_of(core, message)
    seeing = set(watchers(core, user, audience))
    for receivers, shown in ((seeing, person), (audience - seeing, {**person, **reactor(core, user.id)})):
        if receivers:
            event = {
                "type": "reaction",
                "op": operation,
                "user_id": user.id,
                "user": shown,
                "message_id": message.id,
                "emoji_name": emoji.name,
                "emoji_code": emoji.code,
                "reaction_type": outgoing_reaction_type(core.config, emoji.type),
            }
            core.emit(event, receivers)
