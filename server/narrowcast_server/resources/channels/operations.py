"""Reading channels: all, one, by name, their email addresses, their topics (rows TOP)."""

from __future__ import annotations

from narrowcast_api.wire.levels import Gate
from narrowcast_server.http.params import boolean, defaulted, natural, optional, required, string
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import Channel
from narrowcast_server.queries.channels import channel_object, subscribers_by_channel, topics_of
from narrowcast_server.resources.bots import managed_bot
from narrowcast_server.rules import access
from narrowcast_server.rules.messages import check_may_post_somewhere

routes = Routes()

INCLUDE_PUBLIC = defaulted("include_public", boolean, True)
INCLUDE_WEB_PUBLIC = defaulted("include_web_public", boolean, False)
INCLUDE_SUBSCRIBED = defaulted("include_subscribed", boolean, True)
INCLUDE_ALL = defaulted("include_all", boolean, False, aliases=("include_all_active",))
INCLUDE_DEFAULT = defaulted("include_default", boolean, False)
EXCLUDE_ARCHIVED = defaulted("exclude_archived", boolean, True)
INCLUDE_OF_OWNER = defaulted("include_owner_subscribed", boolean, False)
INCLUDE_READABLE = defaulted("include_can_access_content", boolean, False)
NAME = required("stream", string)
SENDER_ID = optional("sender_id", natural)
ALLOW_EMPTY = defaulted("allow_empty_topic_name", boolean, False, since=Gate.EMPTY_TOPIC.level)


@routes.get(
    "/streams",
    INCLUDE_PUBLIC,
    INCLUDE_WEB_PUBLIC,
    INCLUDE_SUBSCRIBED,
    EXCLUDE_ARCHIVED,
    INCLUDE_ALL,
    INCLUDE_DEFAULT,
    INCLUDE_OF_OWNER,
    INCLUDE_READABLE,
)
def get_streams(call: Call) -> ResponseBody:
    """The channels that the caller may know of, filtered by kind."""
    organization, user = call.organization, call.user
    subscribed = access.subscribed_ids(organization, user.id)
    counts = subscribers_by_channel(organization)
    of_owner = (
        access.subscribed_ids(organization, user.bot_owner_id or 0) if call[INCLUDE_OF_OWNER] else frozenset()
    )
    rows = []
    for channel in organization.channels.all():
        if channel.is_archived and call[EXCLUDE_ARCHIVED]:
            continue
        if not access.may_know(organization, user, channel, subscribed):
            continue
        if channel.id not in of_owner and not _is_wanted(call, channel, subscribed):
            continue
        row = channel_object(organization, channel, subscriber_count=len(counts.get(channel.id, ())))
        if call[INCLUDE_DEFAULT]:
            row["is_default"] = channel.is_default
        rows.append(row)
    return {"streams": rows}


def _is_wanted(call: Call, channel: Channel, subscribed: set[int]) -> bool:
    if call[INCLUDE_ALL]:
        return True
    if call[INCLUDE_READABLE] and access.may_read(call.organization, call.user, channel, subscribed):
        return True
    if channel.id in subscribed:
        return call[INCLUDE_SUBSCRIBED]
    if channel.is_web_public:
        return call[INCLUDE_WEB_PUBLIC] or (call[INCLUDE_PUBLIC] and not call.user.is_guest)
    return call[INCLUDE_PUBLIC] and not channel.invite_only


@routes.get("/streams/{stream_id}")
def get_stream(call: Call) -> ResponseBody:
    channel = access.known_channel(call.organization, call.user, call.path_id("stream_id"))
    return {"stream": channel_object(call.organization, channel)}


@routes.get("/get_stream_id", NAME)
def get_stream_id(call: Call) -> ResponseBody:
    """The id of the channel with this name."""
    channel = access.readable_channel_named(call.organization, call.user, call[NAME])
    if channel is None:
        raise ServiceError(f"Invalid channel name '{call[NAME]}'")
    return {"stream_id": channel.id}


@routes.get("/streams/{stream_id}/email_address", SENDER_ID)
def get_email_address(call: Call) -> ResponseBody:
    """The email address of a channel. It only identifies the channel: this server receives no email."""
    organization, user = call.organization, call.user
    channel = access.readable_channel(organization, user, call.path_id("stream_id"))
    if call.level >= Gate.CHANNEL_EMAIL_OF_POSTERS.level:
        check_may_post_somewhere(organization, user, channel)
    sender_id = call[SENDER_ID]
    if sender_id is not None and sender_id != user.id:
        managed_bot(organization, user, sender_id)
    return {"email": f"channel-{channel.id}@{organization.setting('domain', str)}"}


@routes.get("/users/me/{stream_id}/topics", ALLOW_EMPTY)
def get_topics(call: Call) -> ResponseBody:
    """The topics that the caller can read, most recent first."""
    organization, user = call.organization, call.user
    channel = access.readable_channel(organization, user, call.path_id("stream_id"))
    empty = "" if call[ALLOW_EMPTY] else organization.empty_topic_name
    return {
        "topics": [
            {"name": name or empty, "max_id": newest}
            for name, newest in topics_of(organization, user, channel)
        ]
    }
