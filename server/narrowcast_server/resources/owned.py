"""Tables whose rows belong to one user each, such as drafts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from narrowcast_server.organization.dialect import status_of_missing
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import User
from narrowcast_server.storage.store import Row

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization


class OwnedTable(NamedTuple):
    """A table whose rows have an `id` and a `user_id`; `missing` is the error for ids that the user does not have."""

    name: str
    missing: str

    def row(self, organization: Organization, identity: int, user: User) -> Row:
        """The row, if it is this user's; raises the same error for unknown rows and for those of others."""
        row = organization.store.one(
            f"SELECT * FROM {self.name} WHERE id = ? AND user_id = ?", identity, user.id
        )
        if row is None:
            raise ServiceError(self.missing, status=status_of_missing(organization.config))
        return row

    def remove(self, organization: Organization, identity: int, user: User) -> None:
        """Deletes the row, if it is this user's; otherwise raises an error, as `row` does."""
        self.row(organization, identity, user)
        organization.store.execute(f"DELETE FROM {self.name} WHERE id = ?", identity)
