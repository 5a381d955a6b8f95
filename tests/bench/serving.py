"""The server: the work for a message, a registration and the emoji data."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import httpx2

from bench.results import Row, mb, ms, quantile, work
from bench.servers import Served
from bench.snapshot import register
from bench.watched import cpu_seconds, environment, python

MESSAGES = 200


def measure(demo: Served, large: Served) -> list[Row]:
    """Compared to an empty Starlette route on the same uvicorn, and to json.dumps of the same response."""
    nothing = _empty(demo.data)
    with httpx2.Client(
        base_url=f"{demo.url}/api/v1", auth=demo.auth("bruno"), trust_env=False, timeout=60
    ) as client:
        channel = client.get("/users/me/subscriptions").json()["subscriptions"][0]["stream_id"]

        def send(number: int) -> httpx2.Response:
            form = {
                "type": "channel",
                "to": str(channel),
                "topic": "bench",
                "content": f"message **{number}** of many",
            }
            return client.post("/messages", data=form)

        sent = _requests(demo.pid, send)
        emoji = _requests(demo.pid, lambda _: client.get(f"{demo.url}/static/emoji.json"))
    body = register(large)
    dumps = work(lambda: json.dumps(json.loads(body))) - work(lambda: json.loads(body))
    registered = median(_registration(large) for _ in range(3))
    return [
        _row("send a message", sent, nothing, limit=0.05),
        _row("fetch the emoji data", emoji, nothing),
        Row(
            "register, large organization (server's work)",
            ms(registered),
            f"json.dumps of {mb(len(body))} {ms(dumps)}",
            registered / dumps,
        ),
    ]


Times = list[tuple[float, float]]


def empty_route(folder: Path) -> float:
    """CPU seconds of an empty request, on the same uvicorn."""
    return median(cpu for _, cpu in _empty(folder))


def _empty(folder: Path) -> Times:
    empty = subprocess.Popen(
        python("bench.empty_server"), env=environment(folder), stdout=subprocess.PIPE, text=True
    )
    try:
        assert empty.stdout is not None
        url = empty.stdout.readline().strip()
        with httpx2.Client(trust_env=False) as client:
            return _requests(empty.pid, lambda _: client.post(url, data={"content": "x"}))
    finally:
        empty.terminate()
        empty.wait()
        if empty.stdout is not None:
            empty.stdout.close()


def _row(what: str, ours: Times, nothing: Times, limit: float | None = None) -> Row:
    seconds, cpu = ([one[i] for one in ours] for i in (0, 1))
    p95 = quantile(seconds, 0.95)
    ratio = median(cpu) / median(one[1] for one in nothing)
    return Row(
        f"{what} (seconds median, p95; ratio of work)",
        f"{ms(median(seconds))}, {ms(p95)}",
        f"empty route {ms(median(one[0] for one in nothing))}",
        ratio,
        "" if limit is None else f"p95 <= {ms(limit)}",
        None if limit is None else p95 <= limit,
    )


def _requests(pid: int, ask: Callable[[int], httpx2.Response]) -> Times:
    found = []
    for number in range(MESSAGES):
        start, before = time.monotonic(), cpu_seconds(pid)
        ask(number).raise_for_status()
        found.append((time.monotonic() - start, cpu_seconds(pid) - before))
    return found[10:]


def _registration(served: Served) -> float:
    before = cpu_seconds(served.pid)
    register(served)
    return cpu_seconds(served.pid) - before
