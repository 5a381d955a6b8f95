"""Messages with their history, user flags, reactions, and pending messages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

import msgspec

from narrowcast_api.wire.vocabulary import RESOLVED_TOPIC_PREFIX, MessageType
from narrowcast_server.markdown import RenderedMarkdown, widget_for
from narrowcast_server.organization.models import User
from narrowcast_server.queries.rendering import rendered_anyway
from narrowcast_server.resources.submessages import add_submessage
from narrowcast_server.rules.access import find_message
from narrowcast_server.rules.edit_history import bounded
from narrowcast_server.zulip_archive.emoji import incoming_emoji
from narrowcast_server.zulip_archive.layout import UPLOAD_LINK, ArchiveError
from narrowcast_server.zulip_archive.numbers import NO_MESSAGE, Delivery, flags_in
from narrowcast_server.zulip_archive.reading.intake import Intake
from narrowcast_server.zulip_archive.reading.recipients import RecipientReader
from narrowcast_server.zulip_archive.reading.rows import ArchiveRow, rows

_MAX_CLIENT: Final = 100
_MAX_NOTE: Final = 1000
_WIDGET: Final = '"widget_type"'
"""Present only in the submessage that makes a message a widget."""
_MOVED: Final = ("prev_topic", "prev_stream")


def new_ids(intake: Intake) -> None:
    """Messages keep their ids, unless the archive says that only their times are ordered, or an id is 0."""
    in_order = not intake.tables.get("sort_by_date", False)
    times: list[tuple[int, int]] = []
    zero = False
    for name in intake.archive.message_files():
        for row in rows(intake.archive.tables(name), "zerver_message"):
            identity = row.integer("id")
            zero = zero or identity == 0
            if identity < 0:
                row.fault("the id is negative")
            times.append((identity if in_order else row.time("date_sent"), identity))
    if in_order and not zero:
        intake.messages = {identity: identity for _, identity in times}
    else:
        intake.messages = {identity: number for number, (_, identity) in enumerate(sorted(times), 1)}
    if len(intake.messages) != len(times):
        raise ArchiveError("two messages have the same id")


async def messages(intake: Intake, recipients: RecipientReader) -> None:
    """Imports all messages, file by file, with the flags of the users who received them."""
    intake.clients.update(
        {
            row.integer("id"): intake.texts.line("names of programs", row.text("name"), _MAX_CLIENT)
            for row in intake.rows("zerver_client")
        }
    )
    for name in intake.archive.message_files():
        tables = intake.archive.tables(name)
        present: set[int] = set()
        for row in rows(tables, "zerver_message"):
            await _message(intake, recipients, row)
            present.add(row.integer("id"))
        intake.organization.store.execute_many(
            "INSERT OR REPLACE INTO user_messages (user_id, message_id, flags) VALUES (?, ?, ?)",
            _copies(intake, tables, present),
        )
    for channel_id, first in intake.organization.store.all(
        "SELECT channel_id, min(id) FROM messages WHERE channel_id IS NOT NULL GROUP BY channel_id"
    ):
        intake.organization.channels.update(channel_id, first_message_id=first)


def _copies(intake: Intake, tables: dict[str, object], present: set[int]) -> Iterator[tuple[int, int, int]]:
    for row in rows(tables, "zerver_usermessage"):
        message_id = row.integer("message")
        if message_id not in present:
            row.fault(f"message {message_id} is not in the same file")
        user_id = row.reference("user_profile", intake.users)
        mask = row.integer("flags_mask", 0)
        yield user_id, intake.messages[message_id], flags_in(mask)


@dataclass(frozen=True, slots=True)
class _Text:
    """The text of a message as stored by this server, and its rendering."""

    source: str
    found: RenderedMarkdown


async def _text(intake: Intake, sender: User, source: str) -> _Text:
    organization = intake.organization
    limit = organization.config.limits.max_message_length
    text = intake.texts.body("messages", _with_our_paths(intake, source), limit)
    if not text.strip():
        text = "(deleted)"
    return _Text(text, await rendered_anyway(organization, sender, text))


def _with_our_paths(intake: Intake, text: str) -> str:
    if not intake.paths or "/user_uploads/" not in text:
        return text
    return UPLOAD_LINK.sub(lambda match: intake.paths.get(match[0], match[0]), text)


async def _message(intake: Intake, recipients: RecipientReader, row: ArchiveRow) -> None:
    organization = intake.organization
    message_id = intake.messages[row.integer("id")]
    sender = organization.users[row.reference("sender", intake.users)]
    channel_id, conversation_id = recipients.place(row, sender.id)
    topic = ""
    if channel_id is not None:
        topic = intake.texts.line("topics", row.text("subject"), organization.config.limits.max_topic_length)
    text = await _text(intake, sender, row.text("content"))
    history = await _history(intake, sender, row)
    edited, moved = _last_times(row, history)
    organization.store.execute(
        "INSERT INTO messages (id, sender_id, channel_id, topic, conversation_id, content, rendered, timestamp, client,"
        " is_me, last_edited, last_moved, history, has_link, has_image, has_attachment)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        message_id,
        sender.id,
        channel_id,
        topic,
        conversation_id,
        text.source,
        text.found.html,
        row.time("date_sent"),
        intake.clients.get(row.integer("sending_client", -1), ""),
        int(text.found.is_me_message),
        edited,
        moved,
        json.dumps(history),
        int(text.found.has_link),
        int(text.found.has_image),
        int(text.found.has_attachment),
    )
    organization.store.execute(
        "INSERT INTO message_words (rowid, content, topic) VALUES (?, ?, ?)", message_id, text.source, topic
    )
    if (widget := widget_for(text.source)) is not None:
        intake.execute(
            "INSERT INTO submessages (message_id, sender_id, msg_type, content) VALUES (?, ?, 'widget', ?)",
            message_id,
            sender.id,
            json.dumps(widget),
        )


async def _history(intake: Intake, sender: User, row: ArchiveRow) -> list[dict[str, Any]]:
    """The edit history, newest first; references to channels that the archive lacks are dropped."""
    if not row.has("edit_history"):
        return []
    try:
        stored = msgspec.json.decode(row.text("edit_history"), type=list[dict[str, object]])
    except (ValueError, RecursionError) as error:
        row.fault(f"edit_history is not a list of changes: {error}")
    history = [_entry(intake, ArchiveRow("edit_history", fields)) for fields in stored]
    for entry in history:
        if "prev_content" in entry:
            earlier = await rendered_anyway(intake.organization, sender, entry["prev_content"])
            entry |= {"prev_rendered_content": earlier.html, "prev_rendered_content_version": 1}
    return bounded(history)


def _entry(intake: Intake, row: ArchiveRow) -> dict[str, Any]:
    limits = intake.organization.config.limits
    entry: dict[str, Any] = {}
    if row.has("user_id"):
        entry["user_id"] = row.reference("user_id", intake.users)
    entry["timestamp"] = row.time("timestamp")
    if row.has("prev_content"):
        entry["prev_content"] = intake.texts.body(
            "earlier texts", _with_our_paths(intake, row.text("prev_content")), limits.max_message_length
        )
    for name in ("topic", "prev_topic"):
        if row.has(name):
            entry[name] = intake.texts.line("topics", row.text(name), limits.max_topic_length)
    for name in ("stream", "prev_stream"):
        if row.has(name) and row.integer(name) in intake.channels:
            entry[name] = intake.channels[row.integer(name)]
    return entry


def _last_times(row: ArchiveRow, history: list[dict[str, Any]]) -> tuple[int | None, int | None]:
    """When the text was last edited, and when the message was last moved; resolving a topic is not a move."""
    edited = [entry["timestamp"] for entry in history if "prev_content" in entry]
    moved = [entry["timestamp"] for entry in history if _is_move(entry)]
    last = row.time("last_edit_time", 0) or None
    if not history:
        return last, None
    return max(edited, default=None), max(moved, default=None)


def _is_move(entry: dict[str, Any]) -> bool:
    if not any(name in entry for name in _MOVED):
        return False
    topics = [
        str(entry.get(name, "")).removeprefix(RESOLVED_TOPIC_PREFIX) for name in ("topic", "prev_topic")
    ]
    return "prev_stream" in entry or topics[0] != topics[1]


def reactions(intake: Intake) -> None:
    for row in chain(intake.rows("zerver_reaction"), intake.own_rows("reactions")):
        emoji = incoming_emoji(intake, row, "reactions")
        if emoji is not None:
            intake.execute(
                "INSERT OR IGNORE INTO reactions VALUES (?, ?, ?, ?, ?)",
                row.reference("message", intake.messages),
                row.reference("user_profile", intake.users),
                emoji.name,
                emoji.code,
                emoji.type,
            )


def submessages(intake: Intake) -> None:
    """Imports votes and tasks. Polls and to-do lists themselves are recognized by the text of the message."""
    for row in intake.rows("zerver_submessage"):
        message = find_message(intake.organization, row.reference("message", intake.messages))
        sender = intake.organization.users[row.reference("sender", intake.users)]
        assert message is not None, "all messages are there"
        content = row.text("content")
        if _WIDGET not in content:
            with intake.skipping_rejected("votes and tasks"):
                add_submessage(intake.organization, sender, message, row.text("msg_type"), content)


async def waiting(intake: Intake, recipients: RecipientReader) -> None:
    """Imports unsent scheduled messages and reminders."""
    reminded_of = {row.integer("id"): row.integer("message") for row in intake.own_rows("reminders")}
    for row in intake.rows("zerver_scheduledmessage"):
        if row.flag("delivered"):
            continue
        sender = intake.organization.users[row.reference("sender", intake.users)]
        text = await _text(intake, sender, row.text("content"))
        if row.integer("delivery_type", int(Delivery.SCHEDULED)) == Delivery.REMINDER:
            target = row.integer("reminder_target_message_id", NO_MESSAGE)
            _reminder(intake, row, sender, text, reminded_of.get(row.integer("id"), target))
        else:
            _scheduled(intake, recipients, row, sender, text)


def _reminder(intake: Intake, row: ArchiveRow, sender: User, text: _Text, target: int) -> None:
    message_id = intake.messages.get(target)
    if message_id is None:
        intake.left_out["reminders of messages that are gone"] += 1
        return
    intake.execute(
        "INSERT INTO reminders (user_id, message_id, content, rendered, note, delivery, failed)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        sender.id,
        message_id,
        text.source,
        text.found.html,
        intake.texts.body("notes of reminders", row.text("reminder_note", ""), _MAX_NOTE),
        row.time("scheduled_timestamp"),
        int(row.flag("failed")),
    )


def _scheduled(
    intake: Intake, recipients: RecipientReader, row: ArchiveRow, sender: User, text: _Text
) -> None:
    channel_id = recipients.channels.get(row.integer("recipient"))
    if channel_id is None:
        others = sorted(recipients.people(row, sender.id) - {sender.id}) or [sender.id]
        kind, to, topic = MessageType.PRIVATE.value, json.dumps(others), ""
    else:
        limit = intake.organization.config.limits.max_topic_length
        kind, to = MessageType.STREAM.value, json.dumps(channel_id)
        topic = intake.texts.line("topics", row.text("subject"), limit)
    intake.execute(
        "INSERT INTO scheduled_messages (user_id, type, recipients, topic, content, rendered, delivery, failed,"
        " failure, read_by_sender, client) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        sender.id,
        kind,
        to,
        topic,
        text.source,
        text.found.html,
        row.time("scheduled_timestamp"),
        int(row.flag("failed")),
        intake.texts.line("reasons", row.text("failure_message", ""), _MAX_NOTE) or None,
        int(row.flag("read_by_sender", True)),
        intake.clients.get(row.integer("sending_client", -1), ""),
    )


def drafts(intake: Intake) -> None:
    """Imports drafts, which only archives of this program contain."""
    limits = intake.organization.config.limits
    kinds = (MessageType.STREAM.value, MessageType.PRIVATE.value, "")
    for row in intake.own_rows("drafts"):
        kind = row.text("type")
        if kind not in kinds:
            row.fault(f"type is {kind!r}")
        ours = intake.channels if kind == MessageType.STREAM.value else intake.users
        intake.execute(
            "INSERT INTO drafts (user_id, type, recipients, topic, content, timestamp) VALUES (?, ?, ?, ?, ?, ?)",
            row.reference("user_id", intake.users),
            kind,
            json.dumps([ours[identity] for identity in row.numbers("recipients") if identity in ours]),
            intake.texts.line("topics", row.text("topic"), limits.max_topic_length),
            intake.texts.body("drafts", row.text("content"), limits.max_message_length),
            row.time("timestamp"),
        )
