"""Channels, settings and personal settings of the service model."""

from __future__ import annotations

from simulation.drafts import Place
from simulation.queues import Queues, Row

CHANNELS = {11: "general", 12: "design"}


class SimulatedOrganization:
    """What users and administrators change. `people` are the ids of all users, who are in all channels."""

    def __init__(self, queues: Queues, people: set[int]) -> None:
        self._queues = queues
        self._people = people
        self.names = dict(CHANNELS)
        self.archived: set[int] = set()
        self.edit_limit: int | None = None
        self._muted: set[tuple[int, int]] = set()
        self._policies: dict[tuple[int, int, str], tuple[str, int]] = {}
        self._marking = dict.fromkeys(people, 1)

    def of(self, user_id: int, first_messages: dict[int, int]) -> Row:
        """The part of the response of /register for a user. `first_messages`: by channel."""
        channels: list[Row] = [
            {
                "stream_id": channel_id,
                "name": name,
                "description": "",
                "subscriber_count": len(self._people),
                "first_message_id": first_messages.get(channel_id),
                "is_archived": channel_id in self.archived,
            }
            for channel_id, name in self.names.items()
        ]
        return {
            "streams": channels,
            "subscriptions": [
                {
                    **channel,
                    "color": "#aabbcc",
                    "is_muted": (user_id, channel["stream_id"]) in self._muted,
                    "pin_to_top": False,
                }
                for channel in channels
            ],
            "unsubscribed": [],
            "never_subscribed": [],
            "user_topics": [
                {
                    "stream_id": channel_id,
                    "topic_name": topic,
                    "last_updated": 0,
                    "visibility_policy": policy,
                }
                for (owner, channel_id, _), (topic, policy) in self._policies.items()
                if owner == user_id
            ],
            "user_settings": {
                "enable_drafts_synchronization": True,
                "twenty_four_hour_time": True,
                "web_mark_read_on_scroll_policy": self._marking[user_id],
            },
            "realm_message_content_edit_limit_seconds": self.edit_limit,
        }

    def hides(self, user_id: int, place: Place) -> bool:
        """Whether a user has muted a conversation: it is not in the combined feed."""
        kind, *where = place
        if kind != "stream":
            return False
        channel_id, topic = where
        policy = self._policies.get((user_id, channel_id, topic.lower()), ("", 0))[1]
        return policy not in (2, 3) if (user_id, channel_id) in self._muted else policy == 1

    def counts(self, user_id: int, place: Place) -> bool:
        """Whether unread messages of a conversation are part of the overall count of a user."""
        is_archived = place[0] == "stream" and place[1] in self.archived
        return not is_archived and not self.hides(user_id, place)

    def rename(self, channel_id: int, name: str) -> None:
        before, self.names[channel_id] = self.names[channel_id], name
        self._tell_of_channel(channel_id, before, "name", name)

    def archive(self, channel_id: int, on: bool) -> None:
        """Archives a channel, or brings it back."""
        (self.archived.add if on else self.archived.discard)(channel_id)
        self._tell_of_channel(channel_id, self.names[channel_id], "is_archived", on)

    def _tell_of_channel(self, channel_id: int, name: str, what: str, value: object) -> None:
        event: Row = {"type": "stream", "op": "update", "stream_id": channel_id, "name": name}
        self._queues.tell(self._people, {**event, "property": what, "value": value})

    def mute(self, user_id: int, channel_id: int, on: bool) -> None:
        """Mutes or unmutes a channel."""
        (self._muted.add if on else self._muted.discard)((user_id, channel_id))
        event: Row = {"type": "subscription", "op": "update", "stream_id": channel_id}
        self._queues.tell({user_id}, {**event, "property": "is_muted", "value": on})

    def set_policy(self, user_id: int, channel_id: int, topic: str, policy: int) -> None:
        """Mutes, unmutes or follows a topic, or sets it back to that of the channel."""
        key = (user_id, channel_id, topic.lower())
        if policy:
            self._policies[key] = topic, policy
        else:
            self._policies.pop(key, None)
        event: Row = {"type": "user_topic", "stream_id": channel_id, "topic_name": topic, "last_updated": 0}
        self._queues.tell({user_id}, {**event, "visibility_policy": policy})

    def set_marking(self, user_id: int, policy: int) -> None:
        """Sets when messages on the screen are marked as read: always, in conversations, never."""
        self._marking[user_id] = policy
        event: Row = {"type": "user_settings", "op": "update", "property": "web_mark_read_on_scroll_policy"}
        self._queues.tell({user_id}, {**event, "value": policy})

    def limit_edits(self, seconds: int | None) -> None:
        """Sets for how long a message can be edited."""
        self.edit_limit = seconds
        event: Row = {"type": "realm", "op": "update_dict", "property": "default"}
        self._queues.tell(self._people, {**event, "data": {"message_content_edit_limit_seconds": seconds}})
