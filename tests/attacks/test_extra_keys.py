"""Additional API keys of an account: each has a scope, none can create or read another, all expire as they
should.
"""

from __future__ import annotations

import asyncio
import json
import re

import httpx2
import pytest
import websockets

from narrowcast_api.wire.vocabulary import BotType
from narrowcast_server.app import routes_of
from narrowcast_server.rules.key_scopes import opens
from narrowcast_server.storage.extra_keys import Scope
from support import world
from support.clock import VirtualClock
from support.request_parts import basic
from support.server import JsonObject, TestServer


async def made(server: TestServer, name: str = "elif", **fields: object) -> JsonObject:
    response = await server.raw(name, "POST", f"{server.url}/server/keys", {"name": "script", **fields})
    body: JsonObject = response.json()
    assert body["result"] == "success", body
    return body


async def status(
    server: TestServer,
    key: str,
    method: str,
    path: str,
    fields: dict[str, str] | None = None,
    name: str = "elif",
) -> int:
    """The status of a request with a key."""
    auth = httpx2.BasicAuth(server.user(name).delivery_email, key)
    url = f"{server.url}{path}" if path.startswith("/server") else f"{server.url}/api/v1{path}"
    query, form = (fields, None) if method == "GET" else (None, fields)
    response = await server.client.request(method, url, auth=auth, params=query, data=form)
    return response.status_code


def message(server: TestServer) -> dict[str, str]:
    return {"type": "channel", "to": str(server.channel("general")), "topic": "t", "content": "x"}


PAGE = {"anchor": "newest", "num_before": "1", "num_after": "0"}


@pytest.mark.parametrize(
    ("scope", "reads", "sends", "registers"),
    [("all", 200, 200, 200), ("read", 200, 401, 401), ("send", 401, 200, 401)],
)
async def test_a_key_may_use_the_operations_of_its_scope(
    server: TestServer, scope: str, reads: int, sends: int, registers: int
) -> None:
    key = (await made(server, scope=scope))["api_key"]
    assert await status(server, key, "GET", "/messages", PAGE) == reads
    assert await status(server, key, "POST", "/messages", message(server)) == sends
    assert await status(server, key, "POST", "/register") == registers
    assert await status(server, key, "GET", "/users/me") == 200


@pytest.mark.parametrize("scope", ["all", "read", "send"])
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/server/keys"),
        ("POST", "/server/keys"),
        ("DELETE", "/server/keys/1"),
        ("POST", "/users/me/api_key/regenerate"),
        ("DELETE", "/server/sessions?new_key=true"),
        ("PATCH", "/settings?new_password=a+new+password"),
        ("GET", "/bots"),
        ("POST", "/bots"),
        ("POST", "/bots/1/api_key/regenerate"),
    ],
)
async def test_an_additional_key_cannot_create_show_or_delete_keys(
    server: TestServer, scope: str, method: str, path: str
) -> None:
    key = (await made(server, scope=scope))["api_key"]
    own = server.user("elif").api_key
    assert await status(server, key, method, path, {"name": "more"}) == 401
    assert server.user("elif").api_key == own
    assert len(server.organization.extra_keys.of(server.id("elif"))) == 1


@pytest.mark.parametrize("scope", ["read", "send"])
async def test_a_limited_key_cannot_open_event_streams_or_manage_bots(server: TestServer, scope: str) -> None:
    listener = await server.listen("elif")
    key = (await made(server, scope=scope))["api_key"]
    assert await status(server, key, "GET", "/bots") == 401
    assert (
        await status(server, key, "GET", "/events", {"queue_id": listener.queue_id, "last_event_id": "-1"})
        == 401
    )
    headers = {"Authorization": basic(server.user("elif").delivery_email, key)}
    address = f"{server.url.replace('http', 'ws', 1)}/api/v1/events/stream?queue_id={listener.queue_id}"
    async with websockets.connect(address, additional_headers=headers, proxy=None) as socket:
        await socket.recv()
        await socket.wait_closed()
        assert socket.close_code == 4401


READABLE = {
    "/attachments",
    "/get_stream_id",
    "/messages",
    "/messages/matches_narrow",
    "/messages/summary",
    "/messages/{message_id}",
    "/messages/{message_id}/history",
    "/messages/{message_id}/read_receipts",
    "/realm/emoji",
    "/realm/linkifiers",
    "/realm/presence",
    "/realm/profile_fields",
    "/streams",
    "/streams/{stream_id}",
    "/streams/{stream_id}/email_address",
    "/streams/{stream_id}/members",
    "/user_groups",
    "/user_groups/{user_group_id}/members",
    "/user_groups/{user_group_id}/members/{user_id}",
    "/user_groups/{user_group_id}/subgroups",
    "/user_uploads/{path_id:path}",
    "/users",
    "/users/me",
    "/users/me/alert_words",
    "/users/me/subscriptions",
    "/users/me/{stream_id}/topics",
    "/users/{user_id}",
    "/users/{user_id}/channels",
    "/users/{user_id}/presence",
    "/users/{user_id}/status",
    "/users/{user_id}/subscriptions/{stream_id}",
}
SENDING = {("GET", "/users/me"), ("POST", "/messages"), ("POST", "/typing"), ("POST", "/user_uploads")}


def opened(scope: Scope) -> set[tuple[str, str]]:
    operations = {(endpoint.method, endpoint.path) for endpoint in routes_of() if not endpoint.public}
    return {operation for operation in operations if opens(scope, *operation)}


def test_a_read_key_can_call_these_operations_and_no_others() -> None:
    assert opened(Scope.READ) == {("GET", path) for path in READABLE}


def test_a_send_key_can_call_these_operations_and_no_others() -> None:
    assert opened(Scope.SEND) == SENDING


async def test_a_key_expires_at_its_time(server: TestServer, clock: VirtualClock) -> None:
    key = (await made(server, days=2))["api_key"]
    clock.jump(2 * 86_400 - 10)
    assert await status(server, key, "GET", "/users/me") == 200
    clock.jump(20)
    assert await status(server, key, "GET", "/users/me") == 401


async def test_deleting_a_key_revokes_it_and_ends_its_queues(server: TestServer) -> None:
    response = await made(server)
    assert await status(server, response["api_key"], "POST", "/register") == 200
    await server.raw("elif", "DELETE", f"{server.url}/server/keys/{response['id']}")
    assert await status(server, response["api_key"], "GET", "/users/me") == 401
    assert server.organization.hub.of(server.id("elif")) == ()


async def test_all_additional_keys_are_revoked_with_the_main_key(server: TestServer) -> None:
    key = (await made(server))["api_key"]
    await server.call("elif", "POST", "/users/me/api_key/regenerate")
    assert await status(server, key, "GET", "/users/me") == 401


async def test_all_additional_keys_are_revoked_with_the_password(server: TestServer) -> None:
    key = (await made(server, "ada"))["api_key"]
    fields = {"old_password": world.PASSWORD, "new_password": "a new, long password"}
    await server.call("ada", "PATCH", "/settings", fields)
    assert await status(server, key, "GET", "/users/me", name="ada") == 401


async def test_the_additional_keys_of_a_deactivated_user_are_rejected(server: TestServer) -> None:
    key = (await made(server))["api_key"]
    await server.call("ada", "DELETE", f"/users/{server.id('elif')}")
    assert await status(server, key, "GET", "/users/me") == 401


async def test_a_key_works_for_one_account_only(server: TestServer) -> None:
    key = (await made(server))["api_key"]
    assert await status(server, key, "GET", "/users/me", name="ada") == 401
    response = await server.raw("dario", "DELETE", f"{server.url}/server/keys/1")
    assert response.json()["result"] == "error"


async def test_keys_are_listed_without_the_keys_and_stored_hashed(server: TestServer) -> None:
    key = (await made(server, scope="read", days=1))["api_key"]
    await status(server, key, "GET", "/users/me")
    listed = (await server.raw("elif", "GET", f"{server.url}/server/keys")).json()["keys"]
    assert [(row["name"], row["scope"]) for row in listed] == [("script", "read")]
    assert listed[0]["expires"] - listed[0]["created"] == 86_400
    assert listed[0]["last_used"] is not None
    assert key not in str(listed)
    assert key not in "\n".join(
        str(tuple(row)) for row in server.organization.store.all("SELECT * FROM extra_keys")
    )


@pytest.mark.parametrize(
    "fields",
    [
        {"name": ""},
        {"name": "x" * 61},
        {"days": 0},
        {"days": -1},
        {"days": 3651},
        {"scope": "root"},
        {"name": "\x00"},
    ],
)
async def test_malformed_keys_are_rejected(server: TestServer, fields: dict[str, object]) -> None:
    response = await server.raw("elif", "POST", f"{server.url}/server/keys", {"name": "script", **fields})
    assert response.json()["result"] == "error"
    assert server.organization.extra_keys.of(server.id("elif")) == []


async def test_the_number_of_additional_keys_is_limited(server: TestServer) -> None:
    for _ in range(server.organization.config.quotas.extra_keys):
        await made(server)
    response = await server.raw("elif", "POST", f"{server.url}/server/keys", {"name": "one more"})
    assert "too many keys" in response.json()["msg"]


# --- of bots ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("scope", "reads", "sends"), [("read", 200, 401), ("send", 401, 200)])
async def test_an_owner_can_create_a_limited_key_for_a_bot(
    server: TestServer, scope: str, reads: int, sends: int
) -> None:
    bot = {"bot_id": server.id("iris")}
    key = (await made(server, "ada", scope=scope, **bot))["api_key"]
    assert await status(server, key, "GET", "/messages", PAGE, name="iris") == reads
    assert await status(server, key, "POST", "/messages", message(server), name="iris") == sends
    assert await status(server, key, "GET", "/messages", PAGE, name="ada") == 401
    assert await status(server, key, "GET", "/server/keys", name="iris") == 401
    listed = (await server.call("ada", "GET", f"{server.url}/server/keys", bot))["keys"]
    assert [one["scope"] for one in listed] == [scope]
    assert (await server.call("ada", "GET", f"{server.url}/server/keys"))["keys"] == []
    await server.call("ada", "DELETE", f"{server.url}/server/keys/{listed[0]['id']}", bot)
    assert await status(server, key, "GET", "/messages", PAGE, name="iris") == 401


@pytest.mark.parametrize("name", ["bruno", "elif", "hugo", "jasper"])
@pytest.mark.parametrize("target", ["iris", "ada", "elif", "nobody"])
async def test_keys_can_be_created_for_own_bots_only(server: TestServer, name: str, target: str) -> None:
    bot_id = 10_000 if target == "nobody" else server.id(target)
    for method in ("POST", "GET"):
        fields = {"name": "script", "bot_id": bot_id} if method == "POST" else {"bot_id": bot_id}
        response = (await server.raw(name, method, f"{server.url}/server/keys", fields)).json()
        assert response["result"] == "error"
    assert server.organization.store.integer("SELECT count(*) FROM extra_keys") == 0


async def test_keys_of_a_bot_are_revoked_with_it(server: TestServer) -> None:
    bot = {"bot_id": server.id("iris")}
    key = (await made(server, "ada", **bot))["api_key"]
    await server.call("ada", "DELETE", f"/bots/{server.id('iris')}")
    assert await status(server, key, "GET", "/messages", PAGE, name="iris") == 401
    refusal = await server.raw("ada", "POST", f"{server.url}/server/keys", {"name": "late", **bot})
    assert refusal.json()["result"] == "error"


async def test_an_additional_key_changes_no_email_address(server: TestServer) -> None:
    server.organization.users.update(server.id("ada"), can_change_user_emails=1)
    key = (await made(server, "ada"))["api_key"]
    path, fields = f"/users/{server.id('ada')}", {"new_email": "thief@demo.example"}
    assert await status(server, key, "PATCH", path, fields, "ada") == 401
    assert await status(server, server.user("ada").api_key, "PATCH", path, fields, "ada") == 200


async def test_an_additional_key_receives_no_keys_of_bots(server: TestServer) -> None:
    with_key = await server.listen("elif")
    outgoing = {"bot_type": int(BotType.OUTGOING_WEBHOOK), "payload_url": "https://b.example"}
    await server.create_bot("elif", "Builds", **outgoing)
    elif_ = server.user("elif")
    key = (await made(server))["api_key"]
    auth = httpx2.BasicAuth(elif_.delivery_email, key)
    registered = await server.client.post(f"{server.url}/api/v1/register", auth=auth)
    snapshot = registered.json()
    assert snapshot["realm_bots"][0]["full_name"] == "Builds"
    assert "api_key" not in snapshot["realm_bots"][0]
    assert "token" not in snapshot["realm_bots"][0]["services"][0]
    bot = snapshot["realm_bots"][0]["user_id"]
    await server.call("elif", "POST", f"/bots/{bot}/api_key/regenerate")
    await server.create_bot("elif", "Tests", **outgoing)
    queue = {"queue_id": snapshot["queue_id"], "last_event_id": "-1"}
    events = (await server.client.get(f"{server.url}/api/v1/events", auth=auth, params=queue)).json()[
        "events"
    ]
    assert [event["op"] for event in events if event["type"] == "realm_bot"] == ["update", "add", "update"]
    assert not {"api_key", "token"} & set(re.findall(r'"(\w+)":', json.dumps(events)))
    assert '"api_key"' in json.dumps(await with_key.events("realm_bot"))


async def test_an_event_stream_ends_when_its_key_expires(server: TestServer, clock: VirtualClock) -> None:
    key = (await made(server, days=2))["api_key"]
    clock.jump(2 * 86_400 - 30)
    listener = await server.listen("elif")
    headers = {"Authorization": basic(server.user("elif").delivery_email, key)}
    address = f"{server.url.replace('http', 'ws', 1)}/api/v1/events/stream?queue_id={listener.queue_id}"
    async with websockets.connect(address, additional_headers=headers, proxy=None) as socket:
        await server.send("ada", "general", "t", "before")
        assert "before" in str(await socket.recv())
        await clock.advance(31)
        async with asyncio.timeout(30):
            await socket.wait_closed()
        assert socket.close_code == 4401
