"""Channels that became private while one was not in them, of which a server may say nothing.

TODO(server-12): Zulip sends `stream` delete since https://github.com/zulip/zulip/pull/37934; before, whoever is outside
keeps such a channel until the next snapshot. Its web app does so, too. Nothing tells of it but that the channel has no
messages any more and that its topics are refused: then the server is asked for the channel itself.
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


class Account(Protocol):
    """Whose channels they are."""

    @property
    def state(self) -> State: ...

    @property
    def client(self) -> Client: ...

    def foretell(self, event: Event) -> None:
        """Shows now what an event would say."""


def may_be_hidden(account: Account, channel_id: int) -> bool:
    """Whether a channel that is known may be one that the server does not show any more: of those that one is in, the
    server tells, and archived ones it does not give one by one.
    """
    channel = account.state.channels.get(channel_id)
    return channel is not None and not channel.is_subscribed and not channel.is_archived


async def forget_if_hidden(account: Account, channel_id: int) -> None:
    """Asks for a channel, and takes it out of the state where the server knows none that one may see."""
    with suppress(NarrowcastError):  # too old a server, or no answer: it stays
        try:
            await account.client.channels.get(channel_id=channel_id)
        except BadRequest:
            if may_be_hidden(account, channel_id):
                account.foretell(StreamDeleteEvent(stream_ids=[channel_id]))
