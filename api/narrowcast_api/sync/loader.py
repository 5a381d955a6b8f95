"""Fetches topics and messages that are needed and not in the state yet."""

from __future__ import annotations

from collections.abc import Iterable

from narrowcast_api.errors import BadRequest, NarrowcastError
from narrowcast_api.model.messages import Message
from narrowcast_api.protocols.context import SessionContext
from narrowcast_api.state.changes import TopicsChanged
from narrowcast_api.sync.pages import Pages
from narrowcast_api.wire.levels import Gate


class Loader:
    """Fetches what is missing into the state. Every method raises `NarrowcastError`."""

    def __init__(self, context: SessionContext, pages: Pages) -> None:
        self._context = context
        self._pages = pages

    async def topics(self, channel_id: int) -> None:
        """Fetches the topics of a channel into `state.topics`.

        Those of an archived channel stay as they are known: servers below level 480 refuse to list them, and they
        are not asked.
        """
        context = self._context
        state = context.state
        channel = state.channels.get(channel_id)
        if channel is not None and channel.is_archived and not state.supports(Gate.ARCHIVED_TOPICS):
            return
        since, departures = state.max_message_id, state.topics.departures
        try:
            response = await context.client.topics.list(channel_id=channel_id)
        except BadRequest:
            channel = context.state.channels.get(channel_id)
            if channel is None or not channel.is_archived:
                self._pages.check_if_hidden(channel_id)
                raise
            return
        if context.state is not state or state.topics.departures != departures:
            await self.topics(channel_id)  # the response may be older than what is known
            return
        state.topics.load(channel_id, response.topics, since)
        context.publish(TopicsChanged(channel_id))

    async def message(self, message_id: int) -> Message | None:
        """Returns a message by its id as it is now; None if it does not exist or is not visible to the user.
        It is fetched unless events keep it up to date; without a connection, what is known of it is returned.
        """
        while not self._pages.is_current(message_id):
            state = self._context.state
            try:
                fetched = await self._pages.fetch_message(message_id)
            except NarrowcastError:
                known = self._context.state.messages.get(message_id)
                if known is None:
                    raise
                return known
            if fetched is None or self._context.state is state:
                return fetched
        return self._context.state.messages.get(message_id)

    async def messages(self, message_ids: Iterable[int]) -> None:
        """Fetches the messages that are not in the state, except those that do not exist or are not visible
        to the user.
        """
        if missing := [one for one in message_ids if one not in self._context.state.messages]:
            await self._pages.fetch_messages(missing)
