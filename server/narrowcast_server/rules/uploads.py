"""Permissions to open uploads (UPL-08, UPL-09)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from narrowcast_server.organization.models import Channel, User
from narrowcast_server.rules.access import history_is_protected, may_read
from narrowcast_server.storage.store import Row

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

_LINKING: Final = (
    "FROM message_attachments a JOIN messages m ON m.id = a.message_id WHERE a.attachment_id = ?"
)


def may_open(organization: Organization, user: User | None, attachment: Row) -> bool:
    """Whether the user may open an upload (UPL-08, UPL-09); without a user only those in web-public channels,
    and none if the organization has no spectator access.
    """
    if user is not None:
        return may_fetch(organization, user, attachment["id"])
    if not organization.setting("enable_spectator_access", bool):
        return False
    channels = _linking_channels(organization, attachment["id"])
    return any(channel.is_web_public and not channel.is_archived for channel in channels)


def may_fetch(organization: Organization, user: User, attachment_id: int) -> bool:
    """Whether the user is the uploader, or can see a message that links to the upload (UPL-08, UPL-09)."""
    owner = organization.store.integer("SELECT owner_id FROM attachments WHERE id = ?", attachment_id)
    if owner == user.id:
        return True
    channels = [
        each for each in _linking_channels(organization, attachment_id) if may_read(organization, user, each)
    ]
    protected = [channel.id for channel in channels if history_is_protected(channel)]
    if len(protected) < len(channels):
        return True
    received = organization.store.one(
        f"SELECT 1 {_LINKING} AND CASE WHEN m.channel_id IS NULL"
        " THEN EXISTS (SELECT 1 FROM conversation_members c"
        "  WHERE c.user_id = ? AND c.conversation_id = m.conversation_id)"
        " ELSE m.channel_id IN (SELECT value FROM json_each(?)) AND EXISTS (SELECT 1 FROM user_messages u"
        "  WHERE u.user_id = ? AND u.message_id = m.id) END LIMIT 1",
        attachment_id,
        user.id,
        json.dumps(protected),
        user.id,
    )
    return received is not None


def _linking_channels(organization: Organization, attachment_id: int) -> list[Channel]:
    """The channels with messages that link to an upload."""
    ids = organization.store.integers(
        f"SELECT DISTINCT m.channel_id {_LINKING} AND m.channel_id IS NOT NULL", attachment_id
    )
    return [organization.channels[channel_id] for channel_id in ids]
