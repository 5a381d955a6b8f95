"""The files of an archive, and what differs between the servers that it is for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from narrowcast_api.wire.vocabulary import LATEST_LEVEL
from narrowcast_server.organization.realm_settings import GROUP_SETTINGS

FOLDER: Final = "narrowcast-export"
"""The one folder that an archive of ours unpacks to."""
REALM_FILE: Final = "realm.json"
ATTACHMENTS_FILE: Final = "attachment.json"
ANALYTICS_FILE: Final = "analytics.json"
MIGRATIONS_FILE: Final = "migration_status.json"
STATISTICS_FILE: Final = "stats.json"
OWN_FILE: Final = "narrowcast.json"
"""What the format has no place for; Zulip reads past it."""
REPORT_FILE: Final = "REPORT.txt"
RECORDS: Final = "records.json"
UPLOADS: Final = "uploads"
AVATARS: Final = "avatars"
EMOJI: Final = "emoji"
ICONS: Final = "realm_icons"
FILE_FOLDERS: Final = (UPLOADS, AVATARS, EMOJI, ICONS)
MESSAGES_A_FILE: Final = 1000
MESSAGES_FILE: Final = re.compile(r"messages-(\d{6})\.json")

UPLOAD_LINK: Final = re.compile(r"(?<=/user_uploads/)[^\s()<>\"'\]\[]+")
"""The path id of an upload, where a text links it."""
REALM_ID: Final = 1
NOTIFICATION_BOT: Final = "notification-bot@zulip.com"
"""Bots of the system are called by address: each Zulip server has its own."""
NO_DOMAIN: Final = "narrowcast.invalid"
"""For addresses that Zulip would not take."""
SOURCE: Final = "zulip"
"""Any other makes Zulip greet everybody and post its own messages after the import."""

OLDEST_LEVEL: Final = LATEST_LEVEL
_DIRECT_GROUPS: Final = 477
"""From here on every direct conversation is a group, that of two people too, and billing asks who works there."""
NEWEST_LEVEL: Final = 499


class LevelError(ValueError):
    """A feature level that no archive can be made for."""


@dataclass(frozen=True, slots=True)
class Target:
    """The Zulip server that an archive is for, known by its feature level."""

    level: int = NEWEST_LEVEL

    def __post_init__(self) -> None:
        if not OLDEST_LEVEL <= self.level <= NEWEST_LEVEL:
            raise LevelError(
                f"archives are made for Zulip 12 (feature levels {OLDEST_LEVEL} to {NEWEST_LEVEL}), not {self.level}"
            )

    @property
    def version(self) -> str:
        """What Zulip compares with its own; the number before the first point counts."""
        return "12.0" if self.direct_groups else "12.0-dev"

    @property
    def levels(self) -> tuple[int, int]:
        """The first and the last level whose servers take the same archive."""
        return (_DIRECT_GROUPS, NEWEST_LEVEL) if self.direct_groups else (OLDEST_LEVEL, _DIRECT_GROUPS - 1)

    @property
    def direct_groups(self) -> bool:
        """Whether conversations of one or two people are groups as well."""
        return self.level >= _DIRECT_GROUPS

    @property
    def realm_permissions(self) -> dict[str, str]:
        """The permissions of an organization, each with the system group that has it where we know no other."""
        added = {"workplace_users_group": "role:fullmembers"} if self.direct_groups else {}
        return {**GROUP_SETTINGS, **added}


NEWEST_KNOWN: Final = Target()
"""A server of the newest version that this program knows."""


def messages_file(number: int) -> str:
    """The name of the n-th file of messages, from 1."""
    return f"messages-{number:06d}.json"
