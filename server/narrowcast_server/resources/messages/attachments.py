"""Uploads that a message links to, which its readers may then fetch (UPL-09)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from narrowcast_server.organization.models import Message, User
from narrowcast_server.queries.uploads import attachment_object, space_used
from narrowcast_server.rules.uploads import may_fetch

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization


def claim_attachments(
    organization: Organization, sender: User, message: Message, path_ids: Sequence[str]
) -> None:
    """Links to a message those uploads that its sender may fetch, and notifies their owners."""
    for path_id in path_ids:
        row = organization.store.one("SELECT id, owner_id FROM attachments WHERE path_id = ?", path_id)
        if row is None or not may_fetch(organization, sender, row["id"]):
            continue
        is_new = organization.store.execute(
            "INSERT OR IGNORE INTO message_attachments (message_id, attachment_id) VALUES (?, ?)",
            message.id,
            row["id"],
        )
        if not is_new:
            continue
        organization.emit(
            {
                "type": "attachment",
                "op": "update",
                "attachment": attachment_object(organization, row["id"]),
                "upload_space_used": space_used(organization),
            },
            [row["owner_id"]],
        )


def release_attachments(organization: Organization, message: Message, path_ids: Sequence[str]) -> None:
    """Removes the links of a message to all uploads but these."""
    organization.store.execute(
        "DELETE FROM message_attachments WHERE message_id = ? AND attachment_id NOT IN"
        " (SELECT id FROM attachments WHERE path_id IN (SELECT value FROM json_each(?)))",
        message.id,
        json.dumps(path_ids),
    )
