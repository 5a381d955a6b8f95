"""Invitations: three kinds of expiry at four levels, and partial success that names who was not invited."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable
from typing import Any

import pytest

from narrowcast_api.errors import BadRequest, InvalidInput, InvitationFailed, Unsupported
from narrowcast_api.http.encoding import OMIT
from narrowcast_api.resources import invites
from narrowcast_api.wire.vocabulary import Role
from support.api import boundary_levels, scripted_client
from support.ledger import proves

SEND = "/api/v1/invites"
LINK = "/api/v1/invites/multiuse"
WEEK = 7 * 24 * 60


async def _sent(level: int = 442, **given: Any) -> dict[str, str]:
    async with scripted_client(level) as (client, transport):
        transport.prepare("POST", SEND)
        await client.invites.send(invitee_emails=["a@demo.example"], stream_ids=[31], **given)
        return dict(transport.last.params)


async def _linked(level: int = 442, **given: Any) -> dict[str, str]:
    async with scripted_client(level) as (client, transport):
        transport.prepare("POST", LINK, json={"invite_link": "https://demo.example/join/abc/"})
        await client.invites.create_link(**given)
        return dict(transport.last.params)


async def _needs(level: int, *, link: bool = False, **given: Any) -> int:
    """The level that the error names; asserts that nothing was sent."""
    async with scripted_client(level) as (client, transport):
        if link:
            asked: Awaitable[object] = client.invites.create_link(**given)
        else:
            asked = client.invites.send(invitee_emails=["a@demo.example"], **{"stream_ids": [31], **given})
        with pytest.raises(Unsupported) as refusal:
            await asked
        assert transport.requests == []
        return refusal.value.needs


@proves("INV-01", "INV-02", "INV-05", "INV-10", "INV-12", "INV-17", "INV-20", "INV-23")
async def test_addresses_are_joined_and_only_what_is_given_is_sent() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("POST", SEND)
        await client.invites.send(invitee_emails=["a@demo.example", " b@demo.example "])
        assert transport.last.params == {
            "invitee_emails": "a@demo.example,b@demo.example",
            "stream_ids": "[]",
        }
    everything = await _sent(
        invite_expires_in_minutes=90,
        invite_as=Role.GUEST,
        group_ids=[60],
        include_realm_default_subscriptions=True,
        notify_referrer_on_join=False,
    )
    assert everything == {
        "invitee_emails": "a@demo.example",
        "stream_ids": "[31]",
        "invite_expires_in_minutes": "90",
        "invite_as": "600",
        "group_ids": "[60]",
        "include_realm_default_subscriptions": "true",
        "notify_referrer_on_join": "false",
    }


@proves("INV-33")
async def test_invitations_without_a_usable_address_are_refused_here() -> None:
    async with scripted_client() as (client, transport):
        for emails in ([], [""], ["a@demo.example", " "], ["a@x, b@x"], ["a@x\nb@x"]):
            with pytest.raises(InvalidInput):
                await client.invites.send(invitee_emails=emails)
        with pytest.raises(InvalidInput, match="list"):
            await client.invites.send(invitee_emails="a@demo.example")
        assert transport.requests == []


@proves("INV-03", "INV-04", "CONV-18")
async def test_expiry_has_three_states() -> None:
    assert (await _sent(invite_expires_in_minutes=90))["invite_expires_in_minutes"] == "90"
    assert (await _sent(invite_expires_in_minutes=None))["invite_expires_in_minutes"] == "null"
    assert "invite_expires_in_minutes" not in await _sent(invite_expires_in_minutes=OMIT)


@proves("INV-06", "INV-07", "INV-08", "INVM-06")
@pytest.mark.parametrize("link", [False, True])
async def test_expiry_is_sent_in_the_form_of_the_level_or_rejected(link: bool) -> None:
    send = _linked if link else _sent
    for level in boundary_levels():
        if level < 180 and not link:
            assert "31" in (await send(level))["stream_ids"]
        assert not any("expires" in name for name in await send(level))
        if level >= 126:
            assert (await send(level, invite_expires_in_minutes=90))["invite_expires_in_minutes"] == "90"
            assert (await send(level, invite_expires_in_minutes=None))["invite_expires_in_minutes"] == "null"
            continue
        assert await _needs(level, link=link, invite_expires_in_minutes=90) == (126 if level >= 96 else 96)
        if level >= 96:
            assert (await send(level, invite_expires_in_minutes=WEEK))["invite_expires_in_days"] == "7"
        if level >= 117:
            assert (await send(level, invite_expires_in_minutes=None))["invite_expires_in_days"] == "null"
        else:
            assert await _needs(level, link=link, invite_expires_in_minutes=None) == (
                117 if level >= 96 else 96
            )


async def test_an_expiry_of_no_time_is_refused() -> None:
    async with scripted_client() as (client, _):
        for minutes in (0, -5, True):
            with pytest.raises(InvalidInput):
                await client.invites.create_link(invite_expires_in_minutes=minutes)


@proves("INV-09", "CONV-15", "INVM-07")
async def test_roles_are_the_five_of_the_contract() -> None:
    assert [int(role) for role in Role] == [100, 200, 300, 400, 600]
    for role in Role:
        assert (await _sent(invite_as=int(role)))["invite_as"] == str(int(role))
        assert (await _linked(invite_as=role))["invite_as"] == str(int(role))
    async with scripted_client() as (client, transport):
        for wrong in (500, 0, -100):
            with pytest.raises(InvalidInput, match="role"):
                await client.invites.send(invitee_emails=["a@demo.example"], invite_as=wrong)
        assert transport.requests == []


@proves("CONV-16")
def test_roles_compare_by_their_codes() -> None:
    offered = [role for role in Role if role >= Role.MODERATOR]
    assert offered == [Role.MODERATOR, Role.MEMBER, Role.GUEST]
    assert Role.OWNER.is_administrator
    assert not Role.MODERATOR.is_administrator


@proves("INV-16")
async def test_below_180_a_channel_is_needed() -> None:
    assert await _needs(179, stream_ids=[]) == 180
    async with scripted_client(180) as (client, transport):
        transport.prepare("POST", SEND, params={"invitee_emails": "a@demo.example", "stream_ids": "[]"})
        await client.invites.send(invitee_emails=["a@demo.example"])


async def test_maintenance_releases_at_157_and_158_need_no_channel_either() -> None:
    for level in (156, 159):
        assert await _needs(level, stream_ids=[]) == 180
    for level in (157, 158):
        async with scripted_client(level) as (client, transport):
            transport.prepare("POST", SEND, params={"invitee_emails": "a@demo.example", "stream_ids": "[]"})
            await client.invites.send(invitee_emails=["a@demo.example"])


@proves("INV-18", "INVM-05")
async def test_groups_need_level_322() -> None:
    assert (await _sent(322, group_ids=[60]))["group_ids"] == "[60]"
    assert (await _linked(322, group_ids=[60]))["group_ids"] == "[60]"
    assert await _needs(321, group_ids=[60]) == 322
    assert await _needs(321, link=True, group_ids=[60]) == 322
    assert "group_ids" not in await _linked(321)


@proves("INV-21", "INV-24", "INVM-08")
async def test_what_older_servers_would_ignore_is_left_out_and_told() -> None:
    both = {"include_realm_default_subscriptions": True, "notify_referrer_on_join": False}
    for level in boundary_levels():
        async with scripted_client(level) as (client, transport):
            transport.prepare("POST", SEND)
            done = await client.invites.send(
                invitee_emails=["a@demo.example"],
                stream_ids=[31],
                include_realm_default_subscriptions=True,
                notify_referrer_on_join=False,
            )
            sent = set(transport.last.params) & set(both)
            expected = {name for name, since in zip(both, (261, 267), strict=True) if level >= since}
            assert sent == expected
            assert len(done.notices) == 2 - len(expected)
            transport.prepare("POST", LINK, json={"invite_link": "https://demo.example/join/abc/"})
            link = await client.invites.create_link(include_realm_default_subscriptions=True)
            assert ("include_realm_default_subscriptions" in transport.last.params) == (level >= 261)
            assert any("include_realm" in notice for notice in link.notices) == (level < 261)


@proves("INV-26", "INV-27", "INV-28", "INV-29", "INV-30", "INV-31", "INV-37", "INV-38", "ERR-05")
async def test_a_partial_success_tells_who_was_not_invited_and_why() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare_error(
            "POST",
            SEND,
            code="INVITATION_FAILED",
            msg="Some of those addresses are already using the service.",
            daily_limit_reached=False,
            license_limit_reached=True,
            sent_invitations=True,
            errors=[
                ["bruno@demo.example", "Already has an account.", False],
                ["old@demo.example", "Gone.", True],
                7,
            ],
        )
        with pytest.raises(InvitationFailed) as refusal:
            await client.invites.send(invitee_emails=["bruno@demo.example", "new@demo.example"])
        assert len(transport.requests) == 1
    error = refusal.value
    assert (error.daily_limit_reached, error.license_limit_reached, error.sent_invitations) == (
        False,
        True,
        True,
    )
    assert error.errors == (
        ("bruno@demo.example", "Already has an account.", False),
        ("old@demo.example", "Gone.", True),
    )


async def test_an_invitation_error_with_malformed_fields_is_read_without_them() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare_error("POST", SEND, code="INVITATION_FAILED", errors="none", sent_invitations="yes")
        with pytest.raises(InvitationFailed) as refusal:
            await client.invites.send(invitee_emails=["a@demo.example"])
    assert not refusal.value.sent_invitations
    assert refusal.value.errors == ()


@proves("INV-11", "INV-14", "INV-15", "INV-19", "INV-32", "INV-34", "INV-35", "INVM-10", "INVM-11", "INVM-12")
@pytest.mark.parametrize(
    "msg",
    [
        "Insufficient permission",
        "Invalid channel ID 999999. No invites were sent.",
        "You do not have permission to subscribe other users to channels.",
        "Must be an organization owner",
    ],
)
async def test_what_the_server_refuses_comes_as_its_error_with_its_words(msg: str) -> None:
    async with scripted_client() as (client, transport):
        transport.prepare_error("POST", SEND, code="BAD_REQUEST", msg=msg)
        with pytest.raises(BadRequest) as sending:
            await client.invites.send(invitee_emails=["a@demo.example"], stream_ids=[999999])
        transport.prepare_error("POST", LINK, code="BAD_REQUEST", msg=msg)
        with pytest.raises(BadRequest) as linking:
            await client.invites.create_link(stream_ids=[999999])
    assert sending.value.user_message == linking.value.user_message == msg


@proves("INVM-01", "INVM-03", "INVM-04", "INVM-09")
async def test_a_link_takes_all_but_addresses_and_notice_and_gives_its_address() -> None:
    assert await _linked() == {}
    assert await _linked(stream_ids=[]) == {"stream_ids": "[]"}
    assert await _linked(179, stream_ids=[]) == {"stream_ids": "[]"}
    async with scripted_client() as (client, transport):
        transport.prepare("POST", LINK, json={"invite_link": "https://demo.example/join/abc/"})
        link = await client.invites.create_link(invite_expires_in_minutes=60)
        assert link.invite_link == "https://demo.example/join/abc/"
    offered = set(inspect.signature(invites.create_invite_link).parameters)
    assert not offered & {"invitee_emails", "notify_referrer_on_join"}


@proves("INVM-02")
async def test_below_209_creating_a_link_warns_users_who_are_not_administrators() -> None:
    for level in (208, 209):
        async with scripted_client(level) as (client, transport):
            transport.prepare("POST", LINK, json={"invite_link": "https://demo.example/join/abc/"})
            link = await client.invites.create_link()
            assert any("administrators" in notice for notice in link.notices) == (level < 209)


async def test_invitations_are_listed_revoked_and_sent_again() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("GET", SEND, json={"invites": [{"id": 1, "email": "a@demo.example"}]})
        assert (await client.invites.list())[0].email == "a@demo.example"
        transport.prepare("DELETE", f"{SEND}/1")
        await client.invites.revoke(invite_id=1)
        transport.prepare("DELETE", f"{LINK}/2")
        await client.invites.revoke_link(invite_id=2)
        transport.prepare("POST", f"{SEND}/1/resend")
        await client.invites.resend(invite_id=1)
