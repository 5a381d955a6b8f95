"""The debug log: a line for each request, event and retry, without keys and texts of people."""

from __future__ import annotations

import asyncio
import inspect
import logging
import re
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

import narrowcast_api
from narrowcast_api import debug_log
from narrowcast_api.backoff import RetryTime
from narrowcast_api.client import Client
from narrowcast_api.debug_log import TEXT_FOLLOWS, note, without_texts
from narrowcast_api.errors import ApiError, NarrowcastError, NotConnected, RateLimited
from narrowcast_api.narrow.narrow import Narrow
from support.api import ACCOUNT, KEY, make_connection, operations
from support.clock import VirtualClock
from support.scripted import ScriptedTransport
from support.server import running_server
from support.sessions import session_of, until

TEXT = "Canary words of a person"


@pytest.fixture
def steps(caplog: pytest.LogCaptureFixture) -> Iterator[list[str]]:
    """The lines of the debug log."""
    lines: list[str] = []

    class Lines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(record.getMessage())

    logger = logging.getLogger(debug_log.NAME)
    handler = Lines()
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    yield lines
    logger.removeHandler(handler)
    logger.setLevel(logging.NOTSET)


@pytest.mark.parametrize(
    ("path", "kept"),
    [
        ("/messages/12/reactions", "/messages/12/reactions"),
        ("/users/me/subscriptions", "/users/me/subscriptions"),
        ("/users/7/presence", "/users/7/presence"),
        ("/users/ada%40example.org", "/users/…"),
        ("/users/ada", "/users/…"),
        ("/realm/emoji/parrot", "/realm/emoji/…"),
        ("/realm/domains/example.org", "/realm/domains/…"),
        ("/join/secrettoken", "/join/…"),
        ("/reset/secrettoken", "/reset/…"),
        ("/navigation_views/narrow/is/starred", "/navigation_views/…"),
        ("/user_uploads/2/ab/plan.txt", "/user_uploads/…"),
        ("/tus/secretplace", "/tus/…"),
        ("/static/Some File", "/static/…"),
    ],
)
def test_texts_and_secrets_are_left_out_of_paths(path: str, kept: str) -> None:
    assert without_texts(path) == kept


def test_every_path_with_a_text_in_it_is_known() -> None:
    package = Path(inspect.getfile(narrowcast_api)).parent
    found = [
        before
        for folder in ("routes", "resources")
        for file in (package / folder).glob("*.py")
        for before in re.findall(r"/(\w+)/\{(?:text_segment\(|_path\(|token)", file.read_text())
    ]
    assert len(found) > 8
    assert set(found) <= TEXT_FOLLOWS | {"users"}


def test_values_that_are_no_identifiers_are_left_out(steps: list[str]) -> None:
    note("step", TEXT, "live", 7, None, where="a\nb", ms=12.345, error=ApiError("BAD", TEXT, 400))
    note("step", ApiError(TEXT, TEXT, 403), NotConnected(TEXT), ApiError)
    assert steps == [
        "step … live 7 None where=… ms=12.3 error=ApiError:400:BAD",
        "step ApiError:403:… NotConnected ApiError",
    ]


def test_nothing_is_written_unless_it_is_turned_on(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    note("step")
    assert not debug_log.is_on()
    assert not caplog.records


async def test_each_request_has_a_line_with_level_status_and_time(steps: list[str]) -> None:
    clock = VirtualClock()

    def late(_: object) -> httpx2.Response:
        clock.lapse(0.25)
        return httpx2.Response(200, json={"result": "success", "msg": "", "id": 3})

    with ScriptedTransport() as transport:
        transport.prepare("POST", "/api/v1/messages", reply=late)
        transport.prepare_error("PATCH", "/api/v1/messages/3", code="BAD_REQUEST", msg=TEXT)
        transport.prepare("GET", "/api/v1/users/me", error=httpx2.ConnectError(TEXT))
        async with make_connection(transport, level=443, clock=clock) as connection:
            await connection.request("POST", "/messages", {"content": TEXT})
            for method, path in (("PATCH", "/messages/3"), ("GET", "/users/me")):
                with pytest.raises(NarrowcastError):
                    await connection.request(method, path, {"content": TEXT})
    assert [re.sub(r"bytes=\d+", "bytes=N", line) for line in steps if line.startswith("request")] == [
        "request POST /messages level=443 ms=250.0 status=200 bytes=N",
        "request PATCH /messages/3 level=443 ms=0.0 status=400 bytes=N",
        "request GET /users/me level=443 ms=0.0 error=NotConnected",
    ]


async def test_files_have_a_line_without_their_names(steps: list[str]) -> None:
    with ScriptedTransport() as transport:
        transport.prepare("GET", "/user_uploads/2/ab/plan.txt", content=b"x")
        async with make_connection(transport, level=443) as connection:
            url = f"{ACCOUNT.site}/user_uploads/2/ab/plan.txt?token=abc"
            async with connection.stream("GET", url) as response:
                assert await connection.read(response) == b"x"
    assert re.fullmatch(r"request GET /user_uploads/… level=443 ms=[\d.]+ status=200", steps[-1])


def test_a_retry_has_a_line_with_what_when_and_why(steps: list[str]) -> None:
    retry = RetryTime(VirtualClock(), 1.0, 30.0, "outbox")
    retry.failed(NotConnected(TEXT))
    retry.failed(RateLimited(12.0))
    assert steps == [
        "retry outbox NotConnected seconds=1.0",
        "retry outbox RateLimited seconds=12.0",
    ]


async def test_a_session_leaves_no_key_and_no_text(steps: list[str], tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        account = server.account("ada")
        async with session_of(account, tmp_path) as session:
            view = session.view(Narrow.topic(server.channel("general"), "canary-topic"))
            await view.open("newest")
            await server.send("bruno", "general", "canary-topic", "canary-content")
            await until(lambda: view.ids)
            await session.client.users.get_by_email(email="bruno@demo.example")
    text = "\n".join(steps)
    for part in (r"snapshot ", r"connection live", r"event message id=\d+", r"request GET /users/… "):
        assert re.search(part, text), (part, text)
    for secret in (account.key.reveal(), account.credentials(), "canary", "@", "bruno"):
        assert secret not in text


async def test_no_operation_leaves_its_texts(steps: list[str]) -> None:
    """Each operation of the library is called with the same text for everything that takes one."""
    async with Client.open(ACCOUNT, transport=_Anything()) as client:
        for group, name in operations(client):
            bound = getattr(getattr(client, group), name)
            arguments = {
                parameter.name: "canarytext"
                for parameter in inspect.signature(bound).parameters.values()
                if parameter.default is inspect.Parameter.empty and "str" in str(parameter.annotation)
            }
            try:
                await asyncio.wait_for(bound(**arguments), 5)
            except (NarrowcastError, TypeError, AttributeError, ValueError):
                continue
    assert len([line for line in steps if line.startswith("request")]) > 20
    assert not [line for line in steps if "canarytext" in line or KEY in line]


class _Anything(httpx2.AsyncBaseTransport):
    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        body = {"result": "success", "msg": "canarytext", "feature_level": 443, "version": "1"}
        return httpx2.Response(200, json=body)
