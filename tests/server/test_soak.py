"""Many clients and many messages at once: nothing lost, nothing out of order.

`NARROWCAST_SOAK_SECONDS=60 pytest tests/server/test_soak.py` is the whole soak; without it a short one runs.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import websockets

from narrowcast_server.actions.subscriptions import subscribe
from narrowcast_server.actions.users import create_user
from narrowcast_server.models import User
from support.server import TestServer, running_server

SECONDS = float(os.environ.get("NARROWCAST_SOAK_SECONDS", "2"))
CLIENTS = 200 if SECONDS >= 60 else 40
RATE = 50
LONG_POLLS = CLIENTS // 4


def populate(server: TestServer) -> list[User]:
    """The clients' accounts, all in one channel."""
    with server.core.transaction():
        people = [
            create_user(
                server.core, email=f"p{number}@demo.example", full_name=f"Person {number}", channel_ids=[]
            )
            for number in range(CLIENTS)
        ]
        subscribe(server.core, [server.core.channels[server.channel("general")]], people)
    return people


def credentials(user: User) -> str:
    return "Basic " + base64.b64encode(f"{user.delivery_email}:{user.api_key}".encode()).decode()


class Reader:
    """One client that notes the ids of the messages that it hears of."""

    def __init__(self, server: TestServer, user: User) -> None:
        self.seen: list[int] = []
        self._server = server
        self._user = user
        self._last = -1

    async def run(self, *, stream: bool) -> None:
        """Reads until cancelled."""
        async with self._client() as client:
            fields = {"event_types": '["message"]', "fetch_event_types": "[]"}
            queue_id = (await client.post("/api/v1/register", data=fields)).json()["queue_id"]
            await (self._stream(queue_id) if stream else self._poll(client, queue_id))

    @asynccontextmanager
    async def _client(self) -> AsyncIterator[httpx.AsyncClient]:
        headers = {"Authorization": credentials(self._user)}
        async with httpx.AsyncClient(
            base_url=self._server.url, headers=headers, trust_env=False, timeout=90
        ) as client:
            yield client

    async def _poll(self, client: httpx.AsyncClient, queue_id: str) -> None:
        while True:
            fields = {"queue_id": queue_id, "last_event_id": str(self._last)}
            self._take((await client.get("/api/v1/events", params=fields)).json())

    async def _stream(self, queue_id: str) -> None:
        url = f"{self._server.url.replace('http', 'ws', 1)}/api/v1/events/stream?queue_id={queue_id}&last_event_id=-1"
        headers = {"Authorization": credentials(self._user)}
        async with websockets.connect(url, additional_headers=headers, proxy=None) as connection:
            async for frame in connection:
                self._take(json.loads(frame))
                await connection.send(json.dumps({"last_event_id": self._last}))

    def _take(self, answer: dict[str, list[dict[str, object]]]) -> None:
        for event in answer["events"]:
            assert isinstance(event["id"], int)
            assert event["id"] > self._last
            self._last = event["id"]
            if event["type"] == "message":
                message = event["message"]
                assert isinstance(message, dict)
                self.seen.append(message["id"])


async def send_at_rate(server: TestServer, people: list[User]) -> list[int]:
    """Sends RATE messages a second; gives their ids in order."""
    sent: list[int] = []
    limits = httpx.Limits(max_connections=8)
    async with httpx.AsyncClient(base_url=server.url, trust_env=False, timeout=60, limits=limits) as client:

        async def send(number: int) -> None:
            user = people[number % len(people)]
            fields = {"type": "stream", "to": "general", "topic": "soak", "content": f"message {number}"}
            headers = {"Authorization": credentials(user)}
            answer = await client.post("/api/v1/messages", data=fields, headers=headers)
            sent.append(answer.json()["id"])

        start = time.monotonic()
        tasks = []
        for number in range(int(SECONDS * RATE)):
            await asyncio.sleep(max(0.0, start + number / RATE - time.monotonic()))
            tasks.append(asyncio.create_task(send(number)))
        await asyncio.gather(*tasks)
    return sorted(sent)


async def test_many_clients_hear_every_message_in_order(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        people = populate(server)
        readers = [Reader(server, user) for user in people]
        tasks = [
            asyncio.create_task(reader.run(stream=index >= LONG_POLLS))
            for index, reader in enumerate(readers)
        ]
        while server.core.hub.count < CLIENTS:
            await asyncio.sleep(0.01)
        sent = await send_at_rate(server, people)
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and any(len(reader.seen) < len(sent) for reader in readers):
            await asyncio.sleep(0.05)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for reader in readers:
            assert reader.seen == sent
