"""Random histories of several users on one server, and users that observe them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import httpx2
from msgspec.structs import replace

from narrowcast_api.client import Client
from narrowcast_api.events.parsing import parse_events
from narrowcast_api.model.messages import Message
from narrowcast_api.state.apply import apply as apply_event
from narrowcast_api.state.apply import snapshot_within
from narrowcast_api.state.state import State
from narrowcast_api.sync.hidden_channels import may_be_hidden, remove_if_hidden
from narrowcast_api.wire.events import Event
from narrowcast_api.wire.vocabulary import Anchor
from support.history_steps import CHANNELS, STEPS, pick
from support.state_facts import differences, facts

_FIRST_MESSAGE_LEVEL = 256
_GROUPS_LEVEL = 264
_REPLACED = {
    *("create_public_stream_policy", "create_private_stream_policy", "create_web_public_stream_policy"),
    *("add_custom_emoji_policy", "edit_topic_policy", "move_messages_between_streams_policy"),
    *("wildcard_mention_policy", "delete_own_message_policy", "invite_to_realm_policy"),
}
"""Settings that servers still send for old clients although a group setting has replaced them."""


def comparable(state: State, of_both: State, there: Mapping[int, Message]) -> dict[str, object]:
    """The facts, without what a server does not send to everybody.

    That is: a channel's first message if the user is not subscribed, or of any channel below level 256
    (EVT-05); its subscriber count, if snapshots do not contain it; the last direct message if it was deleted, so
    that it is not `there` among the messages; settings that groups have replaced.
    """
    found = facts(state)
    by_id = {channel.channel_id: channel for channel in of_both.channels}
    found["channels"] = {
        channel.channel_id: channel._replace(
            weekly_traffic=None,
            is_recently_active=True,
            first_message_id=channel.first_message_id
            if state.server.level >= _FIRST_MESSAGE_LEVEL and channel.is_subscribed
            else None,
            subscriber_count=channel.subscriber_count
            if (other := by_id.get(channel.channel_id)) and other.subscriber_count is not None
            else None,
        )
        for channel in state.channels
    }
    unsure = {
        others
        for one in (state, of_both)
        for others in one.directs.recent()
        if one.directs.newest(others) not in there
    }
    found["direct conversations"] = {
        others: state.directs.newest(others) for others in state.directs.recent() if others not in unsure
    }
    found["organization"] = {
        name: value
        for name, value in state.organization.items()
        if name not in _REPLACED or state.server.level < _GROUPS_LEVEL
    }
    return found


@dataclass
class Observer:
    """A user who only observes."""

    client: Client
    state: State
    queue_id: str
    last_event_id: int
    heard: list[dict[str, object]] = field(default_factory=list)

    @classmethod
    async def of(cls, client: Client) -> Observer:
        """Starts observing, as the account of the client."""
        response = await client.registration.register()
        queue_id, last = response["queue_id"], response["last_event_id"]
        assert isinstance(queue_id, str)
        assert isinstance(last, int)
        return cls(client, State.from_snapshot(response), queue_id, last)

    async def catch_up(self) -> None:
        """Applies all events since the last call."""
        while await self._applied_some():
            pass

    async def _begin_anew(self) -> None:
        await self.client.events.delete_queue(queue_id=self.queue_id)
        anew = await Observer.of(self.client)
        self.state, self.queue_id, self.last_event_id = anew.state, anew.queue_id, anew.last_event_id

    async def _applied_some(self) -> bool:
        batch = await self.client.events.get(
            queue_id=self.queue_id, last_event_id=self.last_event_id, dont_block=True
        )
        self.heard += batch.events
        for event in parse_events(list(batch.events)):
            outdated = snapshot_within(self.state, event) is not None
            apply_event(self.state, event)
            self.last_event_id = max(self.last_event_id, event.id)
            if outdated:
                await self._begin_anew()
                break
        return bool(batch.events)

    async def look_at_channels(self) -> None:
        """Fetches every channel that may have become private, since servers may send no event about that."""
        for channel in list(self.state.channels):
            if may_be_hidden(self, channel.channel_id):
                await remove_if_hidden(self, channel.channel_id)

    def apply_expected(self, event: Event) -> None:
        """Applies now what an event would report."""
        apply_event(self.state, event)

    async def differences(self) -> dict[str, object]:
        """Returns where the state differs from a fresh snapshot, and messages from those on the server; see
        `state_facts`.
        """
        fresh = State.from_snapshot(await self.client.registration.register())
        page = await self.client.messages.list(anchor=Anchor.NEWEST, num_before=1000)
        there = {message.id: message for message in page.messages}
        found = differences(comparable(self.state, fresh, there), comparable(fresh, self.state, there))
        for message in self.state.messages:
            mine, other = replace(message, local_id=None), there.get(message.id)
            if other is not None and mine != other:
                found[f"message {message.id}"] = (mine, other)
        return found


PEOPLE = ("ada", "bruno", "chiyo", "dario", "elif", "greta", "hugo")
OBSERVERS = ("ada", "bruno", "chiyo", "dario", "greta", "hugo")
"""An owner, an administrator, a moderator, members, a guest."""

Step = tuple[str, int, int, int]
"""The name of the step, and three numbers that choose who, where and what."""


class Place(Protocol):
    """A server on which histories run; users are named by their first names in lower case."""

    def now(self) -> float:
        """The server's time, in seconds since 1970."""

    def id(self, name: str, /) -> int:
        """Returns the id of a user."""

    def channel(self, name: str, /) -> int:
        """Returns the id of a channel. Raises LookupError if there is none."""

    def group(self, name: str, /) -> int:
        """Returns the id of a user group. Raises LookupError if there is none."""

    async def raw(
        self, name: str | None, method: str, path: str, params: Mapping[str, object] | None = None, /
    ) -> httpx2.Response:
        """Sends one request as a user."""


class History:
    """Runs steps; errors that the server reports are allowed, failures of the server are not."""

    def __init__(self, server: Place) -> None:
        self.server = server
        self.messages: list[int] = []
        self.made: dict[str, list[tuple[str, int]]] = {}

    async def step(self, step: Step) -> None:
        """Runs one step."""
        kind, who, where, what = step
        await STEPS[kind](self, pick(PEOPLE, who), where, what)

    async def do(self, who: str, method: str, path: str, **params: object) -> dict[str, Any]:
        """Sends a request that the server may reject, but only with a reason."""
        response = await self.server.raw(who, method, path, params)
        assert response.status_code < 500, (method, path, params, response.text)
        body: dict[str, Any] = response.json()
        return body if body.get("result") == "success" else {}

    def channel(self, number: int) -> int:
        """Returns the id of one of the channels, possibly of one that does not exist (yet)."""
        try:
            return self.server.channel(pick(CHANNELS, number))
        except LookupError:
            return 1

    def person(self, number: int) -> int:
        """Returns the id of one of the users."""
        return self.server.id(pick(PEOPLE, number))

    def message(self, number: int) -> int:
        """Returns one of the messages, counted from the newest."""
        return pick(self.messages, -1 - number) if self.messages else 1

    async def make(self, kind: str, who: str, path: str, key: str, **params: object) -> None:
        """Registers an object that later steps change."""
        response = await self.do(who, "POST", path, **params)
        found = response.get(key)
        for made_id in found if isinstance(found, list) else [found]:
            if isinstance(made_id, int):
                self.made.setdefault(kind, []).append((who, made_id))

    def one(self, kind: str, number: int) -> tuple[str, int]:
        """Returns one of the registered objects, with its creator."""
        return pick(self.made.get(kind, [("ada", 999)]), number)
