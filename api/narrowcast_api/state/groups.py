"""User groups, and whom a permission includes (contract GSV rows)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from narrowcast_api.state.rows import Row, boolean, ids, optional_int, required_int, text


class AdHocGroup(NamedTuple):
    """A group without a name, as the value of a permission: people and groups."""

    direct_members: frozenset[int]
    direct_subgroups: frozenset[int]


GroupSetting = int | AdHocGroup
"""Who holds a permission: the id of a group, or an unnamed group (GSV-01, GSV-02)."""


def read_group_setting(value: object) -> GroupSetting | None:
    """The value of a permission; None for what is not one."""
    if type(value) is int:
        return value
    if isinstance(value, Mapping):
        return AdHocGroup(
            frozenset(ids(value.get("direct_members"))), frozenset(ids(value.get("direct_subgroups")))
        )
    return None


def read_permissions(row: Row) -> dict[str, GroupSetting]:
    """Every `can_..._group` of a row."""
    permissions: dict[str, GroupSetting] = {}
    for key, value in row.items():
        if key[:4] == "can_" and key[-6:] == "_group":
            setting = value if type(value) is int else read_group_setting(value)
            if setting is not None:
                permissions[key] = setting
    return permissions


class Group(NamedTuple):
    """A user group with its direct members and subgroups."""

    id: int
    name: str
    description: str
    members: frozenset[int]
    subgroups: frozenset[int]
    is_system: bool
    deactivated: bool
    creator_id: int | None
    permissions: Mapping[str, GroupSetting]


def read_group(row: Row) -> Group:
    """A row of `realm_user_groups` or of a `user_group` event."""
    return Group(
        id=required_int(row, "id"),
        name=text(row, "name"),
        description=text(row, "description"),
        members=frozenset(ids(row.get("members"))),
        subgroups=frozenset(ids(row.get("direct_subgroup_ids", row.get("subgroups")))),
        is_system=boolean(row, "is_system_group"),
        deactivated=boolean(row, "deactivated"),
        creator_id=optional_int(row, "creator_id"),
        permissions=read_permissions(row),
    )


class Groups:
    """All groups, deactivated and system ones included, by id."""

    def __init__(self) -> None:
        self._by_id: dict[int, Group] = {}

    def __iter__(self) -> Iterator[Group]:
        return iter(self._by_id.values())

    def get(self, group_id: int) -> Group | None:
        """The group with this id."""
        return self._by_id.get(group_id)

    def put(self, group: Group) -> None:
        """Adds a group, or takes a newer record of it."""
        self._by_id[group.id] = group

    def remove(self, group_id: int) -> None:
        """Forgets a group, also as a subgroup of others."""
        self._by_id.pop(group_id, None)
        for group in list(self._by_id.values()):
            if group_id in group.subgroups:
                self.put(group._replace(subgroups=group.subgroups - {group_id}))

    def update(self, group_id: int, data: Row) -> None:
        """Changes only what `data` carries: name, description, deactivated, permissions."""
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

    def contains(self, setting: GroupSetting, user_id: int) -> bool:
        """Whether somebody holds the permission `setting`, directly or through groups within groups.

        Deactivated groups grant nothing (GSV-18); circles end.
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
