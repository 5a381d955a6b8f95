"""Messages that the server sends later (rows SCH), and their delivery.

waiting --due, sent--> gone (a message with an id of its own)
waiting --due, refused--> failed (the notification bot tells the user) --edited with a new time--> waiting
waiting, failed --deleted--> gone

Listing, creating and deleting are outside the contract (SCH-24).
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import EMPTY_TOPIC_PLACEHOLDER, MessageType
from narrowcast_server.actions.new_organization import notification_bot
from narrowcast_server.http.params import (
    boolean,
    choice,
    defaulted,
    integer,
    optional,
    required,
    string,
    text_without_null,
)
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.checks import check_integer, json_value
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import Channel, User
from narrowcast_server.queries.rendering import rendered
from narrowcast_server.queries.snapshot.parts import Snapshot, part
from narrowcast_server.resources.messages.sending import Origin, check_content, send_direct, send_to_channel
from narrowcast_server.resources.owned import OwnedTable
from narrowcast_server.rules import topics
from narrowcast_server.rules.messages import check_direct, check_may_post
from narrowcast_server.rules.quotas import check_room
from narrowcast_server.rules.recipients import channel_by_id, people_by_id
from narrowcast_server.storage.store import Row

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

_SCHEDULED: Final = OwnedTable("scheduled_messages", "Scheduled message does not exist")
_BATCH: Final = 100
_log = logging.getLogger("narrowcast.server")


@dataclass(frozen=True, slots=True)
class ScheduledTarget:
    """The destination of a scheduled message: a channel and topic, or users."""

    channel_id: int | None
    topic: str
    user_ids: tuple[int, ...] = ()

    @property
    def columns(self) -> tuple[str, str, str]:
        """The stored columns type, recipients and topic."""
        if self.channel_id is not None:
            return MessageType.STREAM.value, json.dumps(self.channel_id), self.topic
        return MessageType.PRIVATE.value, json.dumps(list(self.user_ids)), ""


def stored_target(row: Row) -> ScheduledTarget:
    """The target of a stored scheduled message."""
    recipients = json.loads(row["recipients"])
    if row["type"] == MessageType.STREAM:
        return ScheduledTarget(recipients, row["topic"])
    return ScheduledTarget(None, "", tuple(recipients))


def scheduled_object(row: Row) -> dict[str, object]:
    """A scheduled message in lists and events (SCH-22, SCH-23)."""
    target = stored_target(row)
    result: dict[str, object] = {
        "scheduled_message_id": row["id"],
        "to": list(target.user_ids) if target.channel_id is None else target.channel_id,
        "type": row["type"],
        "content": row["content"],
        "rendered_content": row["rendered"],
    }
    if target.channel_id is not None:
        result["topic"] = target.topic
    return {
        **result,
        "scheduled_delivery_timestamp": row["delivery"],
        "failed": bool(row["failed"]),
    }


def scheduled_of(organization: Organization, user: User) -> list[dict[str, object]]:
    """A user's scheduled messages, by time."""
    rows = organization.store.all(
        "SELECT * FROM scheduled_messages WHERE user_id = ? ORDER BY delivery, id", user.id
    )
    return [scheduled_object(row) for row in rows]


def channel_target(organization: Organization, user: User, channel_id: int, topic: str) -> ScheduledTarget:
    """A checked channel target; raises STREAM_DOES_NOT_EXIST with the id (SCH-17), or BAD_REQUEST."""
    channel = channel_by_id(organization, user, channel_id)
    checked = topics.checked(organization, topic)
    check_may_post(organization, user, channel, checked)
    return ScheduledTarget(channel.id, checked)


def direct_target(organization: Organization, user: User, user_ids: Iterable[int]) -> ScheduledTarget:
    """A checked target of a direct message; raises BAD_REQUEST (SCH-18)."""
    people = people_by_id(organization, list(dict.fromkeys(user_ids)))
    if not people:
        raise ServiceError("Message must have recipients")
    check_direct(organization, user, [*people, user])
    return ScheduledTarget(None, "", tuple(person.id for person in people))


def check_time(organization: Organization, timestamp: int) -> int:
    """A future time, UTC seconds; raises BAD_REQUEST for the past (SCH-15, SCH-26)."""
    if timestamp <= organization.now():
        raise ServiceError("Scheduled delivery time must be in the future.")
    return timestamp


def schedule(
    organization: Organization,
    user: User,
    target: ScheduledTarget,
    content: str,
    timestamp: int,
    *,
    origin: Origin = Origin(),
) -> int:
    """Stores a scheduled message; returns its id."""
    checked = check_content(organization, content)
    check_room(organization, user, "scheduled_messages")
    identity = organization.store.insert(
        "INSERT INTO scheduled_messages (user_id, type, recipients, topic, content, rendered, delivery,"
        " read_by_sender, client) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        user.id,
        *target.columns,
        checked,
        rendered(organization, user, checked).html,
        timestamp,
        int(origin.read_by_sender),
        origin.client,
    )
    added = [scheduled_object(_SCHEDULED.row(organization, identity, user))]
    organization.emit({"type": "scheduled_messages", "op": "add", "scheduled_messages": added}, [user.id])
    return identity


def edit_scheduled(
    organization: Organization,
    user: User,
    row: Row,
    *,
    target: ScheduledTarget | None,
    content: str | None,
    timestamp: int | None,
) -> None:
    """Changes the given properties of a scheduled message, which is then waiting again (SCH-26)."""
    if row["failed"] and timestamp is None:
        raise ServiceError("Scheduled delivery time is required for a message that failed to send.")
    text = row["content"] if content is None else check_content(organization, content)
    organization.store.execute(
        "UPDATE scheduled_messages SET type = ?, recipients = ?, topic = ?, content = ?, rendered = ?, delivery = ?,"
        " failed = 0, failure = NULL WHERE id = ?",
        *(target or stored_target(row)).columns,
        text,
        row["rendered"] if content is None else rendered(organization, user, text).html,
        row["delivery"] if timestamp is None else timestamp,
        row["id"],
    )
    _emit_update(organization, row["id"], user)


def _emit_update(organization: Organization, identity: int, user: User) -> None:
    changed = scheduled_object(_SCHEDULED.row(organization, identity, user))
    organization.emit({"type": "scheduled_messages", "op": "update", "scheduled_message": changed}, [user.id])


def remove_scheduled(organization: Organization, user: User, identity: int) -> None:
    """Cancels a scheduled message."""
    _SCHEDULED.remove(organization, identity, user)
    organization.emit(
        {"type": "scheduled_messages", "op": "remove", "scheduled_message_id": identity}, [user.id]
    )


# --- delivery --------------------------------------------------------------------------------------------------


def deliveries(organization: Organization) -> list[Callable[[], None]]:
    """Functions that send each due message, earliest first: at most `_BATCH` of them."""
    due = organization.store.integers(
        "SELECT id FROM scheduled_messages WHERE failed = 0 AND delivery <= ? ORDER BY delivery, id LIMIT ?",
        organization.now(),
        _BATCH,
    )
    return [partial(_deliver, organization, identity) for identity in due]


def deliver_due(organization: Organization) -> int:
    """Sends all due messages at once; returns how many there were."""
    count = 0
    while works := deliveries(organization):
        for work in works:
            work()
        count += len(works)
    return count


def _deliver(organization: Organization, identity: int) -> None:
    """Sends a message, if it still exists and is still due. One that cannot be sent is marked as failed."""
    row = organization.store.one(
        "SELECT * FROM scheduled_messages WHERE id = ? AND failed = 0 AND delivery <= ?",
        identity,
        organization.now(),
    )
    if row is None:
        return
    try:
        with organization.transaction():
            _send(organization, row)
            remove_scheduled(organization, organization.users[row["user_id"]], row["id"])
    except Exception as error:
        # One message that cannot be sent must not block the others, whatever the cause.
        reason = error.message if isinstance(error, ServiceError) else "Internal server error"
        if not isinstance(error, ServiceError):
            _log.exception("a scheduled message could not be sent")
        with organization.transaction():
            _mark_failed(organization, row, reason)
            _tell_failed(organization, row, reason)


def _send(organization: Organization, row: Row) -> None:
    user = organization.users[row["user_id"]]
    if not user.is_active:
        raise ServiceError("Account is deactivated")
    origin = Origin(client=row["client"] or "narrowcast", read_by_sender=bool(row["read_by_sender"]))
    target = stored_target(row)
    if target.channel_id is None:
        send_direct(
            organization, user, [organization.users[i] for i in target.user_ids], row["content"], origin
        )
        return
    channel: Channel | None = organization.channels.get(target.channel_id)
    if channel is None:
        raise ServiceError("Channel does not exist")
    send_to_channel(organization, user, channel, target.topic, row["content"], origin)


def _mark_failed(organization: Organization, row: Row, reason: str) -> None:
    organization.store.execute(
        "UPDATE scheduled_messages SET failed = 1, failure = ? WHERE id = ?", reason, row["id"]
    )
    _emit_update(organization, row["id"], organization.users[row["user_id"]])


def _tell_failed(organization: Organization, row: Row, reason: str) -> None:
    user = organization.users[row["user_id"]]
    if user.is_bot or not user.is_active:
        return
    due = datetime.fromtimestamp(row["delivery"], UTC).isoformat()
    text = (
        f"The message you scheduled for <time:{due}> was not sent because of the following error:"
        f"\n\n> {reason}\n\n[View scheduled messages](#scheduled)"
    )
    origin = Origin(client="Internal", read_by_sender=False)
    send_direct(organization, notification_bot(organization), [user], text, origin)


@part("scheduled_messages")
def scheduled(request: Snapshot) -> dict[str, object]:
    """The caller's scheduled messages."""
    return {"scheduled_messages": scheduled_of(request.organization, request.user)}


routes = Routes()

_TYPES: Final = tuple(MessageType)


def _recipient(name: str, text: str) -> int | list[int]:
    value = json_value(name, text)
    return (
        [check_integer(name, item) for item in value]
        if isinstance(value, list)
        else check_integer(name, value)
    )


KIND = required("type", choice(*_TYPES, listed=True))
TO = required("to", _recipient)
CONTENT = required("content", string)
TOPIC = optional("topic", text_without_null, aliases=("subject",))
TIME = required("scheduled_delivery_timestamp", integer)
READ = defaulted("read_by_sender", boolean, True)
NEW_KIND = optional("type", choice(*_TYPES, listed=True))
NEW_TO = optional("to", _recipient)
NEW_CONTENT = optional("content", string)
NEW_TOPIC = optional("topic", text_without_null)
NEW_TIME = optional("scheduled_delivery_timestamp", integer)


def _checked_kind(call: Call, word: str) -> MessageType:
    kind = MessageType(word)
    if kind is MessageType.CHANNEL and call.level < Gate.TYPE_CHANNEL.level:
        raise ServiceError("Invalid type")
    return kind


def _target(call: Call, *, direct: bool, to: int | list[int], topic: str | None) -> ScheduledTarget:
    if direct:
        if isinstance(to, int):
            raise ServiceError("Invalid data type for recipients")
        return direct_target(call.organization, call.user, to)
    if topic is None:
        raise ServiceError("Missing topic")
    if not isinstance(to, int):
        raise ServiceError("Invalid data type for channel ID")
    return channel_target(call.organization, call.user, to, topic)


@routes.get("/scheduled_messages")
def get_scheduled(call: Call) -> ResponseBody:
    """The caller's scheduled messages, by time."""
    return {"scheduled_messages": scheduled_of(call.organization, call.user)}


@routes.post("/scheduled_messages", KIND, TO, CONTENT, TIME, TOPIC, READ)
def post_scheduled(call: Call) -> ResponseBody:
    kind = _checked_kind(call, call[KIND])
    target = _target(call, direct=kind.is_direct, to=call[TO], topic=call[TOPIC])
    when = check_time(call.organization, call[TIME])
    origin = Origin(client=call.client, read_by_sender=call[READ])
    identity = schedule(call.organization, call.user, target, call[CONTENT], when, origin=origin)
    return {"scheduled_message_id": identity}


@routes.patch(
    "/scheduled_messages/{scheduled_message_id}",
    NEW_KIND,
    NEW_TO,
    NEW_TOPIC,
    NEW_CONTENT,
    NEW_TIME,
    since=Gate.SCHEDULED_EDIT.level,
)
def patch_scheduled(call: Call) -> ResponseBody:
    """Changes a scheduled message (SCH-01)."""
    if all(call[param] is None for param in (NEW_KIND, NEW_TO, NEW_CONTENT, NEW_TOPIC, NEW_TIME)):
        raise ServiceError("Nothing to change")
    when = call[NEW_TIME]
    if when is not None:
        when = check_time(call.organization, when)
    row = _SCHEDULED.row(call.organization, call.path_id("scheduled_message_id"), call.user)
    target = _new_target(call, stored_target(row))
    edit_scheduled(
        call.organization, call.user, row, target=target, content=call[NEW_CONTENT], timestamp=when
    )
    return {}


def _new_target(call: Call, present: ScheduledTarget) -> ScheduledTarget | None:
    """The target after the edit, checked for the caller; None if both target and text stay as they are."""
    word, to, topic = call[NEW_KIND], call[NEW_TO], call[NEW_TOPIC]
    if word is not None:
        kind = _checked_kind(call, word)
        if to is None:
            raise ServiceError("Recipient required when updating type of scheduled message.")
        if not kind.is_direct:
            _require_topic(call, topic)
        return _target(call, direct=kind.is_direct, to=to, topic=topic)
    if present.channel_id is None:
        # The topic of a direct message is ignored (SCH-12).
        if to is None and call[NEW_CONTENT] is None:
            return None
        return _target(call, direct=True, to=list(present.user_ids) if to is None else to, topic=None)
    if to is None and topic is None and call[NEW_CONTENT] is None:
        return None
    return _target(
        call,
        direct=False,
        to=present.channel_id if to is None else to,
        topic=present.topic if topic is None else topic,
    )


def _require_topic(call: Call, topic: str | None) -> None:
    """Rejects names of the empty topic where a topic is required (SCH-11, SCH-14)."""
    if topic is None or topic.strip() in ("", EMPTY_TOPIC_PLACEHOLDER, call.organization.empty_topic_name):
        raise ServiceError("Topic required when updating scheduled message type to channel.")


@routes.delete("/scheduled_messages/{scheduled_message_id}")
def delete_scheduled(call: Call) -> ResponseBody:
    """Cancels a scheduled message."""
    remove_scheduled(call.organization, call.user, call.path_id("scheduled_message_id"))
    return {}
