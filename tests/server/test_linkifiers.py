"""Linkifiers: adding, editing, ordering, and their effect on messages."""

from __future__ import annotations

import pytest

from support.ledger import proves
from support.server import JsonObject, TestServer
from support.timing import held

PATTERN = "T(?P<id>[0-9]+)"
TEMPLATE = "https://tracker.example/{id}"


async def added(server: TestServer, pattern: str = PATTERN, template: str = TEMPLATE) -> int:
    response = await server.call(
        "bruno", "POST", "/realm/filters", {"pattern": pattern, "url_template": template}
    )
    return int(response["id"])


async def linkifiers(server: TestServer) -> list[JsonObject]:
    listed: list[JsonObject] = (await server.call("dario", "GET", "/realm/linkifiers"))["linkifiers"]
    return listed


@proves("LNK-01", "LNK-03", "LNK-04", "LNK-05", "LNK-06", "LNK-08")
async def test_an_edited_linkifier_applies_to_new_messages(server: TestServer) -> None:
    identity = await added(server)
    listener = await server.listen("dario")
    params = {"pattern": "Q-(?P<n>[0-9]+)", "url_template": "https://q.example/{n}"}
    response = await server.call("bruno", "PATCH", f"/realm/filters/{identity}", params)
    assert response.keys() == {"result", "msg"}
    assert await linkifiers(server) == [{**params, "id": identity}]
    assert (await listener.events("realm_linkifiers"))[0]["realm_linkifiers"] == [{**params, "id": identity}]
    await server.send("elif", "general", "t", "see Q-12")
    content = (await listener.events("message"))[0]["message"]["content"]
    assert 'href="https://q.example/12"' in content


@proves("LNK-02")
async def test_below_57_linkifiers_cannot_be_edited(server: TestServer) -> None:
    identity = await added(server)
    server.set_level(56)
    params = {"pattern": PATTERN, "url_format_string": "https://tracker.example/%(id)s"}
    await server.refusal("bruno", "PATCH", f"/realm/filters/{identity}", params, status=404)
    server.set_level(57)
    await server.call("bruno", "PATCH", f"/realm/filters/{identity}", params)


@proves("LNK-07", "LNK-09")
async def test_below_176_the_url_of_a_linkifier_is_a_format_string(server: TestServer) -> None:
    identity = await added(server)
    old = {"pattern": PATTERN, "url_format_string": "https://old.example/%(id)s"}
    new = {"pattern": PATTERN, "url_template": TEMPLATE}
    server.set_level(175)
    await server.refusal("bruno", "PATCH", f"/realm/filters/{identity}", new)
    await server.call("bruno", "PATCH", f"/realm/filters/{identity}", old)
    assert await linkifiers(server) == [{**old, "id": identity}]
    server.set_level(176)
    await server.refusal("bruno", "PATCH", f"/realm/filters/{identity}", old)
    assert (await linkifiers(server))[0]["url_template"] == "https://old.example/{id}"


@proves("LNK-03", "LNK-04", "LNK-05", "LNK-06", "LNK-09", "ERR-02")
@pytest.mark.parametrize(
    ("pattern", "template"),
    [
        ("", TEMPLATE),
        ("T(?P<id>[0-9", TEMPLATE),
        ("(?!x)(?P<id>a)", TEMPLATE),
        (PATTERN, ""),
        (PATTERN, "https://tracker.example/{id"),
        (PATTERN, "https://tracker.example/{other}"),
        ("T(?P<id>[0-9]+)(?P<more>x)", TEMPLATE),
    ],
)
async def test_invalid_patterns_and_templates_are_rejected(
    server: TestServer, pattern: str, template: str
) -> None:
    identity = await added(server)
    params = {"pattern": pattern, "url_template": template}
    response = await server.refusal("bruno", "PATCH", f"/realm/filters/{identity}", params)
    assert response["code"] == "BAD_REQUEST"
    assert (await linkifiers(server))[0]["pattern"] == PATTERN


async def test_a_pattern_has_at_most_1000_characters(server: TestServer) -> None:
    longest = PATTERN.ljust(1000, "x")
    await added(server, longest)
    params = {"pattern": f"{longest}x", "url_template": TEMPLATE}
    assert "too long" in (await server.refusal("bruno", "POST", "/realm/filters", params))["msg"]
    assert [row["pattern"] for row in await linkifiers(server)] == [longest]


@proves("LNK-03", "LNK-04", "LNK-05", "LNK-09")
async def test_editing_a_linkifier_requires_all_parameters_a_known_id_and_an_administrator(
    server: TestServer,
) -> None:
    identity = await added(server)
    path = f"/realm/filters/{identity}"
    full = {"pattern": PATTERN, "url_template": TEMPLATE}
    assert (await server.refusal("bruno", "PATCH", path, {"pattern": PATTERN}))["code"] == "BAD_REQUEST"
    assert (await server.refusal("bruno", "PATCH", path, {"url_template": TEMPLATE}))["code"] == "BAD_REQUEST"
    assert (await server.refusal("bruno", "PATCH", "/realm/filters/999999", full))["code"] == "BAD_REQUEST"
    assert (await server.refusal("bruno", "PATCH", "/realm/filters/first", full))["code"] == "BAD_REQUEST"
    await server.refusal("dario", "PATCH", path, full)


async def test_a_pattern_with_nested_repeats_does_not_block_the_server(server: TestServer) -> None:
    await added(server, "(?P<id>(a+)+)b", TEMPLATE)
    with held() as watch:
        await server.send("elif", "general", "t", "a" * 5000)
    assert watch.longest < 0.25, watch


async def test_linkifiers_are_tried_in_an_order_that_can_be_changed(server: TestServer) -> None:
    first, second = await added(server), await added(server, "U(?P<id>[0-9]+)")
    await server.call("bruno", "PATCH", "/realm/linkifiers", {"ordered_linkifier_ids": [second, first]})
    assert [row["id"] for row in await linkifiers(server)] == [second, first]
    await server.refusal("bruno", "PATCH", "/realm/linkifiers", {"ordered_linkifier_ids": [second]})
    await server.call("bruno", "DELETE", f"/realm/filters/{second}")
    await server.refusal("bruno", "DELETE", f"/realm/filters/{second}")
