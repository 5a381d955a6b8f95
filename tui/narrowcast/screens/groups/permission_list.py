"""A list of permissions and their holders; each can be given to a group, or to people and groups by name."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.manage_list import ListRow
from narrowcast.screens.groups.choose import choose_holders
from narrowcast_api import permissions
from narrowcast_api.model.user_groups import GroupSettingValue
from narrowcast_api.state.holder_rules import HolderRule


class Permission(Struct, frozen=True):
    """One permission, and the rule for its holders.

    ``holder``: None if the server does not report it. ``needs``: why it cannot be changed, shown beside it.
    """

    name: str
    title: str
    holder: GroupSettingValue | None
    rule: HolderRule
    needs: str = ""


class PermissionsScreen(ManageScreen[Permission]):
    """A list of permissions. Subclasses provide the permissions and send changes to the server."""

    KEYS = (("list.select", "changes"),)
    COUNTS = False

    def listed(self) -> Sequence[Permission]:
        """The permissions in their current state."""
        raise NotImplementedError

    def subject(self) -> str:
        """The name of the channel or group to which the permissions belong."""
        raise NotImplementedError

    async def give(self, permission: Permission, new: GroupSettingValue) -> object:
        """Sends a new holder to the server, which rejects it if the current one is not that of `permission`."""
        raise NotImplementedError

    def title_text(self) -> str:
        return f"Permissions of {self.subject()}"

    def rows(self) -> Sequence[ListRow[Permission]]:
        return [
            ListRow(one.name, one, one.title, self._shown(one), dim=bool(one.needs)) for one in self.listed()
        ]

    def _shown(self, permission: Permission) -> str:
        who = "" if permission.holder is None else permissions.holders(self.state, permission.holder)
        return " · ".join(filter(None, (who, permission.needs)))

    def open(self, item: Permission) -> None:
        if self.refused() or self.refused(item.needs and f"{item.title}: {item.needs}."):
            return

        def present() -> GroupSettingValue | None:
            return next((one.holder for one in self.listed() if one.name == item.name), item.holder)

        def save(new: GroupSettingValue, expected: GroupSettingValue | None) -> Awaitable[object]:
            return self.give(replace(item, holder=expected), new)

        choose_holders(
            self,
            self.state,
            f"{item.title} ({self.subject()})",
            present,
            save,
            lambda work: self.work(work, done="Saved."),
            item.rule,
        )
