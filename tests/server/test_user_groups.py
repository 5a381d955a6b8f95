"""User groups: POST /user_groups/create, PATCH /user_groups/{id}, and group-setting values."""

from __future__ import annotations

from typing import Any

import pytest

from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import GroupSetting
from support.ledger import proves
from support.server import JsonObject, TestServer

SINCE = {
    GroupSetting.ADD_MEMBERS: 305,
    GroupSetting.JOIN: 301,
    GroupSetting.LEAVE: 308,
    GroupSetting.MANAGE: 283,
    GroupSetting.REMOVE_MEMBERS: 324,
}


async def created(server: TestServer, name: str = "Crew", by: str = "dario", **settings: object) -> int:
    params: dict[str, object] = {"name": name, "description": "Those on board", "members": [server.id(by)]}
    response = await server.call(by, "POST", "/user_groups/create", params | settings)
    return int(response["group_id"])


async def record(server: TestServer, group_id: int) -> JsonObject:
    response = await server.call("ada", "GET", "/user_groups", {"include_deactivated_groups": True})
    found: list[JsonObject] = [group for group in response["user_groups"] if group["id"] == group_id]
    return found[0]


async def update(server: TestServer, group_id: int, by: str = "dario", **params: object) -> JsonObject:
    return await server.call(by, "PATCH", f"/user_groups/{group_id}", params)


async def refused(server: TestServer, group_id: int, by: str = "dario", **params: object) -> JsonObject:
    return await server.refusal(by, "PATCH", f"/user_groups/{group_id}", params)


async def deactivate(server: TestServer, group_id: int) -> None:
    await server.call("ada", "POST", f"/user_groups/{group_id}/deactivate")


@proves("GRPC-01", "GRPC-02", "GRPC-03", "GRPC-04", "GRPC-09", "GSV-20", "GSV-07")
async def test_a_new_group_is_announced_and_listed_with_the_requested_properties(server: TestServer) -> None:
    listener = await server.listen("elif")
    members = [server.id("dario"), server.id("elif")]
    params = {"name": "Crew", "description": "Those on board", "members": members}
    response = await server.call("dario", "POST", "/user_groups/create", params)
    assert response.keys() == {"result", "msg", "group_id"}
    group = await record(server, response["group_id"])
    assert (group["name"], group["description"], group["members"]) == ("Crew", "Those on board", members)
    assert group.keys() >= {"id", "direct_subgroup_ids", "is_system_group", "deactivated", *GroupSetting}
    assert [event["group"] for event in await listener.events("user_group")] == [group]
    names = {group["name"] for group in (await server.call("ada", "GET", "/user_groups"))["user_groups"]}
    assert names >= {"role:internet", "role:everyone", "role:owners"}


@proves("GRPC-02", "GRPC-03", "GRPC-04")
@pytest.mark.parametrize("missing", ["name", "description", "members"])
async def test_a_group_requires_a_name_a_description_and_members(server: TestServer, missing: str) -> None:
    params: dict[str, object] = {"name": "Crew", "description": "", "members": []}
    del params[missing]
    assert (await server.refusal("dario", "POST", "/user_groups/create", params))["code"] == "BAD_REQUEST"


@proves("GRPC-05", "GRPC-06", "GRPC-07", "VER-05", "CONV-09")
async def test_subgroups_are_accepted_from_311_whatever_permissions_the_creator_has_for_them(
    server: TestServer,
) -> None:
    inner = await created(server, "Inner", by="bruno")
    server.set_level(310)
    params = {"name": "Old", "description": "", "members": [], "subgroups": [inner]}
    response = await server.call("dario", "POST", "/user_groups/create", params)
    assert response["ignored_parameters_unsupported"] == ["subgroups"]
    assert (await record(server, response["group_id"]))["direct_subgroup_ids"] == []
    server.set_level(311)
    outer = await created(server, "Outer", subgroups=[inner])
    assert (await record(server, outer))["direct_subgroup_ids"] == [inner]


@proves("GRPC-04", "GRPC-05")
async def test_an_update_reports_members_and_subgroups_as_ignored(server: TestServer) -> None:
    group_id = await created(server)
    response = await update(server, group_id, name="Staff", members=[], subgroups=[])
    assert response["ignored_parameters_unsupported"] == ["members", "subgroups"]
    assert (await record(server, group_id))["members"] == [server.id("dario")]


@proves("GRPC-08", "GSV-01", "GSV-02", "GSV-06", "GSV-22")
async def test_settings_are_a_group_id_or_an_object_of_users_and_groups(server: TestServer) -> None:
    moderators = server.group("role:moderators")
    both = {"direct_members": [server.id("elif")], "direct_subgroups": [moderators]}
    nobody: dict[str, list[int]] = {"direct_members": [], "direct_subgroups": []}
    group_id = await created(
        server, can_join_group=moderators, can_leave_group=both, can_mention_group=nobody
    )
    group = await record(server, group_id)
    assert (group["can_join_group"], group["can_leave_group"], group["can_mention_group"]) == (
        moderators,
        both,
        server.group("role:nobody"),
    )
    for level in (198, 368):
        server.set_level(level)
        await created(server, f"At {level}", can_mention_group=moderators)


@proves("GSV-01", "GSV-02", "GSV-12", "GSV-14", "GSV-18", "GRPC-10", "GRPC-11", "ERR-02")
async def test_invalid_values_are_rejected_and_no_group_is_created(server: TestServer) -> None:
    gone = await created(server, "Gone")
    await deactivate(server, gone)
    before = len(server.organization.groups.all())
    base: dict[str, object] = {"name": "New", "description": "", "members": []}
    for change in (
        {"members": [999_999]},
        {"subgroups": [999_999]},
        {"name": "  "},
        {"name": "x" * 101},
        {"name": "role:x"},
        {"name": "ROLE:MEMBERS"},
        {"can_join_group": 999_999},
        {"can_join_group": gone},
        {"can_join_group": {"direct_members": [], "direct_subgroups": [gone]}},
        {"can_join_group": {"direct_members": [999_999], "direct_subgroups": []}},
        {"can_join_group": "everyone"},
        {"can_join_group": {"people": [1]}},
        {"can_manage_group": server.group("role:internet")},
        {"can_manage_group": server.group("role:everyone")},
        {"can_mention_group": server.group("role:internet")},
        {"can_mention_group": server.group("role:owners")},
    ):
        response = await server.refusal("dario", "POST", "/user_groups/create", base | change)
        assert response["code"] == "BAD_REQUEST", change
    assert len(server.organization.groups.all()) == before


@proves("GRPC-11", "GRPU-12")
async def test_names_are_unique_among_active_groups(server: TestServer) -> None:
    first, second = await created(server, "Crew"), await created(server, "Staff")
    params = {"name": "crew", "description": "", "members": []}
    await server.refusal("dario", "POST", "/user_groups/create", params)
    await refused(server, second, name="Crew")
    await deactivate(server, first)
    await update(server, second, name="Crew")
    await refused(server, server.group("role:members"), by="ada", name="Everyone")
    assert (await refused(server, second))["code"] == "BAD_REQUEST"


@proves("GRPU-01", "GRPU-02", "GRPU-03", "GRPU-05", "GRPU-09")
async def test_an_update_changes_the_given_fields_and_announces_each_change(server: TestServer) -> None:
    group_id = await created(server)
    listener = await server.listen("elif")
    assert (await update(server, group_id, name="Staff")).keys() == {"result", "msg"}
    await update(server, group_id, description="On land")
    group = await record(server, group_id)
    assert (group["name"], group["description"]) == ("Staff", "On land")
    events = await listener.events("user_group")
    assert [event["data"] for event in events] == [{"name": "Staff"}, {"description": "On land"}]
    await server.refusal("dario", "PATCH", "/user_groups/crew", {"name": "x"})


@proves("GRPU-03", "GRPU-04", "GRPU-05", "GRPU-06")
async def test_below_165_an_update_requires_name_and_description(server: TestServer) -> None:
    group_id = await created(server)
    server.set_level(164)
    await refused(server, group_id, by="ada", name="Staff")
    await refused(server, group_id, by="ada", description="x")
    await update(server, group_id, by="ada", name="Staff", description="x")
    server.set_level(165)
    await update(server, group_id, by="ada", name="Crew")


@proves("GRPU-07", "GSV-04", "GSV-05")
async def test_a_setting_is_changed_only_if_the_old_value_matches(server: TestServer) -> None:
    group_id = await created(server)
    before = await record(server, group_id)
    members, moderators = server.group("role:members"), server.group("role:moderators")
    await update(server, group_id, can_join_group={"new": members})
    assert await record(server, group_id) == before | {"can_join_group": members}
    stale = await refused(server, group_id, can_join_group={"new": moderators, "old": moderators})
    assert stale["code"] == "EXPECTATION_MISMATCH"
    assert (await record(server, group_id))["can_join_group"] == members
    same = {"direct_members": [], "direct_subgroups": [members]}
    await update(server, group_id, can_join_group={"new": moderators, "old": same})
    assert (await record(server, group_id))["can_join_group"] == moderators
    for wrong in (members, {"old": moderators}, {}):
        assert (await refused(server, group_id, can_join_group=wrong))["code"] == "BAD_REQUEST"


@proves("GRPU-08", "GSV-13", "GSV-15", "GSV-22")
async def test_the_format_of_can_mention_group_depends_on_the_level(server: TestServer) -> None:
    members, moderators = server.group("role:members"), server.group("role:moderators")
    group_id = await created(server)
    server.set_level(190)
    assert not {"can_mention_group", "can_mention_group_id"} & (await record(server, group_id)).keys()
    response = await update(server, group_id, by="ada", name="Crew 2", can_mention_group_id=members)
    assert response["ignored_parameters_unsupported"] == ["can_mention_group_id"]
    server.set_level(191)
    await update(server, group_id, by="ada", can_mention_group_id=members)
    assert (await record(server, group_id))["can_mention_group_id"] == members
    server.set_level(197)
    response = await update(server, group_id, by="ada", name="Crew 3", can_mention_group=moderators)
    assert response["ignored_parameters_unsupported"] == ["can_mention_group"]
    server.set_level(198)
    await update(server, group_id, by="ada", can_mention_group=moderators)
    server.set_level(259)
    await update(server, group_id, by="ada", can_mention_group=members)
    assert (await record(server, group_id))["can_mention_group"] == members
    server.set_level(260)
    await refused(server, group_id, by="ada", can_mention_group=moderators)
    await update(server, group_id, by="ada", can_mention_group={"new": moderators})


@proves("GSV-08", "GSV-09", "GSV-10", "GSV-11", "GSV-16", "VER-05")
@pytest.mark.parametrize(("setting", "level"), list(SINCE.items()))
async def test_each_setting_is_unsupported_below_its_level(
    server: TestServer, setting: str, level: int
) -> None:
    group_id = await created(server)
    value = {"new": server.group("role:moderators")}
    server.set_level(level - 1)
    response = await update(server, group_id, by="ada", name="Renamed", **{setting: value})
    assert response["ignored_parameters_unsupported"] == [setting]
    assert setting not in await record(server, group_id)
    server.set_level(level)
    response = await update(server, group_id, by="ada", **{setting: value})
    assert "ignored_parameters_unsupported" not in response
    assert (await record(server, group_id))[setting] == value["new"]


@proves("GSV-08", "GSV-16")
@pytest.mark.parametrize(
    ("setting", "level", "change"),
    [("can_add_members_group", 305, "add"), ("can_remove_members_group", 324, "delete")],
)
async def test_who_can_change_members_depends_on_the_level(
    server: TestServer, setting: str, level: int, change: str
) -> None:
    settings: dict[str, Any] = {setting: {"direct_members": [server.id("elif")], "direct_subgroups": []}}
    group_id = await created(server, **settings)
    path = f"/user_groups/{group_id}/members"
    if change == "delete":
        await server.call("dario", "POST", path, {"add": [server.id("farid"), server.id("greta")]})
    server.set_level(level - 1)
    await server.refusal("elif", "POST", path, {change: [server.id("farid")]})
    await server.call("dario", "POST", path, {change: [server.id("farid")]})
    server.set_level(level)
    await server.call("elif", "POST", path, {change: [server.id("greta")]})
    await server.refusal("chiyo", "POST", path, {change: [server.id("greta")]})


@proves("GSV-03")
async def test_deactivated_holders_are_left_out_from_303(server: TestServer) -> None:
    elif_id = server.id("elif")
    group_id = await created(server, can_join_group={"direct_members": [elif_id], "direct_subgroups": []})
    await server.call("ada", "DELETE", f"/users/{elif_id}")
    server.set_level(302)
    assert (await record(server, group_id))["can_join_group"]["direct_members"] == [elif_id]
    server.set_level(303)
    assert (await record(server, group_id))["can_join_group"]["direct_members"] == []


@proves("GRPU-10", "GRPU-11")
async def test_only_managers_of_a_group_or_of_all_groups_can_update_it(server: TestServer) -> None:
    group_id = await created(server, by="dario")
    assert (await refused(server, 999_999, by="ada", name="x"))["code"] == "BAD_REQUEST"
    assert (await refused(server, group_id, by="elif", name="x"))["msg"] == "Insufficient permission"
    await update(server, group_id, by="dario", name="By its manager")
    assert (await refused(server, group_id, by="bruno", name="x"))["msg"] == "Insufficient permission"
    await update(server, group_id, by="ada", name="By an owner")
    administrators = {"new": server.group("role:administrators")}
    await server.call("ada", "PATCH", "/realm", {"can_manage_all_groups": administrators})
    await update(server, group_id, by="bruno", name="By an administrator who may")
    server.set_level(304)
    await update(server, group_id, by="bruno", name="By any administrator")
    server.set_level(282)
    await refused(server, group_id, by="dario", name="x")


async def test_who_manages_groups_changes_at_the_levels_of_the_permissions(server: TestServer) -> None:
    holder = {"direct_members": [server.id("elif")], "direct_subgroups": []}
    group_id = await created(server, can_manage_group=holder)
    for level, name, may in (
        (Gate.GROUP_MANAGE.level - 1, "elif", False),
        (Gate.GROUP_MANAGE.level, "elif", True),
        (Gate.MANAGE_ALL_GROUPS.level - 1, "bruno", True),
        (Gate.MANAGE_ALL_GROUPS.level, "bruno", False),
        (Gate.MANAGE_ALL_GROUPS.level, "ada", True),
    ):
        server.set_level(level)
        fields = {"name": "Crew", "description": f"At {level}"}
        response = await server.raw(name, "PATCH", f"/user_groups/{group_id}", fields)
        assert (response.status_code == 200) is may, (level, name)


@pytest.mark.parametrize(
    "old",
    [
        True,
        "role:members",
        1.5,
        [2],
        {"direct_members": 2},
        {"direct_members": ["2"]},
        {"direct_members": [[2]]},
        {"direct_subgroups": [None]},
        {"direct_members": [10**30], "direct_subgroups": [-(10**30)]},
        -(10**30),
    ],
)
async def test_an_invalid_old_value_is_rejected(server: TestServer, old: object) -> None:
    group_id = await created(server)
    value = {"new": server.group("role:owners"), "old": old}
    refusal = await refused(server, group_id, can_manage_group=value)
    assert refusal["code"] in ("BAD_REQUEST", "EXPECTATION_MISMATCH"), refusal


@proves("GSV-17", "GSV-18", "GSV-21")
async def test_a_deactivated_group_cannot_be_mentioned_or_get_permissions(server: TestServer) -> None:
    group_id = await created(server, "Crew", members=[server.id("dario"), server.id("elif")])
    await deactivate(server, group_id)
    listener = await server.listen("elif")
    await server.send("dario", "general", "t", "@*Crew* all hands")
    events = await listener.events("message")
    assert "mentioned" not in events[0]["flags"]
    other = await created(server, "Other")
    await refused(server, other, can_join_group={"new": group_id})
    for changes in ({"add": [other]}, {"delete": [other]}):
        path = f"/user_groups/{group_id}/subgroups"
        assert (await server.refusal("ada", "POST", path, changes))["msg"] == "User group is deactivated."


@proves("GSV-19")
async def test_below_340_only_the_name_of_a_deactivated_group_changes(server: TestServer) -> None:
    group_id = await created(server)
    await deactivate(server, group_id)
    value = {"new": server.group("role:moderators")}
    server.set_level(339)
    await refused(server, group_id, can_join_group=value)
    await refused(server, group_id, description="x")
    await update(server, group_id, name="Former crew")
    server.set_level(340)
    await update(server, group_id, can_join_group=value)


async def test_a_group_is_mentioned_by_users_with_the_permission(server: TestServer) -> None:
    holder = {"direct_members": [server.id("elif")], "direct_subgroups": []}
    await created(server, "Crew", can_mention_group=holder)
    await created(server, "Deck", can_mention_group=holder)
    message_id = await server.send("dario", "general", "t", "@_*Crew* is at sea")
    said = "You are not allowed to mention user group 'Crew'."
    calling = {"type": "channel", "to": server.channel("general"), "topic": "t", "content": "@*Crew* @*Deck*"}
    for fields in (calling, {**calling, "type": "direct", "to": [server.id("greta")]}):
        assert (await server.refusal("dario", "POST", "/messages", fields))["msg"] == said
        await server.call("elif", "POST", "/messages", fields)
    edit = {"content": "@*Crew* come back"}
    assert (await server.refusal("dario", "PATCH", f"/messages/{message_id}", edit))["msg"] == said


async def test_deactivated_users_are_in_no_role_group(server: TestServer) -> None:
    path = f"/user_groups/{server.group('role:members')}/members/{server.id('greta')}"
    assert (await server.call("ada", "GET", path))["is_user_group_member"] is True
    await server.call("ada", "DELETE", f"/users/{server.id('greta')}")
    assert (await server.call("ada", "GET", path))["is_user_group_member"] is False


async def test_system_groups_cannot_be_mentioned(server: TestServer) -> None:
    said = {
        "type": "channel",
        "to": server.channel("general"),
        "topic": "t",
        "content": "@*role:members* look",
    }
    refusal = await server.refusal("ada", "POST", "/messages", said)
    assert refusal["msg"] == "You are not allowed to mention user group 'role:members'."
    await server.call("ada", "POST", "/messages", {**said, "content": "@_*role:members* look"})


async def test_a_permission_for_nobody_is_stored_as_the_nobody_group(server: TestServer) -> None:
    path = f"/streams/{server.channel('general')}"
    empty: dict[str, list[int]] = {"direct_members": [], "direct_subgroups": []}
    await server.call("ada", "PATCH", path, {"can_send_message_group": {"new": empty}})
    channel = (await server.call("ada", "GET", path))["stream"]
    assert channel["can_send_message_group"] == server.group("role:nobody")
