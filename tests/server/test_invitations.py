"""Invitations: POST /invites, POST /invites/multiuse, and accepting them."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import pytest

from narrowcast_server.actions.new_organization import notification_bot
from support.clock import VirtualClock
from support.ledger import proves
from support.server import JsonObject, TestServer, join_path

MINUTE = 60
ROUTES = ("/invites", "/invites/multiuse")


def asked(server: TestServer, path: str = "/invites", **changes: object) -> dict[str, object]:
    """Valid parameters; `invitee_emails` only where the operation has it."""
    params: dict[str, object] = {"stream_ids": [server.channel("general")]}
    if path == "/invites":
        params["invitee_emails"] = "nadia@example.com"
    return params | changes


async def invite(
    server: TestServer, path: str = "/invites", by: str = "dario", **changes: object
) -> JsonObject:
    return await server.call(by, "POST", path, asked(server, path, **changes))


async def refused(
    server: TestServer, path: str = "/invites", by: str = "dario", **changes: object
) -> JsonObject:
    return await server.refusal(by, "POST", path, asked(server, path, **changes))


def stored(server: TestServer) -> list[dict[str, object]]:
    return [dict(row) for row in server.organization.store.all("SELECT * FROM invites ORDER BY id")]


def set_invite_permission(server: TestServer, group: str) -> None:
    with server.organization.transaction():
        server.organization.set_settings(can_invite_users_group=server.group(group))


def set_subscribe_permission(server: TestServer, group: str) -> None:
    with server.organization.transaction():
        server.organization.set_settings(can_add_subscribers_group=server.group(group))


@proves("INV-01", "INV-02", "INV-10", "INV-13")
@pytest.mark.parametrize(
    "text", ["nadia@example.com, omar@example.com", "nadia@example.com\n\nomar@example.com\n"]
)
async def test_each_email_gets_an_invitation_and_administrators_are_notified(
    server: TestServer, text: str
) -> None:
    administrator, member = await server.listen("bruno"), await server.listen("elif")
    inviter = await server.listen("dario")
    response = await invite(server, invitee_emails=text)
    assert response.keys() == {"result", "msg"}
    listed = (await server.call("dario", "GET", "/invites"))["invites"]
    assert [row["email"] for row in listed] == ["nadia@example.com", "omar@example.com"]
    assert {row["invited_as"] for row in listed} == {400}
    assert len(server.organization.store.all("SELECT * FROM sent_emails")) == 2
    assert len(await administrator.events("invites_changed")) == 1
    assert len(await inviter.events("invites_changed")) == 1
    assert await member.events("invites_changed") == []


@proves("INV-03", "INV-04", "INV-05", "INVM-06")
@pytest.mark.parametrize("path", ROUTES)
async def test_the_expiry_of_an_invitation_may_be_absent_null_or_a_number(
    server: TestServer, path: str
) -> None:
    await invite(server, path, invite_expires_in_minutes=30)
    await invite(server, path, invite_expires_in_minutes=None)
    await invite(server, path)
    lifetimes = [
        None if row["expires"] is None else int(str(row["expires"])) - int(str(row["invited"]))
        for row in stored(server)
    ]
    assert lifetimes == [30 * MINUTE, None, 14_400 * MINUTE]
    for wrong in (0, -5, "soon", True):
        assert (await refused(server, path, invite_expires_in_minutes=wrong))["code"] == "BAD_REQUEST"


@proves("INV-06", "INV-07", "INV-08", "INVM-06")
@pytest.mark.parametrize("path", ROUTES)
async def test_the_name_of_the_expiry_depends_on_the_level(server: TestServer, path: str) -> None:
    async def lifetime(**params: object) -> int | None:
        await invite(server, path, "ada", **params)
        row = stored(server)[-1]
        return (
            None
            if row["expires"] is None
            else (int(str(row["expires"])) - int(str(row["invited"]))) // MINUTE
        )

    default = 14_400
    server.set_level(95)
    assert await lifetime(invite_expires_in_days=2) == default
    server.set_level(96)
    assert await lifetime(invite_expires_in_days=2) == 2 * 1440
    server.set_level(116)
    await refused(server, path, "ada", invite_expires_in_days=None)
    server.set_level(117)
    assert await lifetime(invite_expires_in_days=None) is None
    server.set_level(125)
    assert await lifetime(invite_expires_in_minutes=5) == default
    server.set_level(126)
    assert await lifetime(invite_expires_in_minutes=5) == 5
    assert await lifetime(invite_expires_in_days=2) == default


@proves("INV-09", "INV-11", "INVM-07", "CONV-15", "CONV-16")
@pytest.mark.parametrize("path", ROUTES)
async def test_users_may_invite_to_their_own_role_and_lower_ones(server: TestServer, path: str) -> None:
    for name, most in (("dario", 400), ("chiyo", 300), ("bruno", 200), ("ada", 100)):
        for role in (100, 200, 300, 400, 600):
            if role >= most:
                await invite(server, path, name, invite_as=role)
            else:
                assert (await refused(server, path, name, invite_as=role))["code"] == "BAD_REQUEST"
    await refused(server, path, "ada", invite_as=500)


@proves("INV-12", "INVM-04", "INVM-05")
async def test_channels_are_required_for_email_invitations_and_optional_for_links(server: TestServer) -> None:
    await server.refusal("dario", "POST", "/invites", {"invitee_emails": "nadia@example.com"})
    await server.call("dario", "POST", "/invites/multiuse")
    assert stored(server)[-1]["channel_ids"] == "[]"
    assert stored(server)[-1]["group_ids"] == "[]"


@proves("INV-14", "INV-34", "INVM-11")
@pytest.mark.parametrize("path", ROUTES)
async def test_an_invitation_may_include_only_channels_that_the_inviter_may_add_others_to(
    server: TestServer, path: str
) -> None:
    for channel in (999_999, server.channel("leads")):
        assert (await refused(server, path, stream_ids=[server.channel("general"), channel]))[
            "code"
        ] == "BAD_REQUEST"
    await refused(server, path, stream_ids=[server.channel("operations")])
    assert stored(server) == []
    await invite(server, path, "bruno", stream_ids=[server.channel("operations")])


@proves("INV-15", "INV-22", "INV-35", "INVM-12")
@pytest.mark.parametrize("path", ROUTES)
async def test_users_who_may_not_subscribe_others_can_invite_to_default_channels_only(
    server: TestServer, path: str
) -> None:
    set_subscribe_permission(server, "role:moderators")
    assert (await refused(server, path))["code"] == "BAD_REQUEST"
    await invite(server, path, stream_ids=[], include_realm_default_subscriptions=True)
    assert stored(server)[-1]["include_defaults"] == 1


@proves("INV-16", "INVM-13")
async def test_below_180_an_email_invitation_needs_a_channel(server: TestServer) -> None:
    server.set_level(179)
    await refused(server, stream_ids=[])
    await invite(server, "/invites/multiuse", "ada", stream_ids=[])
    server.set_level(180)
    await invite(server, stream_ids=[])


@proves("INV-17", "INV-18", "INV-19", "INVM-05")
@pytest.mark.parametrize("path", ROUTES)
async def test_invitations_may_include_groups_from_322_if_the_inviter_may_add_members(
    server: TestServer, path: str
) -> None:
    group_id = await server.create_group("dario", "Crew")
    server.set_level(321)
    response = await invite(server, path, "ada", group_ids=[group_id])
    assert response["ignored_parameters_unsupported"] == ["group_ids"]
    assert stored(server)[-1]["group_ids"] == "[]"
    server.set_level(322)
    await invite(server, path, "dario", group_ids=[group_id])
    assert stored(server)[-1]["group_ids"] == f"[{group_id}]"
    assert (await refused(server, path, "elif", group_ids=[group_id]))["code"] == "BAD_REQUEST"
    await refused(server, path, "ada", group_ids=[999_999])


@proves("INV-20", "INV-21", "INV-22", "INV-23", "INV-24", "INVM-08")
async def test_newer_parameters_have_defaults_and_are_unsupported_below_their_levels(
    server: TestServer,
) -> None:
    await invite(server)
    assert (stored(server)[-1]["include_defaults"], stored(server)[-1]["notify_referrer"]) == (0, 1)
    for level, name, value in (
        (261, "include_realm_default_subscriptions", True),
        (267, "notify_referrer_on_join", False),
    ):
        changes: dict[str, Any] = {name: value}
        server.set_level(level - 1)
        response = await invite(server, **changes)
        assert response["ignored_parameters_unsupported"] == [name]
        assert (stored(server)[-1]["include_defaults"], stored(server)[-1]["notify_referrer"]) == (0, 1)
        server.set_level(level)
        await invite(server, **changes)
        assert (stored(server)[-1]["include_defaults"], stored(server)[-1]["notify_referrer"]) != (0, 1)
    server.set_level(260)
    response = await invite(server, "/invites/multiuse", include_realm_default_subscriptions=True)
    assert response["ignored_parameters_unsupported"] == ["include_realm_default_subscriptions"]


@proves("INV-26", "INV-27", "INV-28", "INV-29", "INV-30", "INV-31", "INV-37", "INV-38", "ERR-05")
async def test_valid_emails_are_invited_and_the_others_are_reported(server: TestServer) -> None:
    await server.call("ada", "DELETE", f"/users/{server.id('greta')}")
    text = "elif@demo.example, greta@demo.example, nadia@example.com"
    response = await refused(server, invitee_emails=text)
    assert response["code"] == "INVITATION_FAILED"
    assert [(email, flag) for email, _, flag in response["errors"]] == [
        ("elif@demo.example", False),
        ("greta@demo.example", True),
    ]
    assert all(isinstance(reason, str) and reason for _, reason, _ in response["errors"])
    assert (
        response["sent_invitations"],
        response["daily_limit_reached"],
        response["license_limit_reached"],
    ) == (
        True,
        False,
        False,
    )
    assert "to everyone else" in response["msg"]
    assert [row["email"] for row in stored(server)] == ["nadia@example.com"]
    response = await refused(server, invitee_emails="elif@demo.example")
    assert (response["code"], response["sent_invitations"]) == ("INVITATION_FAILED", False)
    assert response["msg"] == "We weren't able to invite anyone."


async def test_one_invalid_address_rejects_all_invitations(server: TestServer) -> None:
    response = await refused(server, invitee_emails="elif@demo.example, not an address, nadia@example.com")
    assert (response["code"], response["sent_invitations"]) == ("INVITATION_FAILED", False)
    assert response["errors"] == [["not an address", "Invalid address.", False]]
    assert stored(server) == []


@proves("INV-32", "INV-39", "INVM-10")
@pytest.mark.parametrize("path", ROUTES)
async def test_inviting_requires_the_configured_permission(server: TestServer, path: str) -> None:
    await refused(server, path, "hugo")
    set_invite_permission(server, "role:moderators")
    response = await refused(server, path, "dario")
    assert (response["code"], response["msg"]) == ("BAD_REQUEST", "Insufficient permission")
    await invite(server, path, "chiyo")


async def test_creating_links_requires_a_permission_of_its_own(server: TestServer) -> None:
    with server.organization.transaction():
        server.organization.set_settings(create_multiuse_invite_group=server.group("role:moderators"))
    await invite(server, "/invites", "dario")
    assert (await refused(server, "/invites/multiuse", "dario"))["msg"] == "Insufficient permission"
    await invite(server, "/invites/multiuse", "chiyo")


@proves("INV-33")
@pytest.mark.parametrize("text", ["", " , \n,"])
async def test_an_invitation_without_addresses_is_rejected(server: TestServer, text: str) -> None:
    assert (await refused(server, invitee_emails=text))["code"] == "BAD_REQUEST"


@proves("INVM-01", "INVM-03", "INVM-09")
async def test_an_invitation_link_is_an_absolute_url_without_invitees(server: TestServer) -> None:
    response = await invite(
        server, "/invites/multiuse", invitee_emails="x@example.com", notify_referrer_on_join=False
    )
    assert response["ignored_parameters_unsupported"] == ["invitee_emails", "notify_referrer_on_join"]
    parts = urlsplit(response["invite_link"])
    assert (parts.scheme, f"{parts.scheme}://{parts.netloc}") == ("http", server.url)


@proves("INVM-02")
async def test_below_209_only_administrators_create_links(server: TestServer) -> None:
    server.set_level(208)
    await refused(server, "/invites/multiuse", "dario")
    await invite(server, "/invites/multiuse", "bruno")
    server.set_level(209)
    await invite(server, "/invites/multiuse", "dario")


@proves("INV-36", "INVM-06")
async def test_an_invitation_expires_after_its_minutes(server: TestServer, clock: VirtualClock) -> None:
    await invite(server, invite_expires_in_minutes=10)
    await invite(server, "/invites/multiuse", invite_expires_in_minutes=10)
    await invite(server, "/invites/multiuse", invite_expires_in_minutes=None)
    await clock.advance(9 * MINUTE)
    assert len((await server.call("dario", "GET", "/invites"))["invites"]) == 3
    await clock.advance(MINUTE)
    left = (await server.call("dario", "GET", "/invites"))["invites"]
    assert [(row["is_multiuse"], row["expiry_date"]) for row in left] == [(True, None)]


NEWCOMER = {"email": "nadia@example.com", "full_name": "Nadia Osei", "password": "a long password"}


@proves("INV-13", "INV-17", "INV-20", "INV-25")
@pytest.mark.parametrize("notify", [True, False])
async def test_an_accepted_invitation_grants_its_role_channels_and_groups(
    server: TestServer, notify: bool
) -> None:
    group_id = await server.create_group("dario", "Crew")
    await invite(
        server,
        stream_ids=[server.channel("engineering")],
        group_ids=[group_id],
        include_realm_default_subscriptions=True,
        notify_referrer_on_join=notify,
        invite_as=600,
    )
    listener = await server.listen("dario")
    token = stored(server)[-1]["token"]
    response = await server.call(None, "POST", f"/join/{token}", NEWCOMER)
    assert response["email"] == "nadia@example.com"
    subscriptions = (await server.call("nadia", "GET", "/users/me/subscriptions"))["subscriptions"]
    assert {row["name"] for row in subscriptions} == {"engineering", "general"}
    assert (await server.call("nadia", "GET", "/users/me"))["role"] == 600
    path = f"/user_groups/{group_id}/members/{response['user_id']}"
    assert (await server.call("ada", "GET", path))["is_user_group_member"] is True
    events = await listener.events("message", "invites_changed")
    assert [event["type"] for event in events].count("invites_changed") == 1
    notices = [event["message"]["sender_full_name"] for event in events if event["type"] == "message"]
    assert notices == (["Notification Bot"] if notify else [])
    await server.refusal(None, "POST", f"/join/{token}", {**NEWCOMER, "email": "other@example.com"})


async def test_a_link_can_be_used_again_until_it_is_revoked(server: TestServer) -> None:
    link = (await invite(server, "/invites/multiuse"))["invite_link"]
    page = await server.raw(None, "GET", link)
    assert f"narrowcast login {link}" in page.text
    path = join_path(link)
    await server.call(None, "POST", path, NEWCOMER)
    await server.call(None, "POST", path, {**NEWCOMER, "email": "omar@example.com", "full_name": "Omar Diaz"})
    await server.refusal(None, "POST", path, {**NEWCOMER, "email": "nadia@example.com"})
    await server.refusal(None, "POST", path, {**NEWCOMER, "email": "p@example.com", "password": "short"})
    at = f"/invites/multiuse/{stored(server)[-1]['id']}"
    assert (await server.refusal("dario", "DELETE", at))["code"] == "UNAUTHORIZED_PRINCIPAL"
    await server.call("ada", "DELETE", at)
    await server.refusal(None, "POST", path, {**NEWCOMER, "email": "q@example.com"})
    assert (await server.raw(None, "GET", link)).status_code == 410


async def test_invitations_are_revoked_and_resent_by_their_sender_and_administrators(
    server: TestServer,
) -> None:
    await invite(server)
    identity = stored(server)[-1]["id"]
    await server.refusal("elif", "POST", f"/invites/{identity}/resend")
    await server.call("dario", "POST", f"/invites/{identity}/resend")
    refused = await server.refusal("elif", "DELETE", f"/invites/{identity}")
    assert (refused["code"], refused["msg"]) == ("BAD_REQUEST", "Must be an organization administrator")
    await server.call("bruno", "DELETE", f"/invites/{identity}")
    await server.refusal("dario", "DELETE", f"/invites/{identity}")
    assert (await server.call("ada", "GET", "/invites"))["invites"] == []


async def test_new_users_receive_the_welcome_message_of_the_invitation_or_the_organization(
    server: TestServer,
) -> None:
    await server.call("ada", "PATCH", "/realm", {"welcome_message_custom_text": "Tea is at *four*."})
    for name, said, told in (
        ("Nadia", None, ["Tea is at *four*."]),
        ("Omar", "Ask Ada.", ["Ask Ada."]),
        ("Pia", "", []),
    ):
        more = {} if said is None else {"welcome_message_custom_text": said}
        path = await server.create_link("ada", **more)
        newcomer = {**NEWCOMER, "email": f"{name}@example.com", "full_name": name}
        await server.call(None, "POST", path, newcomer)
        found = await server.newest(name.lower(), sender=notification_bot(server.organization).id)
        assert [row["content"] for row in found] == told


@pytest.mark.parametrize("path", ROUTES)
async def test_only_administrators_choose_the_welcome_message(server: TestServer, path: str) -> None:
    response = await refused(server, path, "dario", welcome_message_custom_text="Hello")
    assert response["msg"] == "Must be an organization administrator"
    response = await refused(server, path, "bruno", welcome_message_custom_text="x" * 8001)
    assert response["msg"] == "welcome_message_custom_text is too long (limit: 8000 characters)"
    assert stored(server) == []
    await invite(server, path, "bruno", welcome_message_custom_text="x" * 8000)


async def test_an_administrator_can_preview_the_welcome_message(server: TestServer) -> None:
    path, name = "/realm/test_welcome_bot_custom_message", "welcome_message_custom_text"
    response = await server.call("bruno", "POST", path, {name: "Tea is at *four*."})
    shown = await server.call(
        "bruno", "GET", f"/messages/{response['message_id']}", {"apply_markdown": False}
    )
    assert shown["message"]["content"] == "Tea is at *four*."
    assert (await server.refusal("bruno", "POST", path, {name: " "}))["msg"] == "Message must not be empty"
    assert (await server.refusal("dario", "POST", path, {name: "Hi"}))["code"] == "UNAUTHORIZED_PRINCIPAL"
