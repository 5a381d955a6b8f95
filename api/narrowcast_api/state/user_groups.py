"""User groups, and which users a permission includes (contract GSV rows)."""

from __future__ import annotations

from collections.abc import Iterator

from narrowcast_api.model.reading import RawRecord, boolean, text
from narrowcast_api.model.user_groups import (
    AdHocGroup,
    GroupSettingValue,
    UserGroup,
    read_permissions,
    without_user,
)


class UserGroups:
    """All groups, deactivated and system ones included, by id."""

    def __init__(self) -> None:
        self._by_id: dict[int, UserGroup] = {}

    def __iter__(self) -> Iterator[UserGroup]:
        return iter(self._by_id.values())

    def get(self, group_id: int) -> UserGroup | None:
        """The group with this id."""
        return self._by_id.get(group_id)

    def put(self, group: UserGroup) -> None:
        """Adds a group, or replaces it by a newer record."""
        self._by_id[group.id] = group

    def remove(self, group_id: int) -> None:
        """Removes a group, also as a subgroup of others."""
        self._by_id.pop(group_id, None)
        for group in list(self._by_id.values()):
            if group_id in group.subgroups:
                self.put(group._replace(subgroups=group.subgroups - {group_id}))

    def update(self, group_id: int, data: RawRecord) -> None:
        """Changes only the values in `data`: name, description, deactivated, permissions."""
        group = self._by_id.get(group_id)
        if group is not None:
            self.put(
                group._replace(
                    name=text(data, "name", group.name),
                    description=text(data, "description", group.description),
                    deactivated=boolean(data, "deactivated", group.deactivated),
                    permissions={**group.permissions, **read_permissions(data)},
                )
            )

    def forget_user(self, user_id: int) -> bool:
        """Removes a deactivated user from groups and permissions, about which there are no further events."""
        changed = False
        for group in list(self._by_id.values()):
            left = group._replace(
                members=group.members - {user_id}, permissions=without_user(group.permissions, user_id)
            )
            if left != group:
                self.put(left)
                changed = True
        return changed

    def change_members(
        self, group_id: int, *, add: set[int] | None = None, remove: set[int] | None = None
    ) -> None:
        """Adds or removes direct members."""
        group = self._by_id.get(group_id)
        if group is not None:
            self.put(group._replace(members=(group.members | (add or set())) - (remove or set())))

    def change_subgroups(
        self, group_id: int, *, add: set[int] | None = None, remove: set[int] | None = None
    ) -> None:
        """Adds or removes direct subgroups."""
        group = self._by_id.get(group_id)
        if group is not None:
            self.put(group._replace(subgroups=(group.subgroups | (add or set())) - (remove or set())))

    def contains(self, setting: GroupSettingValue, user_id: int) -> bool:
        """Whether a user has the permission `setting`, directly or through nested groups.

        Deactivated groups grant nothing (GSV-18); cycles are handled.
        """
        if isinstance(setting, AdHocGroup):
            if user_id in setting.direct_members:
                return True
            waiting = list(setting.direct_subgroups)
        else:
            waiting = [setting]
        visited: set[int] = set()
        while waiting:
            group_id = waiting.pop()
            group = self._by_id.get(group_id)
            if group is None or group_id in visited or group.deactivated:
                continue
            visited.add(group_id)
            if user_id in group.members:
                return True
            waiting.extend(group.subgroups)
        return False
