"""User groups as an attack: chains, cycles and large numbers of groups inside groups."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from narrowcast_api.wire.vocabulary import Role
from narrowcast_server.organization.memberships import MAX_NESTING
from support.server import TestServer, running_server


async def everything_responds(server: TestServer, name: str) -> None:
    """Makes the requests of a starting client."""
    page = {"anchor": "newest", "num_before": 10, "num_after": 10}
    await server.call(name, "GET", "/messages", page)
    await server.call(name, "GET", "/streams")
    await server.call(name, "GET", "/users/me/subscriptions")
    await server.call(name, "POST", "/register")


async def test_the_nesting_of_groups_is_limited(server: TestServer) -> None:
    inner = [await server.create_group("dario", "g0")]
    for number in range(1, MAX_NESTING):
        inner = [await server.create_group("dario", f"g{number}", subgroups=inner)]
    fields = {"name": "one more", "description": "", "members": [], "subgroups": inner}
    refusal = await server.refusal("dario", "POST", "/user_groups/create", fields)
    assert "nested" in refusal["msg"]
    assert "one more" not in {group.name for group in server.organization.groups.all()}


@pytest.mark.parametrize("outer_length", range(1, MAX_NESTING, 3))
async def test_joining_two_chains_of_groups_cannot_exceed_the_limit(
    server: TestServer, outer_length: int
) -> None:
    async def chain(prefix: str, length: int) -> tuple[int, int]:
        innermost = outermost = await server.create_group("dario", f"{prefix}0")
        for number in range(1, length):
            outermost = await server.create_group("dario", f"{prefix}{number}", subgroups=[outermost])
        return outermost, innermost

    _top, bottom = await chain("outer", outer_length)
    top, _bottom = await chain("inner", MAX_NESTING - outer_length + 1)
    path = f"/user_groups/{bottom}/subgroups"
    await server.refusal("dario", "POST", path, {"add": [top]})
    await server.refusal("dario", "POST", f"/user_groups/{bottom}/members", {"add_subgroups": [top]})
    one_shorter = server.organization.memberships.subgroups(top) or [
        await server.create_group("dario", "alone")
    ]
    await server.call("dario", "POST", path, {"add": one_shorter})


async def test_a_too_long_chain_of_groups_in_the_data_causes_no_error(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    async with running_server(folder) as server:
        dario = server.id("dario")
        with server.organization.transaction():
            previous: int | None = None
            for number in range(sys.getrecursionlimit() + 100):
                group_id = server.organization.groups.insert(
                    name=f"link {number}", description="", creator_id=dario, settings=_nobody(server)
                )
                if previous is None:
                    server.organization.memberships.add_members(group_id, [server.id("elif")])
                else:
                    server.organization.memberships.add_subgroup(group_id, previous)
                previous = group_id
        assert previous is not None
        await server.subscribe(
            "dario", "trap", invite_only=True, can_subscribe_group=previous, can_send_message_group=previous
        )
        for name in ("ada", "elif", "greta", "hugo"):
            await everything_responds(server, name)
        await server.subscribe("elif", "trap")
    async with running_server(folder) as server:
        for name in ("ada", "elif", "greta", "hugo"):
            await everything_responds(server, name)
        members = (await server.call("ada", "GET", f"/user_groups/{previous}/members"))["members"]
        assert members == [server.id("elif")]
        subgroups = (await server.call("ada", "GET", f"/user_groups/{previous}/subgroups"))["subgroups"]
        assert len(subgroups) == sys.getrecursionlimit() + 99


def _nobody(server: TestServer) -> dict[str, Any]:
    settings = server.organization.groups[server.group("role:members")].settings
    return dict(settings)


async def test_groups_cannot_form_a_cycle(server: TestServer) -> None:
    a = await server.create_group("dario", "a")
    b = await server.create_group("dario", "b", subgroups=[a])
    c = await server.create_group("dario", "c", subgroups=[b])
    for inner in (a, b, c):
        await server.refusal("dario", "POST", f"/user_groups/{a}/subgroups", {"add": [inner]})


async def test_a_cycle_in_the_data_does_not_cause_an_endless_loop(server: TestServer) -> None:
    a = await server.create_group("dario", "a", "elif")
    b = await server.create_group("dario", "b", subgroups=[a])
    with server.organization.transaction():
        server.organization.memberships.add_subgroup(a, b)
    assert (await server.call("ada", "GET", f"/user_groups/{b}/members"))["members"] == [server.id("elif")]
    await server.refusal("dario", "POST", f"/user_groups/{b}/subgroups", {"add": [a]})
    await everything_responds(server, "greta")


async def test_members_of_a_deactivated_groups_subgroups_have_no_permission(server: TestServer) -> None:
    inner = await server.create_group("dario", "inner", "elif")
    outer = await server.create_group("dario", "outer", subgroups=[inner])
    top = await server.create_group("dario", "top", subgroups=[outer])
    is_member = f"/user_groups/{top}/members/{server.id('elif')}"
    assert (await server.call("ada", "GET", is_member))["is_user_group_member"] is True
    with server.organization.transaction():
        server.organization.groups.update(outer, deactivated=1)
    assert (await server.call("ada", "GET", is_member))["is_user_group_member"] is False
    with server.organization.transaction():
        server.organization.groups.update(outer, deactivated=0)
    assert (await server.call("ada", "GET", is_member))["is_user_group_member"] is True


async def test_a_membership_that_was_rolled_back_is_not_remembered(server: TestServer) -> None:
    group = await server.create_group("dario", "a")
    inner = await server.create_group("dario", "inner", "dario")
    deep = await server.create_group("dario", "b", subgroups=[group])
    path = f"/user_groups/{group}/members"
    # The members and the first subgroup are stored before the cycle is detected.
    fields = {"add": [server.id("elif")], "add_subgroups": [inner, deep]}
    await server.refusal("dario", "POST", path, fields)
    assert (await server.call("ada", "GET", path))["members"] == []
    assert (await server.call("ada", "GET", f"/user_groups/{group}/subgroups"))["subgroups"] == []


@pytest.mark.parametrize("role", ["role:members", "role:moderators", "role:owners", "role:everyone"])
async def test_a_group_that_contains_a_role_group_has_exactly_its_members(
    server: TestServer, role: str
) -> None:
    least = {"role:owners": 100, "role:moderators": 300, "role:members": 400, "role:everyone": 600}[role]
    group = await server.create_group("dario", "wrapped", subgroups=[server.group(role)])
    members = set((await server.call("ada", "GET", f"/user_groups/{group}/members"))["members"])
    for user in server.organization.users.all():
        if not user.is_system_bot:
            assert (user.id in members) is (user.role <= least), user.full_name


async def test_guests_get_no_permission_through_a_group_that_only_others_may_hold(server: TestServer) -> None:
    crew = await server.create_group("dario", "crew", "hugo", "dario", "elif")
    private = server.channel("operations")
    await server.call(
        "bruno", "PATCH", f"/streams/{private}", {"can_administer_channel_group": {"new": crew}}
    )
    await server.call("ada", "PATCH", "/realm", {"can_delete_any_message_group": {"new": crew}})
    message = await server.send("elif", "design", "t", "of Elif")
    await server.call("dario", "PATCH", f"/streams/{private}", {"description": "by Dario"})
    await server.call("elif", "GET", f"/streams/{private}")
    await server.call("ada", "PATCH", f"/users/{server.id('elif')}", {"role": int(Role.GUEST)})
    for guest in ("hugo", "elif"):
        await server.refusal(guest, "GET", f"/streams/{private}")
        await server.refusal(guest, "PATCH", f"/streams/{private}", {"description": "by a guest"})
        await server.refusal(guest, "DELETE", f"/streams/{private}")
        known = {channel["stream_id"] for channel in (await server.call(guest, "GET", "/streams"))["streams"]}
        assert private not in known
    await server.refusal("hugo", "DELETE", f"/messages/{message}")
    await server.call("dario", "DELETE", f"/messages/{message}")


async def test_a_guest_cannot_manage_a_group_as_its_member(server: TestServer) -> None:
    crew = await server.create_group("dario", "crew", "hugo", "dario")
    await server.call("dario", "PATCH", f"/user_groups/{crew}", {"can_manage_group": {"new": crew}})
    await server.refusal("hugo", "PATCH", f"/user_groups/{crew}", {"description": "by a guest"})


async def test_a_member_named_repeatedly_is_removed_and_notified_once(server: TestServer) -> None:
    elif_ = server.id("elif")
    group = await server.create_group("dario", "a", "elif")
    listener = await server.listen("elif", event_types=["message", "user_group"])
    await server.call("dario", "POST", f"/user_groups/{group}/members", {"delete": [elif_] * 50})
    removed, notice = await listener.events()
    assert removed["user_ids"] == [elif_]
    assert notice["type"] == "message"
