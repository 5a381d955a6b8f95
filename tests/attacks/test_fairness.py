"""A guest who sends costly requests, many at once, delays nobody else."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narrowcast_server.http.forms import decoded
from narrowcast_server.organization.config import RateLimit, ServerConfig
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.queries.narrow import build
from narrowcast_server.queries.narrow_terms import NarrowTerm
from narrowcast_server.storage.reader import Reader, ReadTooLong
from narrowcast_server.storage.store import Store
from support.clock import VirtualClock
from support.server import TestServer, running_server
from support.sessions import until
from support.timing import held

STEP_SECONDS = 0.1
LINKS = "[a](b)" * 1_665
MEBIBYTE = 2**20
BODIES = {
    "escapes": b"content=" + b"%61" * 690_000,
    "bare percent signs": b"content=" + b"%" * (2 * MEBIBYTE - 100),
    "spaces": b"content=" + b"+" * (2 * MEBIBYTE - 100),
    "letters of two bytes": b"content=" + b"%c3%a9" * 345_000,
    "fields": b"&".join(b"a%d=%%61" % number for number in range(999)),
    "values": b"content=x&numbers=[" + b"1," * 99_000 + b"1]",
}


async def post(server: TestServer, name: str, path: str, body: bytes) -> Any:
    user = server.user(name)
    return await server.client.post(
        f"{server.url}/api/v1{path}",
        content=body,
        headers={"Content-Type": "application/x-www-form-urlencoded"},
        auth=(user.delivery_email, user.api_key),
    )


async def test_others_are_answered_while_a_guest_renders_eight_long_texts(server: TestServer) -> None:
    body = urlencode({"content": LINKS}).encode()
    with held() as watch:
        jobs = [asyncio.create_task(post(server, "hugo", "/messages/render", body)) for _ in range(8)]
        await until(lambda: server.organization.renderings.busy)
        short = await server.call("ada", "POST", "/messages/render", {"content": "short"})
        most = server.organization.renderings.busy
        long = await server.call("ada", "POST", "/messages/render", {"content": "word " * 300})
        unfinished = sum(not job.done() for job in jobs)
        while not all(job.done() for job in jobs):
            most = max(most, server.organization.renderings.busy)
            await asyncio.sleep(0.001)
    assert "short" in short["rendered"]
    assert long["rendered"].count("word") == 300
    assert unfinished >= 5
    assert most <= 2
    assert {job.result().status_code for job in jobs} == {200}
    assert watch.longest < STEP_SECONDS, watch


async def test_a_long_text_is_rendered_as_a_short_one_is(server: TestServer) -> None:
    ada, channel = server.user("ada"), server.channel("general")
    await server.send("ada", "general", "soup", "first")
    text = (
        f"@**{ada.full_name}** #**general** #**general>soup** @*everyone-else* :tada: :nowhere:\n\n"
        "```python\nprint(1)\n```\n"
    )
    short = await server.call("dario", "POST", "/messages/render", {"content": text})
    long = await server.call("dario", "POST", "/messages/render", {"content": f"{text}\n{'x ' * 600}"})
    html = short["rendered"]
    assert f'data-user-id="{ada.id}"' in html
    assert f'data-stream-id="{channel}"' in html
    assert '<span class="nb">print</span>' in html
    assert long["rendered"].startswith(html)


async def test_a_long_message_mentions_and_notifies(server: TestServer) -> None:
    name = server.user("elif").full_name
    await server.call("elif", "POST", "/users/me/alert_words", {"alert_words": ["soup"]})
    sent = await server.send("dario", "general", "t", f"@**{name}** soup {'x ' * 600}")
    flags = (await server.call("elif", "GET", f"/messages/{sent}"))["message"]["flags"]
    assert {"mentioned", "has_alert_word"} <= set(flags)


@pytest.mark.parametrize("case", BODIES, ids=lambda case: case.replace(" ", "-"))
async def test_no_form_of_a_guest_blocks_the_server(server: TestServer, case: str) -> None:
    await server.call("hugo", "GET", "/users/me")
    with held() as watch:
        response = await post(server, "hugo", "/messages/render", BODIES[case])
    assert response.status_code in (200, 400)
    assert watch.longest < STEP_SECONDS, watch


@given(st.lists(st.sampled_from([b"%", b"&", b"=", b"+", b"a", b"F", b"0", b"\r", b"\n", b"_", b"%C3%A9"])))
def test_forms_are_decoded_as_usual(parts: list[bytes]) -> None:
    raw = b"".join(parts)
    try:
        expected = dict(parse_qsl(raw.decode(), keep_blank_values=True, errors="strict"))
    except ValueError:
        with pytest.raises(ServiceError):
            decoded(raw)
    else:
        assert decoded(raw) == expected


def test_a_form_has_a_thousand_fields_at_most() -> None:
    assert len(decoded(b"&".join(b"%d=x" % number for number in range(1_000)))) == 1_000
    with pytest.raises(ServiceError, match="malformed"):
        decoded(b"&".join(b"%d=x" % number for number in range(1_001)))


async def test_equal_terms_and_equal_words_of_a_search_are_one(server: TestServer) -> None:
    organization, hugo = server.organization, server.user("hugo")
    once = build(organization, hugo, [NarrowTerm("search", "soup bread")]).with_words(organization.store)
    often = build(organization, hugo, [NarrowTerm("search", "soup bread")] * 20).with_words(
        organization.store
    )
    repeated = build(
        organization, hugo, [NarrowTerm("search", "soup bread " * 9), NarrowTerm("search", "bread")]
    )
    assert often == once
    assert repeated.with_words(organization.store).words == once.words


async def test_what_requests_cost_counts_against_the_limit(tmp_path: Path) -> None:
    clock = VirtualClock()
    config = ServerConfig(rate_limits=(RateLimit(60, 100),))
    async with running_server(tmp_path, config=config, clock=clock) as server:
        body = urlencode({"content": LINKS}).encode()
        job = asyncio.create_task(post(server, "hugo", "/messages/render", body))
        await until(lambda: server.organization.renderings.busy)
        clock.lapse(0.5)
        assert (await job).headers["X-RateLimit-Remaining"] == "99"
        cheap = await post(server, "hugo", "/messages/render", b"content=x")
        assert cheap.headers["X-RateLimit-Remaining"] == str(100 - 1 - 25 - 1)
        assert (await post(server, "ada", "/messages/render", b"content=x")).headers[
            "X-RateLimit-Remaining"
        ] == "99"


async def test_a_request_that_waited_for_its_turn_has_no_rights_that_were_lost_meanwhile(
    server: TestServer,
) -> None:
    body = urlencode({"content": "***a*** " * 1_240}).encode()
    jobs = [asyncio.create_task(post(server, "hugo", "/messages/render", body)) for _ in range(2)]
    await until(lambda: server.organization.renderings.busy == 2)
    last = asyncio.create_task(server.raw("hugo", "GET", "/users/me"))
    await until(lambda: server.connections.busy == 3)
    await server.call("ada", "DELETE", f"/users/{server.id('hugo')}")
    assert (await last).status_code == 401
    await asyncio.gather(*jobs)


async def test_a_poll_for_events_needs_no_turn(server: TestServer) -> None:
    listeners = [await server.listen("hugo") for _ in range(3)]
    polls = [asyncio.create_task(listener.events()) for listener in listeners]
    await server.call("hugo", "GET", "/users/me")
    assert not any(poll.done() for poll in polls)
    message = {"type": "direct", "to": [server.id("hugo")], "content": "x"}
    await server.call("ada", "POST", "/messages", message)
    await asyncio.gather(*polls)


async def test_a_read_ends_at_its_time_limit(tmp_path: Path) -> None:
    store = Store(tmp_path / "x.db")
    reader = Reader(store.path, seconds=0.0)
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
    with pytest.raises(ReadTooLong):
        await reader.read(lambda reading: reading.integer(endless))
    assert await reader.read(lambda reading: reading.integer("SELECT 1")) == 1
    reader.close()
    store.close()
