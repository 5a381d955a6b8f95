"""The current user, other users, and their administration."""

from __future__ import annotations

import json
from typing import Any

import pytest

from narrowcast_api.errors import (
    BadRequest,
    CannotDeactivateLastUser,
    InvalidInput,
    MalformedResponse,
    PermissionDenied,
    Unsupported,
)
from narrowcast_api.http.operations import OMIT
from narrowcast_api.http.secret import Secret
from narrowcast_api.model.users import Avatar, ProfileValue, User
from narrowcast_api.wire.vocabulary import BotType, DeactivationAction, Role
from support.api import at_levels, boundary_levels, scripted_client
from support.ledger import proves

ME = "/api/v1/users/me"
SEVEN = "/api/v1/users/7"

PERSON: dict[str, Any] = {
    "user_id": 7,
    "delivery_email": "grace@example.org",
    "email": "user7@chat.example.org",
    "full_name": "Grace",
    "date_joined": "2026-01-02T03:04:05+00:00",
    "is_active": True,
    "is_owner": True,
    "is_admin": True,
    "is_guest": False,
    "is_bot": False,
    "bot_type": None,
    "role": 100,
    "timezone": "Europe/Vienna",
    "avatar_url": "/user_avatars/7.png",
    "avatar_version": 3,
}
OWN = {
    **PERSON,
    "max_message_id": 99,
    "profile_data": {"4": {"value": "x"}},
}


async def own(response: dict[str, Any]) -> User:
    async with scripted_client() as (client, transport):
        transport.prepare("GET", ME, json=response)
        user = await client.users.me()
        assert transport.last.params == {}
        assert client.connection.own_user_id == user.user_id
    return user


async def other(response: dict[str, Any]) -> User:
    async with scripted_client() as (client, transport):
        transport.prepare("GET", SEVEN, json={"user": response})
        return await client.users.get(user_id=7)


@proves("ME-01", "ME-02", "ME-03", "ME-04", "ME-05", "ME-06", "ME-07", "ME-08", "ME-09", "ME-10", "ME-11")
@proves("ME-12", "ME-14")
async def test_the_current_user_with_every_field() -> None:
    user = await own(OWN)
    assert (user.avatar, user.email) == (Avatar("/user_avatars/7.png", 3), "user7@chat.example.org")
    assert (user.full_name, user.user_id, user.role, user.timezone) == (
        "Grace",
        7,
        Role.OWNER,
        "Europe/Vienna",
    )
    assert (user.is_admin, user.is_owner, user.is_guest, user.is_bot, user.is_active) == (
        True,
        True,
        False,
        False,
        True,
    )
    assert (user.date_joined, user.max_message_id) == ("2026-01-02T03:04:05+00:00", 99)
    assert user.delivery_email == "grace@example.org"
    assert user.profile == {4: ProfileValue("x")}


@proves("ME-13", "ME-15", "ME-16", "USR-09")
@pytest.mark.parametrize("missing", ["delivery_email", "profile_data", "max_message_id", "avatar_url"])
async def test_missing_and_extra_fields_of_older_servers_do_no_harm(missing: str) -> None:
    response = {key: value for key, value in OWN.items() if key != missing}
    user = await own({**response, "is_billing_admin": True, "avatar_url": None})
    assert "is_billing_admin" not in User.__struct_fields__
    assert user.avatar == Avatar(None, 3)
    assert (await other({key: value for key, value in PERSON.items() if key != missing})).user_id == 7
    assert (await other({**PERSON, "is_billing_admin": False})).full_name == "Grace"


@proves("USR-01", "USR-02", "USR-03", "USR-04", "USR-05")
async def test_a_user_is_asked_for_with_both_options_spelt_out_at_every_level() -> None:
    async with scripted_client() as (client, transport):
        for _ in at_levels(client, boundary_levels()):
            for gravatar, fields in ((True, False), (False, True)):
                transport.prepare("GET", SEVEN, json={"user": PERSON})
                await client.users.get(
                    user_id=7, client_gravatar=gravatar, include_custom_profile_fields=fields
                )
                assert transport.last.params == {
                    "client_gravatar": "true" if gravatar else "false",
                    "include_custom_profile_fields": "true" if fields else "false",
                }
        with pytest.raises(InvalidInput):
            await client.users.get(user_id="me")  # type: ignore[arg-type]  # on purpose


@proves("USR-06", "USR-07", "USR-08", "USR-11", "USR-12", "USR-13", "USR-14", "USR-15", "USR-16", "USR-17")
@proves("USR-18", "USR-21", "USR-22", "USR-25", "USR-30")
async def test_a_user_with_every_field() -> None:
    user = await other(PERSON)
    assert user.avatar == Avatar(PERSON["avatar_url"], PERSON["avatar_version"])
    for name, value in PERSON.items():
        if not name.startswith("avatar"):
            assert getattr(user, name) == value, name
    hidden = await other({**PERSON, "delivery_email": None, "date_joined": "2026-11-20T21:55+00:00"})
    assert hidden.delivery_email is None


@proves("USR-19", "USR-20", "USR-31")
async def test_bots_have_a_kind_and_perhaps_an_owner() -> None:
    bot = await other({**PERSON, "is_bot": True, "bot_type": 2, "bot_owner_id": None})
    assert (bot.bot_type, bot.bot_owner_id) == (BotType.INCOMING_WEBHOOK, None)
    future = await other({**PERSON, "is_bot": True, "bot_type": 9, "bot_owner_id": 4})
    assert (future.bot_type, future.bot_owner_id) == (9, 4)
    person = await other({key: value for key, value in PERSON.items() if key != "bot_type"})
    assert (person.bot_type, person.bot_owner_id) == (None, None)


@proves("USR-23", "USR-24")
async def test_a_picture_is_the_servers_or_that_of_the_email_address_or_unknown() -> None:
    assert (await other(PERSON)).avatar == Avatar("/user_avatars/7.png", version=3)
    assert (await other({**PERSON, "avatar_url": None})).avatar == Avatar(None, version=3)
    absent = await other({key: value for key, value in PERSON.items() if key != "avatar_url"})
    assert absent.avatar is None


@proves("USR-26", "USR-27", "USR-28")
async def test_profile_data_is_by_id_and_its_html_is_kept_apart() -> None:
    hostile = "<script>alert(1)</script>\x1b[31m"
    data = {"4": {"value": "x"}, "5": {"value": "y", "rendered_value": hostile}, "bad": 7}
    user = await other({**PERSON, "profile_data": data})
    assert user.profile == {
        4: ProfileValue("x"),
        5: ProfileValue("y", hostile),  # made safe where it is displayed, as message content is
    }
    assert (await other(PERSON)).profile == {}


@proves("USR-29")
async def test_an_unknown_user_is_a_bad_request() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare_error("GET", "/api/v1/users/999999", code="BAD_REQUEST", msg="No such user")
        with pytest.raises(BadRequest):
            await client.users.get(user_id=999999)
        transport.prepare("GET", SEVEN, json={"user": {"user_id": "seven"}})
        with pytest.raises(MalformedResponse):
            await client.users.get(user_id=7)


@proves("USRU-01", "USRU-03", "USRU-04", "USRU-05", "USRU-13", "CONV-15")
async def test_only_what_is_given_is_changed() -> None:
    async with scripted_client() as (client, transport):
        for level in at_levels(client, boundary_levels()):
            sent = "Grace H." if level >= 106 else '"Grace H."'
            transport.prepare("PATCH", SEVEN, params={"full_name": sent})
            await client.users.update(user_id=7, full_name="Grace H.")
        for role in (100, 200, 300, 400, 600):
            transport.prepare("PATCH", SEVEN, params={"role": str(role)})
            done = await client.users.update(user_id=7, role=role)
            assert done.ignored_parameters_unsupported == ()
        with pytest.raises(InvalidInput):
            await client.users.update(user_id=7, role=500)
        with pytest.raises(InvalidInput):
            await client.users.update(user_id=7)
        with pytest.raises(InvalidInput):
            await client.users.update(user_id=-7, full_name="x")


@proves("CONV-16")
def test_roles_are_ordered_by_how_restricted_they_are() -> None:
    assert [role for role in Role if role >= Role.MODERATOR] == [Role.MODERATOR, Role.MEMBER, Role.GUEST]
    assert Role.OWNER.is_administrator
    assert not Role.MODERATOR.is_administrator


@proves("USRU-08", "USRU-16", "USRU-17")
async def test_profile_data_is_written_as_a_list_of_ids_and_values() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("PATCH", SEVEN)
        await client.users.update(user_id=7, profile_data={4: "x", 5: [8, 9], 6: None})
        assert transport.last.json("profile_data") == [
            {"id": 4, "value": "x"},
            {"id": 5, "value": [8, 9]},
            {"id": 6, "value": None},
        ]


@proves("USRU-09", "USRU-11")
async def test_a_new_address_needs_285() -> None:
    async with scripted_client() as (client, transport):
        for level in at_levels(client, boundary_levels()):
            if level < 285:
                with pytest.raises(Unsupported, match="needs level 285"):
                    await client.users.update(user_id=7, full_name="x", new_email="new@example.org")
            else:
                transport.prepare("PATCH", SEVEN, params={"new_email": "new@example.org"})
                await client.users.update(user_id=7, new_email="new@example.org")


@proves("USRU-02", "USRU-06", "USRU-07", "USRU-10", "USRU-12", "USRU-14", "USRU-15")
@pytest.mark.parametrize(
    ("code", "msg", "denied"),
    [
        ("BAD_REQUEST", "Insufficient permission", True),
        ("UNAUTHORIZED_PRINCIPAL", "Must be an organization owner", True),
        ("BAD_REQUEST", "The owner permission cannot be removed from the only organization owner.", False),
        ("BAD_REQUEST", "Guests cannot be organization administrators", False),
        ("BAD_REQUEST", "No such user", False),
    ],
)
async def test_refusals_of_an_update_are_surfaced_with_the_servers_code(
    code: str, msg: str, denied: bool
) -> None:
    async with scripted_client() as (client, transport):
        transport.prepare_error("PATCH", SEVEN, code=code, msg=msg)
        with pytest.raises(PermissionDenied if denied else BadRequest) as caught:
            await client.users.update(user_id=7, role=Role.ADMINISTRATOR)
        assert (caught.value.code, caught.value.user_message) == (code, msg)


@proves("USRD-01", "USRD-03", "USRD-04", "USRD-05", "USRD-06", "USRD-09")
async def test_a_deactivation_tells_the_user_in_three_ways_from_135() -> None:
    async with scripted_client() as (client, transport):
        for level in at_levels(client, boundary_levels()):
            for comment in (OMIT, None, "", "Thanks & bye"):
                transport.prepare("DELETE", SEVEN)
                done = await client.users.deactivate(user_id=7, notification_comment=comment)
                if isinstance(comment, str) and level >= 135:
                    assert transport.last.params == {"deactivation_notification_comment": comment}
                    assert not done.notices
                else:
                    assert transport.last.params == {}, (level, comment)
                    assert bool(done.notices) is isinstance(comment, str)
        with pytest.raises(InvalidInput):
            await client.users.deactivate(user_id=True)


@proves("USRD-02", "USRD-08", "USRD-10")
async def test_refusals_of_a_deactivation_are_typed() -> None:
    async with scripted_client() as (client, transport):
        for code, msg in (
            ("BAD_REQUEST", "Insufficient permission"),
            ("UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator"),
        ):
            transport.prepare_error("DELETE", SEVEN, code=code, msg=msg)
            with pytest.raises(PermissionDenied):
                await client.users.deactivate(user_id=7)
        for code in ("BAD_REQUEST", "CANNOT_DEACTIVATE_LAST_USER"):
            transport.prepare_error("DELETE", SEVEN, code=code, msg="The only owner", is_last_owner=True)
            with pytest.raises(BadRequest) as caught:
                await client.users.deactivate(user_id=7)
            assert isinstance(caught.value, CannotDeactivateLastUser) is (code != "BAD_REQUEST")


async def test_unreadable_rows_are_left_out_of_the_list_of_users() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("GET", "/api/v1/users", json={"members": [PERSON, {"broken": 1}]})
        assert [user.user_id for user in (await client.users.list()).members] == [7]


async def test_a_user_is_fetched_by_email() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("GET", "/api/v1/users/grace@example.org", json={"user": PERSON})
        assert (await client.users.get_by_email(email="grace@example.org")).user_id == 7
        assert transport.last.url.raw_path.startswith(b"/api/v1/users/grace%40example.org?")
        for email in ("", "..", "."):
            with pytest.raises(InvalidInput):
                await client.users.get_by_email(email=email)


async def test_a_user_is_created_with_a_password() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("POST", "/api/v1/users", json={"user_id": 8})
        created = await client.users.create(email="h@example.org", password=Secret("pw"), full_name="H")
        assert created.user_id == 8
        assert transport.last.params["password"] == "pw"


async def test_a_user_is_reactivated() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("POST", f"{SEVEN}/reactivate")
        await client.users.reactivate(user_id=7)


async def test_the_current_user_is_deactivated() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("DELETE", ME)
        await client.users.deactivate_me()


async def test_profile_fields_of_the_current_user_are_set_and_cleared() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("PATCH", f"{ME}/profile_data", params={"data": '[{"id":4,"value":"x"}]'})
        await client.users.update_my_profile(values={4: "x"})
        transport.prepare("DELETE", f"{ME}/profile_data", params={"data": "[4]"})
        await client.users.clear_my_profile(field_ids=[4])


async def test_what_a_user_leaves_behind_can_be_deleted_with_the_account_from_459() -> None:
    async with scripted_client(459) as (client, transport):
        transport.prepare("DELETE", SEVEN)
        await client.users.deactivate(user_id=7, also_delete=[DeactivationAction.PROFILE, "direct_messages"])
        assert json.loads(transport.last.params["actions"]) == {
            "delete_profile": True,
            "delete_direct_messages": True,
        }
        with pytest.raises(InvalidInput):
            await client.users.deactivate(user_id=7, also_delete=["everything"])
        transport.prepare("DELETE", SEVEN)
        await client.users.deactivate(user_id=7)
        assert transport.last.params == {}
    async with scripted_client(458) as (client, transport):
        with pytest.raises(Unsupported):
            await client.users.deactivate(user_id=7, also_delete=["profile"])
        assert transport.requests == []
