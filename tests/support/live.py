"""A small account of Ada's (id 1) for tests of state, events and session: snapshot, events, messages."""

from __future__ import annotations

from typing import Any

from narrowcast_api.events.parsing import parse_event
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.state.apply import apply as apply_event
from narrowcast_api.state.state import State

ADA, BRUNO, CHIYO = 1, 2, 3
GENERAL, DESIGN, RANDOM = 11, 12, 13
SOUP = Narrow.topic(GENERAL, "soup")


def user(user_id: int, name: str, **fields: object) -> dict[str, object]:
    """A row of `realm_users`."""
    return {
        "user_id": user_id,
        "full_name": name,
        "email": f"user{user_id}@demo.example",
        "role": 400,
        "is_bot": False,
        **fields,
    }


def channel(channel_id: int, name: str, **fields: object) -> dict[str, object]:
    """A row of `streams`."""
    return {"stream_id": channel_id, "name": name, "description": "", "subscriber_count": 3, **fields}


def subscription(channel_id: int, name: str, **fields: object) -> dict[str, object]:
    """A row of `subscriptions`."""
    return {**channel(channel_id, name), "color": "#aabbcc", "is_muted": False, "pin_to_top": False, **fields}


def snapshot(**fields: object) -> dict[str, object]:
    """A `/register` response: Ada is in general and design, not in random; nothing is unread."""
    return {
        "queue_id": "q1",
        "last_event_id": -1,
        "zulip_feature_level": 442,
        "zulip_version": "12.0",
        "user_id": ADA,
        "email": "user1@demo.example",
        "full_name": "Ada",
        "max_message_id": 100,
        "max_message_length": 10000,
        "max_topic_length": 60,
        "event_queue_longpoll_timeout_seconds": 90,
        "server_typing_started_expiry_period_milliseconds": 45000,
        "server_typing_started_wait_period_milliseconds": 30000,
        "server_typing_stopped_wait_period_milliseconds": 12000,
        "realm_users": [user(ADA, "Ada"), user(BRUNO, "Bruno"), user(CHIYO, "Chiyo")],
        "realm_non_active_users": [],
        "cross_realm_bots": [],
        "streams": [channel(GENERAL, "general"), channel(DESIGN, "design"), channel(RANDOM, "random")],
        "subscriptions": [subscription(GENERAL, "general"), subscription(DESIGN, "design")],
        "unsubscribed": [],
        "never_subscribed": [channel(RANDOM, "random")],
        "unread_msgs": {"streams": [], "pms": [], "huddles": [], "mentions": [], "count": 0},
        "starred_messages": [],
        "realm_user_groups": [],
        "user_settings": {"twenty_four_hour_time": True},
        "user_topics": [],
        **fields,
    }


def make_state(**fields: object) -> State:
    """The state of that account; its clock stands still at 0."""
    return State.from_snapshot(snapshot(**fields), now=1_800_000_000.0, monotonic=lambda: 0.0)


def channel_message(
    message_id: int, topic: str = "soup", *, channel_id: int = GENERAL, sender: int = BRUNO, **fields: object
) -> dict[str, Any]:
    """A message in a channel, as the API sends it."""
    return {
        "id": message_id,
        "type": "stream",
        "sender_id": sender,
        "sender_full_name": f"User {sender}",
        "sender_email": f"user{sender}@demo.example",
        "content": f"<p>message {message_id}</p>",
        "timestamp": 1_800_000_000 + message_id,
        "stream_id": channel_id,
        "display_recipient": "general",
        "subject": topic,
        "reactions": [],
        "submessages": [],
        **fields,
    }


def direct_message(
    message_id: int, people: tuple[int, ...] = (ADA, BRUNO), *, sender: int = BRUNO, **fields: object
) -> dict[str, Any]:
    """A direct message, as the API sends it."""
    message = channel_message(message_id, "", sender=sender)
    del message["stream_id"]
    recipients = [{"id": i, "email": f"user{i}@demo.example", "full_name": f"User {i}"} for i in people]
    return {**message, "type": "private", "display_recipient": recipients, **fields}


def message_event(
    message: dict[str, Any], *flags: str, event_id: int = 0, local_id: str | None = None
) -> dict[str, Any]:
    """The event of a new message."""
    event: dict[str, Any] = {"type": "message", "id": event_id, "message": message, "flags": list(flags)}
    return event if local_id is None else {**event, "local_message_id": local_id}


def apply(state: State, *events: dict[str, Any]) -> list[object]:
    """Applies events in the API's form; returns all changes."""
    return [change for event in events for change in apply_event(state, parse_event({"id": 0, **event}))]
