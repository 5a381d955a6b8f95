"""Topics: GET /users/me/{stream_id}/topics (rows TOP), and the caller's visibility policies."""

from __future__ import annotations

from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import VisibilityPolicy
from narrowcast_server.actions.user_topics import set_policy
from narrowcast_server.http.params import (
    boolean,
    choice,
    defaulted,
    integer,
    integer_choice,
    missing,
    optional,
    required,
    string,
)
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.errors import ServiceError, invalid_channel_id
from narrowcast_server.queries.topics import topics_of
from narrowcast_server.rules import access, topics

routes = Routes()

ALLOW_EMPTY = defaulted("allow_empty_topic_name", boolean, False, since=Gate.EMPTY_TOPIC.level)
STREAM_ID = required("stream_id", integer)
TOPIC = required("topic", string)
POLICY = required("visibility_policy", integer_choice(0, 1, 2, 3, listed=True))
OPTIONAL_STREAM = optional("stream", string)
OPTIONAL_STREAM_ID = optional("stream_id", integer)
OPERATION = required("op", choice("add", "remove"))


@routes.get("/users/me/{stream_id}/topics", ALLOW_EMPTY)
def get_topics(call: Call) -> ResponseBody:
    """The topics that the caller can read, most recent first."""
    core, user = call.core, call.user
    channel = access.readable_channel(core, user, call.path_id("stream_id"))
    empty = "" if call[ALLOW_EMPTY] else core.empty_topic_name
    return {
        "topics": [
            {"name": name or empty, "max_id": newest} for name, newest in topics_of(core, user, channel)
        ]
    }


@routes.post("/user_topics", STREAM_ID, TOPIC, POLICY)
def update_user_topic(call: Call) -> ResponseBody:
    """Mutes, unmutes or follows a topic, or resets its policy; only resetting works in archived channels."""
    policy = VisibilityPolicy(call[POLICY])
    inherits = policy is VisibilityPolicy.NONE
    channel = access.readable_channel(call.core, call.user, call[STREAM_ID], archived=inherits)
    topics.check_length(call.core, call[TOPIC])
    set_policy(call.core, call.user.id, channel.id, topics.mapped(call.core, call[TOPIC]), policy)
    return {}


@routes.patch("/users/me/subscriptions/muted_topics", OPTIONAL_STREAM, OPTIONAL_STREAM_ID, TOPIC, OPERATION)
def mute_topic(call: Call) -> ResponseBody:
    """Mutes or unmutes a topic, with the operation of older clients."""
    core, user = call.core, call.user
    channel_id, name = call[OPTIONAL_STREAM_ID], call[OPTIONAL_STREAM]
    if channel_id is not None and name is not None:
        raise ServiceError(
            "Unsupported parameter combination: stream_id, stream", parameters=["stream_id", "stream"]
        )
    if channel_id is None and name is None:
        raise missing("stream_id")
    mutes = call[OPERATION] == "add"
    if channel_id is not None:
        channel = access.readable_channel(core, user, channel_id, archived=not mutes)
    else:
        named = None if name is None else access.readable_channel_named(core, user, name, archived=not mutes)
        if named is None:
            raise invalid_channel_id()
        channel = named
    topics.check_length(call.core, call[TOPIC])
    policy = VisibilityPolicy.MUTED if mutes else VisibilityPolicy.NONE
    set_policy(core, user.id, channel.id, topics.mapped(core, call[TOPIC]), policy)
    return {}
