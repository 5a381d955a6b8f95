"""Emoji reactions (rows RXN)."""

from __future__ import annotations

from narrowcast_api.wire.levels import Gate
from narrowcast_server.http.params import optional, required, string
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization import emoji
from narrowcast_server.organization.dialect import (
    checks_reaction_to_remove,
    incoming_reaction_type,
    matches_any_reaction_type,
)
from narrowcast_server.organization.emoji import Emoji
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import Message
from narrowcast_server.queries.reactions import name_in_use, own_reactions
from narrowcast_server.resources.reactions import add_reaction, remove_reaction
from narrowcast_server.rules.access import changeable_message

routes = Routes()

NAME = required("emoji_name", string)
OPTIONAL_NAME = optional("emoji_name", string)
CODE = optional("emoji_code", string)
TYPE = optional("reaction_type", string)


@routes.post("/messages/{message_id}/reactions", NAME, CODE, TYPE)
def add(call: Call) -> ResponseBody:
    """Adds a reaction; if others gave the emoji with this code already, the reaction takes their name for it."""
    core = call.core
    message = changeable_message(core, call.user, call.path_id("message_id"))
    code, kind = call[CODE], call[TYPE]
    existing = None
    if code is not None and kind is not None:
        existing = name_in_use(core, message, code, incoming_reaction_type(kind))
    if existing is not None and code is not None and kind is not None:
        chosen = Emoji(existing, code, incoming_reaction_type(kind))
    else:
        chosen = emoji.resolve(core, call[NAME], code, kind)
    add_reaction(core, call.user, message, chosen)
    return {}


@routes.delete("/messages/{message_id}/reactions", OPTIONAL_NAME, CODE, TYPE)
def remove(call: Call) -> ResponseBody:
    """Removes the caller's own reaction (RXN-01)."""
    message = changeable_message(call.core, call.user, call.path_id("message_id"))
    chosen = _reaction_to_remove(call, message)
    if not remove_reaction(call.core, call.user, message, chosen):
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
    elif not matches_any_reaction_type(call.core.config, call.level):
        kind = "unicode_emoji"
    for row in own_reactions(call.core, call.user, message):
        fits_name = code is not None or name == row["emoji_name"]
        if fits_name and code in (None, row["emoji_code"]) and kind in (None, row["reaction_type"]):
            return Emoji(row["emoji_name"], row["emoji_code"], row["reaction_type"])
    if code is None:
        assert name is not None
        named = emoji.by_name(call.core, name)
        if kind is None or kind == named.type:
            return named
        return Emoji(name, "", kind)
    if checks_reaction_to_remove(call.core.config):
        emoji.check_code(code, kind or _namespace_of(call, name, code))
    return Emoji(name or "", code, kind or "unicode_emoji")


def _namespace_of(call: Call, name: str | None, code: str) -> str:
    if name is not None:
        return emoji.by_name(call.core, name).type
    return "realm_emoji" if code.isdigit() and len(code) < 4 else "unicode_emoji"
