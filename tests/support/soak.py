"""Many clients on one server, all listening while some of them write: no message may be lost or out of order.

Half of the clients poll, half use the WebSocket. They speak HTTP by hand, so that processor time goes to the
measured server instead of a client library.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any
from urllib.parse import urlencode, urlsplit

import websockets

from narrowcast_server.organization.organization import Organization
from narrowcast_server.resources.channels.creation import create_channel
from narrowcast_server.resources.subscriptions.changes import subscribe
from narrowcast_server.resources.users.accounts import create_user
from support.request_parts import basic

TOPIC = "soak"


@dataclass
class Report:
    """The result. Latencies are in seconds, from sending to the arrival of the event."""

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
        """The latency below which this share of arrivals stayed."""
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


@dataclass(frozen=True)
class Crowd:
    """Accounts (address, key) that are all subscribed to one channel."""

    channel_id: int
    accounts: list[tuple[str, str]]


class Line:
    """A connection that is kept open, for one request at a time."""

    def __init__(self, url: str, authorization: str) -> None:
        parts = urlsplit(url)
        self._host, self._port = parts.hostname, parts.port
        self._head = f"Host: {parts.netloc}\r\nAuthorization: {authorization}\r\n"
        self._free = asyncio.Lock()
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def request(self, method: str, path: str, fields: Mapping[str, object]) -> dict[str, Any]:
        """Returns the JSON of the response; an error response raises."""
        encoded = urlencode(fields)
        if method == "GET":
            path, encoded = f"{path}?{encoded}", ""
        form = "Content-Type: application/x-www-form-urlencoded\r\n"
        head = f"{method} /api/v1{path} HTTP/1.1\r\n{self._head}{form}Content-Length: {len(encoded)}\r\n\r\n"
        async with self._free:
            if self._streams is None:
                self._streams = await asyncio.open_connection(self._host, self._port, limit=2**24)
            reader, writer = self._streams
            writer.write((head + encoded).encode())
            response = await self._response(reader)
        assert response["result"] == "success", response
        return response

    async def _response(self, reader: asyncio.StreamReader) -> dict[str, Any]:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(head.split("content-length:", 1)[1].split("\r\n", 1)[0])
        response: dict[str, Any] = json.loads(await reader.readexactly(length))
        return response

    def close(self) -> None:
        """Closes the connection."""
        if self._streams is not None:
            self._streams[1].close()


class SoakClient:
    """One account that registers, reads and writes."""

    def __init__(self, url: str, email: str, key: str, *, streams: bool) -> None:
        self.received: list[tuple[int, float]] = []
        self._url = url
        self._authorization = basic(email, key)
        self._reading = Line(url, self._authorization)
        self._writing = Line(url, self._authorization)
        self._streams = streams
        self._queue: dict[str, Any] = {}

    async def register(self) -> None:
        """Registers a queue for messages only."""
        fields = {"event_types": '["message"]', "fetch_event_types": "[]"}
        response = await self._reading.request("POST", "/register", fields)
        self._queue = {"queue_id": response["queue_id"], "last_event_id": response["last_event_id"]}

    async def listen(self, expected: int) -> None:
        """Reads until this many messages have arrived."""
        await (self._stream(expected) if self._streams else self._poll(expected))

    async def _poll(self, expected: int) -> None:
        while len(self.received) < expected:
            self._take(await self._reading.request("GET", "/events", self._queue))

    async def _stream(self, expected: int) -> None:
        url = f"{self._url.replace('http', 'ws', 1)}/api/v1/events/stream?{urlencode(self._queue)}"
        headers = {"Authorization": self._authorization}
        async with websockets.connect(
            url, additional_headers=headers, proxy=None, compression=None, max_size=None
        ) as connection:
            while len(self.received) < expected:
                self._take(json.loads(await connection.recv()))
                await connection.send(json.dumps({"last_event_id": self._queue["last_event_id"]}))

    def _take(self, response: dict[str, Any]) -> None:
        now = time.monotonic()
        for event in response["events"]:
            assert event["id"] > self._queue["last_event_id"], "an event came twice or out of order"
            self._queue["last_event_id"] = event["id"]
            if event["type"] == "message":
                self.received.append((event["message"]["id"], now))

    async def send(self, channel_id: int, content: str) -> int:
        """Sends to the topic; returns the id."""
        fields = {"type": "stream", "to": channel_id, "topic": TOPIC, "content": content}
        return int((await self._writing.request("POST", "/messages", fields))["id"])

    def close(self) -> None:
        """Closes the connections."""
        self._reading.close()
        self._writing.close()


async def soak(url: str, crowd: Crowd, *, rate: float, messages: int, patience: float) -> Report:
    """Sends `messages` at `rate` a second to the channel of the crowd; waits at most `patience` seconds for
    the last one.
    """
    members = [
        SoakClient(url, email, key, streams=number % 2 == 1)
        for number, (email, key) in enumerate(crowd.accounts)
    ]
    report = Report(len(members))
    try:
        for member in members:
            await member.register()
        listening = [asyncio.create_task(member.listen(messages)) for member in members]
        sent = await _write(members, crowd.channel_id, rate, messages)
        await asyncio.wait(listening, timeout=patience)
        for task in listening:
            task.cancel()
        outcomes = await asyncio.gather(*listening, return_exceptions=True)
        failures = [outcome for outcome in outcomes if isinstance(outcome, Exception)]
        if failures:
            raise failures[0]
        _judge(report, sent, members)
    finally:
        for member in members:
            member.close()
    return report


def populate(organization: Organization, clients: int) -> Crowd:
    """Creates the accounts and their channel."""
    with organization.transaction():
        people = [
            create_user(organization, email=f"soak{n}@demo.example", full_name=f"Soak {n}", channel_ids=())
            for n in range(clients)
        ]
        channel = create_channel(organization, None, "soak")
        subscribe(organization, [channel], people)
    return Crowd(channel.id, [(person.delivery_email, person.api_key) for person in people])


async def _write(members: list[SoakClient], channel_id: int, rate: float, messages: int) -> dict[int, float]:
    """Sends at a constant rate, regardless of response times; returns the time of sending by id."""
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
        ids = [identity for identity, _ in member.received]
        report.lost += len(sent.keys() - set(ids))
        report.doubled += len(ids) - len(set(ids))
        report.disordered += sum(1 for one, other in pairwise(ids) if one >= other)
        report.latencies += [
            moment - sent[identity] for identity, moment in member.received if identity in sent
        ]
