"""Whatever a server sends, every call returns a value or raises a typed error."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable

import httpx2
from hypothesis import given
from hypothesis import strategies as st

from narrowcast_api.client import Client
from narrowcast_api.errors import NarrowcastError
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.rate_limit import RateGate
from narrowcast_api.http.secret import Secret
from narrowcast_api.narrow.destinations import ChannelDestination, DirectDestination
from narrowcast_api.routes.auth import fetch_api_key
from narrowcast_api.server_info import ServerInfo
from narrowcast_api.wire.vocabulary import PresenceStatus, VisibilityPolicy
from support.api import ACCOUNT
from support.clock import VirtualClock
from support.properties import examples, hostile_json
from support.scripted import Raw

LUNCH = ChannelDestination(7, "lunch")

Call = Callable[[Client], Awaitable[object]]

CALLS: list[Call] = [
    lambda c: c.connection.identify(),
    lambda c: c.server.settings(),
    lambda c: c.registration.register(),
    lambda c: c.events.get(queue_id="q", last_event_id=1),
    lambda c: c.events.delete_queue(queue_id="q"),
    lambda c: fetch_api_key(c.connection, username="a", password=Secret("b")),
    lambda c: c.messages.list(num_before=1),
    lambda c: c.messages.list_by_id(message_ids=[1]),
    lambda c: c.messages.get(message_id=1),
    lambda c: c.messages.send(to=LUNCH, content="x"),
    lambda c: c.messages.send(to=DirectDestination(frozenset()), content="x"),
    lambda c: c.messages.edit(message_id=1, content="x"),
    lambda c: c.messages.history(message_id=1),
    lambda c: c.messages.read_receipts(message_id=1),
    lambda c: c.messages.render(content="x"),
    lambda c: c.narrows.matches(message_ids=[1], narrow=[]),
    lambda c: c.typing.set(op="start", to=LUNCH),
    lambda c: c.flags.change(message_ids=[1], op="add", flag="read"),
    lambda c: c.flags.change_whole_narrow(narrow=[], progress=lambda _: False),
    lambda c: c.flags.mark_all_as_read(progress=lambda: False),
    lambda c: c.reactions.add(message_id=1, emoji_name="x"),
    lambda c: c.reactions.remove(message_id=1, emoji_name="x"),
    lambda c: c.topics.list(channel_id=1),
    lambda c: c.topics.delete(channel_id=1, topic="x", progress=lambda _: False),
    lambda c: c.topics.set_visibility(channel_id=1, topic="x", policy=VisibilityPolicy.MUTED),
    lambda c: c.topics.move(channel_id=1, topic="x", new_topic="y"),
    lambda c: c.subscriptions.list(),
    lambda c: c.subscriptions.add(channels=["a"]),
    lambda c: c.subscriptions.remove(channels=["a"], principals=[1]),
    lambda c: c.subscriptions.members(channel_id=1),
    lambda c: c.subscriptions.is_subscribed(user_id=1, channel_id=1),
    lambda c: c.channels.list(),
    lambda c: c.channels.get(channel_id=1),
    lambda c: c.channels.get_id(name="a"),
    lambda c: c.channels.create(name="a", subscribers=[1]),
    lambda c: c.channels.email(channel_id=1),
    lambda c: c.users.me(),
    lambda c: c.users.get(user_id=1),
    lambda c: c.users.list(),
    lambda c: c.users.create(email="a", password=Secret("b"), full_name="c"),
    lambda c: c.users.deactivate(user_id=1, notification_comment=""),
    lambda c: c.status.set(status_text="x"),
    lambda c: c.status.get(user_id=1),
    lambda c: c.presence.update(status=PresenceStatus.IDLE),
    lambda c: c.presence.list(),
    lambda c: c.presence.get(user_id=1),
    lambda c: c.settings.update(settings={"a": 1}),
    lambda c: c.settings.regenerate_api_key(),
    lambda c: c.settings.change_password(old=Secret("a"), new=Secret("b")),
    lambda c: c.settings.alert_words(),
    lambda c: c.uploads.list(),
    lambda c: c.submessages.vote(message_id=1, option_key="canned,0"),
]

FIELDS = [
    "result",
    "msg",
    "code",
    "messages",
    "message",
    "id",
    "anchor",
    "complete",
    "topics",
    "user",
    "members",
    "user_id",
    "stream",
    "stream_id",
    "streams",
    "subscriptions",
    "subscribed",
    "already_subscribed",
    "removed",
    "not_removed",
    "subscribers",
    "presences",
    "presence",
    "status",
    "api_key",
    "email",
    "alert_words",
    "attachments",
    "events",
    "queue_id",
    "last_event_id",
    "service_feature_level",
    "zulip_version",
    "rendered",
    "errors",
    "max_message_length",
    "event_queue_longpoll_timeout_seconds",
    "realm_empty_topic_display_name",
    "full_name",
    "retry-after",
    "message_history",
    "user_ids",
    "updated_count",
    "last_processed_id",
    "found_newest",
    "is_subscribed",
    "is_incompatible",
    "ignored_parameters_unsupported",
    "ignored_because_not_subscribed_channels",
    "external_authentication_methods",
    "authentication_methods",
    "profile_data",
    "avatar_url",
    "detached_uploads",
    "presence_last_update_id",
]


class Always(httpx2.AsyncBaseTransport):
    """Responds to all requests alike, at most 50 of them."""

    def __init__(self, status: int, content: bytes) -> None:
        self.status, self.content, self.left = status, content, 50

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        await request.aread()
        self.left -= 1
        assert self.left > 0, "a call that never ends"
        return httpx2.Response(self.status, stream=Raw(self.content))


@examples(250)
@given(
    st.sampled_from(CALLS),
    st.dictionaries(st.sampled_from(FIELDS), hostile_json(), max_size=8),
    st.sampled_from(["success", "error", "partially_completed"]),
    st.sampled_from([200, 200, 200, 400, 429, 503]),
    st.sampled_from([0, 100, 214, 372, 442]),
)
async def test_any_response_gives_a_value_or_a_typed_error(
    call: Call, fields: dict[str, object], result: str, status: int, level: int
) -> None:
    body = {"msg": "", **fields, "result": fields.get("result", result)}
    transport = Always(status, json.dumps(body).encode())
    connection = Connection(
        ACCOUNT,
        transport=transport,
        server=ServerInfo(level=level, known=True),
        patience=0,
        gate=RateGate(VirtualClock()),
    )
    async with Client(connection) as client:
        try:
            await call(client)
        except NarrowcastError as error:
            message = error.user_message
        else:
            message = ""
        assert isinstance(message, str)
        assert 0 <= connection.server.level <= 2**31
