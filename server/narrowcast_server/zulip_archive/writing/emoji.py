"""Emoji of reactions and statuses, checked against the custom emoji, because Zulip's import fails on unknown ones."""

from __future__ import annotations

from typing import Final

from narrowcast_api.wire.vocabulary import ReactionType
from narrowcast_server.organization.dialect import EXTRA_EMOJI
from narrowcast_server.storage.store import Row
from narrowcast_server.zulip_archive.writing.export import ArchiveExport

SHARED_EXTRA: Final = "zulip"
"""The only extra emoji that both kinds of server have."""


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
