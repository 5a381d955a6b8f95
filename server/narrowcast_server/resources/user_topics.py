"""A user's visibility policies of topics: muted, unmuted, followed; sending, reacting and moving change them too."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.vocabulary import VisibilityPolicy
from narrowcast_server.http.params import choice, integer, integer_choice, missing, optional, required, string
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.errors import ServiceError, invalid_channel_id
from narrowcast_server.organization.models import User
from narrowcast_server.organization.personal import setting, switched_on
from narrowcast_server.queries.snapshot.parts import Snapshot, part
from narrowcast_server.rules import access, topics

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization


_ON_PARTICIPATION: Final = 1
_ON_SENDING: Final = 2
_ON_INITIATING: Final = 3


def policy_of(organization: Organization, user_id: int, channel_id: int, topic: str) -> VisibilityPolicy:
    """A user's visibility policy for a topic."""
    value = organization.store.integer(
        "SELECT policy FROM user_topics WHERE user_id = ? AND channel_id = ? AND topic = ?",
        user_id,
        channel_id,
        topic,
    )
    return VisibilityPolicy(value or 0)


def muted_topics(organization: Organization, user_id: int) -> list[list[object]]:
    """Muted topics in the form for older clients: (channel name, topic, time). Without those in archived
    channels, and in channels that the user may no longer know of, whose name may have changed since.
    """
    user = organization.users[user_id]
    rows = organization.store.all(
        "SELECT * FROM user_topics WHERE user_id = ? AND policy = ? ORDER BY last_updated",
        user_id,
        int(VisibilityPolicy.MUTED),
    )
    return [
        [channel.name, row["topic"], row["last_updated"]]
        for row in rows
        if not (channel := organization.channels[row["channel_id"]]).is_archived
        and access.may_know(organization, user, channel)
    ]


def _make_room(organization: Organization, user_id: int) -> None:
    """Removes the oldest policy if the user has too many, since some policies are set automatically."""
    limit = organization.config.quotas.topic_policies
    if (
        organization.store.integer("SELECT count(*) FROM user_topics WHERE user_id = ?", user_id) or 0
    ) < limit:
        return
    oldest = organization.store.one(
        "SELECT channel_id, topic FROM user_topics WHERE user_id = ? ORDER BY last_updated, channel_id, topic",
        user_id,
    )
    assert oldest is not None
    set_policy(organization, user_id, oldest["channel_id"], oldest["topic"], VisibilityPolicy.NONE)


def set_policy(
    organization: Organization,
    user_id: int,
    channel_id: int,
    topic: str,
    policy: VisibilityPolicy,
    *,
    timestamp: int | None = None,
) -> bool:
    """Stores a user's policy for a topic and notifies their clients; returns False if nothing changed."""
    if policy_of(organization, user_id, channel_id, topic) is policy:
        return False
    moment = organization.now() if timestamp is None else timestamp
    if policy is VisibilityPolicy.NONE:
        organization.store.execute(
            "DELETE FROM user_topics WHERE user_id = ? AND channel_id = ? AND topic = ?",
            user_id,
            channel_id,
            topic,
        )
    else:
        _make_room(organization, user_id)
        organization.store.execute(
            "INSERT INTO user_topics (user_id, channel_id, topic, policy, last_updated) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET policy = excluded.policy, last_updated = excluded.last_updated",
            user_id,
            channel_id,
            topic,
            int(policy),
            moment,
        )
    organization.emit(
        {"type": "muted_topics", "muted_topics": muted_topics(organization, user_id)}, [user_id]
    )
    organization.emit(
        {
            "type": "user_topic",
            "stream_id": channel_id,
            "topic_name": topic,
            "last_updated": moment,
            "visibility_policy": int(policy),
        },
        [user_id],
    )
    return True


def follow_after_sending(
    organization: Organization, sender: User, channel_id: int, topic: str, *, initiates: bool
) -> int | None:
    """Sets the policy that the sender's settings ask for after sending; returns it if it is new."""
    reached = _ON_INITIATING if initiates else _ON_SENDING
    return _raise_policy(organization, sender, channel_id, topic, reached)


def follow_after_taking_part(
    organization: Organization, user: User, channel_id: int, topic: str
) -> int | None:
    """Sets the policy that a user's settings ask for after reacting or voting; returns it if it is new."""
    return _raise_policy(organization, user, channel_id, topic, _ON_PARTICIPATION)


def follow_after_mentions(
    organization: Organization, user_ids: Iterable[int], channel_id: int, topic: str
) -> None:
    """Lets mentioned users follow the topic, if their settings ask for it."""
    for user_id in user_ids:
        user = organization.users[user_id]
        current = policy_of(organization, user_id, channel_id, topic)
        if (
            switched_on(user, "automatically_follow_topics_where_mentioned")
            and current is VisibilityPolicy.NONE
        ):
            set_policy(organization, user_id, channel_id, topic, VisibilityPolicy.FOLLOWED)


def _raise_policy(
    organization: Organization, user: User, channel_id: int, topic: str, reached: int
) -> int | None:
    if user.is_bot:
        return None
    current = policy_of(organization, user.id, channel_id, topic)
    if current is VisibilityPolicy.MUTED:
        return None
    policy = VisibilityPolicy.NONE
    if _applies(user, "automatically_follow_topics_policy", reached):
        policy = VisibilityPolicy.FOLLOWED
    elif _applies(user, "automatically_unmute_topics_in_muted_streams_policy", reached) and _is_muted(
        organization, user.id, channel_id
    ):
        policy = VisibilityPolicy.UNMUTED
    if policy <= current:
        return None
    set_policy(organization, user.id, channel_id, topic, policy)
    return int(policy)


def _applies(user: User, name: str, reached: int) -> bool:
    value = setting(user, name)
    assert isinstance(value, int)
    return value <= reached


def _is_muted(organization: Organization, user_id: int, channel_id: int) -> bool:
    return (
        organization.store.one(
            "SELECT 1 FROM subscriptions WHERE user_id = ? AND channel_id = ? AND active = 1 AND is_muted = 1",
            user_id,
            channel_id,
        )
        is not None
    )


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
    topics.check_length(call.organization, call[TOPIC])
    channel = access.readable_channel(call.organization, call.user, call[STREAM_ID], archived=inherits)
    set_policy(
        call.organization, call.user.id, channel.id, topics.mapped(call.organization, call[TOPIC]), policy
    )
    return {}


@routes.patch("/users/me/subscriptions/muted_topics", OPTIONAL_STREAM_ID, OPTIONAL_STREAM, TOPIC, OPERATION)
def patch_muted_topic(call: Call) -> ResponseBody:
    """Mutes or unmutes a topic, with the operation of older clients."""
    organization, user = call.organization, call.user
    topics.check_length(organization, call[TOPIC])
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
    policy = VisibilityPolicy.MUTED if mutes else VisibilityPolicy.NONE
    set_policy(organization, user.id, channel.id, topics.mapped(organization, call[TOPIC]), policy)
    return {}
