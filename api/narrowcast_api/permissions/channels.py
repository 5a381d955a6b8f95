"""Who may change channels, write in them, and begin topics; who may write to whom."""

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
    """Whether oneself may change a channel: its administrators, and those of the organization."""
    if is_administrator(state):
        return True
    setting = channel.permissions.get(ChannelSetting.ADMINISTER)
    return setting is not None and state.user_groups.contains(setting, state.me)


def channel_refusal(state: State, channel: Channel, act: str = "change this channel") -> Refusal:
    """Refuses who does not administer a channel."""
    if administers(state, channel):
        return ALLOWED
    setting = channel.permissions.get(ChannelSetting.ADMINISTER)
    if setting is None or holders(state, setting) == "nobody":
        return only_administrators(state, act)
    return only(f"administrators and {holders(state, setting)}", act)


def subscribe_refusal(state: State, channel: Channel) -> Refusal:
    """Refuses who may not subscribe themselves to a channel."""
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
    """Refuses who may not make channels of a kind; one that is open to the web is public as well."""
    kind = "private" if private else "public"
    refusal = only_holders(state, f"can_create_{kind}_channel_group", f"create {kind} channels")
    if refusal or not web_public:
        return refusal
    if not (state.offers.web_public and state.organization.flag("enable_spectator_access")):
        return Refusal("Web-public channels are not enabled in this organization.")
    act = "create web-public channels"
    return plan_refusal(state) or only_holders(state, "can_create_web_public_channel_group", act)


def topics_policy_refusal(state: State) -> Refusal:
    """Refuses who may not choose a channel's own rule for topics."""
    return only_holders(state, "can_set_topics_policy_group", "choose that by channel")


def delete_policy_refusal(state: State) -> Refusal:
    """Refuses who may not choose who deletes messages in a channel."""
    return only_holders(state, "can_set_delete_message_policy_group", "choose that by channel")


def topics_policy(state: State, channel_id: int) -> TopicsPolicy:
    """What holds for topics of a channel, the organization's rule where it has none of its own; never INHERIT.

    ALLOW_EMPTY: a topic may be left out. DISABLE_EMPTY: it must be given. EMPTY_ONLY: there is only the
    conversation without a name.
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
    mandatory = state.organization.flag("mandatory_topics")  # TODO(server-392): before `topics_policy`
    return TopicsPolicy.DISABLE_EMPTY if mandatory else TopicsPolicy.ALLOW_EMPTY


def _policy(text: str) -> TopicsPolicy:
    try:
        return TopicsPolicy(text)
    except ValueError:
        return TopicsPolicy.INHERIT


_UNKNOWN_CHANNEL = Refusal("This channel no longer exists, or you do not have access to it.")


def write_refusal(state: State, where: Destination) -> Refusal:
    """Refuses who may not write to a conversation at all, whatever the message."""
    if isinstance(where, ChannelDestination):
        return channel_write_refusal(state, where.channel_id)
    return direct_refusal(state, where.user_ids)


def draft_refusal(state: State, where: Destination | None) -> Refusal:
    """Refuses who may not keep a draft for a conversation on the server: that takes reading its channel."""
    if not isinstance(where, ChannelDestination):
        return ALLOWED
    channel = state.channels.get(where.channel_id)
    if channel is None:
        return _UNKNOWN_CHANNEL
    if channel.is_archived or channel.is_subscribed or not channel.invite_only:
        return archived_refusal(channel)
    return subscribe_refusal(state, channel)


def archived_refusal(channel: Channel) -> Refusal:
    """Refuses everybody to write in an archived channel."""
    return Refusal(f"#{channel.name} is archived: nobody can post in it.") if channel.is_archived else ALLOWED


def channel_write_refusal(state: State, channel_id: int) -> Refusal:
    """Refuses who may not write in a channel, in whatever topic. Nobody is refused before any channel is known."""
    channel = state.channels.get(channel_id)
    if channel is None:
        return ALLOWED if state.is_empty else _UNKNOWN_CHANNEL
    if archived := archived_refusal(channel):
        return archived
    if not channel.is_subscribed:
        if channel.invite_only:
            return Refusal(f"Only subscribers can post in private channel #{channel.name}.")
        if is_guest(state):
            return Refusal("Guests can only post in channels they are subscribed to.")
    setting = channel.permissions.get(ChannelSetting.SEND_MESSAGE)
    if setting is not None and not state.user_groups.contains(setting, state.me):
        return only(holders(state, setting), f"post in #{channel.name}")
    if setting is None and channel.post_policy in _OLD_POSTERS:
        least, who = _OLD_POSTERS[channel.post_policy]
        return ALLOWED if role_of(state) <= least else only(who, f"post in #{channel.name}")
    return ALLOWED


_OLD_POSTERS: dict[int, tuple[Role, str]] = {
    PostPolicy.ADMINISTRATORS: (Role.ADMINISTRATOR, "admins"),
    PostPolicy.MODERATORS: (Role.MODERATOR, "admins and moderators"),
}
"""Who posts, by the `stream_post_policy` of servers below level 333: the least role and its words."""


def topic_refusal(state: State, channel_id: int, topic: str) -> Refusal:
    """Refuses a topic that a message in a channel cannot have, and a new one of who may not create topics.

    Whether a topic is new is known once the channel's topics are loaded.
    """
    channel = state.channels.get(channel_id)
    name = channel.name if channel is not None else "this channel"
    policy = topics_policy(state, channel_id)
    if policy is TopicsPolicy.DISABLE_EMPTY and not topic.strip():
        return Refusal(f"Messages in #{name} need a topic.")
    if policy is TopicsPolicy.EMPTY_ONLY and topic.strip():
        return Refusal(f"#{name} has no topics: it is one conversation.")
    setting = channel.permissions.get(ChannelSetting.CREATE_TOPIC) if channel is not None else None
    if setting is None or state.user_groups.contains(setting, state.me) or not topic.strip():
        return ALLOWED
    existing = {topic.name.casefold() for topic in state.topics.of(channel_id)}
    if not state.topics.is_loaded(channel_id) or topic.casefold() in existing:
        return ALLOWED
    refusal = only(holders(state, setting), f"create topics in #{name}")
    return Refusal(f"{refusal} Choose an existing topic.", refusal.short)


def direct_refusal(state: State, others: frozenset[int]) -> Refusal:
    """Refuses a direct conversation with these people; none of them is a note to oneself."""
    people = [user for user_id in sorted(others) if (user := state.users.get(user_id)) is not None]
    for user in people:
        if not user.is_active:
            return Refusal(f"{user.full_name} has left: the account is deactivated.")
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
    may_begin = state.has_permission("direct_message_initiator_group")
    if may_begin or state.directs.newest(others) is not None or len(state.directs.recent()) >= _RECENT:
        return ALLOWED
    return only_holders(state, "direct_message_initiator_group", "start direct message conversations")


_RECENT = 900
"""Snapshots name about a thousand conversations: with so many, an older one may well be there."""


def _is_nobody(state: State, setting: GroupSettingValue) -> bool:
    if isinstance(setting, AdHocGroup):
        return not setting.direct_members and not setting.direct_subgroups
    group = state.user_groups.get(setting)
    return group is not None and group.name == "role:nobody"
