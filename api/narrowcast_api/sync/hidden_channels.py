"""Removes channels that became private while the user was not subscribed to them.

TODO(server-12): Zulip sends `stream` delete since https://github.com/zulip/zulip/pull/37934; before, clients
of users who are not subscribed keep such a channel until the next snapshot, as its web app does. The only
signs are that the channel has no messages any more and that the server rejects requests for its topics: then
the server is asked for the channel itself.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from narrowcast_api.errors import BadRequest, NarrowcastError
from narrowcast_api.wire.events import StreamDeleteEvent

if TYPE_CHECKING:
    from narrowcast_api.client import Client
    from narrowcast_api.state.state import State
    from narrowcast_api.wire.events import Event


class StateAndClient(Protocol):
    """The account whose channels are checked: its state and its client."""

    @property
    def state(self) -> State: ...

    @property
    def client(self) -> Client: ...

    def apply_expected(self, event: Event) -> None:
        """Applies an expected event to the state now."""


def may_be_hidden(account: StateAndClient, channel_id: int) -> bool:
    """Whether a known channel may have become invisible to the user. Subscribed channels are excluded,
    because the server reports those, and archived ones, because it does not return them one by one.
    """
    channel = account.state.channels.get(channel_id)
    return channel is not None and not channel.is_subscribed and not channel.is_archived


async def remove_if_hidden(account: StateAndClient, channel_id: int) -> None:
    """Requests a channel from the server, and removes it from the state if the server does not return it."""
    with suppress(NarrowcastError):  # no response, or the server is too old: the channel stays
        try:
            await account.client.channels.get(channel_id=channel_id)
        except BadRequest:
            if may_be_hidden(account, channel_id):
                account.apply_expected(StreamDeleteEvent(stream_ids=[channel_id]))
