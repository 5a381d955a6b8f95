"""Sending and reading messages."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Final

from narrowcast_api.wire.levels import Gate
from narrowcast_server.http.params import (
    boolean,
    choice,
    defaulted,
    integers,
    missing,
    natural,
    nullable,
    number,
    optional,
    required,
    string,
    time,
)
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.checks import json_value
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.event_variants import QueueOptions
from narrowcast_server.queries.fetching import (
    anchor_id,
    check_range,
    client_json,
    client_objects,
    evaluated,
    match_fields,
    matching_ids,
    page,
    within_size,
)
from narrowcast_server.queries.narrow import Query, build
from narrowcast_server.queries.narrow_terms import narrow
from narrowcast_server.queries.rendering import rendered
from narrowcast_server.resources.messages.sending import (
    Origin,
    is_human_client,
    send_direct,
    send_to_channel,
    truncated_content,
)
from narrowcast_server.rules import access, topics
from narrowcast_server.rules.recipients import channel_of, people_of

routes = Routes()

TYPE = required("type", choice("direct", "channel", "stream", "private"))
TO = optional("to", string)
CONTENT = required("content", string)
TOPIC = optional("topic", string, aliases=("subject",))
QUEUE_ID = optional("queue_id", string)
LOCAL_ID = optional("local_id", string)
READ_BY_SENDER = optional("read_by_sender", boolean)
SENDER = optional("sender", string)
FORGED = optional("forged", string)
TIME = optional("time", number)
WIDGET = optional("widget_content", string)

ANCHOR = optional("anchor", string)
ANCHOR_DATE = optional("anchor_date", time, since=Gate.ANCHOR_DATE.level)
FIRST_UNREAD = defaulted("use_first_unread_anchor", boolean, False)
NUM_BEFORE = defaulted("num_before", natural, 0)
NUM_AFTER = defaulted("num_after", natural, 0)
INCLUDE_ANCHOR = defaulted("include_anchor", boolean, True)
NARROW = optional("narrow", nullable(narrow))
MESSAGE_IDS = optional("message_ids", nullable(integers))
APPLY_MARKDOWN = defaulted("apply_markdown", boolean, True)
CLIENT_GRAVATAR = defaulted("client_gravatar", boolean, True)
ALLOW_EMPTY_TOPIC = defaulted("allow_empty_topic_name", boolean, False, since=Gate.EMPTY_TOPIC.level)
MSG_IDS = required("msg_ids", integers)
REQUIRED_NARROW = required("narrow", narrow)

_MAX_IDS: Final = 5000
_NOT_TOGETHER: Final = "num_before, num_after, anchor, message_ids, include_anchor, use_first_unread_anchor"


@routes.post(
    "/messages",
    TYPE,
    TO,
    SENDER,
    FORGED,
    TOPIC,
    CONTENT,
    WIDGET,
    LOCAL_ID,
    QUEUE_ID,
    TIME,
    READ_BY_SENDER,
    webhooks=True,
)
def send_message(call: Call) -> ResponseBody:
    """Sends a message; returns its id."""
    organization, user = call.organization, call.user
    _refuse_for_others(call)
    read = call[READ_BY_SENDER]
    origin = Origin(
        client=call.client,
        read_by_sender=is_human_client(call.client) if read is None else read,
        queue_id=call[QUEUE_ID],
        local_id=call[LOCAL_ID],
    )
    to, content = call[TO], truncated_content(organization, call[CONTENT])
    if call[TYPE] in ("direct", "private"):
        if to is None:
            raise missing("to")
        return {"id": send_direct(organization, user, people_of(organization, user, to), content, origin).id}
    if to is None:
        raise ServiceError("Missing channel")
    channel = channel_of(organization, user, to)
    topic = call[TOPIC]
    if topic is None:
        raise ServiceError("Missing topic")
    sent = send_to_channel(
        organization,
        user,
        channel,
        topics.checked(organization, topics.truncated(organization, topic)),
        content,
        origin,
    )
    body: ResponseBody = {"id": sent.id}
    if sent.visibility_policy is not None:
        body["automatic_new_visibility_policy"] = sent.visibility_policy
    return body


def _refuse_for_others(call: Call) -> None:
    """Rejects parameters to send as another user or to set a widget, which only the text of a message can create."""
    if call[FORGED] in ("yes", "true"):
        raise ServiceError("User not authorized for this query")
    if call[SENDER] is not None:
        raise ServiceError("Invalid mirrored message")
    widget = call[WIDGET]
    if widget is not None:
        try:
            given = json_value("widget_content", widget)
        except ServiceError as error:
            raise ServiceError("Widgets: API programmer sent invalid JSON content") from error
        if not isinstance(given, dict):
            raise ServiceError("Widgets: widget_content is not a dict")
        for key in ("widget_type", "extra_data"):
            if key not in given:
                raise ServiceError(f"Widgets: {key} is not in widget_content")
        raise ServiceError(f"Widgets: unknown widget type: {given['widget_type']}")


@routes.get(
    "/messages",
    ANCHOR,
    ANCHOR_DATE,
    INCLUDE_ANCHOR,
    NUM_BEFORE,
    NUM_AFTER,
    NARROW,
    FIRST_UNREAD,
    CLIENT_GRAVATAR,
    APPLY_MARKDOWN,
    ALLOW_EMPTY_TOPIC,
    MESSAGE_IDS,
)
async def get_messages(call: Call) -> ResponseBody:
    """Messages around an anchor, or those of `message_ids`."""
    ids = call[MESSAGE_IDS]
    terms = call[NARROW]
    query = build(call.organization, call.user, terms or ())
    if ids is not None:
        return await _by_ids(call, query, ids)
    check_range(call.organization, call[NUM_BEFORE], call[NUM_AFTER], include_anchor=call[INCLUDE_ANCHOR])
    anchor = _anchor(call)
    around = await evaluated(
        call.organization,
        query,
        lambda reading, query: page(
            reading,
            query,
            anchor_id(reading, call.user, anchor, query, narrowed=bool(terms)),
            characters=call.organization.config.limits.page_characters,
            num_before=call[NUM_BEFORE],
            num_after=call[NUM_AFTER],
            include_anchor=call[INCLUDE_ANCHOR],
        ),
    )
    return {
        "messages": await client_json(call.organization, call.user, around.ids, _options(call), query.search),
        "found_anchor": around.found_anchor,
        "found_oldest": around.found_oldest,
        "found_newest": around.found_newest,
        "history_limited": False,
        "anchor": around.anchor,
    }


def _anchor(call: Call) -> str | datetime:
    anchor = "first_unread" if call[FIRST_UNREAD] else call[ANCHOR]
    if anchor is None:
        raise ServiceError("Missing 'anchor' argument.")
    if anchor != "date" or call.level < Gate.ANCHOR_DATE.level:
        return anchor
    moment = call[ANCHOR_DATE]
    if moment is None:
        raise missing("anchor_date")
    return moment


async def _by_ids(call: Call, query: Query, ids: list[int]) -> ResponseBody:
    if call.given(ANCHOR) or call.given(NUM_BEFORE) or call.given(NUM_AFTER):
        raise ServiceError(f"Unsupported parameter combination: {_NOT_TOGETHER}", parameters=_NOT_TOGETHER)
    if len(ids) > _MAX_IDS:
        raise ServiceError(f"Too many messages requested (maximum {_MAX_IDS}).")
    different = list(dict.fromkeys(ids))
    visible_ids = await evaluated(
        call.organization, query, lambda reading, query: matching_ids(reading, query, different)
    )
    characters = call.organization.config.limits.page_characters
    if len(within_size(call.organization.store, visible_ids, characters)) < len(visible_ids):
        raise ServiceError("The messages are too long to be requested together: request fewer at a time")
    return {
        "messages": await client_json(
            call.organization, call.user, visible_ids, _options(call), query.search
        ),
        "found_anchor": False,
        "found_oldest": False,
        "found_newest": False,
        "history_limited": False,
    }


def _options(call: Call) -> QueueOptions:
    return QueueOptions(
        apply_markdown=call[APPLY_MARKDOWN],
        client_gravatar=call[CLIENT_GRAVATAR],
        empty_topic_name=None if call[ALLOW_EMPTY_TOPIC] else call.organization.empty_topic_name,
    )


@routes.get("/messages/{message_id}", APPLY_MARKDOWN, ALLOW_EMPTY_TOPIC)
def get_message(call: Call) -> ResponseBody:
    """One message, with its source as `raw_content`."""
    message = access.visible_message(call.organization, call.user, call.path_id("message_id"))
    options = QueueOptions(
        apply_markdown=call[APPLY_MARKDOWN],
        client_gravatar=False,
        empty_topic_name=None if call[ALLOW_EMPTY_TOPIC] else call.organization.empty_topic_name,
    )
    shown = client_objects(call.organization, call.user, [message.id], options)[0]
    return {"message": shown, "raw_content": message.content}


@routes.get("/messages/matches_narrow", MSG_IDS, REQUIRED_NARROW)
async def matches_narrow(call: Call) -> ResponseBody:
    """Which of the given messages match a narrow (NAR-01). Others are served between messages."""
    organization, user = call.organization, call.user
    query = build(organization, user, call[REQUIRED_NARROW])
    options = QueueOptions(empty_topic_name=organization.empty_topic_name)
    matches: dict[str, object] = {}
    ids = call[MSG_IDS]
    for identity in await evaluated(
        organization, query, lambda reading, query: matching_ids(reading, query, ids)
    ):
        message = access.find_message(organization, identity)
        if message is None:
            continue
        matches[str(identity)] = match_fields(message, options, query.search)
        await asyncio.sleep(0)
    return {"messages": matches}


@routes.post("/messages/render", CONTENT)
def render_message(call: Call) -> ResponseBody:
    """Renders a text as HTML."""
    limit = call.organization.config.limits.max_message_length
    if len(call[CONTENT]) > limit:
        raise ServiceError(f"Message is too long (limit: {limit} characters)")
    return {"rendered": rendered(call.organization, call.user, call[CONTENT]).html}
