"""The server with many clients: two hundred while users write, two thousand idle ones."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from statistics import median

import httpx2
import websockets

from bench.results import Row, mb, ms, quantile
from bench.servers import Served
from bench.serving import empty_route
from bench.watched import cpu_seconds, resident_bytes
from support.sessions import until

CLIENTS = 200
MESSAGES_A_SECOND = 50
SECONDS = 60
IDLE = 2_000
_AT_ONCE = 50
_NUMBER = re.compile(r"number (\d+) of many")


def measure(served: Served) -> list[Row]:
    """Latency from the start of a request to each receiver's frame, with client and server on this machine."""
    nothing = empty_route(served.data)
    return [*asyncio.run(_busy(served, nothing)), asyncio.run(_idle(served))]


def credentials(number: int) -> httpx2.BasicAuth:
    """The credentials of a user of `bench.worlds`."""
    return httpx2.BasicAuth(f"user{number}@demo.example", f"key{number:029}")


async def _busy(served: Served, nothing: float) -> list[Row]:
    sent: dict[int, float] = {}
    late: list[float] = []

    def arrived(frame: str) -> None:
        now = time.monotonic()
        late.extend(now - sent[int(number)] for number in _NUMBER.findall(frame))

    async with _listening(served, CLIENTS, arrived) as client:
        channel = (await client.get("/users/me/subscriptions", auth=credentials(0))).json()
        stream_id = channel["subscriptions"][0]["stream_id"]
        count = MESSAGES_A_SECOND * SECONDS
        begun, before = time.monotonic(), cpu_seconds(served.pid)

        async def send(number: int) -> None:
            form = {"type": "channel", "to": str(stream_id), "topic": "bench"}
            sent[number] = time.monotonic()
            response = await client.post(
                "/messages",
                data={**form, "content": f"number {number} of many"},
                auth=credentials(number % CLIENTS),
            )
            response.raise_for_status()

        async with asyncio.TaskGroup() as sending:
            for number in range(count):
                await asyncio.sleep(max(0.0, begun + number / MESSAGES_A_SECOND - time.monotonic()))
                sending.create_task(send(number))
        spent = cpu_seconds(served.pid) - before
        took = time.monotonic() - begun
        await until(lambda: len(late) >= count * CLIENTS, 60, what="every message with every client")
    p50, p95 = median(late), quantile(late, 0.95)
    what = f"{CLIENTS} clients, {MESSAGES_A_SECOND} messages/s"
    return [
        Row(
            f"{what}: to each receiver (seconds median, p95)",
            f"{ms(p50)}, {ms(p95)}",
            f"{len(late):,} arrivals",
            budget="<= 50 ms, 150 ms",
            met=p50 <= 0.05 and p95 <= 0.15,
        ),
        Row(
            f"{what}: server's work for a message and its {CLIENTS} receivers",
            ms(spent / count),
            # No stored ratio: a slower machine sends fewer frames with more events each.
            f"{spent / count / nothing:.0f} empty routes of {ms(nothing)}; {spent / took:.0%} of a core",
        ),
    ]


async def _idle(served: Served) -> Row:
    before = resident_bytes(served.pid)
    async with _listening(served, IDLE, lambda _: None):
        used = resident_bytes(served.pid)
    return Row(
        f"RSS of the server, {IDLE:,} idle clients",
        mb(used),
        f"without them {mb(before)}",
        used / before,
        "<= 400 MB",
        used <= 400_000_000,
    )


@asynccontextmanager
async def _listening(
    served: Served, count: int, arrived: Callable[[str], None]
) -> AsyncIterator[httpx2.AsyncClient]:
    """Connects this many WebSocket clients, each of another user; yields a client for requests."""
    limits = httpx2.Limits(max_connections=_AT_ONCE, max_keepalive_connections=_AT_ONCE)
    async with (
        httpx2.AsyncClient(
            base_url=f"{served.url}/api/v1", trust_env=False, timeout=60, limits=limits
        ) as client,
        AsyncExitStack() as stack,
    ):
        readers = []
        for start in range(0, count, _AT_ONCE):
            numbers = range(start, min(start + _AT_ONCE, count))
            readers += await asyncio.gather(*(_connected(served, client, number) for number in numbers))
        for reader in readers:
            stack.push_async_callback(reader.close)
        tasks = [asyncio.create_task(_read(reader, arrived)) for reader in readers]
        try:
            yield client
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def _connected(served: Served, client: httpx2.AsyncClient, number: int) -> websockets.ClientConnection:
    form = {"event_types": json.dumps(["message"]), "apply_markdown": "true", "fetch_event_types": "[]"}
    auth = credentials(number)
    response = await client.post("/register", data=form, auth=auth)
    queue = response.raise_for_status().json()["queue_id"]
    address = served.url.replace("http", "ws", 1)
    header = next(auth.auth_flow(httpx2.Request("GET", served.url))).headers["Authorization"]
    return await websockets.connect(
        f"{address}/api/v1/events/stream?queue_id={queue}&last_event_id=-1",
        additional_headers={"Authorization": header},
        proxy=None,
        compression=None,
        open_timeout=60,
    )


async def _read(reader: websockets.ClientConnection, arrived: Callable[[str], None]) -> None:
    for turn in itertools.count():
        frame = await reader.recv()
        assert isinstance(frame, str)
        arrived(frame)
        if turn % 20 == 0 and (last := frame.rfind('"id":')) >= 0:
            number = re.match(r'"id":(\d+)', frame[last:])
            if number is not None:
                await reader.send(json.dumps({"last_event_id": int(number[1])}))
