"""Drafts: PATCH /drafts/{draft_id} and the operations around it."""

from __future__ import annotations

import pytest

from support.ledger import proves
from support.server import TestServer

DRAFT: dict[str, object] = {
    "type": "stream",
    "to": [1],
    "topic": "lunch",
    "content": "soup?",
    "timestamp": 1_700_000_000,
}


async def created(server: TestServer, name: str = "dario", **changes: object) -> int:
    draft = {**DRAFT, "to": [server.channel("general")], **changes}
    response = await server.call(name, "POST", "/drafts", {"drafts": [draft]})
    return int(response["ids"][0])


async def stored(server: TestServer, draft_id: int, name: str = "dario") -> dict[str, object]:
    response = await server.call(name, "GET", "/drafts")
    return next(draft for draft in response["drafts"] if draft["id"] == draft_id)


@proves("DRF-01", "DRF-02", "DRF-03", "DRF-16", "DRF-17", "EVT-04")
async def test_an_edit_replaces_the_draft_and_notifies_only_the_users_own_clients(server: TestServer) -> None:
    draft_id = await created(server)
    own, others = await server.listen("dario"), await server.listen("elif")
    edited = {**DRAFT, "to": [server.channel("general")], "content": "bread!"}
    response = await server.call("dario", "PATCH", f"/drafts/{draft_id}", {"draft": edited})
    assert response.keys() == {"result", "msg"}
    assert await stored(server, draft_id) == {**edited, "id": draft_id}
    events = await own.events("drafts")
    assert [(event["op"], event["draft"]) for event in events] == [("update", {**edited, "id": draft_id})]
    assert await others.events("drafts") == []


async def test_whitespace_around_a_draft_is_removed(server: TestServer) -> None:
    draft_id = await created(server, content="  - soup\n")
    assert (await stored(server, draft_id))["content"] == "- soup"


@proves("DRF-02", "DRF-03")
async def test_a_missing_draft_and_a_malformed_id_are_rejected(server: TestServer) -> None:
    draft_id = await created(server)
    assert (await server.refusal("dario", "PATCH", f"/drafts/{draft_id}"))["code"] == "BAD_REQUEST"
    assert (await server.refusal("dario", "PATCH", "/drafts/x", {"draft": DRAFT}))["code"] == "BAD_REQUEST"


@proves("DRF-04", "DRF-05", "DRF-06", "DRF-07", "DRF-10", "DRF-11", "DRF-12", "DRF-13")
@pytest.mark.parametrize(
    "change",
    [
        {"id": 7},
        {"type": "channel"},
        {"type": "direct"},
        {"type": None},
        {"to": []},
        {"to": [1, 2]},
        {"to": "general"},
        {"to": [999_999]},
        {"topic": "a\x00b"},
        {"content": "a\x00b"},
        {"content": 7},
        {"timestamp": "soon"},
        {"surprise": 1},
    ],
)
async def test_an_invalid_draft_is_rejected(server: TestServer, change: dict[str, object]) -> None:
    draft_id = await created(server)
    before = await stored(server, draft_id)
    response = await server.refusal("dario", "PATCH", f"/drafts/{draft_id}", {"draft": {**DRAFT, **change}})
    assert response["code"] == "BAD_REQUEST"
    assert await stored(server, draft_id) == before


@proves("DRF-05", "DRF-06", "DRF-10", "DRF-12")
@pytest.mark.parametrize("missing", ["type", "to", "topic", "content"])
async def test_a_draft_without_a_required_field_is_rejected(server: TestServer, missing: str) -> None:
    draft_id = await created(server)
    draft = {key: value for key, value in DRAFT.items() if key != missing}
    response = await server.refusal("dario", "PATCH", f"/drafts/{draft_id}", {"draft": draft})
    assert response["code"] == "BAD_REQUEST"
    assert missing in response["msg"]


@proves("DRF-05", "DRF-08", "DRF-09", "DRF-10")
async def test_fields_that_a_type_of_draft_does_not_use_are_dropped(server: TestServer) -> None:
    draft_id = await created(server)
    people = [server.id("elif"), server.id("greta")]
    for kind, to, kept_to in (("private", people, people), ("", [1, 2], [])):
        draft = {"type": kind, "to": to, "topic": "gone", "content": "x", "timestamp": 5}
        await server.call("dario", "PATCH", f"/drafts/{draft_id}", {"draft": draft})
        assert await stored(server, draft_id) == {**draft, "to": kept_to, "topic": "", "id": draft_id}


@proves("DRF-14", "DRF-18")
async def test_a_missing_timestamp_of_a_draft_is_the_current_time(server: TestServer) -> None:
    draft_id = await created(server)
    draft = {key: value for key, value in DRAFT.items() if key != "timestamp"} | {
        "to": [server.channel("general")]
    }
    await server.call("dario", "PATCH", f"/drafts/{draft_id}", {"draft": draft})
    assert (await stored(server, draft_id))["timestamp"] == pytest.approx(server.organization.now(), abs=60)


@proves("DRF-15", "DRF-18", "ERR-02")
async def test_drafts_of_others_are_rejected_like_unknown_ones(server: TestServer) -> None:
    draft_id = await created(server)
    draft = {**DRAFT, "to": [server.channel("general")]}
    unknown = await server.refusal("dario", "PATCH", "/drafts/999999", {"draft": draft})
    others = await server.refusal("elif", "PATCH", f"/drafts/{draft_id}", {"draft": draft})
    assert unknown == others
    assert unknown["code"] == "BAD_REQUEST"


async def test_drafts_can_be_listed_created_and_deleted(server: TestServer) -> None:
    listener = await server.listen("dario")
    later = await created(server, timestamp=20)
    earlier = await created(server, timestamp=10)
    response = await server.call("dario", "GET", "/drafts")
    assert [draft["id"] for draft in response["drafts"]] == [earlier, later]
    assert response["count"] == 2
    await server.call("dario", "DELETE", f"/drafts/{later}")
    await server.refusal("dario", "DELETE", f"/drafts/{later}")
    assert [event["op"] for event in await listener.events("drafts")] == ["add", "add", "remove"]


async def test_drafts_are_not_synchronized_while_the_user_has_disabled_it(server: TestServer) -> None:
    draft_id = await created(server)
    await server.call("dario", "PATCH", "/settings", {"enable_drafts_synchronization": False})
    assert "disabled" in (await server.refusal("dario", "GET", "/drafts"))["msg"]
    await server.refusal(
        "dario", "PATCH", f"/drafts/{draft_id}", {"draft": {**DRAFT, "to": [server.channel("general")]}}
    )
    await server.call("dario", "PATCH", "/settings", {"enable_drafts_synchronization": True})
    assert (await server.call("dario", "GET", "/drafts"))["drafts"] == []
