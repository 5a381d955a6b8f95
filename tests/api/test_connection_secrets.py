"""API keys go only to the account's own origin and appear in no text."""

from __future__ import annotations

import base64
import copy
import logging
import pickle
import traceback
from pathlib import Path

import httpx2
import pytest

from narrowcast_api.account import Account
from narrowcast_api.client import Client
from narrowcast_api.errors import ApiError, MalformedResponse, NarrowcastError, RedirectRefused
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.secret import Secret
from narrowcast_api.routes.auth import fetch_api_key
from narrowcast_api.routes.second_factor import begin_second_factor
from support.api import ACCOUNT, KEY, make_connection
from support.scripted import ScriptedTransport

BASIC = base64.b64encode(f"{ACCOUNT.email}:{KEY}".encode()).decode()


def whole_traceback(error: BaseException) -> str:
    return "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())


def assert_clean(text: str) -> None:
    for secret in (KEY, BASIC, BASIC[:20]):
        assert secret not in text


def test_a_secret_shows_itself_nowhere() -> None:
    secret = Secret(KEY)
    for text in (repr(secret), str(secret), f"{secret}", f"{secret:>40}", f"{secret!r}", "%s" % secret):  # noqa: UP031
        assert_clean(text)
    with pytest.raises(TypeError):
        pickle.dumps(secret)
    with pytest.raises(TypeError):
        copy.copy(secret)
    assert secret.reveal() == KEY
    assert secret == Secret(KEY)
    assert secret != Secret("other")
    assert secret != KEY
    assert len({secret, Secret(KEY)}) == 1
    assert not Secret("")


@pytest.mark.parametrize(
    "cause",
    [
        httpx2.ConnectError("refused"),
        httpx2.ReadError("cut"),
        httpx2.RemoteProtocolError("gone"),
        httpx2.DecodingError("gzip"),
    ],
)
async def test_no_traceback_of_a_failed_request_holds_the_key(
    cause: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with ScriptedTransport() as transport:
        transport.prepare("POST", "/api/v1/messages", error=cause)
        async with make_connection(transport) as connection:
            assert_clean(repr(connection) + repr(ACCOUNT) + repr(Client(connection)))
            with pytest.raises(NarrowcastError) as caught:
                await connection.request("POST", "/messages", {"content": "x", "old_password": Secret(KEY)})
    assert_clean(whole_traceback(caught.value))
    assert_clean(caplog.text)


@pytest.mark.parametrize(
    "content",
    [b"<html>", b'{"result": "error", "msg": "no", "code": "BAD_REQUEST"}', b'{"result": "success"}'],
)
async def test_no_traceback_of_a_refused_sign_in_holds_the_password(
    content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with ScriptedTransport() as transport:
        transport.prepare("POST", "/api/v1/fetch_api_key", content=content)
        async with Connection("https://chat.example.org", transport=transport) as connection:
            with pytest.raises(NarrowcastError) as caught:
                await fetch_api_key(connection, username="ada@example.org", password=Secret(KEY))
        assert dict(transport.last.params)["password"] == KEY
        assert transport.last.authorization is None
    assert_clean(whole_traceback(caught.value))
    assert_clean(caplog.text)


async def test_signing_in_gives_an_account_with_a_masked_key() -> None:
    with ScriptedTransport() as transport:
        transport.prepare(
            "POST", "/api/v1/fetch_api_key", json={"api_key": KEY, "email": "user7@example.org", "user_id": 7}
        )
        async with Connection("https://chat.example.org", transport=transport) as connection:
            account = await fetch_api_key(connection, username="ada", password=Secret("pw"))
    assert_clean(repr(account))
    assert (account.email, account.key.reveal(), account.site) == (
        "user7@example.org",
        KEY,
        "https://chat.example.org",
    )


async def test_what_an_authenticator_app_is_given_shows_in_no_repr() -> None:
    with ScriptedTransport() as transport:
        transport.prepare(
            "POST",
            "/api/v1/server/second_factor",
            json={"secret": KEY, "uri": f"otpauth://totp/ada?secret={KEY}"},
        )
        async with Connection(ACCOUNT, transport=transport) as connection:
            enrolment = await begin_second_factor(connection, password=Secret("pw"))
    assert (enrolment.secret, enrolment.uri) == (KEY, f"otpauth://totp/ada?secret={KEY}")
    assert_clean(repr(enrolment))


@pytest.mark.parametrize("response", [{"secret": 5, "uri": "x"}, {"uri": "x"}, {}])
async def test_an_enrolment_without_its_secret_is_malformed(response: dict[str, object]) -> None:
    with ScriptedTransport() as transport:
        transport.prepare("POST", "/api/v1/server/second_factor", json=response)
        async with Connection(ACCOUNT, transport=transport) as connection:
            with pytest.raises(MalformedResponse, match="secret"):
                await begin_second_factor(connection, password=Secret("pw"))


@pytest.mark.parametrize("response", [{"api_key": KEY}, {"api_key": KEY, "email": 7}, {"email": "x"}])
async def test_a_malformed_sign_in_does_not_show_the_key(response: dict[str, object]) -> None:
    with ScriptedTransport() as transport:
        transport.prepare("POST", "/api/v1/fetch_api_key", json=response)
        async with Connection("https://chat.example.org", transport=transport) as connection:
            with pytest.raises(NarrowcastError) as caught:
                await fetch_api_key(connection, username="ada", password=Secret("pw"))
    del response
    assert "••••" in whole_traceback(caught.value)


async def test_a_server_that_echoes_the_key_does_not_bring_it_to_the_screen() -> None:
    with ScriptedTransport() as transport:
        transport.prepare_error(
            "GET", "/api/v1/x", code="BAD_REQUEST", msg=f"key {KEY} is bad", echo=[BASIC], other="kept"
        )
        async with make_connection(transport) as connection:
            with pytest.raises(ApiError) as caught:
                await connection.request("GET", "/x")
    error = caught.value
    assert_clean(f"{error} {error!r} {error.user_message} {error.extra}")
    assert error.extra == {"other": "kept"}


async def test_a_failing_server_that_echoes_the_key_does_not_bring_it_to_the_screen() -> None:
    with ScriptedTransport() as transport:
        transport.prepare("GET", "/api/v1/x", status=500, json={"result": "error", "msg": f"at {KEY}"})
        async with make_connection(transport) as connection:
            with pytest.raises(NarrowcastError) as caught:
                await connection.request("GET", "/x")
    assert_clean(f"{caught.value} {caught.value.user_message} {whole_traceback(caught.value)}")


ELSEWHERE = [
    "https://canary.example.net/api/v1/users/me",
    "http://chat.example.org/api/v1/users/me",
    "https://chat.example.org:8443/api/v1/users/me",
    "https://chat.example.org.canary.example.net/x",
    "https://chat.example.org@canary.example.net/x",
    "//canary.example.net/x",
    "https://169.254.169.254/latest/meta-data",
]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("location", ELSEWHERE)
async def test_a_redirect_elsewhere_is_refused_and_nothing_goes_there(status: int, location: str) -> None:
    with ScriptedTransport() as transport:
        transport.prepare(
            "GET", "/api/v1/users/me", status=status, headers={"location": location}, content=b""
        )
        async with make_connection(transport) as connection:
            with pytest.raises(RedirectRefused) as caught:
                await connection.request("GET", "/users/me")
        assert len(transport.requests) == 1
    assert "canary" in caught.value.location or location not in ELSEWHERE[:1]
    assert_clean(whole_traceback(caught.value))


@pytest.mark.parametrize("method", ["POST", "PATCH", "DELETE"])
@pytest.mark.parametrize("status", [302, 307])
async def test_a_write_follows_no_redirect_at_all(method: str, status: int) -> None:
    with ScriptedTransport() as transport:
        transport.prepare(method, "/api/v1/x", status=status, headers={"location": "/api/v1/y"}, content=b"")
        async with make_connection(transport) as connection:
            with pytest.raises(RedirectRefused):
                await connection.request(method, "/x")


async def test_a_read_follows_redirects_on_its_own_origin_with_credentials() -> None:
    with ScriptedTransport() as transport:
        transport.prepare("GET", "/api/v1/x", status=301, headers={"location": "/api/v1/y?a=1"}, content=b"")
        transport.prepare("GET", "/api/v1/y", json={"id": 1})
        async with make_connection(transport) as connection:
            assert (await connection.request("GET", "/x"))["id"] == 1
        assert [sent.authorization for sent in transport.requests] == [f"Basic {BASIC}"] * 2


async def test_redirects_in_a_circle_end() -> None:
    transport = ScriptedTransport()
    for _ in range(20):
        transport.prepare("GET", "/api/v1/x", status=302, headers={"location": "/api/v1/x"}, content=b"")
    async with make_connection(transport) as connection:
        with pytest.raises(RedirectRefused):
            await connection.request("GET", "/x")
    assert len(transport.requests) < 10


async def test_an_account_file_with_a_mistake_does_not_show_its_key(tmp_path: Path) -> None:
    file = tmp_path / "zuliprc"
    file.write_text(f"[api]\nemail=a@b\n{KEY}\nkey={KEY}\n", encoding="utf-8")
    with pytest.raises(NarrowcastError) as caught:
        Account.from_zuliprc(file)
    assert_clean(str(caught.value))
