"""Saved snippets: PATCH /saved_snippets/{saved_snippet_id}."""

from __future__ import annotations

from support.ledger import proves
from support.server import JsonObject, TestServer


async def saved(server: TestServer, title: str = "Greeting", content: str = "Hello **you**") -> int:
    response = await server.call("dario", "POST", "/saved_snippets", {"title": title, "content": content})
    return int(response["saved_snippet_id"])


async def listed(server: TestServer, identity: int) -> JsonObject:
    response = await server.call("dario", "GET", "/saved_snippets")
    found: list[JsonObject] = [row for row in response["saved_snippets"] if row["id"] == identity]
    return found[0]


@proves("SNP-01", "SNP-03", "SNP-04", "SNP-05", "SNP-06", "SNP-07", "SNP-08")
async def test_an_edit_of_a_snippet_changes_only_the_given_fields(server: TestServer) -> None:
    identity = await saved(server)
    listener = await server.listen("dario")
    response = await server.call("dario", "PATCH", f"/saved_snippets/{identity}", {"title": "Welcome"})
    assert response.keys() == {"result", "msg"}
    row = await listed(server, identity)
    assert (row["title"], row["content"]) == ("Welcome", "Hello **you**")
    text = "  indented\n\n```py\nx\n```  "
    await server.call("dario", "PATCH", f"/saved_snippets/{identity}", {"content": text})
    row = await listed(server, identity)
    assert (row["title"], row["content"]) == ("Welcome", text)
    events = await listener.events("saved_snippets")
    assert [(event["op"], event["saved_snippet"]["title"]) for event in events] == [("update", "Welcome")] * 2


@proves("SNP-02", "SNP-10")
async def test_below_368_snippets_exist_but_cannot_be_edited(server: TestServer) -> None:
    identity = await saved(server)
    server.set_level(367)
    assert (await listed(server, identity))["title"] == "Greeting"
    await server.refusal("dario", "PATCH", f"/saved_snippets/{identity}", {"title": "x"}, status=404)
    server.set_level(368)
    await server.call("dario", "PATCH", f"/saved_snippets/{identity}", {"title": "x"})


@proves("SNP-03", "SNP-09", "SNP-11", "ERR-02")
async def test_unknown_foreign_and_empty_edits_of_snippets_are_rejected(server: TestServer) -> None:
    identity = await saved(server)
    for name, path, params in (
        ("dario", "/saved_snippets/999999", {"title": "x"}),
        ("dario", "/saved_snippets/first", {"title": "x"}),
        ("elif", f"/saved_snippets/{identity}", {"title": "x"}),
        ("dario", f"/saved_snippets/{identity}", {}),
        ("dario", f"/saved_snippets/{identity}", {"title": " "}),
        ("dario", f"/saved_snippets/{identity}", {"title": "x" * 61}),
        ("dario", f"/saved_snippets/{identity}", {"content": ""}),
    ):
        assert (await server.refusal(name, "PATCH", path, params))["code"] == "BAD_REQUEST"
    assert (await listed(server, identity))["title"] == "Greeting"


async def test_only_its_owner_can_delete_a_snippet(server: TestServer) -> None:
    identity = await saved(server)
    await server.refusal("elif", "DELETE", f"/saved_snippets/{identity}")
    await server.call("dario", "DELETE", f"/saved_snippets/{identity}")
    assert (await server.call("dario", "GET", "/saved_snippets"))["saved_snippets"] == []
