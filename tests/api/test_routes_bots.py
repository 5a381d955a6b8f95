"""Bots, and the user's own avatar."""

from __future__ import annotations

import pytest

from narrowcast_api.errors import BadImage, InvalidInput, MalformedResponse, Unsupported
from support.api import scripted_client
from support.captures import fixture

BOTS = "/api/v1/bots"
AVATAR = "/api/v1/users/me/avatar"


async def test_bots_are_listed_made_changed_and_deactivated() -> None:
    responses = fixture("responses.json")
    async with scripted_client() as (client, transport):
        transport.prepare("GET", BOTS, json=responses["GET bots"])
        assert [bot.full_name for bot in await client.bots.list()] == ["Iris"]
        sent = {"full_name": "Iris", "short_name": "iris", "bot_type": "1"}
        transport.prepare("POST", BOTS, json=responses["POST bots"], params=sent)
        assert (await client.bots.create(full_name="Iris", short_name="iris")).user_id == 21
        transport.prepare("PATCH", f"{BOTS}/21", json=responses["PATCH bots/N"], params={"full_name": "Iris"})
        await client.bots.update(bot_id=21, full_name="Iris")
        transport.prepare("DELETE", f"{BOTS}/21")
        await client.bots.deactivate(bot_id=21)
        with pytest.raises(InvalidInput):
            await client.bots.update(bot_id=21)
        with pytest.raises(InvalidInput):
            await client.bots.create(full_name=" ", short_name="x")


async def test_a_bots_key_shows_in_no_repr() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("POST", BOTS, json={"user_id": 21, "api_key": "canary-4711"})
        bot = await client.bots.create(full_name="Iris", short_name="iris")
        assert bot.api_key == "canary-4711"
        assert "canary" not in repr(bot)
        assert "canary" not in str(bot)
        path = f"{BOTS}/21/api_key/regenerate"
        transport.prepare("POST", path, json={"api_key": "canary-4712"})
        key = await client.bots.regenerate_key(bot_id=21)
        assert key.reveal() == "canary-4712"
        assert "canary" not in repr(key)
        transport.prepare("POST", path, json={"api_key": 5})
        with pytest.raises(MalformedResponse):
            await client.bots.regenerate_key(bot_id=21)


async def test_a_key_is_fetched_from_servers_that_have_it_by_itself() -> None:
    path = f"{BOTS}/21/api_key"
    async with scripted_client(463) as (client, transport):
        transport.prepare("GET", path, json={"api_key": "canary-4714"})
        key = await client.bots.key(bot_id=21)
        assert key.reveal() == "canary-4714"
        assert "canary" not in repr(key)
        transport.prepare("GET", path, json={})
        with pytest.raises(MalformedResponse):
            await client.bots.key(bot_id=21)
    async with scripted_client(462) as (client, transport):
        with pytest.raises(Unsupported):
            await client.bots.key(bot_id=21)
        assert transport.requests == []


async def test_the_address_of_a_bot_changes_from_447() -> None:
    async with scripted_client(447) as (client, transport):
        transport.prepare("PATCH", f"{BOTS}/21", json={}, params={"short_name": "iris"})
        await client.bots.update(bot_id=21, short_name="iris")
    async with scripted_client(446) as (client, transport):
        with pytest.raises(Unsupported):
            await client.bots.update(bot_id=21, short_name="iris", full_name="Iris")
        assert transport.requests == []


async def test_a_webhook_has_its_token_also_when_the_queue_that_told_it_cannot_be_given_back() -> None:
    services = [{"base_url": "https://a.example/", "interface": 1, "token": "canary-4713"}]
    bots = [{"user_id": 20, "services": []}, {"user_id": 21, "services": services}]
    async with scripted_client() as (client, transport):
        transport.prepare("POST", "/api/v1/register", json={"queue_id": "q1", "realm_bots": bots})
        transport.prepare("DELETE", "/api/v1/events", status=502, content=b"<html>")
        token = await client.bots.webhook_token(bot_id=21)
        assert (transport.last.method, transport.last.params) == ("DELETE", {"queue_id": "q1"})
        assert token.reveal() == "canary-4713"
        assert "canary" not in repr(token)


async def test_a_picture_is_set_and_taken_away() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("POST", AVATAR, json={"avatar_url": "/user_avatars/2/b.png"})
        assert await client.avatar.set(image=b"\x89PNG") == "/user_avatars/2/b.png"
        assert transport.last.headers["content-type"].startswith("multipart/form-data")
        transport.prepare("DELETE", AVATAR, json={"avatar_url": "https://secure.example/avatar"})
        assert await client.avatar.delete() == "https://secure.example/avatar"
        transport.prepare_error("POST", AVATAR, code="BAD_IMAGE", msg="Could not decode image")
        with pytest.raises(BadImage):
            await client.avatar.set(image=b"x")
        with pytest.raises(InvalidInput):
            await client.avatar.set(image=b"")
