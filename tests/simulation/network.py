"""The network between a window and the service: delays, and faults."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from random import Random

import httpx2
import msgspec

from narrowcast_api.http.exchange import PreparedRequest, RawResponse
from simulation.loop import SimulatedClock
from simulation.queues import Refused
from simulation.service import Service


class Fault(Enum):
    """What happens to one request."""

    NOT_CONNECTED = "the connection never opens"
    LOST_BEFORE = "cut before the service has it"
    LOST_AFTER = "carried out, the response is lost"
    BAD_GATEWAY_BEFORE = "502 of a proxy, not carried out"
    BAD_GATEWAY_AFTER = "502 of a proxy, carried out"
    TOO_MANY = "429"
    SILENT_BEFORE = "half open: no response, not carried out"
    SILENT_AFTER = "half open: no response, carried out"
    GARBAGE = "a response that is no JSON, carried out"
    LOST_LATE = "cut, a message is carried out seconds later, anything else at once"
    SILENT_LATE = "half open: no response, a message is carried out seconds later, anything else at once"


FAULTS = tuple(Fault)
SILENT = {Fault.SILENT_BEFORE, Fault.SILENT_AFTER, Fault.SILENT_LATE}
CARRIED_OUT = {Fault.LOST_AFTER, Fault.BAD_GATEWAY_AFTER, Fault.SILENT_AFTER, Fault.GARBAGE}
LATEST = {Fault.LOST_LATE: 3.5, Fault.SILENT_LATE: 9.0}
"""Seconds until a server has carried out a request at the latest. After a cut the client looks for a message for
4 s, and in silence it waits for 10 s, before it asks its user, who may then send it twice.
"""


class Network(httpx2.AsyncBaseTransport):
    """The connection of a window of `user_id` to the service. `trouble` is the share of requests that meet a
    fault.

    Requests are passed on as objects: no history tests how HTTP encodes them.
    """

    def __init__(self, service: Service, user_id: int, chance: Random, clock: SimulatedClock) -> None:
        self._service = service
        self._user_id = user_id
        self._chance = chance
        self._clock = clock
        self.trouble = 0.1
        self.is_down = False
        self.is_dead = False
        """Whether the process was killed: it sends nothing more."""
        self.silent_since: float | None = None
        """When the connections became half-open, in loop time: no data and no error."""
        self._connections = 0
        self._silent: set[asyncio.Future[RawResponse]] = set()
        self.is_mute = False
        """Whether the outcome of a message or a new draft is unknown: no event and no response about them arrives."""
        self.before: Callable[[PreparedRequest], None] = lambda request: None
        self.after: Callable[[PreparedRequest], None] = lambda request: None
        self.requests = 0
        self._late: set[asyncio.Future[None]] = set()
        self.faults: dict[Fault, int] = {}

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        raise AssertionError(f"{request.method} {request.url} is not carried by the simulated network")

    def go_half_open(self) -> None:
        """Requests in flight never get a response, nor do new ones before `heal`."""
        if self.silent_since is None:
            self.silent_since = self._clock.monotonic()
            self._connections += 1

    def lose_outcomes(self) -> None:
        """From now on the outcome of a message or a new draft is unknown."""
        if not self.is_mute:
            self.is_mute = True
            self._connections += 1

    def cut(self) -> None:
        """The connections that were silent are cut: their requests fail. New ones work."""
        for response in self._silent:
            if not response.done():
                response.set_exception(httpx2.ReadError("connection reset"))
        self._silent.clear()
        self.heal()

    def heal(self) -> None:
        """New requests get responses again; those that met silence never do."""
        self.silent_since, self.is_mute = None, False

    async def carry(self, request: PreparedRequest) -> RawResponse:
        """Replaces the `exchange` of a connection."""
        self.requests += 1
        await self._clock.sleep(self._chance.uniform(0.005, 0.2))
        self.before(request)
        if self.is_dead:
            await asyncio.get_running_loop().create_future()
        if self.is_down:
            raise httpx2.ConnectError("the network is down")
        fault = self._lasting(request) or self._fault()
        if fault is None:
            return await self._carry_out(request)
        self.faults[fault] = self.faults.get(fault, 0) + 1
        if fault in LATEST and (request.method, request.path) == ("POST", "/messages"):
            late = asyncio.ensure_future(self._carry_out_late(request, LATEST[fault]))
            self._late.add(late)
            late.add_done_callback(self._late.discard)
        elif fault in CARRIED_OUT or fault in LATEST:
            await self._carry_out(request)
        if fault in SILENT:
            response: asyncio.Future[RawResponse] = asyncio.get_running_loop().create_future()
            self._silent.add(response)
            return await response
        return _failed(fault)

    async def _carry_out_late(self, request: PreparedRequest, latest: float) -> None:
        """The server still works on a request that the client may have given up."""
        await self._clock.sleep(self._chance.uniform(0.5, latest))
        with suppress(Refused):
            await self._service.handle(self._user_id, request.method, request.path, request.fields)

    def _lasting(self, request: PreparedRequest) -> Fault | None:
        """What happens to such a request until the network heals."""
        if self.silent_since is not None:
            return Fault.SILENT_BEFORE
        if not self.is_mute:
            return None
        if request.path == "/events":
            return Fault.SILENT_BEFORE
        is_lost = request.path == "/messages" or (request.method, request.path) == ("POST", "/drafts")
        return Fault.BAD_GATEWAY_AFTER if is_lost else None

    def _fault(self) -> Fault | None:
        return self._chance.choice(FAULTS) if self._chance.random() < self.trouble else None

    async def _carry_out(self, request: PreparedRequest) -> RawResponse:
        connections = self._connections
        user_id = self._user_id if request.authenticated else 0
        try:
            response = await self._service.handle(user_id, request.method, request.path, request.fields)
        except Refused as refusal:
            return _response(refusal.status, refusal.body)
        self.after(request)
        if self.is_dead:
            await asyncio.get_running_loop().create_future()
        await self._clock.sleep(self._chance.uniform(0.0, 0.1))
        if connections != self._connections:
            await asyncio.get_running_loop().create_future()
        if self.is_down:
            raise httpx2.ReadError("the network went down")
        return _response(200, response)


def _response(status: int, body: object, headers: dict[str, str] | None = None) -> RawResponse:
    return RawResponse(status, headers or {}, msgspec.json.encode(body))


def _failed(fault: Fault) -> RawResponse:
    if fault is Fault.NOT_CONNECTED:
        raise httpx2.ConnectError("refused")
    if fault in (Fault.LOST_BEFORE, Fault.LOST_AFTER, Fault.LOST_LATE):
        raise httpx2.ReadError("cut")
    if fault is Fault.TOO_MANY:
        body = {"result": "error", "code": "RATE_LIMIT_HIT", "msg": "Too fast", "retry-after": 1.5}
        return _response(429, body, {"retry-after": "1.5"})
    if fault is Fault.GARBAGE:
        return RawResponse(200, {}, b"<html>hotel login</html>")
    return RawResponse(502, {}, b"<html>bad gateway</html>")
