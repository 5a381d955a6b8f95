"""How responses are interpreted: one typed error per cause."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import httpx2
import pytest

from narrowcast_api import Client, Ignored, errors, ignored_parameters
from narrowcast_api.errors import (
    AccountDeactivated,
    ApiError,
    BadRequest,
    InvitationFailed,
    MalformedResponse,
    MethodNotAllowed,
    NarrowcastError,
    NotConnected,
    NotFound,
    OutcomeUnknown,
    PermissionDenied,
    RateLimited,
    ReactionDoesNotExist,
    ServerFault,
    StreamDoesNotExist,
    Unauthorized,
    UnauthorizedPrincipal,
)
from narrowcast_api.http import connection as connection_module
from narrowcast_api.resources.drafts import DraftVersion
from support.api import make_connection
from support.ledger import proves
from support.scripted import ScriptedTransport

PATH = "/api/v1/thing"


async def response_to(
    status: int = 200, content: bytes = b"{}", headers: dict[str, str] | None = None
) -> dict[str, object]:
    with ScriptedTransport() as transport:
        transport.prepare("POST", PATH, status=status, content=content, headers=headers)
        async with make_connection(transport, patience=0) as connection:
            return await connection.request("POST", "/thing")


async def refusal(**prepared: object) -> ApiError:
    with ScriptedTransport() as transport:
        status = prepared.pop("status", 400)
        assert isinstance(status, int)
        transport.prepare("POST", PATH, status=status, json={"result": "error", "msg": "no", **prepared})
        async with make_connection(transport) as connection:
            with pytest.raises(ApiError) as caught:
                await connection.request("POST", "/thing")
    return caught.value


@proves("CONV-06")
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html>hello</html>",
        b"[]",
        b"7",
        b'"text"',
        b"null",
        b"{}",
        b'{"result": "success"}',
        b'{"msg": ""}',
        b'{"result": 1, "msg": ""}',
        b'{"result": "success", "msg": null}',
        b'{"result": "perhaps", "msg": ""}',
        b'{"result": "success", "msg": ""',
        b"\xff\xfe",
    ],
)
async def test_a_response_in_the_wrong_form_is_malformed(content: bytes) -> None:
    with pytest.raises(MalformedResponse) as caught:
        await response_to(content=content)
    assert caught.value.user_message


@proves("CONV-07", "CONV-08", "CONV-19")
async def test_the_result_decides_and_not_the_http_status() -> None:
    success = b'{"result": "success", "msg": "", "id": 5}'
    assert (await response_to(200, success))["id"] == 5
    assert (await response_to(201, success, {"content-type": "text/plain"}))["id"] == 5
    with pytest.raises(BadRequest):
        await response_to(200, b'{"result": "error", "msg": "no", "code": "BAD_REQUEST"}')


async def test_a_third_result_is_an_error_unless_the_operation_knows_it() -> None:
    content = b'{"result": "partially_completed", "msg": "", "code": "REQUEST_TIMEOUT"}'
    with pytest.raises(ApiError) as caught:
        await response_to(200, content)
    assert caught.value.code == "REQUEST_TIMEOUT"


@proves("CONV-09", "CONV-20")
async def test_parameters_that_the_server_ignored_are_reported() -> None:
    seen: list[tuple[str, str, tuple[str, ...]]] = []
    with ScriptedTransport() as transport:
        transport.prepare("POST", PATH, json={"ignored_parameters_unsupported": ["foo", 7, None]})
        transport.prepare("POST", PATH, json={"ignored_parameters_unsupported": "foo"})
        transport.prepare("POST", PATH, json={"ignored_parameters_unsupported": []})
        async with make_connection(transport) as connection:
            connection.on_ignored = lambda *what: seen.append(what)
            response = await connection.request("POST", "/thing", {"foo": 1})
            await connection.request("POST", "/thing")
            await connection.request("POST", "/thing")
    assert response["ignored_parameters_unsupported"] == ["foo", 7, None]
    assert seen == [("POST", "/thing", ("foo",))]


@proves("CONV-09")
async def test_ignored_parameters_of_all_calls_in_a_block_are_reported_to_it() -> None:
    ignored = {"ignored_parameters_unsupported": ["foo"]}
    with ScriptedTransport() as transport:
        transport.prepare("POST", "/api/v1/drafts", json={"ids": [3], **ignored})
        for _ in range(3):
            transport.prepare("POST", PATH, json=ignored)
        async with make_connection(transport) as connection:
            with ignored_parameters() as outer:
                assert await Client(connection).drafts.create(drafts=[DraftVersion(None, "soup")]) == [3]
                with ignored_parameters() as inner:
                    await asyncio.create_task(connection.request("POST", "/thing", {"foo": 1}))
                await connection.request("POST", "/thing")
            await connection.request("POST", "/thing")
    assert list(inner) == [Ignored("POST", "/thing", ("foo",))]
    assert [one.path for one in outer] == ["/drafts", "/thing", "/thing"]


@proves("ERR-01")
async def test_an_error_has_code_text_status_and_every_further_field() -> None:
    error = await refusal(code="BAD_REQUEST", extra=[1], status=409)
    assert (error.code, error.msg, error.status, dict(error.extra)) == (
        "BAD_REQUEST",
        "no",
        409,
        {"extra": [1]},
    )
    assert error.user_message == "no"
    assert str(error) == "no"


@proves("ERR-02", "ERR-03", "ERR-04", "ERR-05", "ERR-06")
async def test_each_code_of_the_contract_has_a_type() -> None:
    assert type(await refusal(code="BAD_REQUEST")) is BadRequest
    channel = await refusal(code="STREAM_DOES_NOT_EXIST", stream_id=7)
    assert isinstance(channel, StreamDoesNotExist)
    assert (channel.stream_id, channel.stream) == (7, None)
    named = await refusal(code="STREAM_DOES_NOT_EXIST", stream="nosuch")
    assert isinstance(named, StreamDoesNotExist)
    assert (named.stream_id, named.stream) == (None, "nosuch")
    assert isinstance(await refusal(code="UNAUTHORIZED_PRINCIPAL"), UnauthorizedPrincipal)
    assert isinstance(await refusal(code="REACTION_DOES_NOT_EXIST"), ReactionDoesNotExist)
    failed = await refusal(
        code="INVITATION_FAILED",
        daily_limit_reached=False,
        license_limit_reached=True,
        sent_invitations=True,
        errors=[["a@example.org", "Already has an account.", True], ["b", "c"], "odd", [1, 2, 3]],
    )
    assert isinstance(failed, InvitationFailed)
    assert (failed.daily_limit_reached, failed.license_limit_reached, failed.sent_invitations) == (
        False,
        True,
        True,
    )
    assert failed.errors == (("a@example.org", "Already has an account.", True), ("b", "c", False))


@proves("ERR-07", "DTOP-14")
@pytest.mark.parametrize("status", [400, 403, 404])
async def test_the_code_decides_whatever_the_http_status(status: int) -> None:
    error = await refusal(code="UNAUTHORIZED_PRINCIPAL", status=status)
    assert type(error) is UnauthorizedPrincipal
    assert error.status == status


@proves("ERR-08")
@pytest.mark.parametrize("status", [400, 403, 404, 409])
async def test_an_unknown_code_is_kept_on_a_plain_api_error(status: int) -> None:
    error = await refusal(code="FOO", status=status, why="x")
    assert type(error) is ApiError
    assert (error.code, error.extra) == ("FOO", {"why": "x"})


@proves("AUTH-05")
@pytest.mark.parametrize(
    ("status", "code"), [(401, "UNAUTHORIZED"), (401, "INVALID_API_KEY"), (401, ""), (403, "UNAUTHORIZED")]
)
async def test_bad_credentials_are_one_error(status: int, code: str) -> None:
    error = await refusal(code=code, status=status)
    assert isinstance(error, Unauthorized)
    assert "Log in again" in error.user_message


async def test_who_is_deactivated_is_not_asked_to_sign_in_again() -> None:
    for code, msg in (
        ("REALM_DEACTIVATED", "This organization has been deactivated"),
        ("USER_DEACTIVATED", "Account is deactivated."),
        ("UNAUTHORIZED", "This organization has been deactivated"),
    ):
        error = await refusal(code=code, msg=msg, status=401)
        assert isinstance(error, AccountDeactivated)
        assert error.user_message == msg.rstrip(".") + "."


@proves("AUTH-06")
@pytest.mark.parametrize("msg", ["Insufficient permission", "Must be an organization administrator"])
async def test_a_refusal_for_lack_of_permission_is_told_apart(msg: str) -> None:
    error = await refusal(code="BAD_REQUEST", msg=msg)
    assert isinstance(error, PermissionDenied)
    assert isinstance(error, BadRequest)
    assert (error.code, error.user_message) == ("BAD_REQUEST", msg)


@proves("CONV-21")
@pytest.mark.parametrize(
    ("status", "content", "kind"),
    [
        (404, b"<!DOCTYPE html><p>Page not found", NotFound),
        (404, b'{"result": "error", "msg": "Draft does not exist", "code": "BAD_REQUEST"}', NotFound),
        (404, b'{"result": "error", "msg": "gone"}', NotFound),
        (405, b"<html>Not Allowed</html>", MethodNotAllowed),
        (405, b'{"result": "error", "msg": "Method Not Allowed", "allowed_methods": []}', MethodNotAllowed),
        (403, b"<p>You are not authorized to view this file.</p>", PermissionDenied),
        (413, b"<html>Request Entity Too Large</html>", errors.FileTooLarge),
        (400, b"<html>", ApiError),
        (400, b'{"detail": "odd"}', ApiError),
    ],
)
async def test_bodies_of_html_and_without_a_code_are_typed_by_status(
    status: int, content: bytes, kind: type[ApiError]
) -> None:
    with pytest.raises(kind) as caught:
        await response_to(status, content)
    assert caught.value.status == status
    assert caught.value.user_message


@proves("ERR-09")
@pytest.mark.parametrize(
    "content", [b"<html>502 Bad Gateway</html>", b"", b'{"result": "error", "msg": "Internal server error"}']
)
@pytest.mark.parametrize("status", [500, 502, 503])
async def test_a_failing_server_is_a_server_fault(status: int, content: bytes) -> None:
    with pytest.raises(ServerFault) as caught:
        await response_to(status, content)
    assert caught.value.status == status


@pytest.mark.parametrize(
    ("cause", "kind"),
    [
        (httpx2.ConnectError("refused"), NotConnected),
        (httpx2.ConnectTimeout("slow"), NotConnected),
        (httpx2.PoolTimeout("busy"), NotConnected),
        (httpx2.UnsupportedProtocol("gopher"), NotConnected),
        (httpx2.ReadTimeout("slow"), OutcomeUnknown),
        (httpx2.WriteTimeout("slow"), OutcomeUnknown),
        (httpx2.ReadError("cut"), OutcomeUnknown),
        (httpx2.WriteError("cut"), OutcomeUnknown),
        (httpx2.RemoteProtocolError("gone"), OutcomeUnknown),
        (httpx2.DecodingError("gzip"), MalformedResponse),
    ],
)
async def test_errors_tell_requests_that_were_not_sent_from_those_that_may_have_been(
    cause: Exception, kind: type[NarrowcastError]
) -> None:
    with ScriptedTransport() as transport:
        transport.prepare("POST", PATH, error=cause)
        async with make_connection(transport) as connection:
            with pytest.raises(kind) as caught:
                await connection.request("POST", "/thing")
    assert type(caught.value) is kind
    assert caught.value.user_message
    assert caught.value.__context__ is None, "the transport's own error carries the request"


async def test_a_request_has_its_server_given_time_and_no_more() -> None:
    with ScriptedTransport() as transport:
        transport.prepare("POST", PATH, gate=asyncio.Event())
        async with make_connection(transport) as connection:
            with pytest.raises(OutcomeUnknown, match="no response within"):
                await connection.request("POST", "/thing", timeout=0.01)
        assert transport.last.timeout["read"] == 0.01


@pytest.mark.parametrize(("timeout", "connect"), [(None, 10.0), (300.0, 10.0), (0.5, 0.5)])
async def test_connecting_takes_no_longer_than_ten_seconds_whatever_time_a_request_has(
    timeout: float | None, connect: float
) -> None:
    with ScriptedTransport() as transport:
        transport.prepare("POST", PATH)
        async with make_connection(transport) as connection:
            await connection.request("POST", "/thing", timeout=timeout)
            assert (transport.last.timeout["read"], transport.last.timeout["connect"]) == (timeout, connect)
            if timeout is not None:
                transport.prepare("GET", PATH)
                async with connection.stream("GET", connection.url("/thing"), timeout=timeout):
                    pass
                assert transport.last.timeout["connect"] == connect


@pytest.mark.parametrize(
    "prepared",
    [
        {"error": httpx2.ConnectError("refused")},
        {"error": httpx2.ReadError("cut")},
        {"gate": asyncio.Event()},
    ],
    ids=["refused", "cut", "silent"],
)
async def test_a_request_that_meets_no_response_is_told_and_a_poll_of_events_is_not(
    prepared: dict[str, Any],
) -> None:
    told: list[str] = []
    with ScriptedTransport() as transport:
        async with make_connection(transport) as connection:
            for bucket in ("", "events"):
                connection.on_no_response = lambda bucket=bucket: told.append(bucket)
                transport.prepare("POST", PATH, **prepared)
                with pytest.raises(errors.TransportError):
                    await connection.request("POST", "/thing", timeout=0.01, bucket=bucket)
    assert told == [""]


async def test_a_request_that_waits_long_is_told_before_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_module, "SLOW_SECONDS", 0.001)
    responded, waiting = asyncio.Event(), asyncio.Event()
    with ScriptedTransport() as transport:
        transport.prepare("POST", PATH, json={"id": 1}, gate=responded)
        async with make_connection(transport) as connection:
            connection.on_no_response = waiting.set
            asking = asyncio.create_task(connection.request("POST", "/thing"))
            await waiting.wait()
            responded.set()
            assert (await asking)["id"] == 1


async def test_writes_without_a_response_are_reported_but_reads_and_typing_are_not() -> None:
    silent = [("GET", "/users/me"), ("POST", "/typing"), ("POST", "/users/me/presence")]
    acts = [("POST", "/messages"), ("PATCH", "/settings"), ("DELETE", "/drafts/7")]
    told: list[int] = []
    with ScriptedTransport() as transport:
        async with make_connection(transport) as connection:
            connection.on_action_done = lambda: told.append(1)
            for requests, count in ((silent, 0), (acts, 3)):
                for method, path in requests:
                    transport.prepare(method, f"/api/v1{path}", json={"result": "success"})
                    await connection.request(method, path)
                assert len(told) == count


async def test_a_response_is_no_reason_for_doubt_whatever_it_says() -> None:
    told: list[int] = []
    with ScriptedTransport() as transport:
        async with make_connection(transport) as connection:
            for status in (200, 400, 502):
                connection.on_no_response = lambda status=status: told.append(status)
                transport.prepare("POST", PATH, status=status, json={"result": "success", "msg": ""})
                with suppress(NarrowcastError):
                    await connection.request("POST", "/thing")
    assert told == []


async def test_every_error_type_says_what_to_do() -> None:
    samples: list[NarrowcastError] = [
        errors.InvalidInput("the message is empty"),
        errors.Unsupported(184, 100, "Editing scheduled messages"),
        NotConnected("refused"),
        OutcomeUnknown("cut"),
        ServerFault(502),
        RateLimited(3.2),
        MalformedResponse("not JSON"),
        errors.ResponseTooLarge(2**26),
        errors.RedirectRefused("https://elsewhere.example"),
        errors.RedirectLoop("https://chat.example/login"),
        *(kind(code, "", 400) for code, kind in errors.CODES.items()),
    ]
    for error in samples:
        assert len(error.user_message) > 5, type(error)
        assert "\n" not in error.user_message
    assert "184" in samples[1].user_message
    assert "100" in samples[1].user_message
