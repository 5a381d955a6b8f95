"""User groups (rows GRPC, GRPU; lists and members are outside the contract, GSV-20 to GSV-23)."""

from __future__ import annotations

from typing import Final

from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import GroupSetting
from narrowcast_server.http.params import (
    Param,
    boolean,
    defaulted,
    integers,
    optional,
    required,
    text_without_null,
)
from narrowcast_server.http.permission_params import permission, permission_change
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import Group
from narrowcast_server.organization.people import active_people, person
from narrowcast_server.queries.channels import group_member_ids, group_object
from narrowcast_server.resources import personal_notices
from narrowcast_server.resources.user_groups import changes
from narrowcast_server.rules.permissions import Callers, all_members, in_group, require_member
from narrowcast_server.rules.setting_changes import changed_value
from narrowcast_server.rules.user_groups import check_may_create_group, group_named_by, managed_group
from narrowcast_server.rules.visibility import check_sees, visible_ids

routes = Routes()

NAME = required("name", text_without_null)
DESCRIPTION = required("description", text_without_null)
MEMBERS = required("members", integers)
SUBGROUPS: Param[list[int]] = defaulted("subgroups", integers, [], since=Gate.GROUP_SUBGROUPS.level)
NEW_NAME = optional("name", text_without_null, required_below=Gate.GROUP_PARTIAL_UPDATE.level)
NEW_DESCRIPTION = optional("description", text_without_null, required_below=Gate.GROUP_PARTIAL_UPDATE.level)
DEACTIVATED = optional("deactivated", boolean)
INCLUDE_DEACTIVATED = defaulted("include_deactivated_groups", boolean, False)
DIRECT = defaulted("direct_member_only", boolean, False)
DIRECT_SUBGROUPS = defaulted("direct_subgroup_only", boolean, False)

_SINCE: Final = {
    GroupSetting.ADD_MEMBERS: Gate.GROUP_ADD_MEMBERS.level,
    GroupSetting.JOIN: Gate.GROUP_JOIN.level,
    GroupSetting.LEAVE: Gate.GROUP_LEAVE.level,
    GroupSetting.MANAGE: Gate.GROUP_MANAGE.level,
    GroupSetting.MENTION: Gate.GROUP_MENTION_NAME.level,
    GroupSetting.REMOVE_MEMBERS: Gate.GROUP_REMOVE_MEMBERS.level,
}
_MENTION_BY_ID: Final = permission(
    "can_mention_group_id", since=Gate.GROUP_MENTION.level, until=Gate.GROUP_MENTION_NAME.level
)
SETTINGS: Final = {
    **{permission(name.value, since=since): name.value for name, since in _SINCE.items()},
    _MENTION_BY_ID: GroupSetting.MENTION.value,
}
"""The parameter of each permission -> the name under which it is stored (GSV-15)."""
NEW_SETTINGS: Final = {
    **{permission_change(name.value, since=since): name.value for name, since in _SINCE.items()},
    _MENTION_BY_ID: GroupSetting.MENTION.value,
}


@routes.get("/user_groups", INCLUDE_DEACTIVATED, callers=Callers.MEMBERS)
def list_groups(call: Call) -> ResponseBody:
    """All groups; deactivated ones on request."""
    with_deactivated = call[INCLUDE_DEACTIVATED]
    listed = [group for group in call.organization.groups.all() if with_deactivated or not group.deactivated]
    return {"user_groups": [group_object(call.organization, group) for group in listed]}


@routes.post("/user_groups/create", NAME, MEMBERS, DESCRIPTION, SUBGROUPS, *SETTINGS, callers=Callers.MEMBERS)
def create_group(call: Call) -> ResponseBody:
    """Creates a group (GRPC-01)."""
    organization = call.organization
    check_may_create_group(organization, call.user)
    name = changes.check_name(organization, call[NAME])
    description = changes.check_description(call[DESCRIPTION])
    members = active_people(organization, call[MEMBERS])
    subgroups = [_subgroup(call, identity) for identity in call[SUBGROUPS]]
    settings = {
        stored: changes.checked_setting(organization, stored, call[param])
        for param, stored in SETTINGS.items()
        if call.given(param)
    }
    group = changes.create_group(organization, call.user, name, description, members, subgroups, settings)
    return {"group_id": group.id}


def _subgroup(call: Call, identity: int) -> Group:
    group = call.organization.groups.get(identity)
    if group is None:
        raise ServiceError(f"Invalid user group ID: {identity}")
    return group


@routes.patch(
    "/user_groups/{user_group_id}",
    NEW_NAME,
    NEW_DESCRIPTION,
    *NEW_SETTINGS,
    DEACTIVATED,
    callers=Callers.MEMBERS,
)
def update_group(call: Call) -> ResponseBody:
    """Changes name, description or permissions (GRPU-01)."""
    group = managed_group(call.organization, call.user, call.path_id("user_group_id"))
    name, description = call[NEW_NAME], call[NEW_DESCRIPTION]
    changed = [param for param in NEW_SETTINGS if call.given(param)]
    if name is None and description is None and call[DEACTIVATED] is None and not changed:
        raise ServiceError("No new data supplied")
    _check_deactivated(call, group, bool(changed))
    if call[DEACTIVATED] is not None and call[DEACTIVATED] != group.deactivated:
        changes.set_deactivated(call.organization, group, bool(call[DEACTIVATED]))
    if name is not None and name != group.name:
        changes.update_group(
            call.organization, group, name=changes.check_name(call.organization, name, group.id)
        )
    if description is not None:
        changes.update_group(call.organization, group, description=changes.check_description(description))
    for param in changed:
        stored = NEW_SETTINGS[param]
        value = changed_value(
            call.organization, stored, call[param], group.settings[stored], changes.checked_setting
        )
        changes.set_group_setting(call.organization, group, stored, value)
    return {}


def _check_deactivated(call: Call, group: Group, permissions: bool) -> None:
    """Below level 340, raises BAD_REQUEST for changes of a deactivated group other than of its name (GSV-19)."""
    if not group.deactivated or call.level >= Gate.GROUP_DEACTIVATED_EDIT.level:
        return
    new_description = call[NEW_DESCRIPTION] not in (None, group.description)
    if permissions or new_description:
        raise ServiceError("You can only change name of deactivated user groups")


@routes.post("/user_groups/{user_group_id}/deactivate")
def deactivate_group(call: Call) -> ResponseBody:
    require_member(call.user)
    group = managed_group(call.organization, call.user, call.path_id("user_group_id"))
    if group.deactivated:
        raise ServiceError("User group is deactivated.")
    changes.set_deactivated(call.organization, group, True)
    return {}


@routes.get("/user_groups/{user_group_id}/members", DIRECT, callers=Callers.MEMBERS)
def list_members(call: Call) -> ResponseBody:
    """Ids of the members that the caller may see, with those of subgroups unless only direct ones are asked for."""
    group = group_named_by(call.organization, call.path_id("user_group_id"))
    members = (
        group_member_ids(call.organization, group)
        if call[DIRECT]
        else sorted(all_members(call.organization, group.id))
    )
    seen = visible_ids(call.organization, call.user)
    return {"members": [identity for identity in members if seen is None or identity in seen]}


@routes.get("/user_groups/{user_group_id}/members/{user_id}", DIRECT, callers=Callers.MEMBERS)
def is_member(call: Call) -> ResponseBody:
    """Whether a user is a member."""
    group = group_named_by(call.organization, call.path_id("user_group_id"))
    user = person(call.organization, call.path_id("user_id"))
    check_sees(call.organization, call.user, user)
    direct = user.id in group_member_ids(call.organization, group)
    return {
        "is_user_group_member": direct or (not call[DIRECT] and in_group(call.organization, user, group.id))
    }


ADD: Param[list[int]] = defaulted("add", integers, [])
DELETE: Param[list[int]] = defaulted("delete", integers, [])
ADD_SUBGROUPS: Param[list[int]] = defaulted("add_subgroups", integers, [])
DELETE_SUBGROUPS: Param[list[int]] = defaulted("delete_subgroups", integers, [])


@routes.post(
    "/user_groups/{user_group_id}/members",
    DELETE,
    ADD,
    DELETE_SUBGROUPS,
    ADD_SUBGROUPS,
    callers=Callers.MEMBERS,
)
def change_members(call: Call) -> ResponseBody:
    """Adds and removes members and subgroups."""
    organization, group = call.organization, group_named_by(call.organization, call.path_id("user_group_id"))
    if not any(call[param] for param in (ADD, DELETE, ADD_SUBGROUPS, DELETE_SUBGROUPS)):
        raise ServiceError(
            'Nothing to do. Specify at least one of "add", "delete", "add_subgroups" or "delete_subgroups".'
        )
    removed = [person(organization, user_id) for user_id in dict.fromkeys(call[DELETE])]
    added = active_people(organization, call[ADD])
    changes.change_members(organization, call.user, group, add=added, remove=removed)
    personal_notices.grouped(organization, call.user, group, added, removed)
    _change_subgroups(call, group, call[ADD_SUBGROUPS], call[DELETE_SUBGROUPS])
    return {}


@routes.get("/user_groups/{user_group_id}/subgroups", DIRECT_SUBGROUPS, callers=Callers.MEMBERS)
def list_subgroups(call: Call) -> ResponseBody:
    """Ids of a group's subgroups, direct ones only or all."""
    group = group_named_by(call.organization, call.path_id("user_group_id"))
    if call[DIRECT_SUBGROUPS]:
        return {"subgroups": call.organization.memberships.subgroups(group.id)}
    return {"subgroups": sorted(call.organization.memberships.groups_inside(group.id))}


@routes.post("/user_groups/{user_group_id}/subgroups", DELETE, ADD, callers=Callers.MEMBERS)
def change_subgroups(call: Call) -> ResponseBody:
    """Adds and removes subgroups."""
    group = group_named_by(call.organization, call.path_id("user_group_id"))
    if not call[ADD] and not call[DELETE]:
        raise ServiceError('Nothing to do. Specify at least one of "add" or "delete".')
    _change_subgroups(call, group, call[ADD], call[DELETE])
    return {}


def _change_subgroups(call: Call, group: Group, add: list[int], remove: list[int]) -> None:
    if not add and not remove:
        return
    managed_group(call.organization, call.user, group.id)
    changes.add_subgroups(call.organization, group, add)
    changes.remove_subgroups(call.organization, group, remove)
