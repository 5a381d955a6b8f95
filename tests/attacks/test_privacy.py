"""What is private stays hidden: email addresses, whether a channel, topic, message or file exists."""

from __future__ import annotations

import hashlib

import httpx2
import pytest

from narrowcast_api.wire.vocabulary import EmailVisibility
from support.request_parts import fill
from support.server import JsonObject, TestServer

NEWEST = {"anchor": "newest", "num_before": 50, "num_after": 0}
ADDRESS = "elif@demo.example"


# --- addresses -----------------------------------------------------------------------------------------------


async def hide_address(server: TestServer, to: EmailVisibility = EmailVisibility.NOBODY) -> None:
    await server.call("elif", "PATCH", "/settings", {"email_address_visibility": int(to)})


BY_ADDRESS: tuple[tuple[str, str, dict[str, object] | None], ...] = (
    ("GET", "/users/{address}", None),
    ("GET", "/users/{address}/presence", None),
    ("POST", "/messages", {"type": "direct", "to": "{address}", "content": "x"}),
    ("POST", "/messages", {"type": "direct", "to": '["{address}"]', "content": "x"}),
    ("GET", "/messages", {**NEWEST, "narrow": '[{"operator": "sender", "operand": "{address}"}]'}),
    ("GET", "/messages", {**NEWEST, "narrow": '[{"operator": "dm", "operand": "{address}"}]'}),
    ("GET", "/messages", {**NEWEST, "narrow": '[{"operator": "dm-including", "operand": "{address}"}]'}),
    (
        "POST",
        "/users/me/subscriptions",
        {"subscriptions": [{"name": "general"}], "principals": '["{address}"]'},
    ),
    ("DELETE", "/users/me/subscriptions", {"subscriptions": ["general"], "principals": '["{address}"]'}),
    ("PATCH", "/users/{address}", {"full_name": "X"}),
    ("DELETE", "/users/{address}", None),
)


@pytest.mark.parametrize(("method", "path", "fields"), BY_ADDRESS, ids=lambda value: str(value)[:40])
@pytest.mark.parametrize("name", ["bruno", "dario", "hugo"])
async def test_a_hidden_email_address_gets_the_same_response_as_an_unknown_one(
    server: TestServer, name: str, method: str, path: str, fields: dict[str, object] | None
) -> None:
    await hide_address(server)

    async def body(address: str) -> JsonObject:
        filled = (
            None
            if fields is None
            else {
                key: value.replace("{address}", address) if isinstance(value, str) else value
                for key, value in fields.items()
            }
        )
        response = await server.raw(name, method, path.replace("{address}", address), filled)
        text = response.text.replace(address, "ADDRESS")
        return {"status": response.status_code, "text": text}

    assert await body(ADDRESS) == await body("nobody@demo.example")
    assert await body(ADDRESS.upper()) == await body("NOBODY@demo.example")
    assert server.user("elif").is_active


async def test_the_api_address_of_a_user_still_works(server: TestServer) -> None:
    await hide_address(server, EmailVisibility.ADMINISTRATORS)
    api_address = server.organization.dummy_address(server.id("elif"))
    assert (await server.call("dario", "GET", f"/users/{api_address}"))["user"]["delivery_email"] is None


@pytest.mark.parametrize("visibility", [v for v in EmailVisibility if v is not EmailVisibility.EVERYONE])
async def test_avatar_urls_do_not_reveal_a_hidden_email(
    server: TestServer, visibility: EmailVisibility
) -> None:
    digest = hashlib.md5(ADDRESS.encode(), usedforsecurity=False).hexdigest()
    listeners = {name: await server.listen(name) for name in ("chiyo", "dario", "hugo")}
    await hide_address(server, visibility)
    await server.send("elif", "design", "t")
    for name, listener in listeners.items():
        said = [await listener.events(), (await server.listen(name, client_gravatar=False)).snapshot]
        said += [await server.call(name, "GET", path) for path in ("/users", f"/users/{server.id('elif')}")]
        said += [await server.call(name, "GET", "/messages", {**NEWEST, "client_gravatar": False})]
        assert digest not in str(said), name


async def test_a_hidden_email_is_in_no_response_or_event(server: TestServer) -> None:
    await hide_address(server)
    listener = await server.listen("dario")
    message = await server.send("elif", "design", "t", "hello")
    await server.call("elif", "POST", f"/messages/{message}/reactions", {"emoji_name": "tada"})
    typing = {"type": "channel", "op": "start", "stream_id": server.channel("design"), "topic": "t"}
    await server.call("elif", "POST", "/typing", typing)
    await server.send_direct("elif", ["dario"])
    await server.call("elif", "POST", "/users/me/presence", {"status": "active"})
    await server.call("elif", "PATCH", "/settings", {"full_name": "Elif K", "timezone": "Asia/Tokyo"})
    said = [await listener.events(), (await server.listen("dario")).snapshot]
    said += [await server.call("dario", "GET", path) for path in ("/users", "/realm/presence")]
    said.append(await server.call("dario", "GET", "/messages", NEWEST))
    assert ADDRESS not in str(said)


# --- places --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("operation", ["add", "remove"])
@pytest.mark.parametrize("flag", ["read", "starred", "collapsed"])
@pytest.mark.parametrize("name", ["elif", "hugo", "bruno"])
async def test_a_flag_on_a_guessed_id_reveals_no_private_channel(
    server: TestServer, name: str, operation: str, flag: str
) -> None:
    message = await server.send("ada", "leads", "plans")
    fields: dict[str, object] = {"messages": [message], "op": operation, "flag": flag}
    response = await server.raw(name, "POST", "/messages/flags", fields)
    fields["messages"] = [10_000_000]
    assert response.json() == (await server.raw(name, "POST", "/messages/flags", fields)).json()


@pytest.mark.parametrize("operation", ["add", "remove"])
@pytest.mark.parametrize("flag", ["read", "starred", "collapsed"])
async def test_a_flag_on_a_guessed_id_reveals_no_direct_message_of_others(
    server: TestServer, operation: str, flag: str
) -> None:
    message = await server.send_direct("ada", ["bruno"])
    fields: dict[str, object] = {"messages": [message], "op": operation, "flag": flag}
    response = await server.raw("greta", "POST", "/messages/flags", fields)
    fields["messages"] = [10_000_000]
    assert response.json() == (await server.raw("greta", "POST", "/messages/flags", fields)).json()


async def test_marking_as_unread_reveals_no_protected_history(server: TestServer) -> None:
    before = await server.send("bruno", "operations", "plans")
    await server.subscribe("bruno", "operations", "elif")
    fields: dict[str, object] = {"messages": [before], "op": "remove", "flag": "read"}
    response = await server.raw("elif", "POST", "/messages/flags", fields)
    fields["messages"] = [10_000_000]
    assert response.json() == (await server.raw("elif", "POST", "/messages/flags", fields)).json()


async def test_who_has_left_a_private_channel_learns_neither_its_new_name_nor_of_moves(
    server: TestServer,
) -> None:
    channel = server.channel("operations")
    message = await server.send("bruno", "operations", "plans")
    member = {"subscriptions": ["operations"], "principals": [server.id("dario")]}
    policy = {"stream_id": channel, "topic": "plans", "visibility_policy": 1}
    await server.call("dario", "POST", "/user_topics", policy)
    listener = await server.listen("dario")
    assert [topic[:2] for topic in listener.snapshot["muted_topics"]] == [["operations", "plans"]]
    await server.call("bruno", "DELETE", "/users/me/subscriptions", member)
    await listener.events()
    await server.call("bruno", "PATCH", f"/streams/{channel}", {"new_name": "layoffs"})
    await server.call(
        "bruno", "PATCH", f"/messages/{message}", {"topic": "moved", "propagate_mode": "change_all"}
    )
    assert await listener.events() == []
    assert (await server.listen("dario")).snapshot["muted_topics"] == []


async def test_skipped_channels_that_the_user_may_read_are_named(server: TestServer) -> None:
    message = await server.send("ada", "engineering", "t")
    fields = {"messages": [message], "op": "remove", "flag": "read"}
    response = await server.call("greta", "POST", "/messages/flags", fields)
    assert response["ignored_because_not_subscribed_channels"] == [server.channel("engineering")]


@pytest.mark.parametrize("name", ["bruno", "elif", "hugo"])
async def test_marking_a_topic_reveals_no_hidden_topic(server: TestServer, name: str) -> None:
    await server.send("ada", "leads", "plans")
    fields: dict[str, object] = {"stream_id": server.channel("leads"), "topic_name": "plans"}
    there = await server.raw(name, "POST", "/mark_topic_as_read", fields)
    fields["topic_name"] = "nothing"
    missing = await server.raw(name, "POST", "/mark_topic_as_read", fields)
    assert there.text.replace("plans", "nothing") == missing.text


@pytest.mark.parametrize("name", ["bruno", "elif", "hugo"])
@pytest.mark.parametrize("form", ["#**leads>{topic}**", "#**leads>{topic}@{message}**", "#**leads**"])
async def test_rendering_a_link_reveals_no_hidden_topic(server: TestServer, name: str, form: str) -> None:
    message = await server.send("ada", "leads", "plans")

    async def shown(topic: str) -> str:
        content = form.replace("{topic}", topic).replace("{message}", str(message))
        response = await server.call(name, "POST", "/messages/render", {"content": content})
        return str(response["rendered"]).replace(topic, "TOPIC")

    assert await shown("plans") == await shown("nothing")
    if name != "bruno":
        assert f'data-stream-id="{server.channel("leads")}"' not in await shown("plans")


async def test_rendering_reveals_nothing_about_the_files_of_others(server: TestServer) -> None:
    response = await server.raw("ada", "POST", "/user_uploads", files={"f": ("merger.png", b"\x89PNG\r\n")})
    url = response.json()["url"]
    missing = url.rpartition("/")[0][:-3] + "xyz/merger.png"
    responses = [
        str((await server.call("elif", "POST", "/messages/render", {"content": f"[x]({link})"}))["rendered"])
        for link in (url, missing)
    ]
    assert responses[0].replace(url, "URL") == responses[1].replace(missing, "URL")


@pytest.mark.parametrize("name", ["elif", "hugo"])
async def test_a_draft_reveals_no_private_channel(server: TestServer, name: str) -> None:
    def drafts(channel: int) -> dict[str, object]:
        return {"drafts": [{"type": "stream", "to": [channel], "topic": "t", "content": "x"}]}

    hidden = server.channel("leads")
    there = await server.raw(name, "POST", "/drafts", drafts(hidden))
    missing = await server.raw(name, "POST", "/drafts", drafts(999_999))
    assert there.text.replace(str(hidden), "ID") == missing.text.replace("999999", "ID")


@pytest.mark.parametrize(
    ("method", "path", "fields"),
    [
        ("GET", "/streams/{id}", None),
        ("GET", "/streams/{id}/members", None),
        ("GET", "/users/me/{id}/topics", None),
        ("GET", "/users/7/subscriptions/{id}", None),
        ("PATCH", "/streams/{id}", {"new_name": "x"}),
        ("DELETE", "/streams/{id}", None),
        ("POST", "/mark_stream_as_read", {"stream_id": "{id}"}),
        ("POST", "/user_topics", {"stream_id": "{id}", "topic": "t", "visibility_policy": 1}),
        ("POST", "/typing", {"type": "channel", "op": "start", "stream_id": "{id}", "topic": "t"}),
        ("POST", "/messages", {"type": "channel", "to": "{id}", "topic": "t", "content": "x"}),
        ("POST", "/invites/multiuse", {"stream_ids": ["{id}"]}),
        ("GET", "/messages", {**NEWEST, "narrow": [{"operator": "channel", "operand": "{id}"}]}),
    ],
    ids=lambda value: str(value)[:40],
)
@pytest.mark.parametrize("name", ["dario", "hugo"])
async def test_a_private_channel_gets_the_same_response_as_an_unknown_one(
    server: TestServer, name: str, method: str, path: str, fields: dict[str, object] | None
) -> None:
    async def body(identity: int) -> tuple[int, str]:
        known = {"id": identity}
        response = await server.raw(name, method, fill(path, known), fill(fields, known))
        return response.status_code, response.text.replace(str(identity), "ID")

    assert await body(server.channel("leads")) == await body(999_999)


# --- files of web-public channels ----------------------------------------------------------------------------


@pytest.mark.parametrize("spectators", [True, False])
async def test_files_in_web_public_channels_are_public_if_spectators_are_allowed(
    server: TestServer, spectators: bool
) -> None:
    uploaded = await server.raw("ada", "POST", "/user_uploads", files={"f": ("a.txt", b"open")})
    url = uploaded.json()["url"]
    await server.send("ada", "support", "t", f"[a]({url})")
    await server.call("ada", "PATCH", "/realm", {"enable_spectator_access": spectators})
    async with httpx2.AsyncClient(trust_env=False) as client:
        for prefix in ("", "download/"):
            path = url.replace("/user_uploads/", f"/user_uploads/{prefix}")
            response = await client.get(f"{server.url}{path}")
            assert response.status_code == (200 if spectators else 401)
            assert (response.content == b"open") is spectators


async def test_other_files_are_not_public(server: TestServer) -> None:
    urls = []
    for place in ("engineering", "leads", "support", "nobody", "none"):
        uploaded = await server.raw("ada", "POST", "/user_uploads", files={"f": ("a.txt", b"closed")})
        url = uploaded.json()["url"]
        if place == "nobody":
            await server.send_direct("ada", ["bruno"], f"[a]({url})")
        elif place != "none":
            await server.send("ada", place, "t", f"[a]({url})")
        urls.append(url)
    await server.call("ada", "PATCH", "/realm", {"enable_spectator_access": True})
    await server.call("ada", "DELETE", f"/streams/{server.channel('support')}")
    async with httpx2.AsyncClient(trust_env=False) as client:
        for url in urls:
            response = await client.get(f"{server.url}{url}")
            assert (response.status_code, b"closed" in response.content) == (401, False)
