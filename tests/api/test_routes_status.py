"""User statuses on both sides of their feature gates."""

from __future__ import annotations

import pytest

from narrowcast_api.errors import BadRequest, InvalidInput, Unsupported
from narrowcast_api.http.emoji_types import unicode_emoji, unicode_emoji_code
from narrowcast_api.http.operations import OMIT
from support.api import at_levels, boundary_levels, scripted_client
from support.ledger import proves

PATH = "/api/v1/users/me/status"
TOOL = {"emoji_name": "tools", "emoji_code": "1f6e0", "reaction_type": "unicode_emoji"}


@proves("STAT-01", "STAT-02", "STAT-05", "STAT-06", "STAT-07", "STAT-08", "STAT-20")
async def test_only_what_is_given_is_sent_and_emoji_only_from_86() -> None:
    async with scripted_client() as (client, transport):
        for level in at_levels(client, boundary_levels()):
            transport.prepare("POST", PATH)
            done = await client.status.set(
                status_text="out", emoji_name="tools", emoji_code="1f6e0", reaction_type="unicode_emoji"
            )
            if level >= 86:
                assert transport.last.params == {"status_text": "out", **TOOL}, level
                assert not done.notices
            else:
                assert transport.last.params == {"status_text": "out"}, level
                assert len(done.notices) == 3
                assert "needs level 86" in done.notices[0]
                with pytest.raises(Unsupported, match="needs level 86"):
                    await client.status.set(emoji_name="tools")
        transport.prepare("POST", PATH, params={"emoji_name": "tools"})
        await client.status.set(emoji_name="tools")


@proves("STAT-03", "STAT-15", "STAT-22")
async def test_sixty_characters_are_sent_and_one_more_is_refused_here() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("POST", PATH)
        await client.status.set(status_text="😀" * 60)
        with pytest.raises(InvalidInput, match=r"status_text is too long \(limit: 60 characters\)"):
            await client.status.set(status_text="x" * 61)
        transport.prepare_error(
            "POST", PATH, code="BAD_REQUEST", msg="status_text is too long (limit: 60 characters)"
        )
        with pytest.raises(BadRequest):
            await client.status.set(status_text="x")


@proves("STAT-04", "STAT-21")
async def test_clearing_sends_empty_values() -> None:
    async with scripted_client() as (client, transport):
        for level, params in ((85, {"status_text": ""}), (86, {"status_text": "", "emoji_name": ""})):
            for _ in at_levels(client, [level]):
                transport.prepare("POST", PATH, params=params)
                await client.status.clear()


@proves("STAT-09")
@pytest.mark.parametrize(
    ("text", "code"), [("🛠", "1f6e0"), ("👩‍💻", "1f469-200d-1f4bb"), ("5️⃣", "35-fe0f-20e3")]
)
def test_codes_of_unicode_emoji_are_hex_joined_by_dashes(text: str, code: str) -> None:
    assert unicode_emoji_code(text) == code
    assert unicode_emoji(code) == text


@pytest.mark.parametrize("code", ["", "zulip", "17x", "d800", "110000", "ffffffffff", "-"])
def test_an_invalid_emoji_code_is_not_an_emoji(code: str) -> None:
    assert unicode_emoji(code) == ""


@proves("STAT-10", "STAT-11")
async def test_custom_emoji_are_ids_and_the_servers_own_are_names() -> None:
    async with scripted_client() as (client, transport):
        for code, kind in (("17", "realm_emoji"), ("zulip", "service_extra_emoji")):
            transport.prepare("POST", PATH)
            await client.status.set(emoji_name="zulip", emoji_code=code, reaction_type=kind)
            assert transport.last.params == {"emoji_name": "zulip", "emoji_code": code, "reaction_type": kind}


@proves("STAT-12", "STAT-13")
async def test_away_is_sent_and_from_148_called_deprecated() -> None:
    async with scripted_client() as (client, transport):
        for level in at_levels(client, [147, 148]):
            transport.prepare("POST", PATH, params={"away": "true"})
            done = await client.status.set(away=True)
            assert bool(done.notices) is (level >= 148)


@proves("STAT-14", "STAT-16")
async def test_an_empty_call_and_a_code_without_a_name_are_refused_here() -> None:
    async with scripted_client() as (client, _):
        with pytest.raises(InvalidInput, match=r"Client did not pass any new values\."):
            await client.status.set()
        with pytest.raises(InvalidInput):
            await client.status.set(status_text="x", emoji_code="1f6e0")
        with pytest.raises(InvalidInput):
            await client.status.set(status_text="x", reaction_type="realm_emoji")
        with pytest.raises(InvalidInput):
            await client.status.set(emoji_name="x", reaction_type="foo")


@proves("STAT-17", "STAT-18", "STAT-19")
@pytest.mark.parametrize(
    "msg", ["Emoji 'nosuch' does not exist", "Invalid emoji name", "Invalid custom emoji"]
)
async def test_emoji_that_the_server_refuses_are_a_bad_request(msg: str) -> None:
    async with scripted_client() as (client, transport):
        transport.prepare_error("POST", PATH, code="BAD_REQUEST", msg=msg)
        with pytest.raises(BadRequest) as caught:
            await client.status.set(emoji_name="nosuch")
        assert caught.value.user_message == msg


@proves("STAT-23")
async def test_a_status_is_read_where_the_server_can_tell() -> None:
    path = "/api/v1/users/7/status"
    async with scripted_client() as (client, transport):
        transport.prepare("GET", path, json={"status": {"status_text": "out", "emoji_name": "tools"}})
        status = await client.status.get(user_id=7)
        assert (status.status_text, status.emoji_name, status.emoji_code) == ("out", "tools", "")
        transport.prepare("GET", path, json={"status": {}})
        assert (await client.status.get(user_id=7)).status_text == ""
        for _ in at_levels(client, [261]):
            with pytest.raises(Unsupported):
                await client.status.get(user_id=7)


async def test_an_administrator_sets_the_status_of_others_from_407() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("POST", "/api/v1/users/7/status", params={"status_text": "ill"})
        await client.status.set_of(user_id=7, status_text="ill", emoji_name=OMIT)
        for _ in at_levels(client, [406]):
            with pytest.raises(Unsupported):
                await client.status.set_of(user_id=7, status_text="ill")
