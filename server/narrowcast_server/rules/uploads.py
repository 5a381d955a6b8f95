"""Permissions to open uploads (UPL-08, UPL-09)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_server.organization.models import User
from narrowcast_server.rules.access import find_message, may_see
from narrowcast_server.storage.store import Row

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core


def may_open(core: Core, user: User | None, attachment: Row) -> bool:
    """Whether the user may open an upload (UPL-08, UPL-09); without a user only those in web-public channels."""
    if user is not None:
        return may_fetch(core, user, attachment["id"])
    messages = core.store.integers(
        "SELECT message_id FROM message_attachments WHERE attachment_id = ?", attachment["id"]
    )
    return any(is_web_public(core, message_id) for message_id in messages)


def is_web_public(core: Core, message_id: int) -> bool:
    """Whether a message is readable without an account; never if the organization has no spectator access."""
    if not core.setting_bool("enable_spectator_access"):
        return False
    message = find_message(core, message_id)
    if message is None or message.channel_id is None:
        return False
    channel = core.channels[message.channel_id]
    return channel.is_web_public and not channel.is_archived


def may_fetch(core: Core, user: User, attachment_id: int) -> bool:
    """Whether the user is the uploader, or can see a message that links to the upload (UPL-08, UPL-09)."""
    owner = core.store.integer("SELECT owner_id FROM attachments WHERE id = ?", attachment_id)
    if owner == user.id:
        return True
    for message_id in core.store.integers(
        "SELECT message_id FROM message_attachments WHERE attachment_id = ?", attachment_id
    ):
        message = find_message(core, message_id)
        if message is not None and may_see(core, user, message):
            return True
    return False
