"""Channels, subscriptions and user groups in responses and events; the topics of channels (rows TOP)."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import PostPolicy, Role, SystemGroup
from narrowcast_server.organization.models import Channel, Group, User
from narrowcast_server.rules.access import history_is_protected, subscriber_ids
from narrowcast_server.rules.permissions import outgoing_value
from narrowcast_server.storage.store import Row

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

_POST_POLICIES: Final = {
    SystemGroup.ADMINISTRATORS: PostPolicy.ADMINISTRATORS,
    SystemGroup.FULL_MEMBERS: PostPolicy.FULL_MEMBERS,
    SystemGroup.MODERATORS: PostPolicy.MODERATORS,
}
_SYSTEM_ROLES: Final = {
    SystemGroup.OWNERS: Role.OWNER,
    SystemGroup.ADMINISTRATORS: Role.ADMINISTRATOR,
    SystemGroup.MODERATORS: Role.MODERATOR,
    SystemGroup.FULL_MEMBERS: Role.MEMBER,
    SystemGroup.MEMBERS: Role.MEMBER,
    SystemGroup.EVERYONE: Role.GUEST,
}


def post_policy(organization: Organization, channel: Channel) -> PostPolicy:
    """The policy for posting in its older form, for clients that do not know the permission."""
    value = channel.settings.get("can_send_message_group")
    group = organization.groups.get(value) if isinstance(value, int) else None
    if group is None or not group.is_system:
        return PostPolicy.EVERYONE
    return _POST_POLICIES.get(SystemGroup(group.name), PostPolicy.EVERYONE)


def channel_object(
    organization: Organization, channel: Channel, *, subscriber_count: int | None = None
) -> dict[str, object]:
    """A channel in lists, in the response of POST /register and in `stream` events."""
    policy = post_policy(organization, channel)
    count = len(subscriber_ids(organization, channel.id)) if subscriber_count is None else subscriber_count
    return {
        "is_archived": channel.is_archived,
        **{
            name: outgoing_value(organization, value) if type(value) is dict else value
            for name, value in channel.settings.items()
        },
        "creator_id": channel.creator_id,
        "date_created": channel.date_created,
        "description": channel.description,
        "first_message_id": channel.first_message_id,
        "folder_id": channel.folder_id,
        "is_recently_active": True,
        "history_public_to_subscribers": channel.history_public,
        "invite_only": channel.invite_only,
        "is_web_public": channel.is_web_public,
        "message_retention_days": channel.message_retention_days,
        "name": channel.name,
        "rendered_description": channel.rendered_description,
        "stream_id": channel.id,
        "stream_post_policy": int(policy),
        "is_announcement_only": policy is PostPolicy.ADMINISTRATORS,
        "stream_weekly_traffic": None,
        "subscriber_count": count,
        "topics_policy": channel.topics_policy,
    }


_NULLABLE: Final = (
    "desktop_notifications",
    "audible_notifications",
    "push_notifications",
    "email_notifications",
    "wildcard_mentions_notify",
)


def subscription_fields(row: Row) -> dict[str, object]:
    """The fields that a subscription adds to a channel; notifications are null if they follow the personal settings."""
    muted = bool(row["is_muted"])
    result: dict[str, object] = {
        "color": row["color"],
        "is_muted": muted,
        "in_home_view": not muted,
        "pin_to_top": bool(row["pin_to_top"]),
    }
    for name in _NULLABLE:
        result[name] = None if row[name] is None else bool(row[name])
    return result


def subscribers_by_channel(organization: Organization) -> dict[int, list[int]]:
    """Channel id -> ids of its active subscribers."""
    result: dict[int, list[int]] = defaultdict(list)
    active = {user.id for user in organization.users.all() if user.is_active}
    for channel_id, user_id in organization.store.all(
        "SELECT channel_id, user_id FROM subscriptions WHERE active = 1 ORDER BY user_id"
    ):
        if user_id in active:
            result[channel_id].append(user_id)
    return result


_GROUP_SETTING_LEVELS: Final = {
    "can_add_members_group": Gate.GROUP_ADD_MEMBERS.level,
    "can_join_group": Gate.GROUP_JOIN.level,
    "can_leave_group": Gate.GROUP_LEAVE.level,
    "can_manage_group": Gate.GROUP_MANAGE.level,
    "can_mention_group": Gate.GROUP_MENTION.level,
    "can_remove_members_group": Gate.GROUP_REMOVE_MEMBERS.level,
}


def group_object(organization: Organization, group: Group) -> dict[str, object]:
    """A user group in lists and events (GSV-20); system groups list the users with exactly their role."""
    result: dict[str, object] = {
        "id": group.id,
        "name": group.name,
        "creator_id": group.creator_id,
        "date_created": group.date_created,
        "description": group.description,
        "members": group_member_ids(organization, group),
        "direct_subgroup_ids": organization.memberships.subgroups(group.id),
        "is_system_group": group.is_system,
        "deactivated": group.deactivated,
    }
    for name, level in _GROUP_SETTING_LEVELS.items():
        if organization.level >= level:
            result[group_setting_name(organization, name)] = outgoing_value(
                organization, group.settings[name]
            )
    return result


def group_setting_name(organization: Organization, name: str) -> str:
    """The name of a group's setting at this level (GSV-15)."""
    if name == "can_mention_group" and organization.level < Gate.GROUP_MENTION_NAME.level:
        return "can_mention_group_id"
    return name


def direct_role(group: Group) -> Role | None:
    """The role whose holders are the direct members of a system group; None if there is none."""
    return _SYSTEM_ROLES.get(SystemGroup(group.name))


def group_member_ids(organization: Organization, group: Group) -> list[int]:
    """Ids of the direct members; from level 303 without deactivated users, who are members again once reactivated."""
    with_all = organization.level < Gate.DIRECT_MEMBERS_ACTIVE.level
    if group.is_system:
        role = direct_role(group)
        return [
            user.id
            for user in organization.users.all()
            if (with_all or user.is_active) and user.role is role and not user.is_system_bot
        ]
    members = organization.memberships.members(group.id)
    return [user_id for user_id in members if with_all or organization.users[user_id].is_active]


def topics_of(organization: Organization, user: User, channel: Channel) -> list[tuple[str, int]]:
    """(name, newest message id) of the topics of a channel that the user may read, most recent first."""
    if history_is_protected(channel):
        rows = organization.store.all(
            "SELECT m.topic, max(m.id) AS newest FROM messages m JOIN user_messages um ON um.message_id = m.id"
            " AND um.user_id = ? WHERE m.channel_id = ? GROUP BY m.topic ORDER BY newest DESC",
            user.id,
            channel.id,
        )
    else:
        # Skips from topic to topic in the index: the cost grows with the topics, not with the messages.
        rows = organization.store.all(
            "WITH RECURSIVE names(topic) AS (SELECT min(topic) FROM messages WHERE channel_id = ?1 UNION ALL"
            " SELECT (SELECT min(topic) FROM messages WHERE channel_id = ?1 AND topic > names.topic) FROM names"
            " WHERE names.topic IS NOT NULL)"
            " SELECT m.topic, m.id AS newest FROM names JOIN messages m ON m.id ="
            " (SELECT max(id) FROM messages WHERE channel_id = ?1 AND topic = names.topic) ORDER BY newest DESC",
            channel.id,
        )
    return [(row["topic"], row["newest"]) for row in rows]
