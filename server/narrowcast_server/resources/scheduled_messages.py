"""Messages that the server sends later (rows SCH), and their delivery.

waiting --due, sent--> gone (a message with an id of its own)
waiting --due, refused--> failed (the notification bot tells the user) --edited with a new time--> waiting
waiting, failed --deleted--> gone
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Final

from narrowcast_server.actions.messages import Origin, check_content, send_direct, send_to_channel
from narrowcast_server.actions.organization import notification_bot
from narrowcast_server.actions.owned import own_row, remove_own
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import Channel, User
from narrowcast_server.queries.rendering import rendered
from narrowcast_server.queries.scheduled_messages import Target, scheduled_object, stored_target
from narrowcast_server.rules import topics
from narrowcast_server.rules.messages import check_direct, check_may_post
from narrowcast_server.rules.quotas import check_room
from narrowcast_server.rules.recipients import channel_by_id, people_by_id
from narrowcast_server.storage.store import Row

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core

_BATCH: Final = 100
_log = logging.getLogger("narrowcast.server")


def channel_target(core: Core, user: User, channel_id: int, topic: str) -> Target:
    """A checked channel target; raises STREAM_DOES_NOT_EXIST with the id (SCH-17), or BAD_REQUEST."""
    channel = channel_by_id(core, user, channel_id)
    checked = topics.checked(core, topic)
    check_may_post(core, user, channel, checked)
    return Target(channel.id, checked)


def direct_target(core: Core, user: User, user_ids: Iterable[int]) -> Target:
    """A checked target of a direct message; raises BAD_REQUEST (SCH-18)."""
    people = people_by_id(core, list(dict.fromkeys(user_ids)))
    if not people:
        raise ServiceError("Message must have recipients")
    check_direct(core, user, [*people, user])
    return Target(None, "", tuple(person.id for person in people))


def check_time(core: Core, timestamp: int) -> int:
    """A future time, UTC seconds; raises BAD_REQUEST for the past (SCH-15, SCH-26)."""
    if timestamp <= core.now():
        raise ServiceError("Scheduled delivery time must be in the future.")
    return timestamp


def schedule(
    core: Core, user: User, target: Target, content: str, timestamp: int, *, origin: Origin = Origin()
) -> int:
    """Stores a scheduled message; returns its id."""
    checked = check_content(core, content)
    check_room(core, user, "scheduled_messages")
    identity = core.store.insert(
        "INSERT INTO scheduled_messages (user_id, type, recipients, topic, content, rendered, delivery,"
        " read_by_sender, client) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        user.id,
        *target.columns,
        checked,
        rendered(core, user, checked).html,
        timestamp,
        int(origin.read_by_sender),
        origin.client,
    )
    added = [scheduled_object(own_row(core, "scheduled_messages", identity, user))]
    core.emit({"type": "scheduled_messages", "op": "add", "scheduled_messages": added}, [user.id])
    return identity


def edit(
    core: Core, user: User, row: Row, *, target: Target | None, content: str | None, timestamp: int | None
) -> None:
    """Changes the given properties of a scheduled message, which is then waiting again (SCH-26)."""
    if row["failed"] and timestamp is None:
        raise ServiceError("Scheduled delivery time is required for a message that failed to send.")
    text = row["content"] if content is None else check_content(core, content)
    core.store.execute(
        "UPDATE scheduled_messages SET type = ?, recipients = ?, topic = ?, content = ?, rendered = ?, delivery = ?,"
        " failed = 0, failure = NULL WHERE id = ?",
        *(target or stored_target(row)).columns,
        text,
        row["rendered"] if content is None else rendered(core, user, text).html,
        row["delivery"] if timestamp is None else timestamp,
        row["id"],
    )
    _emit_update(core, row["id"], user)


def _emit_update(core: Core, identity: int, user: User) -> None:
    changed = scheduled_object(own_row(core, "scheduled_messages", identity, user))
    core.emit({"type": "scheduled_messages", "op": "update", "scheduled_message": changed}, [user.id])


def delete(core: Core, user: User, identity: int) -> None:
    """Cancels a scheduled message."""
    remove_own(core, "scheduled_messages", identity, user)
    core.emit({"type": "scheduled_messages", "op": "remove", "scheduled_message_id": identity}, [user.id])


# --- delivery --------------------------------------------------------------------------------------------------


def deliveries(core: Core) -> list[Callable[[], None]]:
    """Functions that send each due message, earliest first: at most `_BATCH` of them."""
    due = core.store.integers(
        "SELECT id FROM scheduled_messages WHERE failed = 0 AND delivery <= ? ORDER BY delivery, id LIMIT ?",
        core.now(),
        _BATCH,
    )
    return [partial(_deliver, core, identity) for identity in due]


def deliver_due(core: Core) -> int:
    """Sends all due messages at once; returns how many there were."""
    count = 0
    while works := deliveries(core):
        for work in works:
            work()
        count += len(works)
    return count


def _deliver(core: Core, identity: int) -> None:
    """Sends a message, if it still exists and is still due. One that cannot be sent is marked as failed."""
    row = core.store.one(
        "SELECT * FROM scheduled_messages WHERE id = ? AND failed = 0 AND delivery <= ?", identity, core.now()
    )
    if row is None:
        return
    try:
        with core.transaction():
            _send(core, row)
            delete(core, core.users[row["user_id"]], row["id"])
    except Exception as error:
        # One message that cannot be sent must not block the others, whatever the cause.
        reason = error.message if isinstance(error, ServiceError) else "Internal server error"
        if not isinstance(error, ServiceError):
            _log.exception("a scheduled message could not be sent")
        with core.transaction():
            _mark_failed(core, row, reason)
            _tell_failed(core, row, reason)


def _send(core: Core, row: Row) -> None:
    user = core.users[row["user_id"]]
    if not user.is_active:
        raise ServiceError("Account is deactivated")
    origin = Origin(client=row["client"] or "narrowcast", read_by_sender=bool(row["read_by_sender"]))
    target = stored_target(row)
    if target.channel_id is None:
        send_direct(core, user, [core.users[i] for i in target.user_ids], row["content"], origin)
        return
    channel: Channel | None = core.channels.get(target.channel_id)
    if channel is None:
        raise ServiceError("Channel does not exist")
    send_to_channel(core, user, channel, target.topic, row["content"], origin)


def _mark_failed(core: Core, row: Row, reason: str) -> None:
    core.store.execute(
        "UPDATE scheduled_messages SET failed = 1, failure = ? WHERE id = ?", reason, row["id"]
    )
    _emit_update(core, row["id"], core.users[row["user_id"]])


def _tell_failed(core: Core, row: Row, reason: str) -> None:
    user = core.users[row["user_id"]]
    if user.is_bot or not user.is_active:
        return
    due = datetime.fromtimestamp(row["delivery"], UTC).isoformat()
    text = (
        f"The message you scheduled for <time:{due}> was not sent because of the following error:"
        f"\n\n> {reason}\n\n[View scheduled messages](#scheduled)"
    )
    origin = Origin(client="Internal", read_by_sender=False)
    send_direct(core, notification_bot(core), [user], text, origin)
