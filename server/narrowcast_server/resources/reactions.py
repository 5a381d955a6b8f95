"""Emoji reactions (rows RXN)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_api.wire.levels import Gate
from narrowcast_server.http.params import optional, required, string
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization import emoji
from narrowcast_server.organization.dialect import (
    checks_reaction_to_remove,
    incoming_reaction_type,
    matches_any_reaction_type,
    outgoing_reaction_type,
)
from narrowcast_server.organization.emoji import Emoji
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import Message, User
from narrowcast_server.queries.as_seen import reactor
from narrowcast_server.queries.messages import audience_of
from narrowcast_server.resources.user_topics import follow_after_taking_part
from narrowcast_server.rules.access import changeable_message
from narrowcast_server.rules.addresses import api_address
from narrowcast_server.rules.visibility import watchers
from narrowcast_server.storage.store import Row

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization


def name_in_use(organization: Organization, message: Message, code: str, reaction_type: str) -> str | None:
    """The emoji name of the existing reactions with this code; None if there are none."""
    row = organization.store.one(
        "SELECT emoji_name FROM reactions WHERE message_id = ? AND emoji_code = ? AND reaction_type = ?",
        message.id,
        code,
        reaction_type,
    )
    return None if row is None else row["emoji_name"]


def own_reactions(organization: Organization, user: User, message: Message) -> list[Row]:
    """The user's reactions to a message."""
    return organization.store.all(
        "SELECT * FROM reactions WHERE message_id = ? AND user_id = ?", message.id, user.id
    )


def add_reaction(organization: Organization, user: User, message: Message, emoji: Emoji) -> None:
    """Adds a reaction; raises REACTION_ALREADY_EXISTS if the user has added it already."""
    if organization.store.one(
        "SELECT 1 FROM reactions WHERE message_id = ? AND user_id = ? AND emoji_code = ? AND reaction_type = ?",
        message.id,
        user.id,
        emoji.code,
        emoji.type,
    ):
        raise ServiceError("Reaction already exists.", "REACTION_ALREADY_EXISTS")
    limit = organization.config.quotas.reactions_a_message
    own = "SELECT count(*) FROM reactions WHERE message_id = ? AND user_id = ?"
    if (organization.store.integer(own, message.id, user.id) or 0) >= limit:
        raise ServiceError(f"You have too many reactions to this message (limit: {limit}).")
    organization.store.insert(
        "INSERT INTO reactions (message_id, user_id, emoji_name, emoji_code, reaction_type) VALUES (?, ?, ?, ?, ?)",
        message.id,
        user.id,
        emoji.name,
        emoji.code,
        emoji.type,
    )
    if message.channel_id is not None:
        follow_after_taking_part(organization, user, message.channel_id, message.topic)
    _emit(organization, "add", user, message, emoji)


def remove_reaction(organization: Organization, user: User, message: Message, emoji: Emoji) -> bool:
    """Removes the user's own reaction; returns False if there is none."""
    removed = organization.store.execute(
        "DELETE FROM reactions WHERE message_id = ? AND user_id = ? AND emoji_code = ? AND reaction_type = ?",
        message.id,
        user.id,
        emoji.code,
        emoji.type,
    )
    if removed:
        _emit(organization, "remove", user, message, emoji)
    return bool(removed)


def _emit(organization: Organization, operation: str, user: User, message: Message, emoji: Emoji) -> None:
    person = {"user_id": user.id, "email": api_address(organization, user), "full_name": user.full_name}
    audience = audience_of(organization, message)
    seeing = set(watchers(organization, user, audience))
    for receivers, shown in (
        (seeing, person),
        (audience - seeing, {**person, **reactor(organization, user.id)}),
    ):
        if receivers:
            event = {
                "type": "reaction",
                "op": operation,
                "user_id": user.id,
                "user": shown,
                "message_id": message.id,
                "emoji_name": emoji.name,
                "emoji_code": emoji.code,
                "reaction_type": outgoing_reaction_type(organization.config, emoji.type),
            }
            organization.emit(event, receivers)


routes = Routes()

NAME = required("emoji_name", string)
OPTIONAL_NAME = optional("emoji_name", string)
CODE = optional("emoji_code", string)
TYPE = optional("reaction_type", string)


@routes.post("/messages/{message_id}/reactions", NAME, CODE, TYPE)
def post_reaction(call: Call) -> ResponseBody:
    """Adds a reaction; if others gave the emoji with this code already, the reaction takes their name for it."""
    organization = call.organization
    message = changeable_message(organization, call.user, call.path_id("message_id"))
    code, kind = call[CODE], call[TYPE]
    existing = None
    if code is not None and kind is not None:
        existing = name_in_use(organization, message, code, incoming_reaction_type(kind))
    if existing is not None and code is not None and kind is not None:
        chosen = Emoji(existing, code, incoming_reaction_type(kind))
    else:
        chosen = emoji.resolve(organization, call[NAME], code, kind)
    add_reaction(organization, call.user, message, chosen)
    return {}


@routes.delete("/messages/{message_id}/reactions", OPTIONAL_NAME, CODE, TYPE)
def delete_reaction(call: Call) -> ResponseBody:
    """Removes the caller's own reaction (RXN-01)."""
    message = changeable_message(call.organization, call.user, call.path_id("message_id"))
    chosen = _reaction_to_remove(call, message)
    if not remove_reaction(call.organization, call.user, message, chosen):
        if call.level < Gate.REACTION_MISSING_CODE.level:
            raise ServiceError("Reaction doesn't exist.")
        raise ServiceError("Reaction doesn't exist.", "REACTION_DOES_NOT_EXIST")
    return {}


def _reaction_to_remove(call: Call, message: Message) -> Emoji:
    """The reaction to remove; name, code or type that are absent are taken from the caller's own reactions."""
    name, code, kind = call[OPTIONAL_NAME], call[CODE], call[TYPE]
    if name is None and code is None:
        raise ServiceError("At least one of the following arguments must be present: emoji_name, emoji_code")
    if kind is not None:
        kind = incoming_reaction_type(kind)
    elif not matches_any_reaction_type(call.organization.config, call.level):
        kind = "unicode_emoji"
    for row in own_reactions(call.organization, call.user, message):
        fits_name = code is not None or name == row["emoji_name"]
        if fits_name and code in (None, row["emoji_code"]) and kind in (None, row["reaction_type"]):
            return Emoji(row["emoji_name"], row["emoji_code"], row["reaction_type"])
    if code is None:
        assert name is not None
        named = emoji.by_name(call.organization, name)
        if kind is None or kind == named.type:
            return named
        return Emoji(name, "", kind)
    if checks_reaction_to_remove(call.organization.config):
        emoji.check_code(code, kind or _namespace_of(call, name, code))
    return Emoji(name or "", code, kind or "unicode_emoji")


def _namespace_of(call: Call, name: str | None, code: str) -> str:
    if name is not None:
        return emoji.by_name(call.organization, name).type
    return "realm_emoji" if code.isdigit() and len(code) < 4 else "unicode_emoji"
