"""Adapts one event to the options of different clients.

An action emits the most complete form; `variants` turns it into what a queue with the given options receives:
the same event, several older events, or nothing. Keys that start with `_` are input for this step and are
never sent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

Data = dict[str, Any]

CAPABILITIES: Final = frozenset(
    {
        "archived_channels",
        "bulk_message_deletion",
        "empty_topic_name",
        "include_deactivated_groups",
        "linkifier_url_template",
        "simplified_presence_events",
        "stream_typing_notifications",
        "user_list_incomplete",
    }
)
"""The client capabilities that have an effect here."""


@dataclass(frozen=True, slots=True, weakref_slot=True)
class QueueOptions:
    """The registration options of a client that affect the shape of events."""

    apply_markdown: bool = False
    client_gravatar: bool = True
    slim_presence: bool = False
    include_subscribers: bool = False
    capabilities: frozenset[str] = frozenset()
    empty_topic_name: str | None = None
    """Replaces the empty topic; if None, the topic stays empty."""
    shows_keys: bool = True
    """Whether a bot's owner receives its API key: not with an additional key of their own account."""


def variants(event: Mapping[str, object], options: QueueOptions) -> list[Data]:
    """The events, without ids, that a queue with these options receives for `event`."""
    adapt = _ADAPTERS.get(str(event["type"]), _same)
    return adapt(cast("Data", event), options)


def without_keys(bot: Mapping[str, object]) -> Data:
    """A `realm_bot` object without its API key and the tokens of its services."""
    services = cast("list[Data]", bot.get("services", []))
    shown = _without(dict(bot), "api_key")
    return shown | {"services": [_without(one, "token") for one in services]} if services else shown


def _without(data: Data, left_out: str) -> Data:
    return {name: value for name, value in data.items() if name != left_out}


def _same(event: Data, options: QueueOptions) -> list[Data]:
    return [_public(event)]


def _public(event: Data) -> Data:
    return {key: value for key, value in event.items() if not key.startswith("_")}


def _topic(topic: str, options: QueueOptions) -> str:
    return options.empty_topic_name if topic == "" and options.empty_topic_name is not None else topic


def _named(event: Data, options: QueueOptions, *keys: str) -> Data:
    """The event, with the display name in place of empty topics in these fields."""
    result = _public(event)
    for key in keys:
        if key in result:
            result[key] = _topic(result[key], options)
    return result


def _message(event: Data, options: QueueOptions) -> list[Data]:
    return [{**_public(event), "message": message_variant(event["message"], options)}]


def message_variant(message: Data, options: QueueOptions) -> Data:
    """A message object with HTML or source, avatar URL or null, and the topic's display name, as the options say."""
    result = _public(message)
    if not options.apply_markdown:
        result["content"] = message["_source"]
        result["content_type"] = "text/x-markdown"
    if options.client_gravatar and message["_avatar_by_provider"]:
        result["avatar_url"] = None
    if result["type"] == "stream":
        result["subject"] = _topic(result["subject"], options)
    return result


def _update_message(event: Data, options: QueueOptions) -> list[Data]:
    return [_named(event, options, "subject", "orig_subject")]


def _delete_message(event: Data, options: QueueOptions) -> list[Data]:
    named = _named(event, options, "topic")
    if "bulk_message_deletion" in options.capabilities:
        return [named]
    ids = named.pop("message_ids")
    return [{**named, "message_id": identity} for identity in ids]


def _typing(event: Data, options: QueueOptions) -> list[Data]:
    if event["message_type"] == "stream" and "stream_typing_notifications" not in options.capabilities:
        return []
    return [_named(event, options, "topic")]


def _typing_edit(event: Data, options: QueueOptions) -> list[Data]:
    recipient = dict(event["recipient"])
    if "topic" in recipient:
        recipient["topic"] = _topic(recipient["topic"], options)
    return [{**_public(event), "recipient": recipient}]


def _flags(event: Data, options: QueueOptions) -> list[Data]:
    result = _public(event)
    details = result.get("message_details")
    if details and options.empty_topic_name is not None:
        result["message_details"] = {
            key: {**value, "topic": _topic(value["topic"], options)} if "topic" in value else value
            for key, value in details.items()
        }
    return [result]


def _user_topic(event: Data, options: QueueOptions) -> list[Data]:
    return [_named(event, options, "topic_name")]


def _muted_topics(event: Data, options: QueueOptions) -> list[Data]:
    rows = [[row[0], _topic(row[1], options), row[2]] for row in event["muted_topics"]]
    return [{**_public(event), "muted_topics": rows}]


def _presence(event: Data, options: QueueOptions) -> list[Data]:
    if "simplified_presence_events" in options.capabilities:
        return [{"type": "presence", "presences": event["presences"]}]
    result = {key: value for key, value in event.items() if key != "presences"}
    if options.slim_presence:
        result.pop("email", None)
    return [_public(result)]


def _stream(event: Data, options: QueueOptions) -> list[Data]:
    archived = event.get("property") == "is_archived"
    if not archived or "archived_channels" in options.capabilities:
        return [_public(event)]
    channel_id = event["stream_id"]
    if event["value"]:
        return [
            {
                "type": "stream",
                "op": "delete",
                "streams": [{"stream_id": channel_id}],
                "stream_ids": [channel_id],
            }
        ]
    return [{"type": "stream", "op": "create", "streams": [event["_channel"]]}]


def _subscription(event: Data, options: QueueOptions) -> list[Data]:
    result = _public(event)
    if result["op"] == "add" and not options.include_subscribers:
        result["subscriptions"] = [
            {key: value for key, value in row.items() if key != "subscribers"}
            for row in result["subscriptions"]
        ]
    return [result]


def _user_group(event: Data, options: QueueOptions) -> list[Data]:
    data = event.get("data")
    if not isinstance(data, dict) or "deactivated" not in data:
        return [_public(event)]
    if "include_deactivated_groups" in options.capabilities:
        return [_public(event)]
    if data["deactivated"]:
        return [{"type": "user_group", "op": "remove", "group_id": event["group_id"]}]
    return [{"type": "user_group", "op": "add", "group": event["_group"]}]


_ADAPTERS: Final[dict[str, Callable[[Data, QueueOptions], list[Data]]]] = {
    "message": _message,
    "update_message": _update_message,
    "delete_message": _delete_message,
    "typing": _typing,
    "typing_edit_message": _typing_edit,
    "update_message_flags": _flags,
    "user_topic": _user_topic,
    "muted_topics": _muted_topics,
    "presence": _presence,
    "stream": _stream,
    "subscription": _subscription,
    "user_group": _user_group,
}
