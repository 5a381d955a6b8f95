"""What lies between a window and the service: delays, and everything that goes wrong on the way."""

from __future__ import annotations

import asyncio
from base64 import b64decode
from collections.abc import Callable
from enum import Enum
from functools import cache
from random import Random
from urllib.parse import parse_qsl

import httpx
import msgspec

from simulation.loop import SimulatedClock
from simulation.queues import Refused
from simulation.service import Service
from support.scripted import Raw


class Fault(Enum):
    """What happens to one request."""

    NOT_CONNECTED = "the connection never opens"
    LOST_BEFORE = "cut before the service has it"
    LOST_AFTER = "carried out, the answer is lost"
    BAD_GATEWAY_BEFORE = "502 of a proxy, not carried out"
    BAD_GATEWAY_AFTER = "502 of a proxy, carried out"
    TOO_MANY = "429"
    SILENT_BEFORE = "half open: no answer, not carried out"
    SILENT_AFTER = "half open: no answer, carried out"
    GARBAGE = "an answer that is no JSON, carried out"


FAULTS = tuple(Fault)
CARRIED_OUT = {Fault.LOST_AFTER, Fault.BAD_GATEWAY_AFTER, Fault.SILENT_AFTER, Fault.GARBAGE}


class Network(httpx.AsyncBaseTransport):
    """One window's way to the service. `trouble` is the share of requests that meet a fault."""

    def __init__(self, service: Service, chance: Random, clock: SimulatedClock) -> None:
        self._service = service
        self._chance = chance
        self._clock = clock
        self.trouble = 0.1
        self.is_down = False
        self.is_dead = False
        """Whether the process has been killed: nothing more leaves it."""
        self.before: Callable[[httpx.Request], None] = lambda request: None
        self.after: Callable[[httpx.Request], None] = lambda request: None
        self.requests = 0
        self.faults: dict[Fault, int] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.requests += 1
        body = await request.aread()
        await self._clock.sleep(self._chance.uniform(0.005, 0.2))
        self.before(request)
        if self.is_dead:
            await asyncio.get_running_loop().create_future()
        if self.is_down:
            raise httpx.ConnectError("the network is down")
        fault = self._fault()
        if fault is None:
            return await self._carry_out(request, body)
        self.faults[fault] = self.faults.get(fault, 0) + 1
        if fault in CARRIED_OUT:
            await self._carry_out(request, body)
        return await _failed(fault, request)

    def _fault(self) -> Fault | None:
        return self._chance.choice(FAULTS) if self._chance.random() < self.trouble else None

    async def _carry_out(self, request: httpx.Request, body: bytes) -> httpx.Response:
        query = dict(parse_qsl(request.url.query.decode(), keep_blank_values=True))
        params = {**query, **dict(parse_qsl(body.decode(), keep_blank_values=True))}
        user_id = _who(request.headers.get("authorization", ""))
        try:
            answer = await self._service.handle(user_id, request.method, request.url.path, params)
        except Refused as refusal:
            return _answer(refusal.status, refusal.body)
        self.after(request)
        if self.is_dead:
            await asyncio.get_running_loop().create_future()
        await self._clock.sleep(self._chance.uniform(0.0, 0.1))
        if self.is_down:
            raise httpx.ReadError("the network went down")
        return _answer(200, answer)


def _answer(status: int, body: object, headers: dict[str, str] | None = None) -> httpx.Response:
    return httpx.Response(status, stream=Raw(msgspec.json.encode(body)), headers=headers)


async def _failed(fault: Fault, request: httpx.Request) -> httpx.Response:
    if fault is Fault.NOT_CONNECTED:
        raise httpx.ConnectError("refused", request=request)
    if fault in (Fault.LOST_BEFORE, Fault.LOST_AFTER):
        raise httpx.ReadError("cut", request=request)
    if fault in (Fault.SILENT_BEFORE, Fault.SILENT_AFTER):
        await asyncio.get_running_loop().create_future()
    if fault is Fault.TOO_MANY:
        body = {"result": "error", "code": "RATE_LIMIT_HIT", "msg": "Too fast", "retry-after": 1.5}
        return _answer(429, body, {"retry-after": "1.5"})
    if fault is Fault.GARBAGE:
        return httpx.Response(200, stream=Raw(b"<html>hotel login</html>"))
    return httpx.Response(502, stream=Raw(b"<html>bad gateway</html>"))


@cache
def _who(authorization: str) -> int:
    """The number in user1@demo.example."""
    _, _, basic = authorization.partition(" ")
    email = b64decode(basic).decode().partition(":")[0]
    return int(email.partition("@")[0].removeprefix("user") or 0)


Transport = Callable[[], Network]
