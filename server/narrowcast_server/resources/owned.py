"""Rows that belong to one user: drafts, snippets, scheduled messages and reminders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from narrowcast_server.organization.dialect import status_of_missing
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import User
from narrowcast_server.storage.store import Row

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

Table = Literal["drafts", "saved_snippets", "scheduled_messages", "reminders"]
_NAMES: dict[Table, str] = {
    "drafts": "Draft does not exist",
    "saved_snippets": "Saved snippet does not exist.",
    "scheduled_messages": "Scheduled message does not exist",
    "reminders": "Reminder does not exist",
}


def own_row(organization: Organization, table: Table, identity: int, user: User) -> Row:
    """The row, if it is this user's; raises the same error for unknown rows and for those of others."""
    row = organization.store.one(f"SELECT * FROM {table} WHERE id = ? AND user_id = ?", identity, user.id)
    if row is None:
        raise ServiceError(_NAMES[table], status=status_of_missing(organization.config))
    return row


def remove_own(organization: Organization, table: Table, identity: int, user: User) -> None:
    """Deletes the row, if it is this user's; otherwise raises an error, as `own_row` does."""
    own_row(organization, table, identity, user)
    organization.store.execute(f"DELETE FROM {table} WHERE id = ?", identity)
