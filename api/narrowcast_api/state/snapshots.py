"""The part of a snapshot that is cached for the next start, and its updates until then."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from narrowcast_api.http.lazy_rows import LazyRows
from narrowcast_api.model.reading import RawRecord, ids, integer, optional_int, rows, table
from narrowcast_api.state.state import State
from narrowcast_api.state.unreads import TopicPlace

_NOT_CACHED = frozenset(
    {"realm_bots", "realm_embedded_bots", "realm_incoming_webhook_bots", "realm_default_external_accounts"}
)

_CACHED_KEYS = frozenset(
    {
        "alert_words",
        "channel_folders",
        "cross_realm_bots",
        "email",
        "event_queue_longpoll_timeout_seconds",
        "full_name",
        "max_avatar_file_size_mib",
        "max_file_upload_size_mib",
        "max_icon_file_size_mib",
        "max_logo_file_size_mib",
        "max_message_id",
        "max_message_length",
        "max_reminder_note_length",
        "max_stream_description_length",
        "max_stream_name_length",
        "max_channel_folder_name_length",
        "max_channel_folder_description_length",
        "max_topic_length",
        "muted_topics",
        "muted_users",
        "never_subscribed",
        "password_min_length",
        "presences",
        "recent_private_conversations",
        "server_emoji_data_url",
        "server_timestamp",
        "starred_messages",
        "streams",
        "subscriptions",
        "unread_msgs",
        "unsubscribed",
        "user_id",
        "user_settings",
        "user_status",
        "user_topics",
    }
)

_RESOURCE_KEYS = frozenset(collection.name for collection in State(me=0).collections())

_MANY_PEOPLE = 5_000
"""The number of users above which the cached snapshot contains only those in the first paint, which waits
until it is read.
"""


def cacheable(response: RawRecord) -> dict[str, object]:
    """Returns the part of a snapshot that is cached: what the state reads, without the API keys of bots.

    For a large organization, only the users in direct conversations and the channels that the user is
    subscribed to.
    """
    kept = {
        key: value
        for key, value in response.items()
        if key not in _NOT_CACHED
        and (
            key in _CACHED_KEYS
            or key in _RESOURCE_KEYS
            or key.startswith(("realm_", "server_presence_", "server_typing_", "service_", "zulip_"))
        )
    }
    people = kept.get("realm_users")
    if isinstance(people, Sequence) and len(people) > _MANY_PEOPLE:
        _keep_acquaintances(kept)
    elif people is not None:
        kept["realm_users"] = list(rows(people))
    return kept


def _keep_acquaintances(kept: dict[str, object]) -> None:
    user_ids = {integer(kept, "user_id")}
    for row in rows(kept.get("recent_private_conversations")):
        user_ids.update(ids(row.get("user_ids")))
    for row in rows(table(kept.get("unread_msgs")).get("pms")):
        user_ids.add(integer(row, "other_user_id", integer(row, "sender_id")))
    people = kept["realm_users"]
    if isinstance(people, LazyRows):
        kept["realm_users"] = people.select("user_id", user_ids)
    else:
        kept["realm_users"] = [row for row in rows(people) if optional_int(row, "user_id") in user_ids]
    names = set(map(str, user_ids))
    for key in ("presences", "user_status"):
        kept[key] = {name: value for name, value in table(kept.get(key)).items() if name in names}
    for key in ("realm_non_active_users", "streams", "unsubscribed", "never_subscribed"):
        kept.pop(key, None)


def dump_progress(state: State) -> dict[str, object]:
    """Returns the current values of the parts of a snapshot that change during use: unread, starred, conversations."""
    topics: dict[TopicPlace, list[int]] = defaultdict(list)
    directs: dict[frozenset[int], list[int]] = defaultdict(list)
    for message_id in state.unreads:
        place = state.unreads.place(message_id)
        if isinstance(place, TopicPlace):
            topics[place].append(message_id)
        elif place is not None:
            directs[place].append(message_id)
    return {
        "max_message_id": state.max_message_id,
        "starred_messages": sorted(state.starred),
        "recent_private_conversations": [
            {"user_ids": sorted(others), "max_message_id": state.directs.newest(others)}
            for others in state.directs.recent()
        ],
        "unread_msgs": {
            "streams": [
                {
                    "stream_id": place.channel_id,
                    "topic": state.topics.name(place.channel_id, place.topic),
                    "unread_message_ids": ids,
                }
                for place, ids in topics.items()
            ],
            "pms": [],
            "huddles": [
                {
                    "user_ids_string": ",".join(map(str, sorted({*others, state.me}))),
                    "unread_message_ids": ids,
                }
                for others, ids in directs.items()
            ],
            "mentions": sorted(state.unreads.mentions),
            "old_unreads_missing": state.unreads.old_missing,
        },
    }
