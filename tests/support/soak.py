"""Many clients on one server, all listening while some of them write: nothing may be lost or out of order."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import httpx

from narrowcast_server.actions.channels import create_channel
from narrowcast_server.actions.subscriptions import subscribe
from narrowcast_server.actions.users import create_user
from narrowcast_server.core import Core

TOPIC = "soak"


@dataclass
class Report:
    """What came of it. Latencies in seconds, from sending to the arrival of the event."""

    clients: int
    sent: int = 0
    lost: int = 0
    disordered: int = 0
    doubled: int = 0
    latencies: list[float] = field(default_factory=list)

    @property
    def is_clean(self) -> bool:
        """Whether every client received every message once and in order."""
        return self.lost == self.disordered == self.doubled == 0

    def latency(self, share: float) -> float:
        """The latency that this share of arrivals stayed below."""
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


@dataclass(frozen=True)
class Crowd:
    """Accounts (address, key) that are all subscribed to one channel."""

    channel_id: int
    accounts: list[tuple[str, str]]


class SoakClient:
    """One account that registers, polls and writes, over a connection pool of its own."""

    def __init__(self, url: str, email: str, key: str) -> None:
        self.received: list[tuple[int, str, float]] = []
        self._http = httpx.AsyncClient(
            base_url=f"{url}/api/v1", auth=(email, key), timeout=120, trust_env=False, verify=False
        )
        self._queue: dict[str, Any] = {}

    async def register(self) -> None:
        """Opens a queue for messages alone."""
        answer = await self._http.post(
            "/register", data={"event_types": '["message"]', "fetch_event_types": "[]"}
        )
        self._queue = {"queue_id": answer.json()["queue_id"], "last_event_id": answer.json()["last_event_id"]}

    async def listen(self, until: asyncio.Event, expected: int) -> None:
        """Polls until everything has arrived, or `until` is set."""
        while len(self.received) < expected and not until.is_set():
            answer = (await self._http.get("/events", params=self._queue)).json()
            assert answer["result"] == "success", answer
            for event in answer["events"]:
                self._queue["last_event_id"] = event["id"]
                if event["type"] == "message":
                    message = event["message"]
                    self.received.append((message["id"], message["content"], time.monotonic()))

    async def send(self, channel_id: int, content: str) -> int:
        """Writes to the topic; gives the id."""
        data = {"type": "stream", "to": channel_id, "topic": TOPIC, "content": content}
        answer = (await self._http.post("/messages", data=data)).json()
        assert answer["result"] == "success", answer
        return int(answer["id"])

    async def close(self) -> None:
        """Ends the connections."""
        await self._http.aclose()


async def soak(url: str, crowd: Crowd, *, rate: float, messages: int, patience: float) -> Report:
    """`messages` at `rate` a second to the channel of the crowd; waits at most `patience` seconds for the last."""
    members = [SoakClient(url, email, key) for email, key in crowd.accounts]
    report = Report(len(members))
    try:
        await asyncio.gather(*(member.register() for member in members))
        over = asyncio.Event()
        listening = [asyncio.create_task(member.listen(over, messages)) for member in members]
        sent = await _write(members, crowd.channel_id, rate, messages)
        await asyncio.wait(listening, timeout=patience)
        over.set()
        for task in listening:
            task.cancel()
        outcomes = await asyncio.gather(*listening, return_exceptions=True)
        failures = [outcome for outcome in outcomes if isinstance(outcome, Exception)]
        if failures:
            raise failures[0]
        _judge(report, sent, members)
    finally:
        await asyncio.gather(*(member.close() for member in members))
    return report


def populate(core: Core, clients: int) -> Crowd:
    """Makes the accounts and their channel."""
    with core.transaction():
        people = [
            create_user(core, email=f"soak{n}@demo.example", full_name=f"Soak {n}", channel_ids=())
            for n in range(clients)
        ]
        channel = create_channel(core, None, "soak")
        subscribe(core, [channel], people)
    return Crowd(channel.id, [(person.delivery_email, person.api_key) for person in people])


async def _write(members: list[SoakClient], channel_id: int, rate: float, messages: int) -> dict[int, float]:
    """Sends at an even pace, whatever the answers take; gives the moment of sending by id."""
    started = time.monotonic()
    sent: dict[int, float] = {}

    async def one(number: int) -> None:
        moment = time.monotonic()
        identity = await members[number % len(members)].send(channel_id, f"message {number}")
        sent[identity] = moment

    tasks = []
    for number in range(messages):
        await asyncio.sleep(max(0.0, started + number / rate - time.monotonic()))
        tasks.append(asyncio.create_task(one(number)))
    await asyncio.gather(*tasks)
    return sent


def _judge(report: Report, sent: dict[int, float], members: list[SoakClient]) -> None:
    report.sent = len(sent)
    for member in members:
        ids = [identity for identity, _, _ in member.received]
        report.lost += len(sent.keys() - set(ids))
        report.doubled += len(ids) - len(set(ids))
        report.disordered += sum(1 for one, other in pairwise(ids) if one >= other)
        report.latencies += [
            moment - sent[identity] for identity, _, moment in member.received if identity in sent
        ]
