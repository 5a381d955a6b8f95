"""Quotas: how much one user may store, so that nobody fills the server.

The operator sets the numbers (`config.Quotas`); the errors name the limit and what to do.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Final, Literal

from narrowcast_api.wire.vocabulary import ErrorCode
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import User

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

_DAY: Final = 86_400
Kind = Literal[
    "alert_words",
    "attachments",
    "bots",
    "channels",
    "custom_emoji",
    "drafts",
    "extra_keys",
    "groups",
    "invitations",
    "muted_users",
    "navigation_views",
    "reminders",
    "saved_snippets",
    "scheduled_messages",
]
"""The things that are counted; also the names of their limits."""

_RECENT: Final = "{yesterday}"
"""What was created within a day counts although it is no longer active, since it is stored for good."""
_WHERE: Final[dict[Kind, tuple[str, str]]] = {
    "alert_words": ("alert_words WHERE user_id = ?", "alert words"),
    "attachments": ("attachments WHERE owner_id = ?", "uploads"),
    "bots": (f"users WHERE bot_owner_id = ? AND (is_active OR date_joined > {_RECENT})", "bots"),
    "channels": (
        f"channels WHERE creator_id = ? AND (NOT is_archived OR date_created > {_RECENT})",
        "channels",
    ),
    "custom_emoji": ("custom_emoji WHERE author_id = ?", "custom emoji, including deactivated ones"),
    "drafts": ("drafts WHERE user_id = ?", "drafts"),
    "extra_keys": ("extra_keys WHERE user_id = ?", "keys"),
    "groups": (
        f"groups WHERE creator_id = ? AND (NOT deactivated OR date_created > {_RECENT})",
        "user groups",
    ),
    "invitations": ("invites WHERE inviter_id = ? AND NOT revoked AND NOT accepted", "open invitations"),
    "muted_users": ("muted_users WHERE user_id = ?", "muted users"),
    "navigation_views": ("navigation_views WHERE user_id = ?", "views"),
    "reminders": ("reminders WHERE user_id = ?", "reminders"),
    "saved_snippets": ("saved_snippets WHERE user_id = ?", "saved snippets"),
    "scheduled_messages": ("scheduled_messages WHERE user_id = ?", "scheduled messages"),
}


def check_room(organization: Organization, user: User, kind: Kind, adding: int = 1) -> None:
    """Raises BAD_REQUEST if the user would have more of a kind than its limit."""
    rows, words = _WHERE[kind]
    limit: int = getattr(organization.config.quotas, kind)
    rows = rows.format(yesterday=organization.now() - _DAY)
    there = organization.store.integer(f"SELECT count(*) FROM {rows}", user.id) or 0
    if there + adding > limit:
        advice = "" if kind == "custom_emoji" else " Delete some of them first."
        raise ServiceError(f"You have too many {words} (limit: {limit}).{advice}")


def has_room(organization: Organization, user: User, kind: Kind, adding: int = 1) -> bool:
    """Whether the user would stay within the limit of a kind."""
    try:
        check_room(organization, user, kind, adding)
    except ServiceError:
        return False
    return True


def check_bytes(organization: Organization, user: User, adding: int) -> None:
    """Raises REALM_UPLOAD_QUOTA if this many more bytes would exceed the quota of the user or the organization."""
    quotas = organization.config.quotas
    row = organization.store.one(
        "SELECT sum(size) AS everybody, sum(CASE WHEN owner_id = ? THEN size ELSE 0 END) AS own FROM attachments",
        user.id,
    )
    everybody, own = (row["everybody"] or 0, row["own"] or 0) if row is not None else (0, 0)
    if own + adding > quotas.upload_mib_a_person << 20:
        raise ServiceError(
            f"Your uploads would take more than {quotas.upload_mib_a_person} MiB. Delete some of them first.",
            ErrorCode.REALM_UPLOAD_QUOTA.value,
        )
    if everybody + adding > quotas.upload_mib << 20:
        raise ServiceError(
            f"Upload would exceed your organization's upload quota ({quotas.upload_mib} MiB)."
            " Ask an administrator to make room.",
            ErrorCode.REALM_UPLOAD_QUOTA.value,
        )


def check_disk(organization: Organization, adding: int) -> None:
    """Raises BAD_REQUEST if this many more bytes would leave too little space on the disk."""
    if not has_disk(organization, adding):
        raise ServiceError("The server has no room for this file. Tell its operator.")


def has_disk(organization: Organization, adding: int) -> bool:
    """Whether this many more bytes leave enough space on the disk for messages."""
    return shutil.disk_usage(organization.folder).free >= adding + (
        organization.config.quotas.spare_disk_mib << 20
    )
