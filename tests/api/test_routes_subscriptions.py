"""Leaving channels, alone or with others, and what a refusal means at which level."""

from __future__ import annotations

from typing import Any

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
from support.api import boundary_levels, scripted_client
from support.ledger import proves

PATH = "/api/v1/users/me/subscriptions"
PEOPLE = {
    "members": [
        {"user_id": 12, "full_name": "Bruno", "email": "user12@demo.example"},
        {"user_id": 13, "full_name": "Chiyo", "email": "user13@demo.example"},
    ]
}
DONE = {"removed": ["quay"], "not_removed": ["mast"]}


@proves("USUB-01", "USUB-02", "USUB-05", "USUB-10", "USUB-11")
async def test_leaving_names_channels_and_tells_what_changed() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("DELETE", PATH, json=DONE, params={"subscriptions": '["quay","mast"]'})
        result = await client.subscriptions.remove(channels=["quay", "mast"])
    assert (result.removed, result.not_removed) == (["quay"], ["mast"])


@proves("USUB-03", "USUB-04")
async def test_people_are_named_by_id_from_level_9_and_by_address_before() -> None:
    for level in boundary_levels():
        async with scripted_client(level) as (client, transport):
            if level < 9:
                transport.prepare("GET", "/api/v1/users", json=PEOPLE)
            transport.prepare("DELETE", PATH, json=DONE)
            await client.subscriptions.remove(channels=["quay"], principals=[12, 13])
            expected: list[Any] = [12, 13] if level >= 9 else ["user12@demo.example", "user13@demo.example"]
            assert transport.last.json("principals") == expected
            transport.prepare("DELETE", PATH, json=DONE)
            await client.subscriptions.remove(channels=["quay"], principals=["user12@demo.example"])
            assert transport.last.json("principals") == ["user12@demo.example"]


async def test_an_id_without_an_address_is_refused_below_9() -> None:
    async with scripted_client(8) as (client, transport):
        transport.prepare("GET", "/api/v1/users", json=PEOPLE)
        with pytest.raises(InvalidInput, match="999"):
            await client.subscriptions.remove(channels=["quay"], principals=[999])


async def test_nothing_and_nobody_are_refused_here() -> None:
    async with scripted_client() as (client, transport):
        with pytest.raises(InvalidInput, match="channel"):
            await client.subscriptions.remove(channels=[])
        with pytest.raises(InvalidInput, match="people"):
            await client.subscriptions.remove(channels=["quay"], principals=[])
        assert transport.requests == []


@proves("USUB-06", "USUB-07", "USUB-08", "USUB-15")
@pytest.mark.parametrize(
    ("code", "msg", "error"),
    [
        ("BAD_REQUEST", "Insufficient permission", PermissionDenied),
        ("BAD_REQUEST", "You cannot remove others from this channel", BadRequest),
        ("UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator", PermissionDenied),
    ],
)
async def test_who_may_not_remove_others_hears_the_servers_answer(
    code: str, msg: str, error: type[Exception]
) -> None:
    async with scripted_client() as (client, transport):
        transport.prepare_error("DELETE", PATH, code=code, msg=msg)
        with pytest.raises(error, match=msg):
            await client.subscriptions.remove(channels=["quay"], principals=[12])


@proves("USUB-09")
async def test_leaving_an_archived_channel_needs_level_362() -> None:
    for level in (361, 362):
        async with scripted_client(level) as (client, transport):
            if level >= 362:
                transport.prepare("DELETE", PATH, json=DONE)
                await client.subscriptions.remove(channels=["quay"], archived=True)
                continue
            with pytest.raises(Unsupported) as refusal:
                await client.subscriptions.remove(channels=["quay"], archived=True)
            assert refusal.value.needs == 362
            assert transport.requests == []


@proves("USUB-12", "ERR-03")
async def test_an_unknown_channel_is_named() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare_error("DELETE", PATH, code="STREAM_DOES_NOT_EXIST", msg="", stream="nosuch")
        with pytest.raises(StreamDoesNotExist) as refusal:
            await client.subscriptions.remove(channels=["nosuch"])
    assert refusal.value.stream == "nosuch"
    assert refusal.value.stream_id is None
    assert "nosuch" in refusal.value.user_message


@proves("USUB-13", "USUB-14", "ERR-04", "ERR-07")
async def test_unknown_people_are_a_bad_request_at_every_level() -> None:
    async with scripted_client(208) as (client, transport):
        transport.prepare_error("DELETE", PATH, code="BAD_REQUEST", msg="No such user", status=400)
        with pytest.raises(BadRequest):
            await client.subscriptions.remove(channels=["quay"], principals=[999])
    async with scripted_client(207) as (client, transport):
        transport.prepare_error("DELETE", PATH, code="UNAUTHORIZED_PRINCIPAL", msg="No", status=403)
        with pytest.raises(BadPrincipal) as refusal:
            await client.subscriptions.remove(channels=["quay"], principals=[999])
        assert isinstance(refusal.value, BadRequest)
        assert (refusal.value.code, refusal.value.status) == ("UNAUTHORIZED_PRINCIPAL", 403)
    async with scripted_client(208) as (client, transport):
        transport.prepare_error("DELETE", PATH, code="UNAUTHORIZED_PRINCIPAL", msg="No", status=400)
        with pytest.raises(UnauthorizedPrincipal):
            await client.subscriptions.remove(channels=["quay"], principals=[999])


@proves("USUB-16")
async def test_a_refused_request_is_not_sent_again_in_parts() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare_error("DELETE", PATH, code="STREAM_DOES_NOT_EXIST", stream="nosuch")
        with pytest.raises(StreamDoesNotExist):
            await client.subscriptions.remove(channels=["quay", "nosuch"])
        assert len(transport.requests) == 1


@proves("USUB-17")
async def test_names_that_repeat_are_told_once() -> None:
    async with scripted_client() as (client, transport):
        repeated = {"removed": ["quay", "mast", "quay"], "not_removed": ["keel", "keel"]}
        transport.prepare("DELETE", PATH, json=repeated)
        result = await client.subscriptions.remove(channels=["quay", "mast", "keel"], principals=[12, 13])
    assert (result.removed, result.not_removed) == (["quay", "mast"], ["keel"])


async def test_joining_names_channels_with_what_they_are_for() -> None:
    answer = {"subscribed": {"11": ["mast"]}, "already_subscribed": {}}
    async with scripted_client() as (client, transport):
        transport.prepare("POST", PATH, json=answer)
        result = await client.subscriptions.add(
            channels={"mast": "up high"}, principals=[12], invite_only=True
        )
        assert transport.last.json("subscriptions") == [{"name": "mast", "description": "up high"}]
        assert transport.last.params["invite_only"] == "true"
        assert result.subscribed == {"11": ["mast"]}


async def test_muting_a_channel_travels_as_its_opposite_below_139() -> None:
    for level, sent in ((138, ("in_home_view", False)), (139, ("is_muted", True))):
        async with scripted_client(level) as (client, transport):
            transport.prepare("POST", f"{PATH}/properties")
            await client.subscriptions.update(channel_id=31, properties={"is_muted": True})
            assert transport.last.json("subscription_data") == [
                {"stream_id": 31, "property": sent[0], "value": sent[1]}
            ]


async def test_who_is_in_a_channel_is_asked_for() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("GET", "/api/v1/streams/31/members", json={"subscribers": [11, 12]})
        assert await client.subscriptions.members(channel_id=31) == [11, 12]
        transport.prepare("GET", "/api/v1/users/12/subscriptions/31", json={"is_subscribed": True})
        assert await client.subscriptions.is_subscribed(user_id=12, channel_id=31)
        transport.prepare(
            "GET", PATH, json={"subscriptions": [{"stream_id": 31, "name": "quay", "in_home_view": False}]}
        )
        (subscription,) = (await client.subscriptions.list()).subscriptions
        assert subscription.is_muted
