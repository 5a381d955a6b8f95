"""Statuses: only what is given, measured before it is sent, with emoji in their three namespaces."""

from __future__ import annotations

from typing import Any

import pytest

from narrowcast_api.errors import BadRequest, InvalidInput, Unsupported
from narrowcast_api.routes.emoji_types import unicode_emoji, unicode_emoji_code
from narrowcast_api.wire.vocabulary import Dialect, ReactionType
from support.api import boundary_levels, scripted_client
from support.ledger import proves

PATH = "/api/v1/users/me/status"


async def _sent(level: int = 442, *, dialect: Dialect = Dialect.SERVICE, **given: Any) -> dict[str, str]:
    async with scripted_client(level, dialect=dialect) as (client, transport):
        transport.prepare("POST", PATH)
        done = await client.status.set(**given)
        assert not set(done.model_extra or {}) - {"narrowcast_notices"}
        return dict(transport.last.params)


async def _refused(**given: Any) -> str:
    async with scripted_client() as (client, transport):
        with pytest.raises(InvalidInput) as refusal:
            await client.status.set(**given)
        assert transport.requests == []
        return refusal.value.user_message


@proves("STAT-01", "STAT-02", "STAT-05", "STAT-07", "STAT-20")
async def test_only_what_is_given_is_sent() -> None:
    assert await _sent(status_text="at sea") == {"status_text": "at sea"}
    assert await _sent(emoji_name="anchor") == {"emoji_name": "anchor"}
    assert await _sent(emoji_name="anchor", emoji_code="2693", reaction_type="unicode_emoji") == {
        "emoji_name": "anchor",
        "emoji_code": "2693",
        "reaction_type": "unicode_emoji",
    }


@proves("STAT-03", "STAT-22")
async def test_a_text_has_at_most_60_code_points() -> None:
    assert await _sent(status_text="ß" * 60)
    assert await _refused(status_text="ß" * 61) == "status_text is too long (limit: 60 characters)"


@proves("STAT-04", "STAT-21")
async def test_clearing_empties_the_text_and_from_86_the_emoji() -> None:
    for level in boundary_levels():
        async with scripted_client(level) as (client, transport):
            transport.prepare("POST", PATH)
            await client.status.clear()
            cleared = {"status_text": "", "emoji_name": ""} if level >= 86 else {"status_text": ""}
            assert transport.last.params == cleared
    assert await _sent(status_text="") == {"status_text": ""}


@proves("STAT-06")
async def test_below_86_the_emoji_is_left_out_and_told() -> None:
    for level in boundary_levels():
        sent = await _sent(level, status_text="at sea", emoji_name="anchor", emoji_code="2693")
        assert ("emoji_name" in sent) == ("emoji_code" in sent) == (level >= 86)
    async with scripted_client(85) as (client, transport):
        transport.prepare("POST", PATH)
        done = await client.status.set(status_text="at sea", emoji_name="anchor")
        assert any("emoji_name" in notice for notice in done.notices)
        with pytest.raises(Unsupported) as refusal:
            await client.status.set(emoji_name="anchor")
        assert refusal.value.needs == 86


@proves("STAT-08", "STAT-10", "STAT-11")
async def test_emoji_are_in_three_namespaces_named_as_the_server_names_them() -> None:
    for kind in (ReactionType.SERVICE_EXTRA, ReactionType.ZULIP_EXTRA):
        for dialect in Dialect:
            sent = await _sent(dialect=dialect, emoji_name="wave", emoji_code="wave", reaction_type=kind)
            assert sent["reaction_type"] == f"{dialect}_extra_emoji"
            assert sent["emoji_code"] == sent["emoji_name"]
    custom = await _sent(emoji_name="lamp", emoji_code="4", reaction_type="realm_emoji")
    assert custom["emoji_code"] == "4"
    assert "type of emoji" in await _refused(emoji_name="x", reaction_type="foo")


@proves("STAT-09")
@pytest.mark.parametrize(
    ("emoji", "code"), [("⚓", "2693"), ("👩‍✈️", "1f469-200d-2708-fe0f"), ("🇵🇹", "1f1f5-1f1f9")]
)
def test_the_code_of_an_emoji_is_its_code_points(emoji: str, code: str) -> None:
    assert unicode_emoji_code(emoji) == code
    assert unicode_emoji(code) == emoji


@pytest.mark.parametrize("code", ["", "zz", "110000", "d800", "-", "2693-"])
def test_a_code_that_is_none_stands_for_nothing(code: str) -> None:
    assert unicode_emoji(code) == ""


@proves("STAT-12", "STAT-13")
async def test_away_is_sent_and_warned_of_from_148() -> None:
    for level in (147, 148):
        async with scripted_client(level) as (client, transport):
            transport.prepare("POST", PATH, params={"away": "true"})
            done = await client.status.set(away=True)
            assert any("deprecated" in notice for notice in done.notices) == (level >= 148)


@proves("STAT-14", "STAT-16")
async def test_what_the_server_would_refuse_is_refused_here() -> None:
    assert await _refused() == "Client did not pass any new values."
    assert "name" in await _refused(emoji_code="2693")
    assert "name" in await _refused(reaction_type="unicode_emoji", status_text="x")


@proves("STAT-15", "STAT-17", "STAT-18", "STAT-19")
@pytest.mark.parametrize(
    "msg",
    [
        "status_text is too long (limit: 60 characters)",
        "Emoji 'nosuch' does not exist",
        "Invalid emoji name.",
        "Invalid custom emoji.",
    ],
)
async def test_what_the_server_refuses_comes_as_its_error_with_its_words(msg: str) -> None:
    async with scripted_client() as (client, transport):
        transport.prepare_error("POST", PATH, code="BAD_REQUEST", msg=msg)
        with pytest.raises(BadRequest) as refusal:
            await client.status.set(emoji_name="nosuch")
        assert refusal.value.user_message == msg


@proves("STAT-23")
async def test_a_status_is_read_where_the_server_can_and_else_refused() -> None:
    async with scripted_client(262) as (client, transport):
        transport.prepare("GET", "/api/v1/users/12/status", json={"status": {"status_text": "at sea"}})
        status = await client.status.get(user_id=12)
        assert (status.status_text, status.emoji_name) == ("at sea", "")
    async with scripted_client(261) as (client, _):
        with pytest.raises(Unsupported):
            await client.status.get(user_id=12)


async def test_administrators_set_the_status_of_others() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("POST", "/api/v1/users/12/status", params={"status_text": "away"})
        await client.status.set_of(user_id=12, status_text="away")
