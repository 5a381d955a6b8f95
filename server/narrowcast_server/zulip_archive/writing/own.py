"""Tables that Zulip ignores and this program imports: data that the format has no place for."""

from __future__ import annotations

import json
from collections.abc import Iterator

from narrowcast_server.organization.dialect import EXTRA_EMOJI
from narrowcast_server.zulip_archive.emoji import SHARED_EXTRA
from narrowcast_server.zulip_archive.writing.export import ArchiveExport, Record
from narrowcast_server.zulip_archive.writing.files import listed_name
from narrowcast_server.zulip_archive.writing.people import ADDRESS


def drafts(export: ArchiveExport) -> Iterator[Record]:
    """Drafts synchronised between clients."""
    for row in export.source.rows("SELECT * FROM drafts ORDER BY id"):
        yield {**dict(row), "recipients": json.loads(row["recipients"])}


def reminders(export: ArchiveExport) -> Iterator[Record]:
    """The messages of reminders; to be written after the reminders."""
    for reminder_id, message_id in export.reminded_of.items():
        yield {"id": reminder_id, "message": message_id}


def reactions(export: ArchiveExport) -> Iterator[Record]:
    """Reactions with this program's extra emoji, which Zulip lacks."""
    for row in export.source.rows(
        "SELECT * FROM reactions WHERE reaction_type = ? AND emoji_code != ? ORDER BY message_id, rowid",
        EXTRA_EMOJI,
        SHARED_EXTRA,
    ):
        yield {**dict(row), "message": row["message_id"], "user_profile": row["user_id"]}


def addresses(export: ArchiveExport) -> Iterator[Record]:
    """Email addresses that Zulip rejects."""
    for user in export.source.people:
        if not ADDRESS.fullmatch(user.delivery_email):
            yield {"user_id": user.id, "address": user.delivery_email}


def upload_names(export: ArchiveExport) -> Iterator[Record]:
    """Names of uploads that Zulip rejects."""
    for row in export.source.rows("SELECT id, name, path_id FROM attachments ORDER BY id"):
        if listed_name(row["name"], row["path_id"]) != row["name"]:
            yield {"id": row["id"], "name": row["name"]}


def settings(export: ArchiveExport) -> Iterator[Record]:
    """Settings that Zulip lacks."""
    names = ("domain", "empty_topic_display_name", "giphy_rating", "default_channel_groups")
    for name in names:
        yield {"name": name, "value": export.source.settings[name]}
