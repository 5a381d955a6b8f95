"""Direct messages can be read by their sender and recipients only: not even by owners."""

from __future__ import annotations

import pytest

from support.request_parts import fill
from support.server import JsonObject, TestServer

OUTSIDERS = ("ada", "bruno", "chiyo", "elif", "hugo", "iris")
SECRET = "meet me at the old mill"


@pytest.fixture
async def message_id(server: TestServer) -> int:
    """A direct message from Dario to Greta."""
    return await server.send_direct("dario", ["greta"], SECRET)


NARROWS: tuple[list[JsonObject], ...] = (
    [],
    [{"operator": "id", "operand": "{id}"}],
    [{"operator": "with", "operand": "{id}"}],
    [{"operator": "near", "operand": "{id}"}, {"operator": "is", "operand": "dm"}],
    [{"operator": "dm", "operand": "{people}"}],
    [{"operator": "dm", "operand": ["{dario}"]}],
    [{"operator": "dm-including", "operand": "{dario}"}],
    [{"operator": "is", "operand": "dm"}],
    [{"operator": "channels", "operand": "public", "negated": True}],
    [{"operator": "channel", "operand": "general", "negated": True}],
    [
        {"operator": "id", "operand": 1, "negated": True},
        {"operator": "channels", "operand": "web-public", "negated": True},
    ],
    [{"operator": "sender", "operand": "{dario}"}],
    [{"operator": "search", "operand": "mill"}],
    [{"operator": "search", "operand": "mill"}, {"operator": "id", "operand": "{id}"}],
    [{"operator": "is", "operand": "unread"}],
    [{"operator": "has", "operand": "link", "negated": True}, {"operator": "id", "operand": "{id}"}],
)


@pytest.mark.parametrize("narrow", NARROWS, ids=str)
async def test_no_narrow_finds_a_direct_message_between_others(
    server: TestServer, message_id: int, narrow: list[JsonObject]
) -> None:
    dario, greta = server.id("dario"), server.id("greta")
    narrow = fill(narrow, {"id": message_id, "dario": dario, "people": [dario, greta]})
    for name in OUTSIDERS:
        for anchor in ("oldest", "newest", message_id):
            fields = {
                "anchor": anchor,
                "num_before": 50,
                "num_after": 50,
                "narrow": narrow,
            }
            assert SECRET not in (await server.raw(name, "GET", "/messages", fields)).text
        matching = {"msg_ids": [message_id], "narrow": narrow}
        response = await server.raw(name, "GET", "/messages/matches_narrow", matching)
        assert SECRET not in response.text
        assert response.json().get("messages", {}) == {}


async def test_the_sender_and_the_recipient_find_a_direct_message(
    server: TestServer, message_id: int
) -> None:
    for name in ("dario", "greta"):
        for narrow in (
            [],
            [{"operator": "id", "operand": message_id}],
            [{"operator": "is", "operand": "dm"}],
        ):
            fields = {"anchor": "newest", "num_before": 50, "num_after": 0, "narrow": narrow}
            rows = (await server.call(name, "GET", "/messages", fields))["messages"]
            assert [row["id"] for row in rows] == [message_id]


TOUCHING: tuple[tuple[str, str, dict[str, object] | None], ...] = (
    ("GET", "/messages/{id}", None),
    ("GET", "/messages/{id}/history", None),
    ("GET", "/messages/{id}/read_receipts", None),
    ("PATCH", "/messages/{id}", {"content": "mine"}),
    ("DELETE", "/messages/{id}", None),
    ("POST", "/messages/{id}/reactions", {"emoji_name": "tada"}),
    ("POST", "/messages/{id}/typing", {"op": "start"}),
    ("POST", "/messages/{id}/report", {"report_type": "spam"}),
    ("POST", "/messages/flags", {"messages": "[{id}]", "op": "add", "flag": "starred"}),
    ("POST", "/reminders", {"message_id": "{id}", "scheduled_delivery_timestamp": 2_000_000_000}),
    ("POST", "/submessage", {"message_id": "{id}", "msg_type": "widget", "content": "{}"}),
)


@pytest.mark.parametrize(("method", "path", "fields"), TOUCHING, ids=lambda value: str(value)[:40])
async def test_only_participants_can_read_or_change_the_direct_message(
    server: TestServer, message_id: int, method: str, path: str, fields: dict[str, object] | None
) -> None:
    where = path.replace("{id}", str(message_id))
    given = None
    if fields is not None:
        given = {
            key: value.replace("{id}", str(message_id)) if isinstance(value, str) else value
            for key, value in fields.items()
        }
    for name in OUTSIDERS:
        response = await server.refusal(name, method, where, given)
        assert SECRET not in str(response)
    row = server.organization.store.one("SELECT content FROM messages WHERE id = ?", message_id)
    assert row is not None
    assert row["content"] == SECRET


@pytest.mark.parametrize("name", OUTSIDERS)
async def test_only_participants_receive_events_of_a_direct_message(server: TestServer, name: str) -> None:
    listener = await server.listen(name, all_public_streams=name != "hugo")
    message_id = await server.send_direct("dario", ["greta"], SECRET)
    await server.call("dario", "PATCH", f"/messages/{message_id}", {"content": f"{SECRET}, please"})
    await server.call("greta", "POST", f"/messages/{message_id}/reactions", {"emoji_name": "tada"})
    typing = {"type": "direct", "op": "start", "to": [server.id("greta")]}
    await server.call("dario", "POST", "/typing", typing)
    await server.call("ada", "PATCH", "/realm", {"message_content_delete_limit_seconds": 3600})
    await server.call("dario", "DELETE", f"/messages/{message_id}")
    events = await listener.events(
        "message", "update_message", "reaction", "typing", "delete_message", "update_message_flags"
    )
    assert events == []
    assert SECRET not in str((await server.listen(name)).snapshot)


async def test_only_its_participants_can_read_an_upload_in_a_direct_message(server: TestServer) -> None:
    uploaded = await server.raw("dario", "POST", "/user_uploads", files={"f": ("a.txt", SECRET.encode())})
    url = uploaded.json()["url"]
    await server.send_direct("dario", ["greta"], f"[a]({url})")
    for name in OUTSIDERS:
        for path in (f"{server.url}{url}", url):
            response = await server.raw(name, "GET", path)
            assert response.status_code == 403
            assert SECRET not in response.text
        # Linking to the file in a message of their own does not grant access either.
        await server.send_direct(name, [name], f"[mine]({url})")
        assert (await server.raw(name, "GET", f"{server.url}{url}")).status_code == 403
    assert (await server.raw("greta", "GET", f"{server.url}{url}")).text == SECRET
