"""Invitations: an invitation grants no more than its creator may grant when it is used."""

from __future__ import annotations

import asyncio

import pytest

from narrowcast_api.wire.vocabulary import Role
from support.server import JsonObject, TestServer

PATHS = ("/invites", "/invites/multiuse")


async def offered(server: TestServer, by: str, path: str = "/invites/multiuse", **fields: object) -> str:
    """Creates an invitation and returns its token."""
    addresses = {"invitee_emails": "new@demo.example", "stream_ids": []} if path == "/invites" else {}
    await server.call(by, "POST", path, {**addresses, **fields})
    row = server.organization.store.one("SELECT token FROM invites ORDER BY id DESC")
    assert row is not None
    return str(row["token"])


async def joins(server: TestServer, token: str) -> JsonObject | None:
    """The new account, or None if the invitation is invalid."""
    fields = {"email": "new@demo.example", "full_name": "New", "password": "long enough for all"}
    response: JsonObject = (await server.raw(None, "POST", f"/join/{token}", fields)).json()
    return response if response["result"] == "success" else None


async def role_of_newcomer(server: TestServer, token: str) -> Role | None:
    joined = await joins(server, token)
    return None if joined is None else server.organization.users[joined["user_id"]].role


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("role", [Role.ADMINISTRATOR, Role.MODERATOR, Role.MEMBER, Role.GUEST])
async def test_an_invitation_becomes_invalid_when_its_creator_is_deactivated(
    server: TestServer, path: str, role: Role
) -> None:
    token = await offered(server, "bruno", path, invite_as=int(role))
    await server.call("ada", "DELETE", f"/users/{server.id('bruno')}")
    assert await joins(server, token) is None
    assert (await server.call("ada", "GET", "/invites"))["invites"] == []
    # Reactivating the account does not restore it.
    await server.call("ada", "POST", f"/users/{server.id('bruno')}/reactivate")
    assert await joins(server, token) is None


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("becomes", [Role.MODERATOR, Role.MEMBER, Role.GUEST])
async def test_a_demoted_users_invitation_no_longer_grants_administrator(
    server: TestServer, path: str, becomes: Role
) -> None:
    token = await offered(server, "bruno", path, invite_as=int(Role.ADMINISTRATOR))
    await server.call("ada", "PATCH", f"/users/{server.id('bruno')}", {"role": int(becomes)})
    assert await joins(server, token) is None
    await server.call("ada", "PATCH", f"/users/{server.id('bruno')}", {"role": int(Role.MEMBER)})
    await server.call("ada", "PATCH", f"/users/{server.id('bruno')}", {"role": int(Role.ADMINISTRATOR)})
    assert await joins(server, token) is None


@pytest.mark.parametrize("path", PATHS)
async def test_an_invitation_that_a_demoted_user_may_still_grant_stays_valid(
    server: TestServer, path: str
) -> None:
    token = await offered(server, "bruno", path, invite_as=int(Role.MEMBER))
    await server.call("ada", "PATCH", f"/users/{server.id('bruno')}", {"role": int(Role.MEMBER)})
    assert await role_of_newcomer(server, token) is Role.MEMBER


@pytest.mark.parametrize("path", PATHS)
async def test_invitations_of_a_user_demoted_to_guest_are_invalid(server: TestServer, path: str) -> None:
    token = await offered(server, "dario", path)
    await server.call("ada", "PATCH", f"/users/{server.id('dario')}", {"role": int(Role.GUEST)})
    assert await joins(server, token) is None


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("setting", ["can_invite_users_group", "create_multiuse_invite_group"])
async def test_an_invitation_becomes_invalid_without_the_permission_to_invite(
    server: TestServer, path: str, setting: str
) -> None:
    token = await offered(server, "dario", path)
    value = {"new": server.group("role:administrators")}
    await server.call("ada", "PATCH", "/realm", {setting: value})
    by_address_alone = path == "/invites" and setting == "create_multiuse_invite_group"
    assert (await joins(server, token) is not None) is by_address_alone


async def test_a_stored_link_that_grants_too_much_is_invalid(server: TestServer) -> None:
    token = await offered(server, "dario")
    for role in (Role.OWNER, Role.ADMINISTRATOR, Role.MODERATOR):
        with server.organization.transaction():
            server.organization.store.execute("UPDATE invites SET invite_as = ?", int(role))
        assert await joins(server, token) is None


async def test_a_stored_link_of_a_deactivated_user_is_invalid(server: TestServer) -> None:
    token = await offered(server, "dario")
    server.organization.users.update(server.id("dario"), is_active=0)
    assert await joins(server, token) is None
    server.organization.users.update(server.id("dario"), is_active=1)
    assert await joins(server, token) is not None


async def test_a_link_adds_to_no_channel_that_its_creator_can_no_longer_access(server: TestServer) -> None:
    leads, general = server.channel("leads"), server.channel("general")
    token = await offered(server, "ada", stream_ids=[leads, general])
    await server.call("ada", "DELETE", "/users/me/subscriptions", {"subscriptions": ["leads"]})
    joined = await joins(server, token)
    assert joined is not None
    subscribed = await server.call("ada", "GET", f"/users/{joined['user_id']}/channels")
    assert subscribed["subscribed_channel_ids"] == [general]


async def test_a_link_adds_to_no_channel_once_its_creator_may_not_subscribe_others(
    server: TestServer,
) -> None:
    token = await offered(server, "dario", stream_ids=[server.channel("design")])
    value = {"new": server.group("role:administrators")}
    await server.call("ada", "PATCH", "/realm", {"can_add_subscribers_group": value})
    joined = await joins(server, token)
    assert joined is not None
    subscribed = await server.call("ada", "GET", f"/users/{joined['user_id']}/channels")
    assert subscribed["subscribed_channel_ids"] == []


async def test_a_link_adds_to_no_group_that_its_creator_may_no_longer_add_to(server: TestServer) -> None:
    group = await server.create_group("dario", "crew")
    token = await offered(server, "dario", group_ids=[group])
    nobody = {"new": server.group("role:nobody")}
    changes = {"can_manage_group": nobody, "can_add_members_group": nobody}
    await server.call("ada", "PATCH", f"/user_groups/{group}", changes)
    assert await joins(server, token) is not None
    assert (await server.call("ada", "GET", f"/user_groups/{group}/members"))["members"] == []


@pytest.mark.parametrize(
    ("maker", "role", "readers"),
    [
        ("ada", Role.OWNER, {"ada"}),
        ("ada", Role.ADMINISTRATOR, {"ada", "bruno"}),
        ("chiyo", Role.MODERATOR, {"ada", "bruno", "chiyo"}),
    ],
)
async def test_links_to_a_higher_role_are_not_shown(
    server: TestServer, maker: str, role: Role, readers: set[str]
) -> None:
    await offered(server, maker, invite_as=int(role))
    for name in ("ada", "bruno", "chiyo", "dario"):
        listed = (await server.call(name, "GET", "/invites"))["invites"]
        assert any("link_url" in row for row in listed) is (name in readers), name


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("name", ["bruno", "chiyo", "dario", "hugo", "iris", "jasper"])
async def test_users_cannot_invite_to_a_higher_role(server: TestServer, path: str, name: str) -> None:
    own = server.user(name).role
    for role in Role:
        if role < own:
            fields: dict[str, object] = {"invite_as": int(role), "stream_ids": []}
            if path == "/invites":
                fields["invitee_emails"] = "new@demo.example"
            await server.refusal(name, "POST", path, fields)
    assert server.organization.store.one("SELECT 1 FROM invites") is None


@pytest.mark.parametrize("name", ["chiyo", "elif", "hugo"])
async def test_users_cannot_revoke_or_resend_invitations_of_others(server: TestServer, name: str) -> None:
    await offered(server, "dario", "/invites")
    await offered(server, "dario")
    invitation, link = server.organization.store.integers("SELECT id FROM invites ORDER BY id")
    for method, path in (
        ("DELETE", f"/invites/{invitation}"),
        ("DELETE", f"/invites/multiuse/{link}"),
        ("POST", f"/invites/{invitation}/resend"),
    ):
        response = await server.raw(name, method, path)
        assert response.json()["result"] == "error"
    assert (await server.call(name, "GET", "/invites"))["invites"] == [] if name != "hugo" else True
    assert len((await server.call("ada", "GET", "/invites"))["invites"]) == 2


@pytest.mark.parametrize("path", PATHS)
async def test_revoked_used_and_expired_invitations_are_rejected(server: TestServer, path: str) -> None:
    token = await offered(server, "ada", path)
    identity = server.organization.store.integer("SELECT id FROM invites")
    with server.organization.transaction():
        server.organization.store.execute("UPDATE invites SET expires = ?", server.organization.now())
    assert await joins(server, token) is None
    with server.organization.transaction():
        server.organization.store.execute("UPDATE invites SET expires = NULL")
    await server.call("ada", "DELETE", f"{path}/{identity}")
    assert await joins(server, token) is None
    token = await offered(server, "ada", path)
    assert await joins(server, token) is not None
    assert await joins(server, token) is None


async def test_an_email_invitation_is_valid_for_that_email_only(server: TestServer) -> None:
    token = await offered(server, "ada", "/invites", invite_as=int(Role.OWNER))
    for address in ("other@demo.example", "new@demo.example.evil.example", "new@demo.exampl"):
        fields = {"email": address, "full_name": "New", "password": "long enough for all"}
        await server.refusal(None, "POST", f"/join/{token}", fields)
    assert await role_of_newcomer(server, token) is Role.OWNER


@pytest.mark.parametrize("token", ["", "%00", "' OR 1=1 --", "a" * 5000, "..", "%25", "null"])
async def test_invented_tokens_are_rejected(server: TestServer, token: str) -> None:
    await offered(server, "ada")
    fields = {"email": "new@demo.example", "full_name": "New", "password": "long enough for all"}
    response = await server.raw(None, "POST", f"/join/{token}", fields)
    assert response.json()["result"] == "error"
    assert response.status_code < 500


@pytest.mark.parametrize("uses", [1, 2])
async def test_a_link_cannot_be_used_more_often_than_allowed(server: TestServer, uses: int) -> None:
    path = await server.create_link("ada", max_uses=uses)
    for number in range(uses):
        (row,) = (await server.call("ada", "GET", "/invites"))["invites"]
        assert row["uses_left"] == uses - number
        person = {"email": f"n{number}@x.example", "full_name": f"N {number}", "password": "a good password"}
        await server.call(None, "POST", path, person)
    person = {"email": "late@x.example", "full_name": "Late", "password": "a good password"}
    refusal = await server.refusal(None, "POST", path, person)
    assert "maximum number of users" in refusal["msg"]
    assert (await server.call("ada", "GET", "/invites"))["invites"] == []


async def test_simultaneous_uses_of_a_link_do_not_exceed_its_limit(server: TestServer) -> None:
    path = await server.create_link("ada", max_uses=2)
    responses = await asyncio.gather(
        *(
            server.raw(
                None,
                "POST",
                path,
                {"email": f"n{number}@x.example", "full_name": f"N {number}", "password": "a good password"},
            )
            for number in range(5)
        )
    )
    assert sorted(one.json()["result"] for one in responses) == ["error"] * 3 + ["success"] * 2


@pytest.mark.parametrize("uses", [0, -1, 10**7])
async def test_an_invalid_number_of_uses_is_rejected(server: TestServer, uses: int) -> None:
    await server.refusal("ada", "POST", "/invites/multiuse", {"max_uses": uses})
