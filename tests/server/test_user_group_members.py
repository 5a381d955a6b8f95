"""Members and subgroups of user groups, and the channels that membership opens."""

from __future__ import annotations

import pytest

from support.clock import VirtualClock
from support.server import TestServer


async def test_joining_leaving_and_adding_members_require_their_permissions(server: TestServer) -> None:
    group_id = await server.create_group(
        "dario", "Crew", "dario", can_join_group=server.group("role:members")
    )
    path = f"/user_groups/{group_id}/members"
    listener = await server.listen("greta")
    await server.call("elif", "POST", path, {"add": [server.id("elif")]})
    await server.refusal("elif", "POST", path, {"add": [server.id("greta")]})
    await server.call("dario", "POST", path, {"add": [server.id("greta")]})
    await server.refusal("dario", "POST", path, {"add": [server.id("greta")]})
    await server.call("elif", "POST", path, {"delete": [server.id("elif")]})
    await server.refusal("elif", "POST", path, {})
    members = (await server.call("ada", "GET", path))["members"]
    assert members == sorted([server.id("dario"), server.id("greta")])
    operations = [event["op"] for event in await listener.events("user_group")]
    assert operations == ["add_members", "add_members", "remove_members"]


@pytest.mark.parametrize("inside", [False, True])
async def test_a_group_that_opens_a_private_channel_announces_it_to_new_members(
    server: TestServer, inside: bool
) -> None:
    crew, private = await server.create_group("dario", "Crew", "dario"), server.channel("operations")
    group = await server.create_group("dario", "Inner", "dario") if inside else crew
    await server.call("bruno", "PATCH", f"/streams/{private}", {"can_subscribe_group": {"new": crew}})
    if inside:
        await server.call("dario", "POST", f"/user_groups/{group}/members", {"add": [server.id("elif")]})
    path = f"/user_groups/{crew}/" + ("subgroups" if inside else "members")
    listener = await server.listen("elif")
    changed = [group] if inside else [server.id("elif")]
    await server.call("ada", "POST", path, {"add": changed})
    (event,) = await listener.events("stream")
    assert (event["op"], [channel["stream_id"] for channel in event["streams"]]) == ("create", [private])
    await server.call("ada", "POST", path, {"delete": changed})
    (event,) = await listener.events("stream")
    assert (event["op"], event["stream_ids"]) == ("delete", [private])
    never = (await server.listen("elif")).snapshot["never_subscribed"]
    assert private not in [channel["stream_id"] for channel in never]


async def test_a_waiting_period_that_makes_full_members_announces_the_channels_that_this_opens(
    server: TestServer, clock: VirtualClock
) -> None:
    private, full = server.channel("operations"), server.group("role:fullmembers")
    server.organization.users.update(server.id("elif"), date_joined=int(clock.now()) - 86_400)
    await server.call("ada", "PATCH", "/realm", {"waiting_period_threshold": 30})
    await server.call("bruno", "PATCH", f"/streams/{private}", {"can_subscribe_group": {"new": full}})
    listener = await server.listen("elif")
    await server.call("ada", "PATCH", "/realm", {"waiting_period_threshold": 0})
    (event,) = await listener.events("stream")
    assert (event["op"], [channel["stream_id"] for channel in event["streams"]]) == ("create", [private])
    await server.call("ada", "PATCH", "/realm", {"waiting_period_threshold": 30})
    (event,) = await listener.events("stream")
    assert (event["op"], event["stream_ids"]) == ("delete", [private])


async def test_subgroups_cannot_form_a_cycle(server: TestServer) -> None:
    outer, inner = [await server.create_group("dario", name) for name in ("Outer", "Inner")]
    await server.call("dario", "POST", f"/user_groups/{outer}/subgroups", {"add": [inner]})
    await server.refusal("dario", "POST", f"/user_groups/{inner}/subgroups", {"add": [outer]})
    await server.refusal("dario", "POST", f"/user_groups/{inner}/subgroups", {"add": [inner]})
    assert (await server.call("ada", "GET", f"/user_groups/{outer}/subgroups"))["subgroups"] == [inner]
    response = await server.refusal("dario", "POST", f"/user_groups/{inner}/deactivate")
    assert response["code"] == "CANNOT_DEACTIVATE_GROUP_IN_USE"


async def test_members_of_an_inner_group_count_as_members_of_the_outer_one(server: TestServer) -> None:
    inner = await server.create_group("dario", "Inner", "elif")
    outer = await server.create_group("dario", "Outer", subgroups=[inner])
    path = f"/user_groups/{outer}/members/{server.id('elif')}"
    assert (await server.call("ada", "GET", path))["is_user_group_member"] is True
    response = await server.call("ada", "GET", path, {"direct_member_only": True})
    assert response["is_user_group_member"] is False
