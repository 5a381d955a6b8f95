"""User groups and their permissions (GRPU, GRPC and GSV rows)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypedDict, Unpack

from narrowcast_api.errors import BadRequest, InvalidInput, MalformedResponse
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.encoding import OMIT, Omit
from narrowcast_api.http.operations import Bound, Done, Operations, given, ids, read, segment
from narrowcast_api.model.user_groups import AdHocGroup, GroupSettingValue, UserGroup
from narrowcast_api.server_info import ServerInfo
from narrowcast_api.wire.groups import (
    CreatedGroup,
    GroupList,
    GroupMembership,
    GroupMembersResponse,
    GroupSubgroups,
)
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import GroupSetting

_GATES: Final[Mapping[str, Gate]] = {
    GroupSetting.MENTION: Gate.GROUP_MENTION,
    GroupSetting.MANAGE: Gate.GROUP_MANAGE,
    GroupSetting.JOIN: Gate.GROUP_JOIN,
    GroupSetting.ADD_MEMBERS: Gate.GROUP_ADD_MEMBERS,
    GroupSetting.LEAVE: Gate.GROUP_LEAVE,
    GroupSetting.REMOVE_MEMBERS: Gate.GROUP_REMOVE_MEMBERS,
}


class NewSettings(TypedDict, total=False):
    """Permissions of a new group: the id of a group, or a set of users and groups.

    Permissions left out get the server's default.
    """

    can_add_members_group: GroupSettingValue
    can_join_group: GroupSettingValue
    can_leave_group: GroupSettingValue
    can_manage_group: GroupSettingValue
    can_mention_group: GroupSettingValue
    can_remove_members_group: GroupSettingValue


@dataclass(frozen=True, slots=True)
class Change:
    """A permission's new value and, if known, its old value (GSV-04).

    With `old` the server rejects the request if the value was changed in the meantime: treat any ApiError of
    such a call as a conflict and load the group again (GSV-05).
    """

    new: GroupSettingValue
    old: GroupSettingValue | None = None


class ChangedSettings(TypedDict, total=False):
    """Changes of permissions; those left out keep their values."""

    can_add_members_group: Change
    can_join_group: Change
    can_leave_group: Change
    can_manage_group: Change
    can_mention_group: Change
    can_remove_members_group: Change


async def list_user_groups(
    connection: Connection, *, include_deactivated_groups: bool = False
) -> list[UserGroup]:
    """GET /user_groups, including system groups (outside the contract, GSV-20)."""
    server = await connection.identified()
    params: dict[str, object] = {}
    if include_deactivated_groups and server.supports(Gate.GROUP_DEACTIVATE):
        params["include_deactivated_groups"] = True
    return list(read(GroupList, await connection.request("GET", "/user_groups", params)).user_groups)


async def create_user_group(
    connection: Connection,
    *,
    name: str,
    description: str,
    members: Iterable[int],
    subgroups: Iterable[int] | Omit = OMIT,
    **settings: Unpack[NewSettings],
) -> int:
    """POST /user_groups/create: create a group; returns its id (GRPC-01 to GRPC-11).

    Below level 317 the id is looked up by name. Each permission needs its own level (191 to 324), subgroups
    need 311; below, Unsupported is raised. Raises BadRequest if a member does not exist, the name is taken or
    the current user may not create groups.
    """
    server = await connection.identified()
    params: dict[str, object] = {
        "name": _name(name),
        "description": description,
        "members": ids(members, "members"),
    }
    if not isinstance(subgroups, Omit):
        server.require(Gate.GROUP_SUBGROUPS)
        params["subgroups"] = ids(subgroups, "subgroups")
    for key, value in _checked(server, settings).items():
        params[_wire_name(server, key)] = _for_level(server, key, wire_setting(value))
    response = await connection.request("POST", "/user_groups/create", params)
    if server.supports(Gate.GROUP_ID_RETURNED) or "group_id" in response:
        return read(CreatedGroup, response).group_id
    found = next((group for group in await list_user_groups(connection) if group.name == name.strip()), None)
    if found is None:
        raise MalformedResponse("the new group is not among the groups")
    return found.id


async def update_user_group(
    connection: Connection,
    *,
    user_group_id: int,
    name: str | Omit = OMIT,
    description: str | Omit = OMIT,
    current: UserGroup | None = None,
    **settings: Unpack[ChangedSettings],
) -> Done:
    """PATCH /user_groups/{user_group_id}: change the given properties (GRPU-01 to GRPU-12).

    Below level 165 name and description are always sent together: the missing one is taken from `current`,
    else from the server. Below 340 only the name of a deactivated group can change (GSV-19), which is checked
    if `current` is given. Below 260 `can_mention_group` is sent without its old value, with a notice. Raises
    InvalidInput if there is nothing to change; Unsupported for permissions that the server does not know;
    BadRequest for an unknown group; ExpectationMismatch, or another ApiError, if an old value is not the
    current one.
    """
    path = f"/user_groups/{segment(user_group_id, 'user_group_id')}"
    server = await connection.identified()
    changes = _checked(server, settings)
    if isinstance(name, Omit) and isinstance(description, Omit) and not changes:
        raise InvalidInput("nothing to change")
    if current is not None and current.deactivated and (changes or not isinstance(description, Omit)):
        server.require(Gate.GROUP_DEACTIVATED_EDIT)
    params = given(name=name if isinstance(name, Omit) else _name(name), description=description)
    if not server.supports(Gate.GROUP_PARTIAL_UPDATE):
        params = {**await _present_texts(connection, user_group_id, current), **params}
    notices: list[str] = []
    for key, change in changes.items():
        params[_wire_name(server, key)] = _change(server, key, change, notices)
    return read(Done, await connection.request("PATCH", path, params), notices)


async def deactivate_user_group(connection: Connection, *, user_group_id: int) -> Done:
    """POST /user_groups/{id}/deactivate. Raises GroupInUse, with `objections`, while a permission uses the group."""
    path = f"/user_groups/{segment(user_group_id, 'user_group_id')}/deactivate"
    return read(Done, await connection.request("POST", path))


async def reactivate_user_group(connection: Connection, *, user_group_id: int) -> Done:
    """PATCH /user_groups/{id} with deactivated=false (outside the contract, GSV-21).

    Zulip servers support this from level 386. Below, the request is sent too, as other servers support it; if
    the server rejects it, Unsupported is raised.
    """
    server = await connection.identified()
    path = f"/user_groups/{segment(user_group_id, 'user_group_id')}"
    try:
        response = await connection.request("PATCH", path, {"deactivated": False})
    except BadRequest:
        server.require(Gate.GROUP_REACTIVATE)
        raise
    return read(Done, response)


async def list_members(
    connection: Connection, *, user_group_id: int, direct_member_only: bool = False
) -> list[int]:
    """GET /user_groups/{id}/members: ids of the members, including those of subgroups unless `direct_member_only`."""
    path = f"/user_groups/{segment(user_group_id, 'user_group_id')}/members"
    response = await connection.request("GET", path, {"direct_member_only": direct_member_only})
    return list(read(GroupMembersResponse, response).members)


async def is_member(
    connection: Connection, *, user_group_id: int, user_id: int, direct_member_only: bool = False
) -> bool:
    """GET /user_groups/{id}/members/{user_id}: whether a user is a member of a group or of one of its subgroups."""
    group, user = segment(user_group_id, "user_group_id"), segment(user_id, "user_id")
    response = await connection.request(
        "GET", f"/user_groups/{group}/members/{user}", {"direct_member_only": direct_member_only}
    )
    return read(GroupMembership, response).is_user_group_member


async def change_members(
    connection: Connection,
    *,
    user_group_id: int,
    add: Iterable[int] = (),
    delete: Iterable[int] = (),
) -> Done:
    """POST /user_groups/{id}/members: add and remove members. Raises BadRequest if one is already in it (GSV-23)."""
    return await _change_lists(connection, user_group_id, "members", add, delete)


async def list_subgroups(
    connection: Connection, *, user_group_id: int, direct_subgroup_only: bool = False
) -> list[int]:
    """GET /user_groups/{id}/subgroups: ids of the subgroups, including theirs unless `direct_subgroup_only`."""
    path = f"/user_groups/{segment(user_group_id, 'user_group_id')}/subgroups"
    response = await connection.request("GET", path, {"direct_subgroup_only": direct_subgroup_only})
    return list(read(GroupSubgroups, response).subgroups)


async def change_subgroups(
    connection: Connection,
    *,
    user_group_id: int,
    add: Iterable[int] = (),
    delete: Iterable[int] = (),
) -> Done:
    """POST /user_groups/{id}/subgroups. Raises BadRequest if the group would contain itself (GSV-23)."""
    return await _change_lists(connection, user_group_id, "subgroups", add, delete)


def wire_setting(value: GroupSettingValue) -> int | dict[str, list[int]]:
    """The value as it is sent: a bare id if one group suffices (GSV-22), else both lists (GSV-06)."""
    if isinstance(value, AdHocGroup):
        members = sorted(ids(value.direct_members, "direct_members"))
        groups = sorted(ids(value.direct_subgroups, "direct_subgroups"))
        if not members and len(groups) == 1:
            return groups[0]
        return {"direct_members": members, "direct_subgroups": groups}
    return int(segment(value, "group"))


def _checked(server: ServerInfo, settings: Mapping[str, Any]) -> dict[str, Any]:
    for key in settings:
        if key not in _GATES:
            raise InvalidInput(f"a group has no permission {key}")
        server.require(_GATES[key])
    return dict(settings)


def _wire_name(server: ServerInfo, key: str) -> str:
    if key == GroupSetting.MENTION and not server.supports(Gate.GROUP_MENTION_NAME):
        return "can_mention_group_id"
    return key


def _for_level(server: ServerInfo, key: str, value: object) -> object:
    """Below level 258 the mention permission must be a bare id."""
    if key == GroupSetting.MENTION and not isinstance(value, int):
        server.require(Gate.GROUP_MENTION_HOLDERS)
    return value


def _change(server: ServerInfo, key: str, change: Change, notices: list[str]) -> object:
    if not isinstance(change, Change):
        raise InvalidInput(f"{key} needs a Change: the new value and, if known, the old one")
    new = _for_level(server, key, wire_setting(change.new))
    if key == GroupSetting.MENTION and not server.supports(Gate.GROUP_MENTION_OBJECT):
        if change.old is not None:
            level = Gate.GROUP_MENTION_OBJECT.level
            notices.append(f"the old value was not sent: needs level {level}, the server has {server.level}")
        return new
    if change.old is None:
        return {"new": new}
    return {"new": new, "old": wire_setting(change.old)}


async def _present_texts(
    connection: Connection, user_group_id: int, current: UserGroup | None
) -> dict[str, object]:
    if current is None:
        groups = await list_user_groups(connection)
        current = next((group for group in groups if group.id == user_group_id), None)
    if current is None:
        raise InvalidInput("this user group does not exist")
    return {"name": current.name, "description": current.description}


async def _change_lists(
    connection: Connection, user_group_id: int, what: str, add: Iterable[int], delete: Iterable[int]
) -> Done:
    path = f"/user_groups/{segment(user_group_id, 'user_group_id')}/{what}"
    lists = {"add": ids(add, "add"), "delete": ids(delete, "delete")}
    params = {name: listed for name, listed in lists.items() if listed}
    if not params:
        raise InvalidInput("nothing to change")
    return read(Done, await connection.request("POST", path, params))


def _name(name: str) -> str:
    if not name.strip():
        raise InvalidInput("a group needs a name")
    return name


class UserGroupOperations(Operations):
    """User groups, their members and subgroups."""

    list = Bound(list_user_groups)
    create = Bound(create_user_group)
    update = Bound(update_user_group)
    deactivate = Bound(deactivate_user_group)
    reactivate = Bound(reactivate_user_group)
    members = Bound(list_members)
    is_member = Bound(is_member)
    change_members = Bound(change_members)
    subgroups = Bound(list_subgroups)
    change_subgroups = Bound(change_subgroups)
