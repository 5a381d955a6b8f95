"""Permissions to change a channel, give access to it, subscribe to it, and remove subscribers."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.vocabulary import ChannelSetting
from narrowcast_server.organization.checks import unfit_position
from narrowcast_server.organization.errors import (
    ServiceError,
    insufficient_permission,
)
from narrowcast_server.organization.models import Channel, User
from narrowcast_server.rules import access
from narrowcast_server.rules.access import known_channel, may_read
from narrowcast_server.rules.permissions import (
    administers_channel,
    channel_allows,
    realm_allows,
)

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization


def check_channel_name(organization: Organization, name: str) -> str:
    """A channel name without surrounding whitespace; raises BAD_REQUEST for forbidden lengths and characters."""
    name = name.strip()
    limit = organization.config.limits.max_channel_name_length
    if not name:
        raise ServiceError("Channel name can't be empty.")
    if len(name) > limit:
        raise ServiceError(f"Channel name too long (limit: {limit} characters).")
    if (position := unfit_position(name)) is not None:
        raise ServiceError(f"Invalid character in channel name, at position {position}.")
    return name


def administered_channel(organization: Organization, user: User, channel_id: int) -> Channel:
    """A channel that the user may administer; raises BAD_REQUEST for others."""
    channel = known_channel(organization, user, channel_id, archived=True)
    if not administers_channel(organization, user, channel):
        raise ServiceError("You do not have permission to administer this channel.")
    return channel


_OPENING: Final = frozenset({ChannelSetting.ADD_SUBSCRIBERS.value, ChannelSetting.SUBSCRIBE.value})
"""Permissions of a channel whose holders can read it."""


def check_may_open(organization: Organization, user: User, channel: Channel, setting: str) -> None:
    """Raises BAD_REQUEST if the setting gives others access to messages that the user cannot read."""
    if setting in _OPENING:
        require_content(organization, user, channel)


def require_content(organization: Organization, user: User, channel: Channel) -> None:
    """Raises BAD_REQUEST if the user may not read the channel."""
    if not may_read(organization, user, channel):
        raise ServiceError("Channel content access is required.")


_DELETE_POLICY: Final = frozenset(
    {ChannelSetting.DELETE_ANY_MESSAGE.value, ChannelSetting.DELETE_OWN_MESSAGE.value}
)


def check_policies(
    organization: Organization, user: User, settings: Iterable[str] = (), *, topics: bool = False
) -> None:
    """Raises BAD_REQUEST if the user may not set a channel's policy for topics (`topics`), or for deleting messages."""
    may = partial(realm_allows, organization, user)
    if topics and not may("can_set_topics_policy_group"):
        raise insufficient_permission()
    if _DELETE_POLICY & set(settings) and not may("can_set_delete_message_policy_group"):
        raise insufficient_permission()


def may_subscribe_self(organization: Organization, user: User, channel: Channel) -> bool:
    """Whether the user may subscribe themselves: to public channels anyone but guests, else holders of a permission."""
    if not channel.invite_only and not user.is_guest:
        return True
    return any(
        channel_allows(organization, user, channel, name)
        for name in ("can_subscribe_group", "can_add_subscribers_group")
    )


def may_subscribe_others(organization: Organization, user: User, channel: Channel) -> bool:
    """Whether the user has a permission to subscribe others, or administers the channel and it is public."""
    if channel_allows(organization, user, channel, "can_add_subscribers_group"):
        return True
    if not channel.invite_only and administers_channel(organization, user, channel):
        return True
    return realm_allows(organization, user, "can_add_subscribers_group")


def check_may_create(organization: Organization, user: User, *, invite_only: bool, web_public: bool) -> None:
    """Raises BAD_REQUEST if the user may not create such a channel. Web-public ones also need to be public."""
    if web_public and invite_only:
        raise ServiceError("A web-public channel cannot be private.")
    kind = "private" if invite_only else "public"
    if not realm_allows(organization, user, f"can_create_{kind}_channel_group"):
        raise insufficient_permission()
    if web_public:
        check_may_open_to_the_web(organization, user)


def check_may_open_to_the_web(organization: Organization, user: User) -> None:
    """Raises BAD_REQUEST if the organization has no web-public channels, or the user may not create them."""
    if not organization.setting("enable_spectator_access", bool):
        raise ServiceError("Web-public channels are not enabled.")
    if not realm_allows(organization, user, "can_create_web_public_channel_group"):
        raise insufficient_permission()


def check_may_be_default(user: User, *, invite_only: bool) -> None:
    """Raises BAD_REQUEST if the user may not make a new channel a default one."""
    if not user.is_administrator:
        raise insufficient_permission()
    if invite_only:
        raise ServiceError("A default channel cannot be private.")


def may_remove_subscriber(organization: Organization, user: User, leaver: User, channel: Channel) -> bool:
    """Whether the user may unsubscribe `leaver`: the three cases of the contract, USUB-06, USUB-07 and USUB-08."""
    if user.is_administrator:
        return True
    if not access.may_read(organization, user, channel):
        return False
    if leaver.bot_owner_id == user.id and leaver.is_bot:
        return True
    return channel_allows(organization, user, channel, "can_remove_subscribers_group")
