"""Emoji of reactions and statuses: those of an archive that exist here, and those of this server that Zulip has.

Zulip's import fails on unknown ones.
"""

from __future__ import annotations

from typing import Final

from narrowcast_api.wire.vocabulary import ReactionType
from narrowcast_server.organization.dialect import EXTRA_EMOJI, incoming_reaction_type
from narrowcast_server.organization.emoji import Emoji, check_code
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.storage.store import Row
from narrowcast_server.zulip_archive.reading.intake import Intake
from narrowcast_server.zulip_archive.reading.rows import ArchiveRow
from narrowcast_server.zulip_archive.writing.export import ArchiveExport

_MAX_NAME: Final = 100
SHARED_EXTRA: Final = "zulip"
"""The only extra emoji that both kinds of server have."""


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


def outgoing_emoji(export: ArchiveExport, row: Row, of: str) -> dict[str, object] | None:
    """The three columns of an emoji; None for one that Zulip servers lack, which is noted for the report."""
    name, code, kind = row["emoji_name"], row["emoji_code"], row["reaction_type"]
    if not name:
        return None
    if kind == ReactionType.REALM:
        own = export.emoji_names.get(code)
        if own is None:
            export.left_out[f"{of} with an emoji that is gone"] += 1
            return None
        name = own
    elif kind == EXTRA_EMOJI:
        if code != SHARED_EXTRA:
            export.left_out[f"{of} with the emoji of this program"] += 1
            return None
        kind = ReactionType.ZULIP_EXTRA.value
    return {"emoji_name": name, "emoji_code": code, "reaction_type": kind}
