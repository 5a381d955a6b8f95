"""The types of emoji codes, in the server's dialect (STAT-08 to STAT-11, RXN-07)."""

from __future__ import annotations

from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.operations import OMIT, Omit
from narrowcast_api.server_info import ServerInfo
from narrowcast_api.wire.vocabulary import EXTRA_REACTION_TYPES, ReactionType


def wire_reaction_type(server: ServerInfo, reaction_type: str | Omit) -> str | Omit:
    """The type under this server's name for it: either name of the type for the server's own extra emoji is
    accepted, and the name of the server's dialect is sent.
    """
    if isinstance(reaction_type, Omit):
        return OMIT
    try:
        kind = ReactionType(reaction_type)
    except ValueError:
        raise InvalidInput(f"{reaction_type!r} is not a type of emoji") from None
    return server.dialect.extra_emoji if kind in EXTRA_REACTION_TYPES else kind


def unicode_emoji_code(characters: str) -> str:
    """The code of a Unicode emoji: its code points in hex, joined by dashes (STAT-09)."""
    return "-".join(f"{ord(character):x}" for character in characters)


def unicode_emoji(code: str) -> str:
    """The characters of a Unicode emoji's code; '' if it is not a valid code."""
    try:
        characters = "".join(chr(int(part, 16)) for part in code.split("-"))
        characters.encode("utf-8")
    except (ValueError, OverflowError):
        return ""
    return characters
