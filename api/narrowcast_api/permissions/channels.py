"""Who may change channels, post in them, and create topics; who may send messages to whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_api.model.user_groups import AdHocGroup, GroupSettingValue, read_group_setting
from narrowcast_api.narrow.destinations import ChannelDestination, Destination
from narrowcast_api.permissions.refusal import ALLOWED, Refusal
from narrowcast_api.permissions.roles import (
    holders,
    is_administrator,
    is_guest,
    only,
    only_administrators,
    only_holders,
    role_of,
)
from narrowcast_api.permissions.settings import plan_refusal
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import ChannelSetting, PostPolicy, Role, TopicsPolicy

if TYPE_CHECKING:
    from narrowcast_api.model.channels import Channel
    from narrowcast_api.state.state import State


def administers(state: State, channel: Channel) -> bool:
    """Whether the current user may change a channel, as its administrator or one of the organization."""
    if is_administrator(state):
        return True
    setting = channel.permissions.get(ChannelSetting.ADMINISTER)
    return setting is not None and state.holds("stream", ChannelSetting.ADMINISTER, setting)


def channel_refusal(state: State, channel: Channel, act: str = "change this channel") -> Refusal:
    """Returns a refusal unless the current user administers the channel."""
    if administers(state, channel):
        return ALLOWED
    setting = channel.permissions.get(ChannelSetting.ADMINISTER)
    if setting is None or holders(state, setting) == "nobody":
        return only_administrators(state, act)
    return only(f"administrators and {holders(state, setting)}", act)


def subscribe_refusal(state: State, channel: Channel) -> Refusal:
    """Returns a refusal unless the current user may subscribe to the channel."""
    if is_guest(state):
        return Refusal("Guests cannot subscribe themselves to channels.", "not for guests")
    if not channel.invite_only:
        return ALLOWED
    settings = [
        channel.permissions[name]
        for name in (ChannelSetting.SUBSCRIBE, ChannelSetting.ADD_SUBSCRIBERS)
        if name in channel.permissions
    ]
    if any(state.user_groups.contains(setting, state.me) for setting in settings):
        return ALLOWED
    return Refusal(f"#{channel.name} is private: ask a subscriber to add you.", "private")


def privacy_refusal(state: State, *, private: bool = False, web_public: bool = False) -> Refusal:
    """Returns a refusal unless the current user may create channels of this kind; web-public channels are
    public too.
    """
    kind = "private" if private else "public"
    refusal = only_holders(state, f"can_create_{kind}_channel_group", f"create {kind} channels")
    if refusal or not web_public:
        return refusal
    if not (state.offers.web_public and state.organization.flag("enable_spectator_access")):
        return Refusal("Web-public channels are not enabled in this organization.")
    act = "create web-public channels"
    return plan_refusal(state) or only_holders(state, "can_create_web_public_channel_group", act)


def topics_policy_refusal(state: State) -> Refusal:
    """Returns a refusal unless the current user may set a channel's own topics policy."""
    return only_holders(state, "can_set_topics_policy_group", "choose that by channel")


def delete_policy_refusal(state: State) -> Refusal:
    """Returns a refusal unless the current user may set who can delete messages in a channel."""
    return only_holders(state, "can_set_delete_message_policy_group", "choose that by channel")


def topics_policy(state: State, channel_id: int) -> TopicsPolicy:
    """The topics policy of a channel, or the organization's if the channel has none of its own; never INHERIT.

    ALLOW_EMPTY: the topic may be empty. DISABLE_EMPTY: a topic is required. EMPTY_ONLY: there is only the empty topic.
    """
    if not state.supports(Gate.EMPTY_TOPIC):
        return TopicsPolicy.DISABLE_EMPTY
    channel = state.channels.get(channel_id)
    own = _policy(channel.topics_policy) if channel is not None else TopicsPolicy.INHERIT
    if own is not TopicsPolicy.INHERIT:
        return own
    general = _policy(state.organization.text("topics_policy", TopicsPolicy.INHERIT.value))
    if general is not TopicsPolicy.INHERIT:
        return general
    mandatory = state.organization.flag("mandatory_topics")  # TODO(server-392): replaced by `topics_policy`
    return TopicsPolicy.DISABLE_EMPTY if mandatory else TopicsPolicy.ALLOW_EMPTY


def _policy(text: str) -> TopicsPolicy:
    try:
        return TopicsPolicy(text)
    except ValueError:
        return TopicsPolicy.INHERIT


_UNKNOWN_CHANNEL = Refusal("This channel no longer exists, or you do not have access to it.")


def write_refusal(state: State, where: Destination) -> Refusal:
    """Returns a refusal unless the current user may send some message to the conversation."""
    if isinstance(where, ChannelDestination):
        return channel_write_refusal(state, where.channel_id)
    return direct_refusal(state, where.user_ids)


def draft_refusal(state: State, where: Destination | None) -> Refusal:
    """Returns a refusal unless the server keeps the current user's drafts for a conversation, which requires
    access to its channel.
    """
    if not isinstance(where, ChannelDestination):
        return ALLOWED
    channel = state.channels.get(where.channel_id)
    if channel is None:
        return _UNKNOWN_CHANNEL
    if channel.is_archived or channel.is_subscribed or not channel.invite_only:
        return archived_post_refusal(channel)
    return subscribe_refusal(state, channel)


def archived_post_refusal(channel: Channel) -> Refusal:
    """Returns a refusal if the channel is archived: nobody can post in it."""
    return Refusal(f"#{channel.name} is archived: nobody can post in it.") if channel.is_archived else ALLOWED


def channel_write_refusal(state: State, channel_id: int) -> Refusal:
    """Returns a refusal unless the current user may post in the channel, in some topic. Allowed until
    channels are loaded.
    """
    channel = state.channels.get(channel_id)
    if channel is None:
        return ALLOWED if state.is_empty else _UNKNOWN_CHANNEL
    if archived := archived_post_refusal(channel):
        return archived
    if not channel.is_subscribed:
        if channel.invite_only:
            return Refusal(f"Only subscribers can post in private channel #{channel.name}.")
        if is_guest(state):
            return Refusal("Guests can only post in channels they are subscribed to.")
    setting = channel.permissions.get(ChannelSetting.SEND_MESSAGE)
    if setting is not None and not state.holds("stream", ChannelSetting.SEND_MESSAGE, setting):
        return only(holders(state, setting), f"post in #{channel.name}")
    if setting is None and channel.post_policy in _OLD_POSTERS:
        least, who = _OLD_POSTERS[channel.post_policy]
        return ALLOWED if role_of(state) <= least else only(who, f"post in #{channel.name}")
    return ALLOWED


def posters(state: State, channel: Channel) -> str:
    """Who can post in a channel in which not all users can, such as "admins and moderators"; empty elsewhere."""
    setting = channel.permissions.get(ChannelSetting.SEND_MESSAGE)
    if setting is None:
        return _OLD_POSTERS[channel.post_policy][1] if channel.post_policy in _OLD_POSTERS else ""
    group = None if isinstance(setting, AdHocGroup) else state.user_groups.get(setting)
    if group is not None and group.is_system and group.name in _OPEN:
        return ""
    return holders(state, setting)


_OPEN = frozenset({"role:internet", "role:everyone", "role:members", "role:fullmembers"})
"""The system groups with whose permission to post a channel is not moderated."""
_OLD_POSTERS: dict[int, tuple[Role, str]] = {
    PostPolicy.ADMINISTRATORS: (Role.ADMINISTRATOR, "admins"),
    PostPolicy.MODERATORS: (Role.MODERATOR, "admins and moderators"),
}
"""Who may post, by the `stream_post_policy` of servers below level 333: the least role, and the text for it."""


def topic_refusal(state: State, channel_id: int, topic: str) -> Refusal:
    """Returns a refusal for a topic that the channel does not allow, or a new one if the current user may not
    create topics.

    Whether a topic is new is known only after the channel's topics are loaded.
    """
    channel = state.channels.get(channel_id)
    name = channel.name if channel is not None else "this channel"
    policy = topics_policy(state, channel_id)
    if policy is TopicsPolicy.DISABLE_EMPTY and not topic.strip():
        return Refusal(f"Messages in #{name} need a topic.")
    if policy is TopicsPolicy.EMPTY_ONLY and topic.strip():
        return Refusal(f"#{name} has no topics: it is one conversation.")
    setting = channel.permissions.get(ChannelSetting.CREATE_TOPIC) if channel is not None else None
    if setting is None or state.holds("stream", ChannelSetting.CREATE_TOPIC, setting) or not topic.strip():
        return ALLOWED
    existing = {topic.name.casefold() for topic in state.topics.of(channel_id)}
    if not state.topics.is_loaded(channel_id) or topic.casefold() in existing:
        return ALLOWED
    refusal = only(holders(state, setting), f"create topics in #{name}")
    return Refusal(f"{refusal} Choose an existing topic.", refusal.short)


def direct_refusal(state: State, others: frozenset[int]) -> Refusal:
    """Returns a refusal unless the current user may write to these users; no users means a note to self."""
    people = [user for user_id in sorted(others) if (user := state.users.get(user_id)) is not None]
    for user in people:
        if not user.is_active:
            gone = "deleted" if user.is_deleted else "deactivated"
            return Refusal(f"{user.full_name} has left: the account is {gone}.")
    humans = [user.user_id for user in people if not user.is_bot and user.user_id != state.me]
    if not humans:
        return ALLOWED
    allowed = read_group_setting(state.organization.get("direct_message_permission_group"))
    if allowed is not None and not any(
        state.user_groups.contains(allowed, one) for one in (state.me, *humans)
    ):
        if _is_nobody(state, allowed):
            return Refusal("Direct messages are disabled in this organization.")
        return Refusal(f"Direct messages must include somebody from {holders(state, allowed)}.")
    if allowed is None and state.organization.number("private_message_policy") == _NO_DIRECT_MESSAGES:
        return Refusal("Direct messages are disabled in this organization.")
    may_begin = state.has_permission("direct_message_initiator_group")
    if may_begin or state.directs.newest(others) is not None or len(state.directs.recent()) >= _RECENT:
        return ALLOWED
    return only_holders(state, "direct_message_initiator_group", "start direct message conversations")


_NO_DIRECT_MESSAGES = 2
"""TODO(server-270): before, nobody or everybody could send direct messages."""

_RECENT = 900
"""Snapshots contain about a thousand conversations: with this many, an older one may exist that is not among them."""


def _is_nobody(state: State, setting: GroupSettingValue) -> bool:
    if isinstance(setting, AdHocGroup):
        return not setting.direct_members and not setting.direct_subgroups
    group = state.user_groups.get(setting)
    return group is not None and group.name == "role:nobody"
