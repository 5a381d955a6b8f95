"""How requests are sent: addresses, forms, queries, credentials."""

from __future__ import annotations

import base64
import enum

import pytest

from narrowcast_api.account import Account
from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.connection import OMIT, Connection
from narrowcast_api.http.encoding import encode_params
from narrowcast_api.http.secret import Secret
from narrowcast_api.wire.vocabulary import Role
from support.api import ACCOUNT, KEY, make_connection
from support.ledger import proves
from support.scripted import ScriptedTransport


@proves("CONV-01")
@pytest.mark.parametrize(
    "site",
    [
        "https://chat.example.org",
        "https://chat.example.org/",
        "chat.example.org",
        "https://chat.example.org/api/v1",
        "https://chat.example.org/api/v1/",
    ],
)
async def test_site_prefix_and_path_are_joined_once(site: str) -> None:
    async with Connection(site, transport=ScriptedTransport()) as connection:
        for path in ("/users/me", "users/me", "/api/v1/users/me"):
            assert connection.url(path) == "https://chat.example.org/api/v1/users/me"


async def test_a_site_in_a_folder_keeps_it() -> None:
    async with Connection("http://localhost:9911/chat/", transport=ScriptedTransport()) as connection:
        assert connection.url("/events") == "http://localhost:9911/chat/api/v1/events"


@proves("CONV-02", "CONV-04")
@pytest.mark.parametrize("method", ["POST", "PATCH", "DELETE"])
async def test_writes_carry_a_form_in_the_body(method: str) -> None:
    with ScriptedTransport() as transport:
        transport.prepare(method, "/api/v1/thing")
        async with make_connection(transport) as connection:
            await connection.request(method, "/thing", {"to": [9], "draft": {"type": ""}, "text": "[9]"})
        sent = transport.last
        assert sent.headers["content-type"] == "application/x-www-form-urlencoded"
        assert dict(sent.params) == {"to": "[9]", "draft": '{"type":""}', "text": "[9]"}
        assert not sent.query


@proves("CONV-03")
async def test_reads_carry_a_query() -> None:
    with ScriptedTransport() as transport:
        transport.prepare("GET", "/api/v1/messages/matches_narrow")
        async with make_connection(transport) as connection:
            await connection.request("GET", "/messages/matches_narrow", {"msg_ids": [1, 2], "narrow": []})
        assert dict(transport.last.query) == {"msg_ids": "[1,2]", "narrow": "[]"}
        assert transport.last.body == b""


@proves("CONV-18")
def test_booleans_null_and_numbers_are_json_literals_and_strings_are_raw() -> None:
    class Word(enum.StrEnum):
        DIRECT = "direct"

    assert encode_params(
        {
            "yes": True,
            "no": False,
            "nothing": None,
            "number": 14400,
            "fraction": 0.5,
            "text": "true",
            "quoted": '"x"',
            "word": Word.DIRECT,
            "role": Role.GUEST,
            "people": {7, 3},
            "pair": (1, 2),
            "secret": Secret("hush"),
            "left_out": OMIT,
        }
    ) == {
        "yes": "true",
        "no": "false",
        "nothing": "null",
        "number": "14400",
        "fraction": "0.5",
        "text": "true",
        "quoted": '"x"',
        "word": "direct",
        "role": "600",
        "people": "[3,7]",
        "pair": "[1,2]",
        "secret": "hush",
    }


@pytest.mark.parametrize(
    "value", ["\ud800", ["\udfff"], float("nan"), float("inf"), object(), [object()], {"x": {1j}}]
)
async def test_what_no_form_can_carry_is_refused_before_anything_is_sent(value: object) -> None:
    with ScriptedTransport() as transport:
        async with make_connection(transport) as connection:
            with pytest.raises(InvalidInput):
                await connection.request("POST", "/thing", {"content": value})
        assert not transport.requests


async def test_any_text_arrives_as_it_was() -> None:
    text = "a&b=c+d %20 ✔ 'x' \n\t\r😀"
    with ScriptedTransport() as transport:
        transport.prepare("POST", "/api/v1/messages/render", params={"content": text})
        transport.prepare("GET", "/api/v1/messages/render", params={"content": text})
        async with make_connection(transport) as connection:
            await connection.request("POST", "/messages/render", {"content": text})
            await connection.request("GET", "/messages/render", {"content": text})


@proves("AUTH-01")
async def test_credentials_are_basic_with_email_and_key() -> None:
    with ScriptedTransport() as transport:
        transport.prepare("GET", "/api/v1/users/me")
        async with make_connection(transport) as connection:
            await connection.request("GET", "/users/me")
        scheme, _, encoded = (transport.last.authorization or "").partition(" ")
        assert scheme == "Basic"
        assert base64.b64decode(encoded).decode() == f"{ACCOUNT.email}:{KEY}"


async def test_credentials_in_the_address_are_refused() -> None:
    from narrowcast_api.account import AccountError

    with pytest.raises(AccountError):
        Account("https://user:pass@chat.example.org", "a@b", Secret("k"))


@proves("SRV-27")
async def test_every_kind_of_request_names_the_client() -> None:
    with ScriptedTransport() as transport:
        transport.prepare("GET", "/api/v1/server_settings")
        transport.prepare("POST", "/api/v1/messages/render", json={"rendered": ""})
        transport.prepare("GET", "/user_uploads/1/soup.png")
        async with make_connection(transport) as connection:
            await connection.request("GET", "/server_settings", authenticated=False)
            assert transport.last.authorization is None
            await connection.request("POST", "/messages/render", {"content": "soup"})
            async with connection.stream("GET", "/user_uploads/1/soup.png") as response:
                await connection.read(response)
        agents = [request.headers["user-agent"] for request in transport.requests]
        assert [agent.partition("/")[0] for agent in agents] == ["Narrowcast"] * 3
