"""Zulip archives for tests: their files, one as converters write it, and what survives a round trip."""

from __future__ import annotations

import io
import json
import sqlite3
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from narrowcast_server.organization.config import ServerConfig
from narrowcast_server.organization.organization import DATABASE, Organization
from narrowcast_server.zulip_archive.layout import FOLDER

Files = dict[str, Any]
"""The files of an archive: parsed JSON, and bytes for all other files."""


def quiet(line: str) -> None:
    """Ignores progress messages."""


def files_of(archive: Path) -> Files:
    """Returns the contents of an archive."""
    files: Files = {}
    with tarfile.open(archive) as tar:
        for entry in tar:
            content = tar.extractfile(entry)
            assert content is not None
            name = entry.name.partition("/")[2]
            text = content.read()
            files[name] = json.loads(text) if name.endswith(".json") else text
    return files


def packed(files: Mapping[str, Any], target: Path) -> Path:
    """Writes an archive of these files."""
    with tarfile.open(target, "w") as tar:
        for name, value in files.items():
            text = value if isinstance(value, bytes) else json.dumps(value).encode()
            entry = tarfile.TarInfo(f"{FOLDER}/{name}")
            entry.size = len(text)
            tar.addfile(entry, io.BytesIO(text))
    return target


@contextmanager
def opened(folder: Path) -> Iterator[Organization]:
    organization = Organization(folder, ServerConfig(durable=False))
    try:
        yield organization
    finally:
        organization.close()


def rows(folder: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / DATABASE)) as database:
        return database.execute(sql).fetchall()


SAME = {
    "users": "SELECT id, delivery_email, full_name, role, is_active, bot_type, bot_owner_id, is_system_bot, timezone,"
    " avatar_version, avatar_url IS NULL, can_change_user_emails, can_create_users FROM users ORDER BY id",
    "members": "SELECT * FROM group_members ORDER BY 1, 2",
    "subgroups": "SELECT * FROM group_subgroups ORDER BY 1, 2",
    "groups": "SELECT id, description, creator_id, date_created, is_system, deactivated FROM groups ORDER BY id",
    "folders": "SELECT * FROM channel_folders ORDER BY id",
    "channels": "SELECT id, name, description, rendered_description, date_created, creator_id, invite_only,"
    " history_public, is_web_public, is_archived, is_default, message_retention_days, topics_policy, folder_id,"
    " first_message_id FROM channels ORDER BY id",
    "subscriptions": "SELECT * FROM subscriptions ORDER BY 1, 2",
    "conversations": "SELECT DISTINCT c.members FROM conversations c JOIN messages m ON m.conversation_id = c.id"
    " ORDER BY 1",
    "messages": "SELECT m.id, sender_id, channel_id, topic, c.members, content, timestamp, client, is_me, last_edited,"
    " last_moved, history, has_link, has_image, has_attachment FROM messages m"
    " LEFT JOIN conversations c ON c.id = m.conversation_id ORDER BY m.id",
    "words": "SELECT rowid, content, topic FROM message_words ORDER BY rowid",
    # A mention by a group is a mention in Zulip: FlagBit.MENTIONED comes back with FlagBit.GROUP_MENTIONED.
    "copies": "SELECT u.user_id, u.message_id, u.flags | (CASE WHEN u.flags & 64 THEN 8 ELSE 0 END)"
    " FROM user_messages u JOIN users p ON p.id = u.user_id WHERE NOT p.is_system_bot"
    " ORDER BY 1, 2",
    "reactions": "SELECT * FROM reactions ORDER BY 1, 2, 3",
    "submessages": "SELECT message_id, sender_id, msg_type, content FROM submessages ORDER BY message_id, id",
    "attachments": "SELECT * FROM attachments ORDER BY id",
    "attached": "SELECT * FROM message_attachments ORDER BY 1, 2",
    "drafts": "SELECT * FROM drafts ORDER BY id",
    "scheduled": "SELECT * FROM scheduled_messages ORDER BY id",
    "reminders": "SELECT * FROM reminders ORDER BY id",
    "statuses": "SELECT * FROM statuses ORDER BY 1",
    "presence": "SELECT * FROM presence ORDER BY 1",
    "fields": "SELECT * FROM profile_fields ORDER BY id",
    "values": "SELECT * FROM profile_values ORDER BY 1, 2",
    "muted": "SELECT * FROM muted_users ORDER BY 1, 2",
    "alert words": "SELECT user_id, word FROM alert_words ORDER BY 1, 2",
    "views": "SELECT * FROM navigation_views ORDER BY 1, 2",
    "steps": "SELECT * FROM onboarding_steps ORDER BY 1, 2",
    "linkifiers": "SELECT * FROM linkifiers ORDER BY id",
    "playgrounds": "SELECT * FROM playgrounds ORDER BY id",
    "emoji": "SELECT id, name, author_id, deactivated FROM custom_emoji ORDER BY id",
    "domains": "SELECT * FROM domains ORDER BY 1",
    "bot storage": "SELECT * FROM bot_storage ORDER BY 1, 2",
    "services": "SELECT bot_id, base_url, interface FROM bot_services",
}
"""What must be the same after a round trip, by kind: a query of its rows."""


def converted() -> Files:
    """An archive with as little as Zulip's converters write: no groups, ids from 0, unsorted messages."""
    people = [
        {
            "id": number,
            "realm": 0,
            "email": f"{name}@example.com",
            "delivery_email": f"{name}@example.com",
            "full_name": full_name,
            "role": role,
            "is_active": True,
            "is_bot": False,
            "date_joined": 1_600_000_000.5,
            "avatar_source": "G",
            "timezone": "Nowhere/Else",
        }
        for number, (name, full_name, role) in enumerate([("ann", "Ann @ Work", 100), ("ben", "Ben", 400)])
    ]
    message = {
        "realm": 0,
        "sending_client": 1,
        "rendered_content": None,
        "edit_history": None,
        "has_link": False,
    }
    return {
        "realm.json": {
            "sort_by_date": True,
            "import_source": "slack",
            "zerver_realm": [{"id": 0, "name": "Old team", "date_created": 1_500_000_000.0, "string_id": "old"}],
            "zerver_userprofile": people,
            "zerver_userprofile_mirrordummy": [],
            "zerver_userprofile_crossrealm": [],
            "zerver_client": [{"id": 1, "name": "slack"}],
            "zerver_stream": [
                {"id": 0, "name": "general", "date_created": 1_500_000_000, "invite_only": False},
                {"id": 1, "name": "General", "date_created": 1, "invite_only": True, "stream_post_policy": 4},
            ],
            "zerver_recipient": [
                {"id": 0, "type": 1, "type_id": 0},
                {"id": 1, "type": 1, "type_id": 1},
                {"id": 2, "type": 2, "type_id": 0},
                {"id": 3, "type": 2, "type_id": 1},
                {"id": 4, "type": 3, "type_id": 0},
            ],
            "zerver_huddle": [{"id": 0}],
            "zerver_subscription": [
                {"id": number, "recipient": recipient, "user_profile": user, "active": True, "color": "red"}
                for number, (recipient, user) in enumerate([(2, 0), (2, 1), (3, 0), (4, 0), (4, 1)])
            ],
            "zerver_reaction": [],
            "zerver_realmemoji": [],
            "zerver_defaultstream": [{"id": 0, "stream": 0}],
        },
        "attachment.json": {
            "zerver_attachment": [
                {
                    "id": 0,
                    "owner": 1,
                    "file_name": "../../notes.txt",
                    "path_id": "0/SlackImportAttachment/ab-cd/notes.txt",
                    "size": 5,
                    "create_time": 1_600_000_001,
                    "messages": [7],
                }
            ]
        },
        "messages-000001.json": {
            "zerver_message": [
                {**message, "id": 7, "sender": 1, "recipient": 2, "subject": "later", "date_sent": 1_600_000_020.5,
                 "content": "[notes](/user_uploads/0/SlackImportAttachment/ab-cd/notes.txt) @**Ben|1**"},
                {**message, "id": 9, "sender": 0, "recipient": 3, "subject": "x" * 80, "date_sent": 1_600_000_010,
                 "content": "/poll\nyes\nno"},
                {**message, "id": 8, "sender": 0, "recipient": 1, "subject": "", "date_sent": 1_600_000_030,
                 "content": "to Ben"},
                {**message, "id": 10, "sender": 1, "recipient": 4, "subject": "", "date_sent": 1_600_000_040,
                 "content": "to Ann, in a group of two"},
            ],
            "zerver_usermessage": [
                {"id": 1, "user_profile": 0, "message": 7, "flags_mask": 1},
                {"id": 2, "user_profile": 1, "message": 8, "flags_mask": 2049},
            ],
        },
        "uploads/records.json": [
            {"path": "0/SlackImportAttachment/ab-cd/notes.txt", "s3_path": "0/SlackImportAttachment/ab-cd/notes.txt"}
        ],
        "uploads/0/SlackImportAttachment/ab-cd/notes.txt": b"notes",
        "avatars/records.json": [],
        "emoji/records.json": [],
    }  # fmt: skip
