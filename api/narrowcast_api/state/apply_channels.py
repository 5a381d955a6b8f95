"""Events about channels, subscriptions, folders and the visibility of topics."""

from __future__ import annotations

from narrowcast_api.resources import channel_folders, default_channel_groups
from narrowcast_api.state.changes import Change, ChannelsChanged, TopicsChanged, UnreadsChanged
from narrowcast_api.state.handlers import Handlers
from narrowcast_api.state.state import State, load_muted_topics
from narrowcast_api.wire.events import (
    DefaultStreamsEvent,
    MutedTopicsEvent,
    StreamCreateEvent,
    StreamDeleteEvent,
    StreamUpdateEvent,
    SubscriptionAddEvent,
    SubscriptionPeerAddEvent,
    SubscriptionPeerRemoveEvent,
    SubscriptionRemoveEvent,
    SubscriptionUpdateEvent,
    UserTopicEvent,
)
from narrowcast_api.wire.levels import Gate

handlers = Handlers()
handlers.include(channel_folders.handlers, lambda state: state.channels.folders, ChannelsChanged(()))
handlers.include(
    default_channel_groups.handlers, lambda state: state.default_channel_groups, ChannelsChanged(())
)


@handlers.of(StreamCreateEvent)
def _create(state: State, event: StreamCreateEvent) -> tuple[Change, ...]:
    for channel in event.streams:
        state.channels.create(channel)
    return (ChannelsChanged(tuple(channel.channel_id for channel in event.streams)),)


@handlers.of(StreamDeleteEvent)
def _delete(state: State, event: StreamDeleteEvent) -> tuple[Change, ...]:
    changes: list[Change] = [ChannelsChanged(tuple(event.stream_ids))]
    for channel_id in event.stream_ids:
        state.channels.remove(channel_id)
        state.topics.forget(channel_id)
        if state.unreads.remove_channel(channel_id):
            changes.append(UnreadsChanged())
    return tuple(changes)


@handlers.of(StreamUpdateEvent)
def _update(state: State, event: StreamUpdateEvent) -> tuple[Change, ...]:
    state.channels.update(event.stream_id, event.changes())
    channel = state.channels.get(event.stream_id)
    changed: tuple[Change, ...] = (ChannelsChanged((event.stream_id,)),)
    if "is_archived" in event.changes():
        state.unreads.recount(event.stream_id)
        changed = (*changed, UnreadsChanged())
    # users who see a private channel without being subscribed (administrators do) do not see its messages
    if channel is not None and channel.invite_only and not channel.is_subscribed:
        return (*changed, UnreadsChanged()) if state.unreads.remove_channel(event.stream_id) else changed
    return changed


@handlers.of(SubscriptionAddEvent)
def _subscribe(state: State, event: SubscriptionAddEvent) -> tuple[Change, ...]:
    state.channels.put(event.subscriptions)
    for channel in event.subscriptions:
        state.unreads.recount(channel.channel_id)
    return (ChannelsChanged(tuple(channel.channel_id for channel in event.subscriptions)), UnreadsChanged())


@handlers.of(SubscriptionRemoveEvent)
def _unsubscribe(state: State, event: SubscriptionRemoveEvent) -> tuple[Change, ...]:
    for channel in event.subscriptions:
        state.channels.unsubscribe(channel.stream_id)
        state.unreads.remove_channel(channel.stream_id)
    return (ChannelsChanged(tuple(channel.stream_id for channel in event.subscriptions)), UnreadsChanged())


@handlers.of(SubscriptionUpdateEvent)
def _update_subscription(state: State, event: SubscriptionUpdateEvent) -> tuple[Change, ...]:
    state.channels.update_subscription(event.stream_id, event.property, event.value)
    state.unreads.recount(event.stream_id)
    return (ChannelsChanged((event.stream_id,)), UnreadsChanged())


@handlers.of(SubscriptionPeerAddEvent)
def _peer_add(state: State, event: SubscriptionPeerAddEvent) -> tuple[Change, ...]:
    for channel_id in event.stream_ids:
        state.channels.count_peers(channel_id, len(set(event.user_ids) - {state.me}))
    return (ChannelsChanged(tuple(event.stream_ids)),)


@handlers.of(SubscriptionPeerRemoveEvent)
def _peer_remove(state: State, event: SubscriptionPeerRemoveEvent) -> tuple[Change, ...]:
    for channel_id in event.stream_ids:
        state.channels.count_peers(channel_id, -len(set(event.user_ids) - {state.me}))
    return (ChannelsChanged(tuple(event.stream_ids)),)


@handlers.of(UserTopicEvent)
def _user_topic(state: State, event: UserTopicEvent) -> tuple[Change, ...]:
    state.topics.set_visibility(event.stream_id, event.topic_name, event.visibility_policy)
    state.unreads.recount(event.stream_id)
    return (TopicsChanged(event.stream_id), UnreadsChanged())


@handlers.of(MutedTopicsEvent)
def _muted_topics(state: State, event: MutedTopicsEvent) -> tuple[Change, ...]:
    # TODO(server-134): before, this was the only event about muted topics; since, `user_topic` is.
    if state.supports(Gate.USER_TOPICS):
        return ()
    affected = {channel_id for channel_id, _, _ in state.topics.policies()}
    state.topics.clear_muted()
    load_muted_topics(state, event.muted_topics)
    affected |= {channel_id for channel_id, _, _ in state.topics.policies()}
    state.unreads.recount()
    return (*(TopicsChanged(channel_id) for channel_id in sorted(affected)), UnreadsChanged())


@handlers.of(DefaultStreamsEvent)
def _default_channels(state: State, event: DefaultStreamsEvent) -> tuple[Change, ...]:
    changed = state.channels.default_ids ^ frozenset(event.default_streams)
    state.channels.default_ids = frozenset(event.default_streams)
    return (ChannelsChanged(tuple(sorted(changed))),)
