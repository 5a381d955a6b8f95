"""Bots: a key can do no more than the type of its bot allows, and a bot no more than its owner."""

from __future__ import annotations

import base64

import httpx2
import pytest

from narrowcast_api.wire.parameters import shape
from narrowcast_api.wire.vocabulary import BotType, Role
from narrowcast_server.app import routes_of
from support.server import TestServer

FOR_WEBHOOKS = {("POST", "/messages")}
CLOSED = [
    endpoint
    for endpoint in routes_of()
    if not endpoint.public and (endpoint.method, endpoint.path) not in FOR_WEBHOOKS
]


async def webhook(server: TestServer, owner: str = "dario") -> httpx2.BasicAuth:
    """Credentials of a new incoming webhook that is subscribed to `general`."""
    made = await server.create_bot(owner, "Hook", bot_type=int(BotType.INCOMING_WEBHOOK))
    await server.subscribe(owner, "general", "hook")
    return httpx2.BasicAuth("hook-bot@demo.example", made["api_key"])


async def test_the_key_of_an_incoming_webhook_can_only_send(server: TestServer) -> None:
    auth = await webhook(server)
    async with httpx2.AsyncClient(auth=auth, trust_env=False) as client:
        for endpoint in CLOSED:
            root = server.url if endpoint.absolute else f"{server.url}/api/v1"
            response = await client.request(endpoint.method, root + shape(endpoint.path).replace("{}", "1"))
            body = response.json()
            where = (endpoint.method, endpoint.path, body)
            assert body["result"] == "error", where
            assert body["msg"] == "This API is not available to incoming webhook bots.", where
        fields = {"type": "channel", "to": "general", "topic": "t", "content": "ping"}
        sent = await client.post(f"{server.url}/api/v1/messages", data=fields)
        assert sent.json()["result"] == "success"


@pytest.mark.parametrize("prefix", ["", "download/", "thumbnail/"])
@pytest.mark.parametrize("how", ["basic", "parameter"])
async def test_the_key_of_an_incoming_webhook_opens_no_file(
    server: TestServer, prefix: str, how: str
) -> None:
    auth = await webhook(server)
    uploaded = await server.raw("dario", "POST", "/user_uploads", files={"f": ("a.txt", b"secret")})
    path_id = uploaded.json()["url"].removeprefix("/user_uploads/")
    await server.send("dario", "general", "t", f"[a](/user_uploads/{path_id})")
    suffix = "/100x100.webp" if prefix == "thumbnail/" else ""
    url = f"{server.url}/user_uploads/{prefix}{path_id}{suffix}"
    _, key = _credentials(auth)
    async with httpx2.AsyncClient(trust_env=False) as client:
        if how == "basic":
            response = await client.get(url, auth=auth)
        else:
            response = await client.get(url, params={"api_key": key})
    assert response.status_code == 400
    assert b"secret" not in response.content


def _credentials(auth: httpx2.BasicAuth) -> tuple[str, str]:
    request = next(auth.auth_flow(httpx2.Request("GET", "http://x.example")))
    text = base64.b64decode(request.headers["authorization"].split(" ")[1]).decode()
    address, _, key = text.partition(":")
    return address, key


@pytest.mark.parametrize("becomes", [Role.GUEST, Role.MEMBER, Role.MODERATOR])
async def test_the_bots_of_a_demoted_user_are_demoted(server: TestServer, becomes: Role) -> None:
    made = await server.create_bot("bruno")
    bot = made["user_id"]
    await server.call("ada", "PATCH", f"/users/{bot}", {"role": int(Role.ADMINISTRATOR)})
    await server.call("ada", "PATCH", f"/users/{server.id('bruno')}", {"role": int(becomes)})
    assert server.organization.users[bot].role == becomes
    await server.call("ada", "PATCH", f"/users/{server.id('bruno')}", {"role": int(Role.MEMBER)})
    assert server.organization.users[bot].role == max(becomes, Role.MEMBER)


async def test_the_bot_of_a_guest_can_read_only_what_guests_can(server: TestServer) -> None:
    await server.create_bot("dario", "Zelda")
    message = await server.send("elif", "design", "t", "members only")
    await server.call("zelda", "GET", f"/messages/{message}")
    await server.call("ada", "PATCH", f"/users/{server.id('dario')}", {"role": int(Role.GUEST)})
    await server.refusal("zelda", "GET", f"/messages/{message}")
    await server.refusal("zelda", "POST", "/users/me/subscriptions", {"subscriptions": [{"name": "design"}]})
    await server.refusal("zelda", "POST", "/register", {"all_public_streams": True})


@pytest.mark.parametrize("name", ["hugo", "iris", "jasper"])
async def test_guests_and_bots_cannot_create_bots(server: TestServer, name: str) -> None:
    for kind in (BotType.GENERIC, BotType.INCOMING_WEBHOOK):
        fields = {"full_name": "X", "short_name": "x", "bot_type": int(kind)}
        await server.refusal(name, "POST", "/bots", fields)


@pytest.mark.parametrize("role", [Role.OWNER, Role.ADMINISTRATOR, Role.MODERATOR])
async def test_a_bot_cannot_get_a_higher_role_than_its_owner(server: TestServer, role: Role) -> None:
    made = await server.create_bot("dario")
    await server.refusal("ada", "PATCH", f"/users/{made['user_id']}", {"role": int(role)})
    await server.refusal("dario", "PATCH", f"/users/{made['user_id']}", {"role": int(role)})
    assert server.organization.users[made["user_id"]].role is Role.MEMBER


async def test_an_administrator_cannot_become_an_owner_with_the_key_of_a_bot(server: TestServer) -> None:
    iris = server.id("iris")
    await server.call("ada", "PATCH", f"/users/{iris}", {"role": int(Role.OWNER)})
    await server.refusal("bruno", "POST", f"/bots/{iris}/api_key/regenerate")
    await server.call("ada", "POST", f"/bots/{iris}/api_key/regenerate")


async def test_promoting_a_bot_revokes_its_key(server: TestServer) -> None:
    iris = server.id("iris")
    # Bruno, an administrator, gets the key while the bot is a member.
    known = (await server.call("bruno", "POST", f"/bots/{iris}/api_key/regenerate"))["api_key"]
    await server.call("ada", "PATCH", f"/users/{iris}", {"role": int(Role.OWNER)})
    async with httpx2.AsyncClient(auth=("iris-bot@demo.example", known), trust_env=False) as client:
        assert (await client.get(f"{server.url}/api/v1/users/me")).status_code == 401


@pytest.mark.parametrize("name", ["bruno", "chiyo", "elif", "hugo", "iris"])
async def test_only_its_owner_can_see_a_bots_key(server: TestServer, name: str) -> None:
    listener, owner = await server.listen(name), await server.listen("dario")
    made = await server.create_bot("dario")
    fresh = (await server.call("dario", "POST", f"/bots/{made['user_id']}/api_key/regenerate"))["api_key"]
    told = str(await listener.events()) + str((await server.listen(name)).snapshot)
    bots = (await server.raw(name, "GET", "/bots")).text  # rejected for guests and bots
    told += bots + str(await server.call(name, "GET", "/users"))
    assert made["api_key"] not in told
    assert fresh not in told
    assert {made["api_key"], fresh} <= {
        event["bot"].get("api_key") for event in await owner.events("realm_bot")
    }
    assert fresh in str((await server.listen("dario")).snapshot["realm_bots"])


@pytest.mark.parametrize("name", ["chiyo", "dario", "hugo", "iris"])
async def test_the_bots_of_others_cannot_be_managed(server: TestServer, name: str) -> None:
    jasper = server.id("jasper")
    for method, path, fields in (
        ("PATCH", f"/bots/{jasper}", {"full_name": "Mine"}),
        ("POST", f"/bots/{jasper}/api_key/regenerate", None),
        ("DELETE", f"/bots/{jasper}", None),
        ("PATCH", f"/users/{jasper}", {"full_name": "Mine"}),
        ("PATCH", f"/users/{jasper}", {"role": 200}),
        ("POST", f"/users/{jasper}/reactivate", None),
    ):
        await server.refusal(name, method, path, fields)
    assert server.user("jasper").is_active


async def test_the_bots_of_a_deactivated_user_cannot_be_reactivated(server: TestServer) -> None:
    made = await server.create_bot("dario")
    await server.call("ada", "DELETE", f"/users/{server.id('dario')}")
    await server.refusal("ada", "POST", f"/users/{made['user_id']}/reactivate")
    assert not server.organization.users[made["user_id"]].is_active


async def test_an_administrator_cannot_reactivate_an_owner(server: TestServer) -> None:
    await server.call("ada", "PATCH", f"/users/{server.id('dario')}", {"role": int(Role.OWNER)})
    await server.call("ada", "DELETE", f"/users/{server.id('dario')}")
    await server.refusal("bruno", "POST", f"/users/{server.id('dario')}/reactivate")
    await server.call("ada", "POST", f"/users/{server.id('dario')}/reactivate")


async def test_the_system_bot_cannot_sign_in_or_be_changed(server: TestServer) -> None:
    (bot,) = [user for user in server.organization.users.all() if user.is_system_bot]
    async with httpx2.AsyncClient(auth=(bot.delivery_email, bot.api_key), trust_env=False) as client:
        assert (await client.get(f"{server.url}/api/v1/users/me")).status_code == 401
    for method, path in (
        ("POST", f"/bots/{bot.id}/api_key/regenerate"),
        ("PATCH", f"/users/{bot.id}"),
        ("DELETE", f"/users/{bot.id}"),
    ):
        await server.refusal("ada", method, path, {"full_name": "X"} if method == "PATCH" else None)
