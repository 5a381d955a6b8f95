"""Exports of the organization's data, as administrators list them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.vocabulary import ExportType
from narrowcast_server.organization.personal import setting, switched_on

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core
    from narrowcast_server.storage.store import Row

CONSENT: Final = "allow_private_data_export"
"""The setting by which people agree that exports hold their private data."""
ADDRESS: Final = "/user_avatars/exports"
"""Below it each export has a name that nobody guesses: a browser opens it without signing in."""
NUMBERS: Final = {ExportType.PUBLIC: 1, ExportType.FULL_WITH_CONSENT: 2}
"""How the kinds travel, below level 449."""
_WEEK: Final = 7 * 86_400


def exports_of(core: Core) -> list[dict[str, object]]:
    """All exports that were asked for, by id."""
    return [_export_object(core, row) for row in core.store.all("SELECT * FROM exports ORDER BY id")]


def _export_object(core: Core, row: Row) -> dict[str, object]:
    there = row["place"] is not None and row["deleted"] is None
    return {
        "id": row["id"],
        "acting_user_id": row["user_id"],
        "export_time": row["requested"],
        "export_url": f"{core.url}{ADDRESS}/{row['place']}" if there else None,
        "deleted_timestamp": row["deleted"],
        "failed_timestamp": row["failed"],
        "pending": is_pending(row),
        "export_type": NUMBERS[ExportType(row["kind"])],
    }


def consents_of(core: Core) -> list[dict[str, object]]:
    """Who lets administrators export their private data, of the active people."""
    return [
        {
            "user_id": user.id,
            "consented": switched_on(user, CONSENT),
            "email_address_visibility": setting(user, "email_address_visibility"),
        }
        for user in core.users.all()
        if user.is_active and not user.is_bot
    ]


def is_pending(row: Row) -> bool:
    """Whether an export is still to be made."""
    return row["place"] is None and row["failed"] is None


def is_there(core: Core, place: str) -> bool:
    """Whether an archive is at a place, and not deleted."""
    return core.store.one("SELECT 1 FROM exports WHERE place = ? AND deleted IS NULL", place) is not None


def asked_for_lately(core: Core) -> int:
    """How many exports were asked for within a week."""
    return core.store.integer("SELECT count(*) FROM exports WHERE requested > ?", core.now() - _WEEK) or 0
