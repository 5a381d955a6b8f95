"""Which views an event affects, and how."""

from __future__ import annotations

from collections.abc import Sequence

from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.state.changes import Change, MessagesChanged, MessagesRemoved
from narrowcast_api.state.state import State
from narrowcast_api.sync.message_lists import Views
from narrowcast_api.wire.events import (
    Event,
    MessageEvent,
    MutedTopicsEvent,
    ReactionEvent,
    StreamUpdateEvent,
    SubscriptionAddEvent,
    SubscriptionUpdateEvent,
    UpdateMessageEvent,
    UpdateMessageFlagsEvent,
    UserTopicEvent,
)


def update_views(views: Views, state: State, event: Event, changes: Sequence[Change]) -> None:
    """Updates the views after `state` has applied an event and returned `changes`."""
    for change in changes:
        if isinstance(change, MessagesRemoved):
            views.remove(change.ids)
    changed = [i for change in changes if isinstance(change, MessagesChanged) for i in change.ids]
    if isinstance(event, MessageEvent):
        for message in state.messages.known([event.message.id]):
            views.add(message)
    elif isinstance(event, UpdateMessageEvent):
        if event.moved_to is not None:
            views.recheck_places(event.message_ids, ChannelDestination(*event.moved_to))
        if event.rendered_content is not None:
            views.recheck_contents([event.message_id])
    elif isinstance(event, UpdateMessageFlagsEvent):
        views.recheck_flags(changed, event.flag, is_set=event.op == "add")
    elif isinstance(event, ReactionEvent):
        views.recheck_reactions(changed)
    else:
        _mark_stale(views, event, changes)


def _mark_stale(views: Views, event: Event, changes: Sequence[Change]) -> None:
    """Marks the views as stale whose messages an event changes without naming them."""
    if isinstance(event, SubscriptionAddEvent):
        views.mark_channels_stale({channel.channel_id for channel in event.subscriptions})
    elif isinstance(event, StreamUpdateEvent) and event.history_public_to_subscribers:
        views.mark_channels_stale({event.stream_id})
    elif isinstance(event, SubscriptionUpdateEvent):
        if event.property in {"is_muted", "in_home_view"}:
            views.mark_policies_stale()
    elif isinstance(event, UserTopicEvent | MutedTopicsEvent) and changes:
        views.mark_policies_stale()
