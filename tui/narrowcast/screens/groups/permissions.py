"""Who may do what with a user group."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING, cast

from msgspec import Struct

from narrowcast.screens.dialogs.manage import ListRow, ManageScreen
from narrowcast.screens.groups.choose import choose_holders
from narrowcast_api import permissions
from narrowcast_api.model.user_groups import GroupSettingValue
from narrowcast_api.routes.user_groups import Change
from narrowcast_api.state.changes import UserGroupsChanged
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import GroupSetting

if TYPE_CHECKING:
    from narrowcast_api.routes.user_groups import ChangedSettings
    from narrowcast_api.sync.session import Session


class Permission(Struct, frozen=True):
    """One permission of a group, and the level that it needs."""

    name: GroupSetting
    title: str
    gate: Gate


PERMISSIONS = (
    Permission(GroupSetting.MENTION, "Who can mention this group", Gate.GROUP_MENTION),
    Permission(GroupSetting.JOIN, "Who can join this group", Gate.GROUP_JOIN),
    Permission(GroupSetting.LEAVE, "Who can leave this group", Gate.GROUP_LEAVE),
    Permission(GroupSetting.ADD_MEMBERS, "Who can add members to this group", Gate.GROUP_ADD_MEMBERS),
    Permission(
        GroupSetting.REMOVE_MEMBERS, "Who can remove members from this group", Gate.GROUP_REMOVE_MEMBERS
    ),
    Permission(GroupSetting.MANAGE, "Who can administer this group", Gate.GROUP_MANAGE),
)


class GroupPermissionsScreen(ManageScreen[Permission]):
    """The permissions with who holds them; those that the server does not know say so."""

    KEYS = (("list.select", "changes"),)
    COUNTS = False
    FOLLOWS = (UserGroupsChanged,)

    def __init__(self, session: Session, group_id: int) -> None:
        super().__init__(session)
        self.group_id = group_id

    def title_text(self) -> str:
        return f"Permissions of {permissions.group_name(self.state, self.group_id)}"

    def refusal(self) -> str:
        group = self.state.user_groups.get(self.group_id)
        if group is None:
            return "This group no longer exists."
        refusal = permissions.group_refusal(
            self.state, group, None, f"change the permissions of {group.name}"
        )
        return refusal or (
            permissions.below(self.state, Gate.GROUP_DEACTIVATED_EDIT) if group.deactivated else ""
        )

    def rows(self) -> Sequence[ListRow[Permission]]:
        group = self.state.user_groups.get(self.group_id)
        if group is None:
            return []
        found = []
        for permission in PERMISSIONS:
            setting = group.permissions.get(permission.name)
            who = permissions.holders(self.state, setting) if setting is not None else ""
            needs = permissions.level_needed(self.state, permission.gate)
            shown = needs or who
            found.append(ListRow(permission.name, permission, permission.title, shown, dim=bool(needs)))
        return found

    def open(self, item: Permission) -> None:
        group = self.state.user_groups.get(self.group_id)
        if group is None or self.refused() or self.refused(permissions.below(self.state, item.gate)):
            return
        present = group.permissions.get(item.name)

        def save(new: GroupSettingValue) -> Awaitable[object]:
            change = cast("ChangedSettings", {item.name.value: Change(new, present)})
            return self.session.client.user_groups.update(user_group_id=self.group_id, **change)

        title = f"{item.title} ({group.name})"
        rule = self.state.holder_rules.of("group", item.name.value)
        choose_holders(
            self, self.state, title, present, save, lambda work: self.work(work, done="Saved."), rule
        )
