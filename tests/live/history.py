"""Random histories on a Zulip server: the state follows the events, and the embedded server does the same."""

from __future__ import annotations

import asyncio
import json
import random
import re
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import httpx2
from msgspec import Struct
from msgspec.structs import asdict

from live.site import LiveSite
from narrowcast_api.errors import NoResponse, ServerFault
from narrowcast_api.model.channels import Channel
from narrowcast_api.wire.parameters import shape
from support.histories import OBSERVERS, PEOPLE, History, Observer, Place, Step
from support.history_steps import STEPS
from support.server import TestServer, running_server

_SETTLED = 1.5
"""Seconds within which a server sends all pending events."""
_NUMBERS = 50
_MAX_FAULTS = 4
_LEVELS = {"folder": 389, "navigation_view": 390, "reminder": 399}
"""Steps that need a minimum level of the server."""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Outcome:
    """A request and its outcome."""

    who: str
    method: str
    path: str
    params: Mapping[str, object]
    status: int
    body: Mapping[str, Any]

    def line(self) -> str:
        """The request in one line."""
        return f"{self.who} {self.method} {self.path} {json.dumps(self.params)} -> {self.status} {self.body}"

    @property
    def compared(self) -> tuple[object, ...]:
        """The values in which two servers must agree: ids and times are left out."""
        text = re.sub(r"\d+", "#", str(self.body.get("msg", "")))
        return self.status, self.body.get("code"), text, tuple(sorted(self.body))


class RecordedHistory(History):
    """Records all requests and responses."""

    def __init__(self, server: Place) -> None:
        super().__init__(server)
        self.outcomes: list[Outcome] = []

    async def do(self, who: str, method: str, path: str, **params: object) -> dict[str, Any]:
        response = await self.server.raw(who, method, path, params)
        try:
            body: dict[str, Any] = response.json()
        except ValueError:
            body = {"msg": f"no JSON: {response.text[:200]}"}
        self.outcomes.append(Outcome(who, method, path, params, response.status_code, body))
        return body if body.get("result") == "success" else {}


@dataclass(slots=True)
class Report:
    """The result of a run."""

    steps: int = 0
    differences: dict[str, dict[str, object]] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)
    failures: list[Outcome] = field(default_factory=list)
    other_outcomes: list[tuple[Step, Outcome | None, Outcome | None]] = field(default_factory=list)


def random_steps(seed: int, kinds: Sequence[str]) -> Iterator[Step]:
    """Yields random steps of these kinds, endlessly."""
    chance = random.Random(seed)
    while True:
        where, what = chance.randrange(_NUMBERS), chance.randrange(_NUMBERS)
        yield chance.choice(kinds), chance.randrange(len(PEOPLE)), where, what


async def patiently(do: Callable[[], Awaitable[Result]]) -> Result:
    """Runs a read-only request, with retries while the server is overloaded."""
    for _ in range(_MAX_FAULTS):
        try:
            return await do()
        except (ServerFault, NoResponse):
            await asyncio.sleep(1)
    return await do()


@asynccontextmanager
async def embedded(level: int) -> AsyncIterator[TestServer]:
    """An embedded server with the level and dialect of the live one."""
    with tempfile.TemporaryDirectory() as folder:
        async with running_server(Path(folder), feature_level=level, dialect="zulip") as server:
            yield server


async def run(site: LiveSite, seed: int, seconds: float, batch: int) -> Report:
    """Runs random steps for `seconds`; after each `batch` the states are compared and rebuilt."""
    report = Report()
    steps = random_steps(seed, [kind for kind in STEPS if site.level >= _LEVELS.get(kind, 0)])
    end = time.monotonic() + seconds
    await site.lay_out()
    async with embedded(site.level) as twin:
        theirs, ours = RecordedHistory(site), RecordedHistory(twin)
        while time.monotonic() < end:
            observers = {name: await patiently(partial(Observer.of, site.client(name))) for name in OBSERVERS}
            for number in range(batch):
                step = next(steps)
                await theirs.step(step)
                await ours.step(step)
                await site.look()
                _compare(step, theirs, ours, report)
                report.steps += 1
                if number % 10 == 9:
                    for observer in observers.values():
                        await patiently(observer.catch_up)
            await asyncio.sleep(_SETTLED)
            for name, observer in observers.items():
                await patiently(observer.catch_up)
                await observer.look_at_channels()
                if found := await patiently(observer.differences):
                    report.differences[f"{name} after {report.steps}"] = {
                        key: narrowed(value) for key, value in found.items()
                    }
                    report.log += [f"{name} HEARD {json.dumps(event)}" for event in observer.heard]
                    report.log.append(f"{name} DIFFERS {report.differences[f'{name} after {report.steps}']}")
                await observer.client.aclose()
    return report


def narrowed(found: object) -> object:
    """Reduces differences of records of one type to the fields that differ."""
    if isinstance(found, dict):
        return {key: narrowed(value) for key, value in found.items()}
    match found:
        case (Channel() as one, Channel() as other):
            return _fields(one._asdict(), other._asdict())
        case (Struct() as one, Struct() as other) if type(one) is type(other):
            return _fields(asdict(one), asdict(other))
    return found


def _fields(one: dict[str, object], other: dict[str, object]) -> dict[str, object]:
    return {key: (value, other[key]) for key, value in one.items() if value != other[key]}


def _compare(step: Step, theirs: RecordedHistory, ours: RecordedHistory, report: Report) -> None:
    report.failures += [one for one in theirs.outcomes if one.status >= httpx2.codes.INTERNAL_SERVER_ERROR]
    one = theirs.outcomes[-1] if theirs.outcomes else None
    other = ours.outcomes[-1] if ours.outcomes else None
    if one and other and (one.compared != other.compared or shape(one.path) != shape(other.path)):
        report.other_outcomes.append((step, one, other))
    report.log += [one.line() for one in theirs.outcomes]
    theirs.outcomes.clear()
    ours.outcomes.clear()
