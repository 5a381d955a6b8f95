"""Emoji of reactions and statuses."""

from __future__ import annotations

from narrowcast_api.wire.vocabulary import ReactionType
from narrowcast_server.organization.dialect import EXTRA_EMOJI, incoming_reaction_type
from narrowcast_server.organization.emoji import Emoji, check_code
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.zulip_archive.reading.intake import Intake
from narrowcast_server.zulip_archive.reading.rows import ArchiveRow

_MAX_NAME = 100


def incoming_emoji(intake: Intake, row: ArchiveRow, of: str) -> Emoji | None:
    """The emoji of a row; None for one that does not exist here, which is counted."""
    kind = incoming_reaction_type(row.text("reaction_type"))
    name, code = row.text("emoji_name"), row.text("emoji_code")
    if kind == ReactionType.REALM:
        own = intake.emoji.get(int(code)) if code.isascii() and code.isdigit() and len(code) < 16 else None
        if own is not None:
            return Emoji(own[1], str(own[0]), kind)
    elif kind in (ReactionType.UNICODE, EXTRA_EMOJI) and name.isprintable() and len(name) <= _MAX_NAME:
        try:
            check_code(code, kind)
        except ServiceError:
            pass
        else:
            return Emoji(name, code, kind)
    intake.left_out[f"{of} with an emoji that this server does not have"] += 1
    return None
