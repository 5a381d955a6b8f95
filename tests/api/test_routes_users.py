"""People: what is read of them, tolerantly, and what administrators change."""

from __future__ import annotations

from typing import Any

import pytest

from narrowcast_api.errors import (
    BadRequest,
    CannotDeactivateLastUser,
    InvalidInput,
    PermissionDenied,
    Unsupported,
)
from narrowcast_api.routes.users import avatar_address
from narrowcast_api.wire.users import OwnUser, User
from narrowcast_api.wire.vocabulary import BotType, Role
from support.api import boundary_levels, scripted_client
from support.captures import fixture
from support.ledger import proves

PATH = "/api/v1/users/12"
ME = "/api/v1/users/me"


def _answer(name: str, **changes: object) -> dict[str, Any]:
    answer: dict[str, Any] = fixture("answers.json")[name]
    return {**answer, **changes}


@proves(
    "ME-01", "ME-02", "ME-03", "ME-04", "ME-05", "ME-06", "ME-07", "ME-08", "ME-09", "ME-10", "ME-11", "ME-12"
)
async def test_oneself_is_read_whole_without_parameters() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("GET", ME, json=_answer("GET users/me"), params={})
        me = await client.users.me()
        assert client.connection.own_user_id == 11
    assert (me.avatar_url, me.avatar_version) == ("/user_avatars/2/a.png", 3)
    assert (me.email, me.full_name, me.user_id) == ("user11@demo.example", "Ada Moreno", 11)
    assert (me.is_admin, me.is_owner, me.is_guest, me.is_bot, me.is_active) == (
        True,
        True,
        False,
        False,
        True,
    )
    assert me.known_role is Role.OWNER
    assert (me.timezone, me.date_joined) == ("Europe/Lisbon", "2026-11-20T10:00+00:00")
    assert me.delivery_email == "ada@demo.example"
    assert me.max_message_id == 506


@proves("ME-13", "ME-14", "ME-15", "ME-16", "USR-09", "USR-24", "USR-31", "VER-03")
@pytest.mark.parametrize("model", [User, OwnUser])
def test_what_older_and_newer_servers_leave_out_is_tolerated(model: type[User]) -> None:
    person = model.model_validate(
        {"user_id": 12, "full_name": "Bruno Castell", "email": "user12@demo.example"}
    )
    assert person.delivery_email is None
    assert person.profile_data is None
    assert person.bot_type is None
    assert person.bot_owner_id is None
    assert not person.was_sent("avatar_url")
    older = model.model_validate({"user_id": 12, "full_name": "B", "is_billing_admin": True})
    assert "is_billing_admin" not in model.model_fields
    assert older.user_id == 12


def test_the_role_of_a_server_before_roles_comes_from_its_booleans() -> None:
    for flags, role in (
        ({"is_owner": True, "is_admin": True}, Role.OWNER),
        ({"is_admin": True}, Role.ADMINISTRATOR),
        ({"is_guest": True}, Role.GUEST),
        ({}, Role.MEMBER),
    ):
        assert User.model_validate({"user_id": 1, "full_name": "A", **flags}).known_role is role
    assert User(user_id=1, full_name="A", role=555).known_role is None


@proves("USR-01", "USR-02", "USR-03", "USR-04", "USR-05", "USR-06")
@pytest.mark.parametrize("level", [91, 92, 442])
async def test_a_user_is_asked_for_with_both_choices_said(level: int) -> None:
    async with scripted_client(level) as (client, transport):
        transport.prepare(
            "GET",
            PATH,
            json=_answer("GET users/N"),
            params={"client_gravatar": "true", "include_custom_profile_fields": "false"},
        )
        assert isinstance(await client.users.get(user_id=12), User)
        transport.prepare("GET", PATH, json=_answer("GET users/N"))
        await client.users.get(user_id=12, client_gravatar=False, include_custom_profile_fields=True)
        assert transport.last.params == {"client_gravatar": "false", "include_custom_profile_fields": "true"}


@proves(
    "USR-07",
    "USR-11",
    "USR-12",
    "USR-13",
    "USR-18",
    "USR-19",
    "USR-20",
    "USR-21",
    "USR-22",
    "USR-25",
    "USR-30",
)
async def test_a_bot_is_read_whole() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("GET", "/api/v1/users/21", json=_answer("GET users/N"))
        bot = await client.users.get(user_id=21)
    assert (bot.user_id, bot.full_name, bot.email) == (21, "Iris", "iris-bot@demo.example")
    assert bot.is_bot
    assert bot.known_bot_type is BotType.GENERIC
    assert bot.bot_owner_id == 11
    assert bot.known_role is Role.MEMBER
    assert (bot.timezone, bot.avatar_version) == ("", 2)
    assert bot.joined is not None
    assert bot.joined.isoformat() == "2026-11-20T10:00:00+00:00"
    legacy = User(
        user_id=1, full_name="Old", is_bot=True, bot_type=9, bot_owner_id=None, date_joined="long ago"
    )
    assert legacy.known_bot_type is None
    assert legacy.bot_owner_id is None
    assert legacy.joined is None
    naive = User(user_id=1, full_name="A", date_joined="2026-11-20T10:00:00")
    assert naive.joined is not None
    assert naive.joined.tzinfo is not None


@proves("USR-08", "USR-14", "USR-15", "USR-16", "USR-17")
def test_a_person_is_read_whole() -> None:
    owner = User.model_validate(
        {"user_id": 1, "full_name": "A", "role": 100, "is_owner": True, "is_admin": True, "is_active": False}
    )
    assert (owner.is_owner, owner.is_admin, owner.is_guest, owner.is_active) == (True, True, False, False)
    hidden = User.model_validate({"user_id": 2, "full_name": "G", "is_guest": True, "delivery_email": None})
    assert hidden.is_guest
    assert hidden.delivery_email is None
    assert hidden.was_sent("delivery_email")


@proves("USR-23")
def test_the_address_of_a_picture_is_computed_where_the_server_says_null() -> None:
    person = User.model_validate(
        {
            "user_id": 1,
            "full_name": "A",
            "email": "user1@x",
            "delivery_email": " Ada@Demo.example",
            "avatar_url": None,
        }
    )
    computed = avatar_address(person)
    same = person.model_copy(update={"delivery_email": "ada@demo.example"})
    assert computed is not None
    assert computed.startswith("https://")
    assert computed == avatar_address(same)
    assert avatar_address(User(user_id=1, full_name="A", avatar_url="/a.png")) == "/a.png"
    assert avatar_address(User.model_validate({"user_id": 1, "full_name": "A"})) is None


@proves("USR-26", "USR-27", "USR-28")
def test_profile_values_are_by_field_and_their_html_is_kept_as_it_came() -> None:
    script = "<script>alert(1)</script>\x1b]0;x\x07"
    person = User.model_validate(
        {
            "user_id": 1,
            "full_name": "A",
            "profile_data": {
                "3": {"value": "x", "rendered_value": script},
                "4": {"value": "y"},
                "z": {"value": 1},
            },
        }
    )
    assert person.profile_data is not None
    assert set(person.profile_data) == {3, 4}
    # Only a view makes it safe, as it does for messages; nothing here may pretend to have done so.
    assert person.profile_data[3].rendered_value == script
    assert person.profile_data[4].rendered_value is None
    assert User(user_id=1, full_name="A").profile_data is None


@proves("USR-29")
async def test_an_unknown_user_is_a_bad_request() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare_error("GET", PATH, code="BAD_REQUEST", msg="No such user")
        with pytest.raises(BadRequest, match="No such user"):
            await client.users.get(user_id=12)


@proves("USRU-01", "USRU-03", "USRU-04", "USRU-05", "USRU-08", "USRU-09", "USRU-13", "USRU-16", "USRU-17")
async def test_an_update_of_a_user_sends_only_what_is_given() -> None:
    async with scripted_client() as (client, transport):
        changes: tuple[tuple[dict[str, Any], dict[str, str]], ...] = (
            ({"full_name": "B"}, {"full_name": "B"}),
            ({"role": Role.MODERATOR}, {"role": "300"}),
            ({"new_email": "b@demo.example"}, {"new_email": "b@demo.example"}),
        )
        for change, sent in changes:
            transport.prepare("PATCH", PATH, params=sent)
            done = await client.users.update(user_id=12, **change)
            assert not done.model_extra
        transport.prepare("PATCH", PATH)
        await client.users.update(user_id=12, profile_data={3: "text", 4: [7, 9]})
        assert transport.last.json("profile_data") == [{"id": 3, "value": "text"}, {"id": 4, "value": [7, 9]}]
        count = len(transport.requests)
        wrongs: tuple[dict[str, Any], ...] = ({}, {"role": 500})
        for wrong in wrongs:
            with pytest.raises(InvalidInput):
                await client.users.update(user_id=12, **wrong)
        assert len(transport.requests) == count


@proves("USRU-11")
async def test_a_new_address_needs_level_285() -> None:
    for level in boundary_levels():
        async with scripted_client(level) as (client, transport):
            if level >= 285:
                transport.prepare("PATCH", PATH)
                await client.users.update(user_id=12, new_email="b@demo.example")
                continue
            with pytest.raises(Unsupported) as refusal:
                await client.users.update(user_id=12, new_email="b@demo.example", full_name="B")
            assert refusal.value.needs == 285
            assert transport.requests == []


@proves("USRU-06", "USRU-07", "USRU-10", "USRU-12", "USRU-14")
@pytest.mark.parametrize(
    "msg",
    [
        "The owner permission cannot be removed from the only organization owner.",
        "A guest cannot become an administrator.",
        "Only an owner may change that.",
    ],
)
async def test_what_the_server_refuses_comes_as_its_error_with_its_words(msg: str) -> None:
    async with scripted_client() as (client, transport):
        transport.prepare_error("PATCH", PATH, code="BAD_REQUEST", msg=msg)
        with pytest.raises(BadRequest) as refusal:
            await client.users.update(user_id=12, role=Role.ADMINISTRATOR)
        assert refusal.value.user_message == msg


@proves("USRU-02", "USRU-15", "USRD-02", "USRD-10")
@pytest.mark.parametrize(
    ("code", "msg"),
    [
        ("UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator"),
        ("BAD_REQUEST", "Insufficient permission"),
    ],
)
async def test_both_codes_for_a_missing_permission_are_one_kind_of_error(code: str, msg: str) -> None:
    async with scripted_client() as (client, transport):
        transport.prepare_error("PATCH", PATH, code=code, msg=msg)
        with pytest.raises(PermissionDenied) as refusal:
            await client.users.update(user_id=12, full_name="B")
        assert refusal.value.code == code
        transport.prepare_error("DELETE", PATH, code=code, msg=msg)
        with pytest.raises(PermissionDenied):
            await client.users.deactivate(user_id=12)


@proves("USRD-01", "USRD-03", "USRD-04", "USRD-05", "USRD-06", "USRD-09")
async def test_a_deactivation_is_silent_or_tells_with_or_without_a_text() -> None:
    name = "deactivation_notification_comment"
    for level in boundary_levels():
        async with scripted_client(level) as (client, transport):
            for comment in (None, "", "Thank you for all the fish"):
                transport.prepare("DELETE", PATH)
                done = await client.users.deactivate(user_id=12, notification_comment=comment)
                told = comment is not None
                assert transport.last.params == ({name: comment} if told and level >= 135 else {})
                assert bool(done.notices) == (told and level < 135)


@proves("USRD-08")
@pytest.mark.parametrize(
    ("code", "error"),
    [("BAD_REQUEST", BadRequest), ("CANNOT_DEACTIVATE_LAST_USER", CannotDeactivateLastUser)],
)
async def test_the_only_owner_stays(code: str, error: type[BadRequest]) -> None:
    async with scripted_client() as (client, transport):
        transport.prepare_error(
            "DELETE", PATH, code=code, msg="Cannot deactivate the only organization owner."
        )
        with pytest.raises(error):
            await client.users.deactivate(user_id=12)
