"""Flags: POST /messages/flags (rows FLG), by narrow, and marking everything, a channel or a topic as read."""

from __future__ import annotations

from narrowcast_api.wire.levels import Gate
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
from narrowcast_server.organization.dialect import reports_every_skipped_channel
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import FlagBit
from narrowcast_server.queries.fetching import anchor_id, check_range, evaluated, page
from narrowcast_server.queries.narrow import build
from narrowcast_server.queries.narrow_terms import narrow
from narrowcast_server.queries.unread import unread_in
from narrowcast_server.resources.message_flags.changes import change_flags, changeable, mark_everything_read
from narrowcast_server.rules import access, topics

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
