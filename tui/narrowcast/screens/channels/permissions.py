"""The permissions of a channel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from narrowcast.screens.channels.fields import privacy_of
from narrowcast.screens.groups.permission_list import Permission, PermissionsScreen
from narrowcast_api import permissions
from narrowcast_api.model.user_groups import GroupSettingValue
from narrowcast_api.state.changes import ChannelsChanged, UserGroupsChanged
from narrowcast_api.wire.vocabulary import ChannelSetting

if TYPE_CHECKING:
    from narrowcast_api.model.channels import Channel
    from narrowcast_api.sync.session import Session

PERMISSIONS = {
    ChannelSetting.SEND_MESSAGE: "post messages",
    ChannelSetting.CREATE_TOPIC: "create new topics",
    ChannelSetting.SUBSCRIBE: "subscribe to this channel",
    ChannelSetting.ADD_SUBSCRIBERS: "subscribe others",
    ChannelSetting.REMOVE_SUBSCRIBERS: "unsubscribe others",
    ChannelSetting.RESOLVE_TOPICS: "resolve topics",
    ChannelSetting.MOVE_WITHIN: "move messages within it",
    ChannelSetting.MOVE_OUT: "move messages out of it",
    ChannelSetting.DELETE_OWN_MESSAGE: "delete their own messages",
    ChannelSetting.DELETE_ANY_MESSAGE: "delete any message",
    ChannelSetting.ADMINISTER: "administer this channel",
}
_DELETING = (ChannelSetting.DELETE_OWN_MESSAGE, ChannelSetting.DELETE_ANY_MESSAGE)


class ChannelPermissionsScreen(PermissionsScreen):
    """The permissions and their holders; those that the server does not support are marked."""

    FOLLOWS = (ChannelsChanged, UserGroupsChanged)

    def __init__(self, session: Session, channel: Channel) -> None:
        super().__init__(session)
        self._shown_first = channel

    @property
    def _channel(self) -> Channel:
        """The channel in its current state, or as it was before it disappeared."""
        return self.state.channels.get(self._shown_first.channel_id) or self._shown_first

    def subject(self) -> str:
        return f"#{self._channel.name}"

    def refusal(self) -> str:
        return permissions.channel_refusal(self.state, self._channel)

    def listed(self) -> Sequence[Permission]:
        channel = self._channel
        return [
            Permission(
                setting.value,
                f"Who can {words}",
                channel.permissions.get(setting),
                self.state.holder_rules.of("stream", setting.value),
                self._needs(channel, setting),
            )
            for setting, words in PERMISSIONS.items()
        ]

    async def give(self, permission: Permission, new: GroupSettingValue) -> object:
        setting = ChannelSetting(permission.name)
        expected = {} if permission.holder is None else {setting: permission.holder}
        return await self.session.client.channels.update(
            channel_id=self._channel.channel_id, permissions={setting: new}, expected=expected
        )

    def _needs(self, channel: Channel, setting: ChannelSetting) -> str:
        """Why a permission of this channel cannot be changed."""
        if setting not in channel.permissions:
            return "not supported by this server"
        if setting is ChannelSetting.CREATE_TOPIC and privacy_of(channel) == "protected":
            # A user who cannot see old topics cannot know whether a topic is new.
            return "cannot be changed with protected history"
        if setting in _DELETING:
            return permissions.delete_policy_refusal(self.state).short
        return ""
