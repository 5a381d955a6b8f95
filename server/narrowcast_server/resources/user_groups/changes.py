"""User groups: creating, changing, filling and deactivating them (rows GRPC, GRPU, GSV).

Where the contract leaves a choice (GRPC-11): names are unique among active groups, ignoring case; the creator
holds can_manage_group and can_add_members_group but is not a member; everyone may leave and mention.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.vocabulary import GroupSetting, SystemGroup
from narrowcast_server.actions.visibility import channels_may_open, emit_group, emit_members
from narrowcast_server.organization.checks import check_length, unfit_position
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.memberships import MAX_NESTING
from narrowcast_server.organization.models import Group, User
from narrowcast_server.organization.realm_settings import USER_GROUP_SETTINGS
from narrowcast_server.queries.channels import group_object, group_setting_name
from narrowcast_server.rules.permissions import all_members, outgoing_value, setting_value, system_group
from narrowcast_server.rules.quotas import check_room
from narrowcast_server.rules.user_groups import check_membership, uses

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

MAX_NAME: Final = 100
MAX_DESCRIPTION: Final = 1024
_PREFIXES: Final = ("@", "role:", "user:", "stream:", "channel:")
_EXCLUDED: Final[dict[str, frozenset[str]]] = {
    GroupSetting.MANAGE: frozenset({SystemGroup.INTERNET, SystemGroup.EVERYONE}),
    GroupSetting.MENTION: frozenset({SystemGroup.INTERNET, SystemGroup.OWNERS}),
}
"""System groups that may not hold a setting (GSV-12, GSV-14)."""


# --- values --------------------------------------------------------------------------------------------------


def check_name(organization: Organization, name: str, except_id: int | None = None) -> str:
    """A group name that can be mentioned and that no other active group has; raises BAD_REQUEST for others."""
    name = name.strip()
    if not name:
        raise ServiceError("User group name can't be empty!")
    if len(name) > MAX_NAME:
        raise ServiceError(f"User group name cannot exceed {MAX_NAME} characters.")
    if unfit_position(name) is not None:
        raise ServiceError("Invalid characters in user group name.")
    for prefix in _PREFIXES:
        if name.startswith(prefix):
            raise ServiceError(f"User group name cannot start with '{prefix}'.")
    taken = organization.store.integer("SELECT id FROM groups WHERE name = ? AND deactivated = 0", name)
    if taken is not None and taken != except_id:
        raise ServiceError(f"User group '{name}' already exists.")
    return name


def check_description(description: str) -> str:
    """A description; raises BAD_REQUEST if it is too long."""
    check_length("description", description, MAX_DESCRIPTION)
    return description


def checked_setting(organization: Organization, name: str, raw: object) -> object:
    """A new value of a group's setting; raises BAD_REQUEST for excluded and deactivated groups."""
    value = setting_value(organization, raw)
    excluded = _EXCLUDED.get(name, frozenset())
    group = organization.groups.get(value) if isinstance(value, int) else None
    if group is not None and group.is_system and group.name in excluded:
        raise ServiceError(f"'{name}' setting cannot be set to '{group.name}' group.")
    return value


# --- changes -------------------------------------------------------------------------------------------------


def create_group(
    organization: Organization,
    creator: User | None,
    name: str,
    description: str,
    members: Sequence[User],
    subgroups: Sequence[Group] = (),
    settings: Mapping[str, object] | None = None,
) -> Group:
    """Creates a group (GRPC-01); `settings` are checked values that differ from the defaults."""
    if creator is not None:
        check_room(organization, creator, "groups")
    values: dict[str, object] = {
        setting: system_group(organization, holder).id for setting, holder in USER_GROUP_SETTINGS.items()
    }
    if creator is not None:
        own = {"direct_members": [creator.id], "direct_subgroups": []}
        values |= {GroupSetting.MANAGE.value: own, GroupSetting.ADD_MEMBERS.value: own}
    group_id = organization.groups.insert(
        name=name,
        description=description,
        creator_id=None if creator is None else creator.id,
        date_created=organization.now(),
        settings={**values, **(settings or {})},
    )
    organization.memberships.add_members(group_id, [user.id for user in members])
    emit_group(
        organization,
        {"type": "user_group", "op": "add"},
        "group",
        group_object(organization, organization.groups[group_id]),
    )
    add_subgroups(organization, organization.groups[group_id], [group.id for group in subgroups])
    return organization.groups[group_id]


def update_group(organization: Organization, group: Group, **changed: object) -> None:
    """Changes columns of a group, with an event for each."""
    for name, value in changed.items():
        if getattr(group, name) == value:
            continue
        organization.groups.update(group.id, **{name: value})
        _emit_update(organization, group.id, {name: value})


def set_group_setting(organization: Organization, group: Group, name: str, value: object) -> None:
    """Stores a checked permission of a group and emits it."""
    present = organization.groups[group.id].settings
    if present[name] == value:
        return
    organization.groups.update(group.id, settings={**present, name: value})
    _emit_update(
        organization, group.id, {group_setting_name(organization, name): outgoing_value(organization, value)}
    )


def _emit_update(organization: Organization, group_id: int, data: dict[str, object]) -> None:
    organization.emit(
        {"type": "user_group", "op": "update", "group_id": group_id, "data": data}, organization.user_ids()
    )


def set_deactivated(organization: Organization, group: Group, deactivated: bool) -> None:
    """Deactivates or reactivates a group (GSV-17, GSV-18); raises CANNOT_DEACTIVATE_GROUP_IN_USE if it is in use."""
    if deactivated:
        if objections := uses(organization, group):
            raise ServiceError(
                "Cannot deactivate user group in use.",
                "CANNOT_DEACTIVATE_GROUP_IN_USE",
                objections=objections,
            )
    else:
        check_name(organization, group.name, group.id)
    organization.groups.update(group.id, deactivated=int(deactivated))
    event = {
        "type": "user_group",
        "op": "update",
        "group_id": group.id,
        "data": {"deactivated": deactivated},
    }
    emit_group(organization, event, "_group", group_object(organization, organization.groups[group.id]))


def change_members(
    organization: Organization,
    user: User,
    group: Group,
    *,
    add: Sequence[User] = (),
    remove: Sequence[User] = (),
) -> None:
    """Adds and removes direct members; raises BAD_REQUEST without permission, or if a change would have no effect."""
    _check_active(group)
    present = set(organization.memberships.members(group.id))
    joins, leaves = [member.id for member in add], [member.id for member in remove]
    check_membership(organization, user, group, set(joins), set(leaves))
    for member_id in joins:
        if member_id in present:
            raise ServiceError(f"User {member_id} is already a member of this group")
    for member_id in leaves:
        if member_id not in present:
            raise ServiceError(f"There is no member '{member_id}' in this user group")
    with channels_may_open(organization, [*joins, *leaves]):
        organization.memberships.add_members(group.id, joins)
        organization.memberships.remove_members(group.id, leaves)
        _emit_membership(organization, group, "add_members", "user_ids", joins)
        _emit_membership(organization, group, "remove_members", "user_ids", leaves)


def _check_active(group: Group) -> None:
    if group.deactivated:
        raise ServiceError("User group is deactivated.")


def _emit_membership(
    organization: Organization, group: Group, operation: str, key: str, ids: Iterable[int]
) -> None:
    listed = list(ids)
    event = {"type": "user_group", "op": operation, "group_id": group.id}
    if key == "user_ids":
        emit_members(organization, event, listed)
    elif listed:
        organization.emit({**event, key: listed}, organization.user_ids())


def add_subgroups(organization: Organization, group: Group, subgroup_ids: Sequence[int]) -> None:
    """Adds subgroups to a group; raises BAD_REQUEST for unknown or repeated ones, cycles and deep nesting."""
    _check_active(group)
    with channels_may_open(organization, _members_of(organization, subgroup_ids)):
        for subgroup_id in subgroup_ids:
            _add_subgroup(organization, group, subgroup_id)
        _emit_membership(organization, group, "add_subgroups", "direct_subgroup_ids", subgroup_ids)


def _add_subgroup(organization: Organization, group: Group, subgroup_id: int) -> None:
    subgroup = organization.groups.get(subgroup_id)
    if subgroup is None:
        raise ServiceError(f"Invalid user group ID: {subgroup_id}")
    _check_active(subgroup)
    if group.id == subgroup_id or group.id in organization.memberships.groups_inside(subgroup_id):
        raise ServiceError(f"User group {group.id} is already a subgroup of one of the passed subgroups.")
    if subgroup_id in organization.memberships.subgroups(group.id):
        raise ServiceError(f"User group {subgroup_id} is already a subgroup of this group.")
    if not subgroup.is_system and organization.memberships.nests_too_deep(group.id, subgroup_id):
        raise ServiceError(f"User groups can be nested {MAX_NESTING} deep at most.")
    organization.memberships.add_subgroup(group.id, subgroup_id)


def remove_subgroups(organization: Organization, group: Group, subgroup_ids: Sequence[int]) -> None:
    """Removes subgroups from a group; raises BAD_REQUEST for groups that are not among them."""
    _check_active(group)
    with channels_may_open(organization, _members_of(organization, subgroup_ids)):
        for subgroup_id in subgroup_ids:
            if subgroup_id not in organization.memberships.subgroups(group.id):
                raise ServiceError(f"User group {subgroup_id} is not a subgroup of this group.")
            organization.memberships.remove_subgroup(group.id, subgroup_id)
        _emit_membership(organization, group, "remove_subgroups", "direct_subgroup_ids", subgroup_ids)


def _members_of(organization: Organization, group_ids: Iterable[int]) -> set[int]:
    known = [group_id for group_id in set(group_ids) if organization.groups.get(group_id) is not None]
    return {user_id for group_id in known for user_id in all_members(organization, group_id)}


def join_groups(organization: Organization, user: User, group_ids: Iterable[int]) -> None:
    """Adds a new user to the groups of an invitation, except those that no longer exist or are deactivated."""
    for group_id in group_ids:
        group = organization.groups.get(group_id)
        if group is None or group.deactivated or group.is_system:
            continue
        organization.memberships.add_members(group.id, [user.id])
        _emit_membership(organization, group, "add_members", "user_ids", [user.id])
