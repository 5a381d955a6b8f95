"""What the format has no place for and this program takes in again: Zulip does not look at it."""

from __future__ import annotations

import json
from collections.abc import Iterator

from narrowcast_server.zulip_archive.writing.export import Export, Record


def drafts(export: Export) -> Iterator[Record]:
    """Drafts that people's clients share."""
    for row in export.source.rows("SELECT * FROM drafts ORDER BY id"):
        yield {**dict(row), "recipients": json.loads(row["recipients"])}


def submessages(export: Export) -> Iterator[Record]:
    """Votes, tasks and the like."""
    for row in export.source.rows("SELECT * FROM submessages ORDER BY id"):
        yield dict(row)


def settings(export: Export) -> Iterator[Record]:
    """Settings that Zulip does not have."""
    names = ("domain", "empty_topic_display_name", "giphy_rating", "default_channel_groups")
    for name in names:
        yield {"name": name, "value": export.source.settings[name]}
