"""Permissions of the organization as older servers send them: a number for a role.

TODO(server-341): before, some permissions were such policies; since, all are groups (GSV-01).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.vocabulary import Role

if TYPE_CHECKING:
    from narrowcast_api.state.settings import Settings

_POLICIES: Final[Mapping[str, str]] = {
    "can_add_custom_emoji_group": "add_custom_emoji_policy",
    "can_add_subscribers_group": "invite_to_stream_policy",
    "can_create_groups": "user_group_edit_policy",
    "can_create_private_channel_group": "create_private_stream_policy",
    "can_create_public_channel_group": "create_public_stream_policy",
    "can_create_web_public_channel_group": "create_web_public_stream_policy",
    "can_delete_own_message_group": "delete_own_message_policy",
    "can_invite_users_group": "invite_to_realm_policy",
    "can_move_messages_between_channels_group": "move_messages_between_streams_policy",
    "can_move_messages_between_topics_group": "edit_topic_policy",
}
NOBODY: Final = 0
"""A value below all roles that servers use."""
_LEAST: Final[Mapping[int, int]] = {
    1: Role.MEMBER,
    2: Role.ADMINISTRATOR,
    3: Role.MEMBER,  # the server checks how long the user must have been a member
    4: Role.MODERATOR,
    6: NOBODY,
    7: Role.OWNER,
}
"""The least privileged role by the policy's number; 5 means everybody, as does a missing policy."""


def least_role(organization: Settings, permission: str) -> int | None:
    """The least privileged role with a permission by its policy; None if everybody has it, or it has no policy."""
    policy = _POLICIES.get(permission)
    return None if policy is None else _LEAST.get(organization.number(policy))
