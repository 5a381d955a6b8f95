"""Subscribing to and unsubscribing from channels."""

from __future__ import annotations

import pytest

from narrowcast_api.errors import (
    BadPrincipal,
    BadRequest,
    InvalidInput,
    PermissionDenied,
    StreamDoesNotExist,
    UnauthorizedPrincipal,
    Unsupported,
)
from support.api import at_levels, boundary_levels, scripted_client
from support.ledger import proves

PATH = "/api/v1/users/me/subscriptions"
PEOPLE = {
    "members": [
        {"user_id": 9, "full_name": "Nine", "email": "user9@example.org"},
        {"user_id": 8, "full_name": "Eight", "email": "user8@example.org"},
    ]
}


@proves("USUB-01", "USUB-02", "USUB-05", "USUB-10", "USUB-11")
async def test_unsubscribing_oneself_sends_only_the_channel() -> None:
    async with scripted_client() as (client, transport):
        for _ in at_levels(client, boundary_levels()):
            transport.prepare("DELETE", PATH, json={"removed": ["a"], "not_removed": ["b"]})
            result = await client.subscriptions.remove(channels=["a", "b"])
            assert transport.last.params == {"subscriptions": '["a","b"]'}
            assert (result.removed, result.not_removed) == (["a"], ["b"])
        with pytest.raises(InvalidInput):
            await client.subscriptions.remove(channels=[])


@proves("USUB-03", "USUB-04")
async def test_people_are_ids_from_level_9_and_addresses_before() -> None:
    async with scripted_client() as (client, transport):
        for level in at_levels(client, boundary_levels()):
            if level < 9:
                transport.prepare("GET", "/api/v1/users", json=PEOPLE)
            transport.prepare("DELETE", PATH, json={"removed": ["a"], "not_removed": []})
            await client.subscriptions.remove(channels=["a"], principals=[9, 8])
            expected = [9, 8] if level >= 9 else ["user9@example.org", "user8@example.org"]
            assert transport.last.json("principals") == expected, level
            transport.prepare("DELETE", PATH, json={"removed": ["a"], "not_removed": []})
            await client.subscriptions.remove(channels=["a"], principals=["user9@example.org"])
            assert transport.last.json("principals") == ["user9@example.org"]
        for _ in at_levels(client, [8]):
            transport.prepare("GET", "/api/v1/users", json=PEOPLE)
            with pytest.raises(InvalidInput, match="no user 7"):
                await client.subscriptions.remove(channels=["a"], principals=[7])
            with pytest.raises(InvalidInput):
                await client.subscriptions.remove(channels=["a"], principals=[])


@proves("USUB-06", "USUB-07", "USUB-08", "USUB-15", "USUB-16")
async def test_a_refusal_to_remove_others_is_told_as_it_is() -> None:
    async with scripted_client() as (client, transport):
        for code in ("BAD_REQUEST", "UNAUTHORIZED_PRINCIPAL"):
            transport.prepare_error("DELETE", PATH, code=code, msg="Insufficient permission")
            with pytest.raises(PermissionDenied):
                await client.subscriptions.remove(channels=["a"], principals=[9])


@proves("USUB-09")
async def test_leaving_an_archived_channel_needs_362() -> None:
    async with scripted_client() as (client, transport):
        for level in at_levels(client, [361, 362]):
            if level < 362:
                with pytest.raises(Unsupported, match="needs level 362"):
                    await client.subscriptions.remove(channels=["old"], archived=True)
            else:
                transport.prepare("DELETE", PATH, json={"removed": ["old"], "not_removed": []})
                await client.subscriptions.remove(channels=["old"], archived=True)


@proves("USUB-12")
async def test_a_channel_that_does_not_exist_is_named() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare_error("DELETE", PATH, code="STREAM_DOES_NOT_EXIST", stream="nosuch")
        with pytest.raises(StreamDoesNotExist) as caught:
            await client.subscriptions.remove(channels=["nosuch"])
        assert caught.value.stream == "nosuch"


@proves("USUB-13", "USUB-14")
async def test_a_bad_person_is_a_bad_request_at_every_level() -> None:
    async with scripted_client() as (client, transport):
        for level in at_levels(client, [207, 208]):
            if level >= 208:
                transport.prepare_error("DELETE", PATH, code="BAD_REQUEST", msg="Invalid user ID: 99")
            else:
                transport.prepare_error("DELETE", PATH, code="UNAUTHORIZED_PRINCIPAL", status=403)
            with pytest.raises(BadRequest) as caught:
                await client.subscriptions.remove(channels=["a"], principals=[99])
            assert isinstance(caught.value, BadPrincipal) is (level < 208)
            transport.prepare_error("DELETE", PATH, code="UNAUTHORIZED_PRINCIPAL")
            with pytest.raises(UnauthorizedPrincipal):
                await client.subscriptions.remove(channels=["a"])


@proves("USUB-17")
async def test_names_that_repeat_come_once() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("DELETE", PATH, json={"removed": ["a", "a", "b"], "not_removed": ["c", "c"]})
        result = await client.subscriptions.remove(channels=["a", "b", "c"], principals=[9, 8])
        assert (result.removed, result.not_removed) == (["a", "b"], ["c"])


async def test_joining_makes_what_is_not_there() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("POST", PATH, json={"subscribed": {"9": ["a"]}, "already_subscribed": {}})
        result = await client.subscriptions.add(
            channels={"a": "first", "b": ""},
            principals=[9],
            invite_only=True,
            send_new_subscription_messages=False,
        )
        assert transport.last.params == {
            "subscriptions": '[{"name":"a","description":"first"},{"name":"b"}]',
            "principals": "[9]",
            "invite_only": "true",
            "send_new_subscription_messages": "false",
        }
        assert result.subscribed == {"9": ["a"]}
        for _ in at_levels(client, [396]):
            transport.prepare("POST", PATH, params={"subscriptions": '[{"name":"a"}]'})
            older = await client.subscriptions.add(channels=["a"], send_new_subscription_messages=False)
            assert older.notices
        with pytest.raises(InvalidInput):
            await client.subscriptions.add(channels=[])


async def test_how_one_sees_a_channel_is_a_list_of_properties() -> None:
    path = f"{PATH}/properties"
    async with scripted_client() as (client, transport):
        for level, name, value in ((139, "is_muted", True), (138, "in_home_view", False)):
            for _ in at_levels(client, [level]):
                transport.prepare("POST", path)
                await client.subscriptions.update(channel_id=7, properties={"is_muted": True})
                assert transport.last.json("subscription_data") == [
                    {"stream_id": 7, "property": name, "value": value}
                ]
        transport.prepare("POST", path)
        await client.subscriptions.update(
            channel_id=7, properties={"color": "#f00f00", "push_notifications": False}
        )
        assert transport.last.json("subscription_data") == [
            {"stream_id": 7, "property": "color", "value": "#f00f00"},
            {"stream_id": 7, "property": "push_notifications", "value": False},
        ]
        for refused in ({}, {"push_notifications": None}):
            with pytest.raises(InvalidInput):
                await client.subscriptions.update(channel_id=7, properties=refused)


async def test_who_is_in_a_channel_is_listed() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("GET", "/api/v1/streams/7/members", json={"subscribers": [8, 9]})
        assert await client.subscriptions.members(channel_id=7) == [8, 9]
        transport.prepare("GET", "/api/v1/users/9/subscriptions/7", json={"is_subscribed": True})
        assert await client.subscriptions.is_subscribed(user_id=9, channel_id=7)
        transport.prepare("GET", PATH, json={"subscriptions": [{"stream_id": 7, "name": "a"}]})
        assert [it.channel_id for it in (await client.subscriptions.list()).subscriptions] == [7]


async def test_subscribers_whom_an_older_server_names_by_address_are_found_among_the_users() -> None:
    addresses = ["user9@example.org", "gone@example.org", "user8@example.org"]
    async with scripted_client(65) as (client, transport):
        transport.prepare("GET", "/api/v1/streams/7/members", json={"subscribers": addresses})
        transport.prepare("GET", "/api/v1/users", json=PEOPLE)
        assert await client.subscriptions.members(channel_id=7) == [9, 8]
