"""Responses of broken and hostile servers raise only typed errors."""

from __future__ import annotations

import contextlib
import gzip
import json

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from narrowcast_api.errors import MalformedResponse, NarrowcastError, ResponseTooLarge
from narrowcast_api.http.safe_json import parse_json, parse_object
from support.api import make_connection
from support.properties import hostile_json
from support.scripted import ScriptedTransport


@pytest.mark.parametrize(
    "raw",
    [
        b"[" * 200_000,
        b'{"a":' * 200_000,
        b'{"a": NaN}',
        b'{"a": Infinity}',
        b'{"a": -Infinity}',
        b'{"a": 1e999}',
        b'{"a": ' + b"9" * 5000 + b"}",
        b'{"a": ' + b"9" * 400 + b"}",
        b'{"a": 9223372036854775808}',
        b'{"a": -9223372036854775809}',
        b"{",
        b'{"a"}',
        b"{} {}",
        b"\x00",
    ],
)
def test_what_cannot_be_used_is_malformed(raw: bytes) -> None:
    with pytest.raises(MalformedResponse) as caught:
        parse_object(raw)
    assert len(str(caught.value)) < 200
    assert caught.value.__context__ is None, "a decoder's error carries the whole text"


def test_a_large_but_valid_number_is_read() -> None:
    raw = b'{"a": 9223372036854775807, "b": -9223372036854775808, "c": "99999999999999999999", "d": 1e3}'
    assert parse_object(raw) == {"a": 2**63 - 1, "b": -(2**63), "c": "9" * 20, "d": 1000.0}


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (rb'{"a": "x\ud800y"}', "x\ufffd\ufffd\ufffdy"),
        (rb'{"a": "\ud83d\ude00"}', "😀"),
        (rb'{"a": "\\ud800"}', "\\ud800"),
        (b'{"a": "x\xed\xa0\x80y"}', None),
        (b'{"a": "x\xffy"}', "x\ufffdy"),
        (b'\xef\xbb\xbf{"a": "x"}', "x"),
    ],
)
def test_texts_hold_no_lone_surrogates(raw: bytes, text: str | None) -> None:
    value = parse_object(raw)["a"]
    assert isinstance(value, str)
    value.encode("utf-8")
    assert text is None or value == text


@given(hostile_json())
def test_any_json_value_is_read_or_malformed(value: object) -> None:
    raw = json.dumps(value).encode()
    try:
        parsed = parse_json(raw)
    except MalformedResponse:
        return
    json.dumps(parsed, allow_nan=False, ensure_ascii=False).encode("utf-8")


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_malformed(raw: bytes) -> None:
    with contextlib.suppress(MalformedResponse):
        parse_json(raw)


def outcome(raw: bytes) -> object:
    """The parsed value, or the message of the error."""
    try:
        return parse_json(raw)
    except MalformedResponse as error:
        return str(error)


PADDING = b" " * 2**20
"""Makes any JSON large enough for the faster parser."""


@given(hostile_json())
def test_a_large_response_is_read_as_a_small_one_would_be(value: object) -> None:
    raw = json.dumps(value).encode()
    assert repr(outcome(raw + PADDING)) == repr(outcome(raw))


@pytest.mark.parametrize(
    "raw",
    [
        b'{"a": 1, "a": 2}',
        b'{"a": NaN}',
        b'{"a": -Infinity}',
        b'{"a": 1e999}',
        b'{"a": 12345678901234567890}',
        b'{"a": 9223372036854775807}',
        b'{"a": 1.5e3, "b": -0.0, "c": 1e-400}',
        b'{"a": 0.1234567890123456789012345}',
        rb'{"a": "x\ud800y", "b": "\ud83d\ude00"}',
        b'\xef\xbb\xbf{"a": "x"}',
        b'{"a": "x\xffy"}',
        b'{"a": "\x00"}',
        b'{"a": 01}',
        b"null",
        b"0",
        b"",
        b"[" * 900 + b"]" * 900,
    ],
)
def test_both_parsers_return_the_same_result(raw: bytes) -> None:
    small, large = outcome(raw), outcome(raw + PADDING)
    if isinstance(small, str) and small.startswith("not JSON"):
        assert isinstance(large, str)
        assert large.startswith("not JSON")
    else:
        assert repr(large) == repr(small)


def test_large_responses_use_the_faster_parser_and_suspicious_ones_the_careful_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    carefully: list[int] = []
    decode = json.JSONDecoder.decode

    def counted(self: json.JSONDecoder, text: str) -> object:
        carefully.append(len(text))
        return decode(self, text)

    monkeypatch.setattr(json.JSONDecoder, "decode", counted)
    assert parse_json(b'{"a": 1}' + PADDING) == {"a": 1}
    assert carefully == []
    assert parse_json(b'{"a": 1234567890123456789}' + PADDING) == {"a": 1234567890123456789}
    assert len(carefully) == 1


@given(hostile_json(), st.sampled_from([200, 400, 401, 404, 429, 500]))
async def test_any_response_of_any_status_gives_an_object_or_a_typed_error(
    value: object, status: int
) -> None:
    body = {"result": "error", "msg": "x", "code": value, "retry-after": value, "ignored": value}
    for content in (value, body, {**body, "result": "success", "ignored_parameters_unsupported": value}):
        transport = ScriptedTransport()
        transport.prepare("GET", "/api/v1/x", status=status, content=json.dumps(content).encode())
        async with make_connection(transport, patience=0) as connection:
            try:
                response = await connection.request("GET", "/x")
            except NarrowcastError as error:
                message = error.user_message
            else:
                message = str(response["msg"])
            assert isinstance(message, str)


async def test_a_response_past_the_cap_is_cut_off() -> None:
    with ScriptedTransport() as transport:
        transport.prepare("GET", "/api/v1/x", content=b'{"a": "' + b"x" * 5000 + b'"}')
        async with make_connection(transport) as connection:
            with pytest.raises(ResponseTooLarge) as caught:
                await connection.request("GET", "/x", max_bytes=1000)
    assert caught.value.limit == 1000


async def test_a_small_response_that_unpacks_to_a_large_one_is_cut_off() -> None:
    bomb = gzip.compress(b" " * 20_000_000)
    with ScriptedTransport() as transport:
        transport.prepare("GET", "/api/v1/x", content=bomb, headers={"content-encoding": "gzip"})
        async with make_connection(transport) as connection:
            with pytest.raises(ResponseTooLarge):
                await connection.request("GET", "/x", max_bytes=1_000_000)


async def test_a_body_that_is_not_encoded_as_it_says_is_malformed() -> None:
    class Broken(httpx2.AsyncByteStream):
        async def __aiter__(self):  # type: ignore[no-untyped-def]  # the base class leaves it open
            yield b"no gzip at all"

    with ScriptedTransport() as transport:
        transport.prepare(
            "GET",
            "/api/v1/x",
            reply=lambda _: httpx2.Response(200, stream=Broken(), headers={"content-encoding": "gzip"}),
        )
        async with make_connection(transport) as connection:
            with pytest.raises(MalformedResponse):
                await connection.request("GET", "/x")
