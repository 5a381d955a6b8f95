"""User groups, and the holders of permissions (GSV rows)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from typing import NamedTuple

from narrowcast_api.model.id_set import IdSet
from narrowcast_api.model.reading import RawRecord, boolean, ids, optional_int, required_int, text
from narrowcast_api.wire.vocabulary import SystemGroup


class AdHocGroup(NamedTuple):
    """An unnamed group as the value of a permission: users and groups."""

    direct_members: frozenset[int]
    direct_subgroups: frozenset[int]


GroupSettingValue = int | AdHocGroup
"""Who holds a permission: the id of a group, or an unnamed group (GSV-01, GSV-02)."""


_OLD_NAMES = {
    "can_mention_group_id": "can_mention_group",  # TODO(server-198)
    "can_remove_subscribers_group_id": "can_remove_subscribers_group",  # TODO(server-197)
}


def read_group_setting(value: object) -> GroupSettingValue | None:
    """Reads the value of a permission; None if it is invalid."""
    if type(value) is int:
        return value
    if isinstance(value, Mapping):
        return AdHocGroup(
            frozenset(ids(value.get("direct_members"))), frozenset(ids(value.get("direct_subgroups")))
        )
    return None


def group_settings(settings: Iterable[tuple[str, object]]) -> Iterator[tuple[str, GroupSettingValue]]:
    """The permissions among the organization's settings."""
    for name, value in settings:
        if name.startswith("can_") or name.endswith("_group"):
            setting = read_group_setting(value)
            if setting is not None:
                yield name, setting


def names_group(setting: GroupSettingValue, group_id: int) -> bool:
    """Whether a permission's value names the group directly."""
    return group_id in (setting.direct_subgroups if isinstance(setting, AdHocGroup) else (setting,))


def setting_without(setting: GroupSettingValue, user_id: int) -> GroupSettingValue:
    """The value without the user."""
    if isinstance(setting, AdHocGroup) and user_id in setting.direct_members:
        return AdHocGroup(setting.direct_members - {user_id}, setting.direct_subgroups)
    return setting


def without_user(
    permissions: Mapping[str, GroupSettingValue], user_id: int
) -> Mapping[str, GroupSettingValue]:
    """The permissions without the user as a direct holder."""
    return {name: setting_without(setting, user_id) for name, setting in permissions.items()}


def setting_to_wire(setting: GroupSettingValue) -> int | dict[str, list[int]]:
    """The inverse of `read_group_setting`, with ids ascending (GSV-06)."""
    if isinstance(setting, AdHocGroup):
        return {
            "direct_members": sorted(setting.direct_members),
            "direct_subgroups": sorted(setting.direct_subgroups),
        }
    return setting


def read_permissions(row: RawRecord) -> dict[str, GroupSettingValue]:
    """Reads every `can_..._group` of a row; the names that older servers use are replaced."""
    permissions: dict[str, GroupSettingValue] = {}
    for key, value in row.items():
        if key[:4] == "can_" and (key[-6:] == "_group" or key in _OLD_NAMES):
            setting = value if type(value) is int else read_group_setting(value)
            if setting is not None:
                permissions[_OLD_NAMES.get(key, key)] = setting
    return permissions


class UserGroup(NamedTuple):
    """A user group with its direct members and subgroups."""

    id: int
    name: str
    description: str = ""
    members: Set[int] = frozenset()
    subgroups: frozenset[int] = frozenset()
    is_system: bool = False
    deactivated: bool = False
    creator_id: int | None = None
    permissions: Mapping[str, GroupSettingValue] = {}


def read_user_group(row: RawRecord) -> UserGroup:
    """Reads a row of `realm_user_groups` or of a `user_group` event. Older servers name system groups `@role:…`."""
    is_system = boolean(row, "is_system_group")
    name = text(row, "name")
    return UserGroup(
        id=required_int(row, "id"),
        name=name.removeprefix("@") if is_system else name,
        description=text(row, "description"),
        members=IdSet(ids(row.get("members"))),
        subgroups=frozenset(ids(row.get("direct_subgroup_ids", row.get("subgroups")))),
        is_system=is_system,
        deactivated=boolean(row, "deactivated"),
        creator_id=optional_int(row, "creator_id"),
        permissions=read_permissions(row),
    )


def mentionable(groups: Iterable[UserGroup]) -> list[UserGroup]:
    """The groups that can be mentioned, which excludes deactivated ones (GSV-17)."""
    return [group for group in groups if not group.deactivated]


def system_group_id(groups: Iterable[UserGroup], name: SystemGroup) -> int | None:
    """The id of a system group, which differs between organizations (GSV-07); None if there is none."""
    return next((group.id for group in groups if group.is_system and group.name == name), None)
