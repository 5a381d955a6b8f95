"""Messages with their history and user flags, a thousand per file; reactions; pending messages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import count, islice
from typing import Final

from narrowcast_server.storage.store import Row
from narrowcast_server.zulip_archive.emoji import outgoing_emoji
from narrowcast_server.zulip_archive.layout import MESSAGES_A_FILE, REALM_ID, UPLOAD_LINK
from narrowcast_server.zulip_archive.numbers import DIRECT_TOPIC, NO_MESSAGE, Delivery, flags_out
from narrowcast_server.zulip_archive.writing.export import ArchiveExport, Record

_OF_THIS_SERVER: Final = ("/user_uploads/thumbnail/", "/user_avatars/")
_NAMED: Final = re.compile(r'data-(user|user-group|stream)-id="(\d{1,18})"')
_RENDERED: Final = 1
"""The version of rendered HTML that Zulip expects."""
_NORMAL: Final = 1


def files(export: ArchiveExport) -> Iterator[dict[str, list[Record]]]:
    """The tables of each message file."""
    numbers = count(1)
    rows = export.source.rows("SELECT * FROM messages ORDER BY id")
    while part := tuple(islice(rows, MESSAGES_A_FILE)):
        yield {
            "zerver_message": [_message(export, row) for row in part],
            "zerver_usermessage": _copies(export, part, numbers),
        }


def _message(export: ArchiveExport, row: Row) -> Record:
    direct = row["channel_id"] is None
    if direct:
        recipient_id = export.recipients.conversation(row["conversation_id"], row["sender_id"])
    else:
        recipient_id = export.recipients.channel(row["channel_id"])
    # Resolving a topic is no move here, but the import asks for the time of whatever is in the history.
    of_history = [entry["timestamp"] for entry in json.loads(row["history"])]
    times = [time for time in (row["last_edited"], row["last_moved"], *of_history) if time is not None]
    rendered = _rendered(export, row)
    return {
        "id": row["id"],
        "realm": REALM_ID,
        "type": _NORMAL,
        "sender": row["sender_id"],
        "recipient": recipient_id,
        "sending_client": export.clients.id(row["client"]),
        "is_channel_message": not direct,
        "subject": DIRECT_TOPIC if direct else row["topic"],
        "content": row["content"],
        "rendered_content": rendered,
        "rendered_content_version": None if rendered is None else _RENDERED,
        "date_sent": row["timestamp"],
        "last_edit_time": max(times, default=None),
        "edit_history": _history(row),
        "has_attachment": bool(row["has_attachment"]),
        "has_image": bool(row["has_image"]),
        "has_link": bool(row["has_link"]),
    }


def _rendered(export: ArchiveExport, row: Row) -> str | None:
    """The HTML, in which the import only replaces ids: it does not know the linkifiers when it renders.

    None for HTML with addresses that only this server has (previews of images, custom emoji), which the import renders
    from the text, unless it could not: HTML that names somebody by a former name or by id, and messages of system bots.
    """
    text, html = row["content"], str(row["rendered"])
    if not any(address in html for address in _OF_THIS_SERVER) or row["sender_id"] in export.system_bot_ids:
        return html
    for kind, identity in _NAMED.findall(html):
        name = export.names[kind].get(int(identity))
        if name is None or name not in text:
            return html
    return None


def _history(row: Row) -> str | None:
    if row["history"] == "[]":
        return None
    entries = json.loads(row["history"])
    for entry in entries:
        # The import requires an author in each entry, and HTML with each earlier text, which it does not
        # render.
        entry.setdefault("user_id", row["sender_id"])
        if "prev_content" in entry and not isinstance(entry.get("prev_rendered_content"), str):
            entry |= {"prev_rendered_content": "", "prev_rendered_content_version": _RENDERED}
    return json.dumps(entries, ensure_ascii=False)


def _copies(export: ArchiveExport, part: tuple[Row, ...], numbers: Iterator[int]) -> list[Record]:
    """The users who received each message, with their flags."""
    direct = {row["id"] for row in part if row["channel_id"] is None}
    rows = export.source.rows(
        "SELECT user_id, message_id, flags FROM user_messages WHERE message_id BETWEEN ? AND ?"
        " ORDER BY message_id, user_id",
        part[0]["id"],
        part[-1]["id"],
    )
    return [
        {
            "id": next(numbers),
            "user_profile": user_id,
            "message": message_id,
            "flags_mask": flags_out(bits, direct=message_id in direct),
        }
        for user_id, message_id, bits in rows
        if user_id not in export.system_bot_ids
    ]


def reactions(export: ArchiveExport) -> Iterator[Record]:
    numbers = count(1)
    for row in export.source.rows("SELECT * FROM reactions ORDER BY message_id, rowid"):
        emoji = outgoing_emoji(export, row, "reactions")
        if emoji is not None:
            yield {
                "id": next(numbers),
                "message": row["message_id"],
                "user_profile": row["user_id"],
                **emoji,
            }


def submessages(export: ArchiveExport) -> Iterator[Record]:
    """Widgets of polls and to-do lists, votes and tasks."""
    for row in export.source.rows("SELECT * FROM submessages ORDER BY id"):
        yield {
            "id": row["id"],
            "message": row["message_id"],
            "sender": row["sender_id"],
            "msg_type": row["msg_type"],
            "content": row["content"],
        }


def waiting(export: ArchiveExport) -> Iterator[Record]:
    """Scheduled messages and reminders."""
    numbers = count(1)
    for row in export.source.rows("SELECT * FROM scheduled_messages ORDER BY id"):
        identity = next(numbers)
        uploads = UPLOAD_LINK.findall(row["content"])
        for path_id in uploads:
            export.scheduled_uploads.setdefault(path_id, []).append(identity)
        yield {"id": identity, "has_attachment": bool(uploads), **_scheduled(export, row)}
    for row in export.source.rows("SELECT * FROM reminders ORDER BY id"):
        identity = next(numbers)
        export.reminded_of[identity] = row["message_id"]
        yield {"id": identity, "has_attachment": False, **_reminder(export, row)}


def _scheduled(export: ArchiveExport, row: Row) -> Record:
    sender_id, to = row["user_id"], json.loads(row["recipients"])
    channel = row["type"] == "stream"
    recipient_id = export.recipients.channel(to) if channel else export.recipients.direct(to, sender_id)
    return {
        **_waiting(export, row, recipient_id, row["client"] or "narrowcast"),
        "stream": to if channel else None,
        "subject": row["topic"] if channel else DIRECT_TOPIC,
        "read_by_sender": bool(row["read_by_sender"]),
        "failure_message": row["failure"],
        "delivery_type": int(Delivery.SCHEDULED),
        "reminder_target_message_id": None,
        "reminder_note": None,
    }


def _reminder(export: ArchiveExport, row: Row) -> Record:
    recipient_id = export.recipients.direct((), row["user_id"])
    return {
        **_waiting(export, row, recipient_id, "reminder"),
        "stream": None,
        "subject": DIRECT_TOPIC,
        "read_by_sender": False,
        "failure_message": None,
        "delivery_type": int(Delivery.REMINDER),
        # The import renumbers messages but not this field; a reminder of a missing message keeps its text.
        "reminder_target_message_id": NO_MESSAGE,
        "reminder_note": row["note"] or None,
    }


def _waiting(export: ArchiveExport, row: Row, recipient_id: int, client: str) -> Record:
    return {
        "realm": REALM_ID,
        "sender": row["user_id"],
        "recipient": recipient_id,
        "sending_client": export.clients.id(client),
        "content": row["content"],
        "rendered_content": row["rendered"],
        "scheduled_timestamp": row["delivery"],
        "request_timestamp": export.now,
        "delivered": False,
        "delivered_message": None,
        "failed": bool(row["failed"]),
    }
