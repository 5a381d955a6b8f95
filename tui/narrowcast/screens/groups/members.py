"""The members of a user group: people, and groups within it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType

from narrowcast.keys.registry import Context, bindings_for
from narrowcast.screens.dialogs.confirm import Question
from narrowcast.screens.dialogs.form_fields import People, UnusableValue, Values
from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.manage_list import ListRow
from narrowcast.screens.dialogs.picker import Choice, Picker
from narrowcast.screens.people.card import PersonScreen
from narrowcast.widgets.empty import Empty
from narrowcast_api import permissions
from narrowcast_api.model.user_groups import UserGroup
from narrowcast_api.state.changes import UserGroupsChanged, UsersChanged
from narrowcast_api.wire.vocabulary import GroupSetting

if TYPE_CHECKING:
    from narrowcast_api.state.state import State
    from narrowcast_api.sync.session import Session

Member = tuple[str, int]
"""'user' or 'group', and its id."""


def join_refusal(state: State, group: UserGroup) -> str:
    """Why the current user may not join the group; empty if allowed."""
    own = group.permissions.get(GroupSetting.JOIN)
    if own is not None and not group.is_system and state.user_groups.contains(own, state.me):
        return ""
    return permissions.group_refusal(state, group, GroupSetting.ADD_MEMBERS, f"add members to {group.name}")


def leave_refusal(state: State, group: UserGroup) -> str:
    """Why the current user may not leave the group; empty if allowed."""
    own = group.permissions.get(GroupSetting.LEAVE)
    if own is not None and not group.is_system and state.user_groups.contains(own, state.me):
        return ""
    return permissions.group_refusal(
        state, group, GroupSetting.REMOVE_MEMBERS, f"remove members from {group.name}"
    )


class GroupMembersScreen(ManageScreen[Member]):
    """Groups within the group first, then people."""

    KEYS = (
        ("list.select", "shows"),
        ("manage.new", "adds users"),
        ("group-members.add-group", "adds a group"),
        ("manage.delete", "removes"),
    )
    EMPTY = Empty("No members", "Nobody belongs to this group.")
    FOLLOWS = (UserGroupsChanged, UsersChanged)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.GROUP_MEMBERS)]

    def __init__(self, session: Session, group_id: int) -> None:
        super().__init__(session)
        self.group_id = group_id

    @property
    def group(self) -> UserGroup | None:
        """The group in its current state."""
        return self.state.user_groups.get(self.group_id)

    def title_text(self) -> str:
        return f"Members of {permissions.group_name(self.state, self.group_id)}"

    def refusal(self) -> str:
        return self._add_refusal() if self._remove_refusal() else ""

    def _add_refusal(self) -> str:
        group = self.group
        if group is None:
            return "This group no longer exists."
        return permissions.group_refusal(
            self.state, group, GroupSetting.ADD_MEMBERS, f"add members to {group.name}"
        )

    def _remove_refusal(self) -> str:
        group = self.group
        if group is None:
            return "This group no longer exists."
        return permissions.group_refusal(
            self.state, group, GroupSetting.REMOVE_MEMBERS, f"remove members from {group.name}"
        )

    def _manage_refusal(self) -> str:
        group = self.group
        if group is None:
            return "This group no longer exists."
        return permissions.group_refusal(self.state, group, None, f"change the subgroups of {group.name}")

    def rows(self) -> Sequence[ListRow[Member]]:
        group, state = self.group, self.state
        if group is None:
            return []
        groups = [
            ListRow(
                ("group", group_id),
                ("group", group_id),
                permissions.group_name(state, group_id),
                "group",
                mark="@",
            )
            for group_id in sorted(group.subgroups)
        ]
        people = [
            ListRow(("user", user_id), ("user", user_id), state.users.name(user_id), self._about(user_id))
            for user_id in sorted(group.members, key=lambda user_id: state.users.name(user_id).casefold())
        ]
        return [*groups, *people]

    def _about(self, user_id: int) -> str:
        user = self.state.users.get(user_id)
        return "" if user is None else permissions.role_name(user.role)

    def open(self, item: Member) -> None:
        what, number = item
        if what == "group":
            self.app.push_screen(GroupMembersScreen(self.session, number))
            return

        self.app.push_screen(PersonScreen(self.session, number))

    def new(self) -> None:
        group = self.group
        if group is None or self.refused(self._add_refusal()):
            return

        async def add(values: Values) -> object:
            people = [user_id for user_id in values.ids("people") if user_id not in group.members]
            if not people:
                raise UnusableValue("people", "Already in the group.")
            return await self.session.client.user_groups.change_members(user_group_id=group.id, add=people)

        field = People("people", "Users", required=True)
        self.form(f"Add to {group.name}", [field], add, verb="adds", done="Added.")

    def action_add_group(self) -> None:
        """Adds a group as a subgroup: its members become members."""
        group = self.group
        if group is None or self.refused(self._manage_refusal()):
            return
        system = [other for other in self.state.user_groups if other.is_system]
        choices = [
            Choice(other.id, permissions.group_name(self.state, other.id), other.description)
            for other in (*permissions.named_groups(self.state), *system)
            if other.id != group.id and other.id not in group.subgroups
        ]

        def chosen(group_id: int | None) -> None:
            if group_id is not None:
                change = self.session.client.user_groups.change_subgroups
                self.work(change(user_group_id=group.id, add=[group_id]), done="Added.")

        self.app.push_screen(Picker(f"Add a group to {group.name}", choices), chosen)

    def question(self, item: Member) -> Question | None:
        what, number = item
        group = self.group
        if group is None:
            return None
        if what == "group":
            refusal, name = self._manage_refusal(), permissions.group_name(self.state, number)
        else:
            mine = number == self.state.me
            refusal = leave_refusal(self.state, group) if mine else self._remove_refusal()
            name = self.state.users.name(number)
        return None if self.refused(refusal) else Question(f"Remove {name} from {group.name}?", "Remove")

    async def delete(self, item: Member) -> None:
        what, number = item
        user_groups = self.session.client.user_groups
        if what == "group":
            await user_groups.change_subgroups(user_group_id=self.group_id, delete=[number])
        else:
            await user_groups.change_members(user_group_id=self.group_id, delete=[number])
