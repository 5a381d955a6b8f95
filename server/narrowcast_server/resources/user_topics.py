"""A user's visibility policies of topics: muted, unmuted, followed.

The changes are in `actions/user_topics.py`, since sending, reacting and moving also make them.
"""

from __future__ import annotations

from narrowcast_api.wire.vocabulary import VisibilityPolicy
from narrowcast_server.actions.user_topics import muted_topics, set_policy
from narrowcast_server.http.params import choice, integer, integer_choice, missing, optional, required, string
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.errors import ServiceError, invalid_channel_id
from narrowcast_server.queries.snapshot.parts import Snapshot, part
from narrowcast_server.rules import access, topics


@part("user_topic")
def user_topics(request: Snapshot) -> dict[str, object]:
    """The user's visibility policies of topics, without those in archived channels."""
    channels = request.organization.channels
    rows = request.organization.store.all("SELECT * FROM user_topics WHERE user_id = ?", request.user.id)
    name = request.options.empty_topic_name
    return {
        "user_topics": [
            {
                "stream_id": row["channel_id"],
                "topic_name": row["topic"] or (name or ""),
                "visibility_policy": row["policy"],
                "last_updated": row["last_updated"],
            }
            for row in rows
            if not channels[row["channel_id"]].is_archived
        ]
    }


@part("muted_topics")
def muted_topics_part(request: Snapshot) -> dict[str, object]:
    """Muted topics, in the form for older clients."""
    name = request.options.empty_topic_name
    rows = muted_topics(request.organization, request.user.id)
    return {"muted_topics": [[channel, topic or (name or ""), moment] for channel, topic, moment in rows]}


routes = Routes()

STREAM_ID = required("stream_id", integer)
TOPIC = required("topic", string)
POLICY = required("visibility_policy", integer_choice(0, 1, 2, 3, listed=True))
OPTIONAL_STREAM = optional("stream", string)
OPTIONAL_STREAM_ID = optional("stream_id", integer)
OPERATION = required("op", choice("add", "remove"))


@routes.post("/user_topics", STREAM_ID, TOPIC, POLICY)
def post_user_topic(call: Call) -> ResponseBody:
    """Mutes, unmutes or follows a topic, or resets its policy; only resetting works in archived channels."""
    policy = VisibilityPolicy(call[POLICY])
    inherits = policy is VisibilityPolicy.NONE
    channel = access.readable_channel(call.organization, call.user, call[STREAM_ID], archived=inherits)
    topics.check_length(call.organization, call[TOPIC])
    set_policy(
        call.organization, call.user.id, channel.id, topics.mapped(call.organization, call[TOPIC]), policy
    )
    return {}


@routes.patch("/users/me/subscriptions/muted_topics", OPTIONAL_STREAM_ID, OPTIONAL_STREAM, TOPIC, OPERATION)
def patch_muted_topic(call: Call) -> ResponseBody:
    """Mutes or unmutes a topic, with the operation of older clients."""
    organization, user = call.organization, call.user
    channel_id, name = call[OPTIONAL_STREAM_ID], call[OPTIONAL_STREAM]
    if channel_id is not None and name is not None:
        raise ServiceError(
            "Unsupported parameter combination: stream_id, stream", parameters=["stream_id", "stream"]
        )
    if channel_id is None and name is None:
        raise missing("stream_id")
    mutes = call[OPERATION] == "add"
    if channel_id is not None:
        channel = access.readable_channel(organization, user, channel_id, archived=not mutes)
    else:
        named = (
            None
            if name is None
            else access.readable_channel_named(organization, user, name, archived=not mutes)
        )
        if named is None:
            raise invalid_channel_id()
        channel = named
    topics.check_length(call.organization, call[TOPIC])
    policy = VisibilityPolicy.MUTED if mutes else VisibilityPolicy.NONE
    set_policy(organization, user.id, channel.id, topics.mapped(organization, call[TOPIC]), policy)
    return {}
