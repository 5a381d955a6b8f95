"""Bots and their API keys."""

from __future__ import annotations

import httpx2

from support.server import TestServer


async def accepts(server: TestServer, address: str, key: str) -> bool:
    async with httpx2.AsyncClient(auth=(address, key), trust_env=False) as client:
        return (await client.get(f"{server.url}/api/v1/users/me")).status_code == 200


async def test_a_new_bot_can_authenticate_and_is_listed(server: TestServer) -> None:
    listener, outsider = await server.listen("dario"), await server.listen("elif")
    made = await server.create_bot("dario")
    assert await accepts(server, "helper-bot@demo.example", made["api_key"])
    listed = (await server.call("dario", "GET", "/bots"))["bots"]
    assert [bot["username"] for bot in listed] == ["helper-bot@demo.example"]
    assert (await server.call("elif", "GET", "/bots"))["bots"] == []
    (event,) = await listener.events("realm_bot")
    assert event["bot"]["api_key"] == made["api_key"]
    assert await outsider.events("realm_bot") == []


async def test_a_new_bot_key_revokes_the_old_one_and_its_queues(server: TestServer) -> None:
    old = server.user("dario").api_key
    listener = await server.listen("dario")
    new = (await server.call("dario", "POST", "/users/me/api_key/regenerate"))["api_key"]
    assert not await accepts(server, "dario@demo.example", old)
    assert await accepts(server, "dario@demo.example", new)
    refusal = await server.refusal("dario", "GET", "/events", listener.poll())
    assert refusal["code"] == "BAD_EVENT_QUEUE_ID"


async def test_bots_are_managed_by_their_owner_and_administrators_only(server: TestServer) -> None:
    iris = server.id("iris")
    for method, path in (
        ("PATCH", f"/bots/{iris}"),
        ("POST", f"/bots/{iris}/api_key/regenerate"),
        ("DELETE", f"/bots/{iris}"),
    ):
        await server.refusal("dario", method, path, {"full_name": "Mine"} if method == "PATCH" else None)
    await server.call("ada", "PATCH", f"/bots/{iris}", {"full_name": "Iris II"})
    old = server.user("iris").api_key
    new = (await server.call("bruno", "POST", f"/bots/{iris}/api_key/regenerate"))["api_key"]
    assert new != old
    await server.call("ada", "DELETE", f"/bots/{iris}")
    await server.refusal("iris", "GET", "/users/me", status=401)
    await server.refusal("ada", "PATCH", f"/bots/{server.id('dario')}", {"full_name": "X"})


async def test_invalid_bots_are_rejected(server: TestServer) -> None:
    for fields in (
        {"full_name": "X", "short_name": "iris"},
        {"full_name": "X", "short_name": "a b"},
        {"full_name": "X", "short_name": "\u212aate"},
        {"full_name": "X", "short_name": "\u017fam"},
        {"full_name": "", "short_name": "x"},
        {"full_name": "X", "short_name": "x", "bot_type": 3},
        {"short_name": "x"},
    ):
        await server.refusal("dario", "POST", "/bots", fields)
    for name in ("hugo", "iris"):
        await server.refusal(name, "POST", "/bots", {"full_name": "X", "short_name": "x"})


async def test_the_owner_of_a_bot_can_be_changed(server: TestServer) -> None:
    path = f"/bots/{server.id('iris')}"
    owner = server.user("iris").bot_owner_id
    before = (
        next(user for user in server.organization.users.all() if user.id == owner)
        .full_name.split()[0]
        .lower()
    )
    listeners = {name: await server.listen(name) for name in {before, "dario", "elif", "ada"}}
    await server.refusal("elif", "PATCH", path, {"bot_owner_id": server.id("elif")})
    for nobody in (4711, server.id("iris"), server.id("hugo")):
        await server.refusal("ada", "PATCH", path, {"bot_owner_id": nobody})
    await server.call("ada", "PATCH", path, {"bot_owner_id": server.id("dario")})
    assert server.user("iris").bot_owner_id == server.id("dario")
    (added,) = await listeners["dario"].events("realm_bot")
    assert (added["op"], added["bot"]["api_key"]) == ("add", server.user("iris").api_key)
    (told,) = await listeners["ada"].events("realm_bot")
    assert told["bot"] == {"user_id": server.id("iris"), "owner_id": server.id("dario")}
    (person,) = await listeners["elif"].events("realm_bot", "realm_user")
    assert person["person"] == {"user_id": server.id("iris"), "bot_owner_id": server.id("dario")}
    await server.call("ada", "PATCH", path, {"bot_owner_id": server.id("elif")})
    assert [event["op"] for event in await listeners["ada"].events("realm_bot")] == ["update"]
    lost = await listeners["dario"].events("realm_bot")
    assert [(event["op"], event["bot"]) for event in lost] == [("delete", {"user_id": server.id("iris")})]
    await server.refusal("dario", "PATCH", path, {"full_name": "Mine"})


async def test_an_administrator_who_becomes_the_owner_of_a_bot_receives_its_key(server: TestServer) -> None:
    made = await server.create_bot("farid", "Clock")
    listener = await server.listen("bruno")
    path = f"/bots/{made['user_id']}"
    await server.call("farid", "PATCH", path, {"bot_owner_id": server.id("bruno")})
    (event,) = await listener.events("realm_bot")
    (bot,) = (await server.listen("bruno")).snapshot["realm_bots"][-1:]
    assert event == {"id": event["id"], "type": "realm_bot", "op": "add", "bot": bot}
    assert bot["api_key"] == made["api_key"]


async def test_a_bot_can_delete_single_keys_or_all_of_its_stored_data(server: TestServer) -> None:
    storage = {"storage": {"a": "1", "b": "2", "c": "3"}}
    await server.call("iris", "PUT", "/bot_storage", storage)
    await server.call("iris", "DELETE", "/bot_storage", {"keys": ["a", "z"]})
    assert (await server.call("iris", "GET", "/bot_storage"))["storage"] == {"b": "2", "c": "3"}
    await server.call("iris", "DELETE", "/bot_storage")
    assert (await server.call("iris", "GET", "/bot_storage"))["storage"] == {}
