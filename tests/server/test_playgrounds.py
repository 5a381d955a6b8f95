"""Playgrounds of code: adding, validating and removing them."""

from __future__ import annotations

import pytest

from support.ledger import proves
from support.server import TestServer

PLAYGROUND: dict[str, object] = {
    "name": "Try it",
    "highlighter_language": "Python",
    "url_template": "https://play.example/?c={code}",
}


@proves("PLG-01", "PLG-02", "PLG-03", "PLG-04", "PLG-05", "PLG-06")
async def test_a_playground_is_added_and_announced(server: TestServer) -> None:
    listener = await server.listen("dario")
    response = await server.call("bruno", "POST", "/realm/playgrounds", PLAYGROUND)
    assert response.keys() == {"result", "msg", "id"}
    row = (await listener.events("realm_playgrounds"))[0]["realm_playgrounds"][0]
    assert row.items() >= {**PLAYGROUND, "id": response["id"]}.items()
    assert (await server.listen("elif")).snapshot["realm_playgrounds"] == [row]


@proves("PLG-02", "PLG-03", "PLG-04", "PLG-05", "PLG-09", "ERR-02")
@pytest.mark.parametrize(
    "change",
    [
        {"name": None},
        {"highlighter_language": None},
        {"url_template": None},
        {"name": " "},
        {"highlighter_language": "a$b"},
        {"url_template": "https://play.example/"},
        {"url_template": "https://play.example/{source}"},
        {"url_template": "https://play.example/{code}/{other}"},
        {"url_template": "https://play.example/{code,other}"},
        {"url_template": "https://play.example/{code}{code}"},
        {"url_template": "https://play.example/{code"},
    ],
)
async def test_invalid_playgrounds_are_rejected(server: TestServer, change: dict[str, object]) -> None:
    params = {key: value for key, value in (PLAYGROUND | change).items() if value is not None}
    assert (await server.refusal("bruno", "POST", "/realm/playgrounds", params))["code"] == "BAD_REQUEST"


@proves("PLG-07")
async def test_below_196_the_url_of_a_playground_is_a_prefix(server: TestServer) -> None:
    old = {**PLAYGROUND, "url_prefix": "https://play.example/?c="}
    del old["url_template"]
    server.set_level(195)
    await server.refusal("bruno", "POST", "/realm/playgrounds", PLAYGROUND)
    await server.call("bruno", "POST", "/realm/playgrounds", old)
    assert (await server.listen("elif")).snapshot["realm_playgrounds"][0]["url_prefix"] == old["url_prefix"]
    server.set_level(196)
    await server.refusal("bruno", "POST", "/realm/playgrounds", old)
    assert (await server.listen("elif")).snapshot["realm_playgrounds"][0]["url_template"] == PLAYGROUND[
        "url_template"
    ]


@proves("PLG-09")
async def test_only_administrators_add_and_remove_playgrounds(server: TestServer) -> None:
    await server.refusal("dario", "POST", "/realm/playgrounds", PLAYGROUND)
    identity = (await server.call("bruno", "POST", "/realm/playgrounds", PLAYGROUND))["id"]
    await server.refusal("bruno", "POST", "/realm/playgrounds", PLAYGROUND)
    await server.refusal("dario", "DELETE", f"/realm/playgrounds/{identity}")
    await server.call("bruno", "DELETE", f"/realm/playgrounds/{identity}")
    await server.refusal("bruno", "DELETE", f"/realm/playgrounds/{identity}")
