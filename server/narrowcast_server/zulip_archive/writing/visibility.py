"""Restricts an export that is not for the operator: public data, and private data of users who consented.

Temporary views hide tables of the same name on the reader's own connection, so that the code that writes an
archive sees only allowed rows without checking itself. A user's consent covers what they can read: direct
conversations, private channels, and personal data.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Container, Iterable
from functools import partial
from typing import Final

from narrowcast_server.zulip_archive.layout import NO_DOMAIN

_OPEN: Final = """
CREATE TEMP TABLE agreed (id INTEGER PRIMARY KEY);
CREATE TEMP TABLE hidden (id INTEGER PRIMARY KEY);
CREATE TEMP TABLE absent (id INTEGER PRIMARY KEY);
CREATE TEMP TABLE open_channels (id INTEGER PRIMARY KEY, all_of_it INTEGER NOT NULL);
CREATE TEMP TABLE open_conversations (id INTEGER PRIMARY KEY);
"""
_FILL: Final = (
    "INSERT INTO open_channels SELECT id, NOT invite_only OR history_public FROM main.channels"
    " WHERE NOT invite_only OR id IN"
    " (SELECT channel_id FROM main.subscriptions WHERE active AND user_id IN (SELECT id FROM agreed))",
    "INSERT INTO open_conversations SELECT DISTINCT conversation_id FROM main.conversation_members"
    " WHERE user_id IN (SELECT id FROM agreed)",
)
_OWN: Final = "user_id IN (SELECT id FROM agreed)"
_OF_MESSAGES: Final = "EXISTS (SELECT 1 FROM messages WHERE messages.id = message_id)"
_WHERE: Final = {
    "messages": "channel_id IN (SELECT id FROM open_channels WHERE all_of_it)"
    " OR conversation_id IN (SELECT id FROM open_conversations)"
    " OR (channel_id IN (SELECT id FROM open_channels) AND id IN"
    " (SELECT message_id FROM main.user_messages WHERE user_id IN (SELECT id FROM agreed)))",
    "channels": "id IN (SELECT id FROM open_channels)",
    "subscriptions": "channel_id IN (SELECT id FROM open_channels)",
    "conversations": "id IN (SELECT id FROM open_conversations)",
    "conversation_members": "conversation_id IN (SELECT id FROM open_conversations)",
    "user_topics": f"{_OWN} AND channel_id IN (SELECT id FROM open_channels)",
    "user_messages": f"{_OWN} AND {_OF_MESSAGES}",
    "submessages": _OF_MESSAGES,
    "message_attachments": _OF_MESSAGES,
    "attachments": "owner_id IN (SELECT id FROM agreed)"
    " OR id IN (SELECT attachment_id FROM message_attachments)",
    "scheduled_messages": f"{_OWN} AND (type != 'stream' OR CAST(recipients AS INTEGER) IN"
    " (SELECT id FROM open_channels))",
    "reminders": f"{_OWN} AND {_OF_MESSAGES}",
    **dict.fromkeys(
        ("drafts", "saved_snippets", "alert_words", "muted_users", "navigation_views", "onboarding_steps"),
        _OWN,
    ),
    "presence": "user_id NOT IN (SELECT id FROM absent)",
    "bot_storage": "user_id IN (SELECT id FROM main.users WHERE bot_owner_id IN (SELECT id FROM agreed))",
}


def restrict(
    connection: sqlite3.Connection, *, agreed: Iterable[int], hidden: Iterable[int], absent: Iterable[int]
) -> None:
    """Restricts the connection to public data and data of users in `agreed`; replaces the addresses of users
    in `hidden`, and leaves out the presence of users in `absent`.

    Only ids are copied.
    """
    connection.executescript(_OPEN)
    for table, ids in (("agreed", agreed), ("hidden", hidden), ("absent", absent)):
        connection.executemany(f"INSERT INTO {table} VALUES (?)", [(identity,) for identity in ids])
    for statement in _FILL:
        connection.execute(statement)
    shown = frozenset(row["id"] for row in connection.execute("SELECT id FROM open_channels WHERE all_of_it"))
    connection.create_function("known_history", 1, partial(_known_history, shown), deterministic=True)
    for table, where in _WHERE.items():
        columns = _columns(connection, table, "history", "known_history(history)")
        connection.execute(f"CREATE TEMP VIEW {table} AS SELECT {columns} FROM main.{table} WHERE {where}")
    # A view has no rowid, which is needed for the order of reactions.
    connection.execute(
        f"CREATE TEMP VIEW reactions AS SELECT *, rowid AS rowid FROM main.reactions WHERE {_OF_MESSAGES}"
    )
    address = (
        f"CASE WHEN id IN (SELECT id FROM hidden) THEN 'user' || id || '@{NO_DOMAIN}' ELSE delivery_email END"
    )
    columns = _columns(connection, "users", "delivery_email", address)
    connection.execute(f"CREATE TEMP VIEW users AS SELECT {columns} FROM main.users")


def _columns(connection: sqlite3.Connection, table: str, replaced: str, expression: str) -> str:
    """The columns of a table, one of them, if it has it, replaced by an expression."""
    names = [row["name"] for row in connection.execute(f"PRAGMA main.table_info({table})")]
    return ", ".join(f"{expression} AS {name}" if name == replaced else name for name in names)


def _known_history(channels: Container[int], history: str) -> str:
    """The part of an edit history since the last move from a channel that is not among `channels`."""
    entries = json.loads(history)
    for number, entry in enumerate(entries):
        if "prev_stream" in entry and entry["prev_stream"] not in channels:
            return json.dumps(entries[:number], ensure_ascii=False)
    return history
