"""The user groups: their members and permissions; create, rename, deactivate, reactivate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType

from narrowcast.keys.registry import Context, bindings_for
from narrowcast.screens.dialogs.confirm import Question
from narrowcast.screens.dialogs.form_fields import Field, LineField, Names, People, Text, Values
from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.manage_list import ListRow
from narrowcast.screens.groups.choose import group_names
from narrowcast.screens.groups.members import GroupMembersScreen, join_refusal, leave_refusal
from narrowcast.screens.groups.permissions import GroupPermissionsScreen
from narrowcast.text.formats import counted
from narrowcast.widgets.empty import Empty
from narrowcast_api import permissions
from narrowcast_api.http.encoding import OMIT
from narrowcast_api.model.user_groups import UserGroup
from narrowcast_api.state.changes import Change, UserGroupsChanged, UsersChanged
from narrowcast_api.wire.levels import Gate

if TYPE_CHECKING:
    from narrowcast_api.sync.session import Session


class GroupsScreen(ManageScreen[UserGroup]):
    """Groups created by users first, then system groups; deactivated ones last."""

    TITLE_TEXT = "User groups"
    KEYS = (
        ("list.select", "members"),
        ("manage.new", "creates"),
        ("groups.edit", "edits"),
        ("groups.permissions", "permissions"),
        ("groups.membership", "joins/leaves"),
        ("manage.delete", "deactivates"),
    )
    EMPTY = Empty("No user groups", "A group can be mentioned, and can have permissions.")
    LINES = 2
    FOLLOWS = (UserGroupsChanged, UsersChanged)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.GROUPS)]

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._made: object = None

    def rows(self) -> Sequence[ListRow[UserGroup]]:
        order = sorted(
            self.state.user_groups,
            key=lambda group: (group.deactivated, group.is_system, group.name.casefold()),
        )
        return [self._row(group) for group in order]

    def _row(self, group: UserGroup) -> ListRow[UserGroup]:
        state = self.state
        inside = state.user_groups.contains(group.id, state.me)
        about = counted(len(group.members), "person", "people")
        if group.subgroups:
            about += f", {counted(len(group.subgroups), 'group')}"
        detail = "deactivated" if group.deactivated else ("you · " if inside else "") + about
        name = permissions.group_name(state, group.id) if group.is_system else f"@{group.name}"
        return ListRow(
            group.id, group, name, detail, group.description, also=group.name, dim=group.deactivated
        )

    def open(self, item: UserGroup) -> None:
        self.app.push_screen(GroupMembersScreen(self.session, item.id))

    # creating and changing

    def new(self) -> None:
        holders = permissions.only_holders(self.state, "can_create_groups", "create user groups")
        if self.refused(holders or permissions.plan_refusal(self.state)):
            return

        async def create(values: Values) -> object:
            return await self.session.client.user_groups.create(
                name=values.text("name"),
                description=values.text("description"),
                members=values.ids("members"),
                subgroups=values.ids("subgroups") or OMIT,
            )

        fields: list[Field] = [
            *_names(None),
            People("members", "Members", value=[self.state.me]),
            Names(
                "subgroups",
                "Subgroups",
                needs=permissions.level_needed(self.state, Gate.GROUP_SUBGROUPS),
                what="user group",
                known=group_names(self.state, permissions.possible_holders(self.state)),
            ),
        ]
        self.form(
            "Create user group",
            fields,
            create,
            verb="creates",
            then=self._await_made,
        )

    def _await_made(self, group_id: object) -> None:
        """Reads the rows again; the new group is selected when its event arrives."""
        self._made = group_id
        self.refresh_rows(select=self._made if isinstance(group_id, int) else None)

    def _on_changes(self, changes: Sequence[Change]) -> None:
        if isinstance(self._made, int) and self.state.user_groups.get(self._made) is not None:
            made, self._made = self._made, None
            self.refresh_rows(select=made)

    def action_edit(self) -> None:
        group = self.selected
        if group is None:
            return
        refusal = permissions.group_refusal(self.state, group, None, "rename this group")

        async def change(values: Values) -> object:
            return await self.session.client.user_groups.update(
                user_group_id=group.id,
                name=values.new_text("name"),
                description=values.new_text("description"),
                current=group,
            )

        self.form(f"User group {group.name}", _names(group), change, done="Saved.", refusal=refusal)

    def action_permissions(self) -> None:
        if (group := self.selected) is not None:
            self.app.push_screen(GroupPermissionsScreen(self.session, group.id))

    def action_membership(self) -> None:
        group = self.selected
        if group is None:
            return
        me = [self.state.me]
        change = self.session.client.user_groups.change_members
        if self.state.me in group.members:
            if not self.refused(leave_refusal(self.state, group)):
                self.work(change(user_group_id=group.id, delete=me), done=f"Left {group.name}.")
        elif not self.refused(join_refusal(self.state, group)):
            self.work(change(user_group_id=group.id, add=me), done=f"Joined {group.name}.")

    # deactivating

    def question(self, item: UserGroup) -> Question | None:
        """The question to deactivate or reactivate a group. Groups cannot be deleted: old messages mention them."""
        act = "reactivate groups" if item.deactivated else "deactivate this group"
        if self.refused(permissions.group_refusal(self.state, item, None, act)):
            return None
        if item.deactivated:
            return Question(f"Reactivate {item.name}?", "Reactivate")
        refusal = permissions.level_refusal(self.state, Gate.GROUP_DEACTIVATE)
        if self.refused(refusal or permissions.in_use_refusal(self.state, item)):
            return None
        return Question(
            f"Deactivate {item.name}?",
            "Deactivate",
            "It can no longer be mentioned. You can reactivate it later.",
        )

    async def delete(self, item: UserGroup) -> None:
        user_groups = self.session.client.user_groups
        if item.deactivated:
            await user_groups.reactivate(user_group_id=item.id)
        else:
            await user_groups.deactivate(user_group_id=item.id)


def _names(group: UserGroup | None) -> list[Field]:
    return [
        LineField("name", "Name", value=group.name if group else "", required=True, limit=100),
        Text("description", "Description", value=group.description if group else "", rows=2, limit=1024),
    ]
