"""A user's flags on messages: read, starred, collapsed (rows FLG).

They are set for messages by id or by narrow; everything, a channel or a topic is marked as read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import MessageFlag
from narrowcast_server.http.params import (
    boolean,
    defaulted,
    integer,
    integers,
    natural,
    nullable,
    required,
    string,
)
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization import flags
from narrowcast_server.organization.dialect import reports_every_skipped_channel
from narrowcast_server.organization.errors import ServiceError, invalid_message
from narrowcast_server.organization.models import FlagBit, User
from narrowcast_server.queries.fetching import anchor_id, check_range, evaluated, page
from narrowcast_server.queries.messages import member_ids
from narrowcast_server.queries.narrow import build
from narrowcast_server.queries.narrow_terms import narrow
from narrowcast_server.queries.unread import unread_ids, unread_in
from narrowcast_server.rules import access, topics

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization


def changeable(flag: str) -> FlagBit:
    """The bit of a flag that users may change; raises BAD_REQUEST for others (FLG-04, FLG-20)."""
    try:
        flag_named = MessageFlag(flag)
    except ValueError as error:
        raise ServiceError(f"Invalid flag: '{flag}'") from error
    if flag_named not in flags.CHANGEABLE:
        raise ServiceError(f"Flag not editable: '{flag}'")
    return flags.CHANGEABLE[flag_named]


def change_flags(
    organization: Organization, user: User, ids: Sequence[int], bit: FlagBit, *, add: bool
) -> tuple[list[int], list[int]]:
    """Adds or removes a flag; returns (ids that changed, channels skipped as not subscribed) (FLG-18, FLG-19)."""
    ignored: list[int] = []
    if bit is FlagBit.READ and not add:
        ids, ignored = _subscribed_only(organization, user, ids)
    if add != (bit is FlagBit.READ):
        # Messages that were not received are read and have no other flag, so only these two changes affect them.
        received = [] if add else access.delivered_ids(organization, user.id, ids)
        _take_into_history(organization, user, set(ids).difference(received))
    condition = "= 0" if add else "!= 0"
    rows = organization.store.integers(
        f"SELECT message_id FROM user_messages WHERE user_id = ? AND flags & ? {condition}"
        " AND message_id IN (SELECT value FROM json_each(?)) ORDER BY message_id",
        user.id,
        int(bit),
        json.dumps(list(ids)),
    )
    if rows:
        operator = "|" if add else "& ~"
        organization.store.execute(
            f"UPDATE user_messages SET flags = flags {operator} ? WHERE user_id = ?"
            " AND message_id IN (SELECT value FROM json_each(?))",
            int(bit),
            user.id,
            json.dumps(rows),
        )
        emit_flags(organization, user, rows, bit, add=add)
    return rows, ignored


def emit_flags(
    organization: Organization, user: User, ids: Sequence[int], bit: FlagBit, *, add: bool
) -> None:
    """Emits `update_message_flags`, with `message_details` for messages that become unread."""
    name = next(name.value for name, changeable_bit in flags.CHANGEABLE.items() if changeable_bit is bit)
    operation = "add" if add else "remove"
    event: dict[str, object] = {
        "type": "update_message_flags",
        "op": operation,
        "operation": operation,
        "flag": name,
        "messages": list(ids),
        "all": False,
    }
    if bit is FlagBit.READ and not add:
        event["message_details"] = message_details(organization, user, ids)
    organization.emit(event, [user.id])


def message_details(organization: Organization, user: User, ids: Sequence[int]) -> dict[str, object]:
    """Where messages are, by id as a string: for clients that have not loaded them."""
    rows = organization.store.all(
        "SELECT m.id, m.channel_id, m.topic, m.conversation_id, um.flags FROM messages m"
        " JOIN user_messages um ON um.message_id = m.id AND um.user_id = ?"
        " WHERE m.id IN (SELECT value FROM json_each(?)) ORDER BY m.id",
        user.id,
        json.dumps(list(ids)),
    )
    result: dict[str, object] = {}
    others_of: dict[int, list[int]] = {}
    for row in rows:
        if row["channel_id"] is not None:
            details: dict[str, object] = {
                "type": "stream",
                "stream_id": row["channel_id"],
                "topic": row["topic"],
                "unmuted_stream_msg": True,
            }
        else:
            conversation_id = row["conversation_id"]
            if conversation_id not in others_of:
                others_of[conversation_id] = [
                    i for i in member_ids(organization, conversation_id) if i != user.id
                ]
            details = {"type": "private", "user_ids": others_of[conversation_id]}
        if row["flags"] & flags.MENTIONS:
            details["mentioned"] = True
        result[str(row["id"])] = details
    return result


def _subscribed_only(
    organization: Organization, user: User, ids: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Returns (ids outside of channels to which the user is not subscribed, those channels that the user may
    read). Raises BAD_REQUEST for messages that the user may not read, as for missing ones, so that guessed ids
    reveal nothing.
    """
    rows = organization.store.all(
        "SELECT id, channel_id FROM messages WHERE id IN (SELECT value FROM json_each(?))",
        json.dumps(list(ids)),
    )
    delivered = set(access.delivered_ids(organization, user.id, ids))
    if len(rows) < len(set(ids)) or not all(
        row["id"] in delivered or _may_name(organization, user, row["id"]) for row in rows
    ):
        raise invalid_message()
    subscribed = access.subscribed_ids(organization, user.id)
    kept = [row["id"] for row in rows if row["channel_id"] is None or row["channel_id"] in subscribed]
    skipped = {row["channel_id"] for row in rows} - subscribed - {None}
    return kept, sorted(
        i for i in skipped if access.may_read(organization, user, organization.channels[i], subscribed)
    )


def _take_into_history(organization: Organization, user: User, ids: Iterable[int]) -> None:
    """Adds visible messages that the user has not received to their history; raises for others (FLG-14)."""
    for message_id in ids:
        if not _may_name(organization, user, message_id):
            raise invalid_message()
        organization.store.execute(
            "INSERT OR IGNORE INTO user_messages (user_id, message_id, flags) VALUES (?, ?, ?)",
            user.id,
            message_id,
            int(FlagBit.READ | FlagBit.HISTORICAL),
        )


def _may_name(organization: Organization, user: User, message_id: int) -> bool:
    message = access.find_message(organization, message_id)
    return message is not None and access.may_name(organization, user, message)


def mark_everything_read(organization: Organization, user: User) -> None:
    """Marks all of a user's messages as read, with a single event."""
    if not unread_ids(organization, user):
        return
    organization.store.execute(
        "UPDATE user_messages INDEXED BY unread_messages SET flags = flags | 1 WHERE user_id = ? AND flags & 1 = 0",
        user.id,
    )
    event = {"type": "update_message_flags", "op": "add", "operation": "add", "flag": "read"}
    organization.emit({**event, "messages": [], "all": True}, [user.id])


routes = Routes()


def operation(name: str, text: str) -> bool:
    """Parses add or remove; returns whether it is add (FLG-03)."""
    if text not in ("add", "remove"):
        raise ServiceError(f"Invalid message flag operation: '{text}'")
    return text == "add"


def flag(name: str, text: str) -> FlagBit:
    """A flag that users may change."""
    return changeable(text)


MESSAGES = required("messages", integers)
OPERATION = required("op", operation)
FLAG = required("flag", flag)

ANCHOR = required("anchor", string)
NUM_BEFORE = required("num_before", natural)
NUM_AFTER = required("num_after", natural)
INCLUDE_ANCHOR = defaulted("include_anchor", boolean, True)
NARROW = required("narrow", nullable(narrow))

STREAM_ID = required("stream_id", integer)
TOPIC_NAME = required("topic_name", string)


@routes.post("/messages/flags", MESSAGES, OPERATION, FLAG)
def update_message_flags(call: Call) -> ResponseBody:
    """Adds or removes a flag on messages."""
    ids = list(dict.fromkeys(call[MESSAGES]))
    limit = call.organization.config.limits.max_messages_fetched
    if len(ids) > limit:
        raise ServiceError(f"Too many messages requested (maximum {limit}).")
    changed, ignored = change_flags(call.organization, call.user, ids, call[FLAG], add=call[OPERATION])
    return {"messages": changed, **_ignored(call, ignored)}


def _ignored(call: Call, channel_ids: list[int]) -> ResponseBody:
    becomes_unread = call[FLAG] is FlagBit.READ and not call[OPERATION]
    reported = becomes_unread or reports_every_skipped_channel(call.organization.config)
    if call.level < Gate.SKIPPED_CHANNELS.level or not reported:
        return {}
    return {"ignored_because_not_subscribed_channels": channel_ids}


@routes.post("/messages/flags/narrow", ANCHOR, INCLUDE_ANCHOR, NUM_BEFORE, NUM_AFTER, NARROW, OPERATION, FLAG)
async def update_flags_for_narrow(call: Call) -> ResponseBody:
    """Adds or removes a flag on a range of a narrow; the client continues from `last_processed_id`."""
    organization, user = call.organization, call.user
    check_range(organization, call[NUM_BEFORE], call[NUM_AFTER], include_anchor=call[INCLUDE_ANCHOR])
    terms = call[NARROW]
    query = build(organization, user, terms or ())
    around = await evaluated(
        organization,
        query,
        lambda reading, query: page(
            reading,
            query,
            anchor_id(reading, user, call[ANCHOR], query, narrowed=bool(terms)),
            characters=organization.config.limits.page_characters,
            num_before=call[NUM_BEFORE],
            num_after=call[NUM_AFTER],
            include_anchor=call[INCLUDE_ANCHOR],
        ),
    )
    with organization.transaction():
        call.confirm()
        changed, ignored = change_flags(organization, call.user, around.ids, call[FLAG], add=call[OPERATION])
    return {
        "processed_count": len(around.ids),
        "updated_count": len(changed),
        "first_processed_id": around.ids[0] if around.ids else None,
        "last_processed_id": around.ids[-1] if around.ids else None,
        "found_oldest": around.found_oldest,
        "found_newest": around.found_newest,
        **_ignored(call, ignored),
    }


@routes.post("/mark_all_as_read")
def mark_all_as_read(call: Call) -> ResponseBody:
    """Marks all messages of the caller as read."""
    mark_everything_read(call.organization, call.user)
    return {"complete": True}


@routes.post("/mark_stream_as_read", STREAM_ID)
def mark_channel_as_read(call: Call) -> ResponseBody:
    """Marks all messages of a channel as read."""
    channel = access.readable_channel(call.organization, call.user, call[STREAM_ID])
    _mark_read(call, unread_in(call.organization, call.user, channel.id))
    return {}


@routes.post("/mark_topic_as_read", STREAM_ID, TOPIC_NAME)
def mark_topic_as_read(call: Call) -> ResponseBody:
    """Marks all messages of a topic as read."""
    channel = access.readable_channel(call.organization, call.user, call[STREAM_ID])
    topic = topics.mapped(call.organization, call[TOPIC_NAME])
    if not access.newest_in_topic(call.organization, call.user, channel, topic, 1):
        raise ServiceError(f"No such topic '{call[TOPIC_NAME]}'")
    _mark_read(call, unread_in(call.organization, call.user, channel.id, topic))
    return {}


def _mark_read(call: Call, ids: list[int]) -> None:
    change_flags(call.organization, call.user, ids, FlagBit.READ, add=True)
