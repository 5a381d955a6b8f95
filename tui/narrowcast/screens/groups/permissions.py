"""The permissions of a user group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from narrowcast.screens.groups.permission_list import Permission, PermissionsScreen
from narrowcast_api import permissions
from narrowcast_api.model.user_groups import GroupSettingValue
from narrowcast_api.routes.user_groups import Change
from narrowcast_api.state.changes import UserGroupsChanged
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import GroupSetting

if TYPE_CHECKING:
    from narrowcast_api.model.user_groups import UserGroup
    from narrowcast_api.routes.user_groups import ChangedSettings
    from narrowcast_api.sync.session import Session

PERMISSIONS = (
    (GroupSetting.MENTION, "Who can mention this group", Gate.GROUP_MENTION),
    (GroupSetting.JOIN, "Who can join this group", Gate.GROUP_JOIN),
    (GroupSetting.LEAVE, "Who can leave this group", Gate.GROUP_LEAVE),
    (GroupSetting.ADD_MEMBERS, "Who can add members to this group", Gate.GROUP_ADD_MEMBERS),
    (GroupSetting.REMOVE_MEMBERS, "Who can remove members from this group", Gate.GROUP_REMOVE_MEMBERS),
    (GroupSetting.MANAGE, "Who can administer this group", Gate.GROUP_MANAGE),
)
"""Each permission with the feature level that it needs."""


class GroupPermissionsScreen(PermissionsScreen):
    """The permissions and their holders; those that the server does not support are marked."""

    FOLLOWS = (UserGroupsChanged,)

    def __init__(self, session: Session, group_id: int) -> None:
        super().__init__(session)
        self.group_id = group_id

    @property
    def _group(self) -> UserGroup | None:
        return self.state.user_groups.get(self.group_id)

    def subject(self) -> str:
        return permissions.group_name(self.state, self.group_id)

    def refusal(self) -> str:
        group = self._group
        if group is None:
            return "This group no longer exists."
        refusal = permissions.group_refusal(
            self.state, group, None, f"change the permissions of {group.name}"
        )
        return refusal or (
            permissions.level_refusal(self.state, Gate.GROUP_DEACTIVATED_EDIT) if group.deactivated else ""
        )

    def listed(self) -> Sequence[Permission]:
        if (group := self._group) is None:
            return []
        return [
            Permission(
                setting.value,
                title,
                group.permissions.get(setting),
                self.state.holder_rules.of("group", setting.value),
                permissions.level_needed(self.state, gate),
            )
            for setting, title, gate in PERMISSIONS
        ]

    async def give(self, permission: Permission, new: GroupSettingValue) -> object:
        change = cast("ChangedSettings", {permission.name: Change(new, permission.holder)})
        return await self.session.client.user_groups.update(user_group_id=self.group_id, **change)
