"""Exports of the organization's data, as administrators list them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import ExportType
from narrowcast_server.organization.personal import setting, switched_on

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core
    from narrowcast_server.storage.store import Row

CONSENT: Final = "allow_private_data_export"
"""The personal setting by which users consent to having their private data exported."""
ADDRESS: Final = "/user_avatars/exports"
"""Path of all exports. Their names cannot be guessed, so a browser opens them without logging in."""
NUMBERS: Final = {ExportType.PUBLIC: 1, ExportType.FULL_WITH_CONSENT: 2}
"""Numbers of the export types in requests and responses, below level 449."""
_WEEK: Final = 7 * 86_400


def exports_of(core: Core) -> list[dict[str, object]]:
    """All requested exports, by id."""
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
        "export_type": shown_type(core.level, ExportType(row["kind"])),
    }


def shown_type(level: int, kind: ExportType) -> int | str:
    """An export type as servers of a level write it."""
    return kind.value if level >= Gate.EXPORT_TYPE_WORDS.level else NUMBERS[kind]


def consents_of(core: Core) -> list[dict[str, object]]:
    """Whether each active user consents to having their private data exported."""
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
    """Whether an export is not finished yet."""
    return row["place"] is None and row["failed"] is None


def archive_exists(core: Core, place: str) -> bool:
    """Whether this place has an archive that is not deleted."""
    return core.store.one("SELECT 1 FROM exports WHERE place = ? AND deleted IS NULL", place) is not None


def requested_this_week(core: Core) -> int:
    """How many exports were requested in the last week."""
    return core.store.integer("SELECT count(*) FROM exports WHERE requested > ?", core.now() - _WEEK) or 0
