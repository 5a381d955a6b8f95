"""Emoji in reactions and statuses: a name, a code, and the namespace of the code (STAT-09 to STAT-11)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.vocabulary import ReactionType
from narrowcast_assets.emoji import emoji_names
from narrowcast_server.organization.dialect import EXTRA_EMOJI, incoming_reaction_type
from narrowcast_server.organization.errors import ServiceError

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

EXTRA_NAMES: Final = ("narrowcast", "zulip")
"""Extra emoji of the server; their name is their code."""


@dataclass(frozen=True, slots=True)
class Emoji:
    """One emoji; `type` is in its stored spelling."""

    name: str
    code: str
    type: str


def resolve(organization: Organization, name: str, code: str | None, reaction_type: str | None) -> Emoji:
    """Resolves the emoji for a name with optional code and type; raises BAD_REQUEST."""
    kind = None if reaction_type is None else incoming_reaction_type(reaction_type)
    if kind is None and code is None:
        return by_name(organization, name)
    if kind is None:
        kind = by_name(organization, name).type
    if code is None:
        if kind not in (*ReactionType, EXTRA_EMOJI):
            raise ServiceError("Invalid emoji type.")
        named = by_name(organization, name)
        if named.type != kind:
            raise ServiceError("Invalid emoji name.")
        return named
    return check(organization, name, code, kind)


def by_name(organization: Organization, name: str) -> Emoji:
    """The emoji with a name: custom ones first, then the server's own, then Unicode."""
    row = organization.store.one(
        "SELECT id FROM custom_emoji WHERE name = ? AND deactivated = 0 ORDER BY id DESC", name
    )
    if row is not None:
        return Emoji(name, str(row["id"]), ReactionType.REALM.value)
    if name in EXTRA_NAMES:
        return Emoji(name, name, EXTRA_EMOJI)
    code = emoji_names().name_to_code.get(name)
    if code is None:
        raise ServiceError(f"Emoji '{name}' does not exist")
    return Emoji(name, code, ReactionType.UNICODE.value)


def check(organization: Organization, name: str, code: str, kind: str) -> Emoji:
    """The emoji, if name, code and type match; raises BAD_REQUEST."""
    if kind == ReactionType.UNICODE:
        names = emoji_names()
        if code not in names.code_to_names:
            raise ServiceError("Invalid emoji code.")
        if names.name_to_code.get(name) != code:
            raise ServiceError("Invalid emoji name.")
    elif kind == ReactionType.REALM:
        row = None
        if code.isascii() and code.isdigit() and len(code) < 16:
            row = organization.store.one("SELECT * FROM custom_emoji WHERE id = ?", int(code))
        if row is None:
            raise ServiceError("Invalid custom emoji.")
        if row["name"] != name:
            raise ServiceError("Invalid custom emoji name.")
        if row["deactivated"]:
            raise ServiceError("This custom emoji has been deactivated.")
    elif kind == EXTRA_EMOJI:
        if code not in EXTRA_NAMES:
            raise ServiceError("Invalid emoji code.")
        if name != code:
            raise ServiceError("Invalid emoji name.")
    else:
        raise ServiceError("Invalid emoji type.")
    return Emoji(name, code, kind)


def check_code(code: str, kind: str) -> None:
    """Raises BAD_REQUEST if a code is not valid in its namespace (RXN-09)."""
    if kind == ReactionType.UNICODE:
        parts = code.split("-")
        has_name = code in emoji_names().code_to_names
        if not has_name and not all(
            2 <= len(part) <= 6 and all(c in "0123456789abcdef" for c in part) for part in parts
        ):
            raise ServiceError("Invalid emoji code.")
    elif kind == ReactionType.REALM:
        if not (code.isascii() and code.isdigit()):
            raise ServiceError("Invalid custom emoji.")
    elif kind == EXTRA_EMOJI:
        if code not in EXTRA_NAMES:
            raise ServiceError("Invalid emoji code.")
    else:
        raise ServiceError("Invalid emoji type.")
