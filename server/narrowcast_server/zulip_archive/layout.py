"""The files of an archive, and how the format differs between Zulip versions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from narrowcast_server.organization.realm_settings import GROUP_SETTINGS

FOLDER: Final = "narrowcast-export"
"""The folder that an archive of this program unpacks to."""
REALM_FILE: Final = "realm.json"
ATTACHMENTS_FILE: Final = "attachment.json"
ANALYTICS_FILE: Final = "analytics.json"
MIGRATIONS_FILE: Final = "migration_status.json"
STATISTICS_FILE: Final = "stats.json"
OWN_FILE: Final = "narrowcast.json"
"""Data that the format has no place for; Zulip ignores this file."""
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
"""The path id of an upload, in a link to it."""
REALM_ID: Final = 1
NOTIFICATION_BOT: Final = "notification-bot@zulip.com"
"""System bots are identified by email address: each Zulip server has its own."""
NO_DOMAIN: Final = "narrowcast.invalid"
"""For addresses that Zulip would reject."""
SOURCE: Final = "zulip"
"""With any other source Zulip sends welcome messages after the import."""

NEWER_TABLES: Final = {"zerver_channelfolder": 389, "zerver_navigationview": 390}
"""Tables that older servers lack, with the level that added them."""
_NEWER_SETTINGS: Final = {
    "web_left_sidebar_unreads_count_summary": 398,
    "web_left_sidebar_show_channel_folders": 411,
    "web_inbox_show_channel_folders": 431,
}
NEWER_FIELDS: Final[Mapping[str, Mapping[str, int]]] = {
    "zerver_userprofile": _NEWER_SETTINGS,
    "zerver_realmuserdefault": _NEWER_SETTINGS,
    "zerver_realm": {
        "topics_policy": 392,
        "can_set_topics_policy_group": 392,
        "can_set_delete_message_policy_group": 407,
        "require_e2ee_push_notifications": 409,
        "welcome_message_custom_text": 416,
        "send_channel_events_messages": 434,
    },
    "zerver_stream": {
        "folder": 389,
        "topics_policy": 392,
        "can_move_messages_out_of_channel_group": 396,
        "can_move_messages_within_channel_group": 396,
        "can_resolve_topics_group": 402,
        "can_delete_any_message_group": 407,
        "can_delete_own_message_group": 407,
        "can_create_topic_group": 441,
    },
    "zerver_scheduledmessage": {"reminder_note": 415},
    "zerver_realmauditlog": {"modified_channel_folder": 389},
}
"""Fields that make older servers reject an archive, with the level that added them."""

OLDEST_LEVEL: Final = 387
COMPLETE_LEVEL: Final = max(level for fields in NEWER_FIELDS.values() for level in fields.values())
"""Servers from this level on can store everything that an archive of this program contains."""
_TOPICS_POLICY: Final = 392
_TWELVE: Final = 426
"""The first level of Zulip 12."""
_DIRECT_GROUPS: Final = 477
"""From here on all direct conversations are groups, even those of two people, and there is a
`workplace_users_group`.
"""
NEWEST_LEVEL: Final = 499


class ArchiveError(Exception):
    """Why an archive could not be written or read; shown to the operator."""


class LevelError(ValueError):
    """A feature level for which no archive can be made."""


@dataclass(frozen=True, slots=True)
class TargetServer:
    """The Zulip server that an archive is made for, by its feature level."""

    level: int = NEWEST_LEVEL

    def __post_init__(self) -> None:
        if not OLDEST_LEVEL <= self.level <= NEWEST_LEVEL:
            raise LevelError(
                f"archives are made for Zulip 11 and 12 (feature levels {OLDEST_LEVEL} to {NEWEST_LEVEL}), "
                f"not {self.level}"
            )

    @property
    def version(self) -> str:
        """Zulip compares the major version with its own."""
        if self.level < _TWELVE:
            return "11.0"
        return "12.0" if self.direct_groups else "12.0-dev"

    @property
    def levels(self) -> tuple[int, int]:
        """The first and the last level of the servers that accept the same archive."""
        newer = (*NEWER_FIELDS.values(), NEWER_TABLES)
        steps = {OLDEST_LEVEL, _TWELVE, _DIRECT_GROUPS} | {level for of in newer for level in of.values()}
        first = max(step for step in steps if step <= self.level)
        return first, min((step for step in steps if step > self.level), default=NEWEST_LEVEL + 1) - 1

    @property
    def mandatory_topics(self) -> bool:
        """Whether the topics policy of the organization is a boolean."""
        return self.level < _TOPICS_POLICY

    @property
    def direct_groups(self) -> bool:
        """Whether direct conversations of one or two people are groups too."""
        return self.level >= _DIRECT_GROUPS

    def has_table(self, table: str) -> bool:
        """Whether the server has this table."""
        return self.level >= NEWER_TABLES.get(table, 0)

    def unsupported_fields(self, table: str) -> frozenset[str]:
        """The fields of a table that the server does not accept."""
        return frozenset(name for name, level in NEWER_FIELDS.get(table, {}).items() if level > self.level)

    @property
    def realm_permissions(self) -> dict[str, str]:
        """The permissions of an organization, each with the system group that has it by default."""
        added = {"workplace_users_group": "role:fullmembers"} if self.direct_groups else {}
        return {**GROUP_SETTINGS, **added}


NEWEST_KNOWN: Final = TargetServer()
"""The newest server version that this program supports."""


def messages_file(number: int) -> str:
    """The name of the n-th message file, counting from 1."""
    return f"messages-{number:06d}.json"
