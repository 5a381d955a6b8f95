"""Removing a reaction by what identifies it."""

from __future__ import annotations

from typing import Any

import pytest

from narrowcast_api.errors import (
    BadRequest,
    InvalidInput,
    PermissionDenied,
    ReactionAlreadyExists,
    ReactionDoesNotExist,
)
from narrowcast_api.model.messages import Reaction
from narrowcast_api.wire.vocabulary import Dialect, ReactionType
from support.api import boundary_levels, scripted_client
from support.ledger import proves

PATH = "/api/v1/messages/504/reactions"
LAMP = Reaction(emoji_name="lamp", emoji_code="4", reaction_type="realm_emoji", user_id=1)


async def _removed(level: int = 442, *, dialect: Dialect = Dialect.SERVICE, **given: Any) -> dict[str, str]:
    async with scripted_client(level, dialect=dialect) as (client, transport):
        transport.prepare("DELETE", PATH)
        done = await client.reactions.remove(message_id=504, **given)
        assert not done.unknown_fields
        return dict(transport.last.params)


@proves("RXN-01", "RXN-02", "RXN-03", "RXN-04", "RXN-05", "RXN-12")
async def test_only_what_is_given_is_sent() -> None:
    assert await _removed(emoji_name="anchor") == {"emoji_name": "anchor"}
    assert await _removed(emoji_code="2693") == {"emoji_code": "2693"}
    assert await _removed(emoji_name="anchor", emoji_code="2693", reaction_type="unicode_emoji") == {
        "emoji_name": "anchor",
        "emoji_code": "2693",
        "reaction_type": "unicode_emoji",
    }


@proves("RXN-06", "RXN-08")
async def test_a_reaction_is_taken_back_by_what_the_server_said_of_it_at_every_level() -> None:
    for level in boundary_levels():
        assert await _removed(level, reaction=LAMP) == {
            "emoji_name": "lamp",
            "emoji_code": "4",
            "reaction_type": "realm_emoji",
        }


@proves("RXN-06")
async def test_a_custom_emoji_is_taken_back_by_its_name_where_the_server_assumes_a_unicode_one() -> None:
    """As Zulip servers do, for example at level 387."""
    async with scripted_client(387, dialect=Dialect.ZULIP) as (client, transport):
        for _ in range(2):
            transport.prepare_error(
                "DELETE", PATH, code="REACTION_DOES_NOT_EXIST", msg="Reaction doesn't exist."
            )
        transport.prepare("DELETE", PATH)
        await client.reactions.remove(message_id=504, emoji_name="zulip")
        tried = [request.params.get("reaction_type") for request in transport.requests]
        assert tried == [None, "realm_emoji", "zulip_extra_emoji"]
        transport.requests.clear()
        for _ in tried:
            transport.prepare_error(
                "DELETE", PATH, code="REACTION_DOES_NOT_EXIST", msg="Reaction doesn't exist."
            )
        with pytest.raises(ReactionDoesNotExist):
            await client.reactions.remove(message_id=504, emoji_name="zulip")


@proves("RXN-07")
async def test_one_name_in_two_namespaces_is_two_reactions() -> None:
    plain = LAMP._replace(emoji_code="1f4a1", reaction_type="unicode_emoji")
    sent = [await _removed(reaction=reaction) for reaction in (LAMP, plain)]
    assert sent[0] != sent[1]
    for dialect in Dialect:
        extra = await _removed(
            dialect=dialect, emoji_name="z", emoji_code="z", reaction_type=ReactionType.ZULIP_EXTRA
        )
        assert extra["reaction_type"] == f"{dialect}_extra_emoji"


@proves("RXN-09")
async def test_an_invalid_code_is_a_bad_request() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare_error("DELETE", PATH, code="BAD_REQUEST", msg="Invalid emoji code.")
        with pytest.raises(BadRequest):
            await client.reactions.remove(message_id=504, emoji_code="zzzz")


@proves("RXN-10", "RXN-11", "ERR-06")
async def test_a_reaction_that_is_gone_is_one_error_at_every_level() -> None:
    for level in boundary_levels():
        code = "REACTION_DOES_NOT_EXIST" if level >= 193 else "BAD_REQUEST"
        async with scripted_client(level) as (client, transport):
            transport.prepare_error("DELETE", PATH, code=code, msg="Reaction doesn't exist.")
            with pytest.raises(ReactionDoesNotExist) as refusal:
                await client.reactions.remove(message_id=504, reaction=LAMP)
            assert refusal.value.code == code


async def test_below_193_a_missing_permission_is_not_mistaken_for_a_missing_reaction() -> None:
    async with scripted_client(192) as (client, transport):
        transport.prepare_error("DELETE", PATH, code="BAD_REQUEST", msg="Insufficient permission")
        with pytest.raises(PermissionDenied):
            await client.reactions.remove(message_id=504, reaction=LAMP)


@proves("RXN-13")
async def test_a_reaction_needs_a_name_or_a_code() -> None:
    async with scripted_client() as (client, transport):
        nameless: tuple[dict[str, Any], ...] = ({}, {"reaction_type": "realm_emoji"})
        for given in nameless:
            with pytest.raises(InvalidInput):
                await client.reactions.remove(message_id=504, **given)
        with pytest.raises(InvalidInput, match="type of emoji"):
            await client.reactions.remove(message_id=504, emoji_name="x", reaction_type="foo")
        assert transport.requests == []


@proves("RXN-15")
async def test_a_reaction_is_added_by_name_or_as_it_is_there() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("POST", PATH, params={"emoji_name": "anchor"})
        await client.reactions.add(message_id=504, emoji_name="anchor")
        whole: dict[str, str] = {"emoji_name": "lamp", "emoji_code": "4", "reaction_type": "realm_emoji"}
        transport.prepare("POST", PATH, params=whole)
        await client.reactions.add(message_id=504, **whole)
        transport.prepare_error("POST", PATH, code="REACTION_ALREADY_EXISTS")
        with pytest.raises(ReactionAlreadyExists):
            await client.reactions.add(message_id=504, emoji_name="anchor")


async def test_a_reaction_that_is_there_already_is_one_error_at_every_level() -> None:
    for level in boundary_levels():
        code = "REACTION_ALREADY_EXISTS" if level >= 193 else "BAD_REQUEST"
        async with scripted_client(level) as (client, transport):
            transport.prepare_error("POST", PATH, code=code, msg="Reaction already exists.")
            with pytest.raises(ReactionAlreadyExists) as refusal:
                await client.reactions.add(message_id=504, emoji_name="anchor")
            assert refusal.value.code == code


async def test_below_193_an_unknown_emoji_is_not_mistaken_for_an_existing_reaction() -> None:
    async with scripted_client(192) as (client, transport):
        transport.prepare_error("POST", PATH, code="BAD_REQUEST", msg="Emoji 'x' does not exist")
        with pytest.raises(BadRequest):
            await client.reactions.add(message_id=504, emoji_name="x")
