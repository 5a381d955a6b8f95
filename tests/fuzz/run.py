"""Runs many random requests against a server."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import httpx2

from fuzz.requests import PEOPLE, Request, fault, requests
from narrowcast_api.wire.vocabulary import Role
from narrowcast_server.organization.models import User
from support.server import TestServer, running_server
from support.timing import Watch, held

ROLES = {
    "ada": Role.OWNER,
    "bruno": Role.ADMINISTRATOR,
    "chiyo": Role.MODERATOR,
    "dario": Role.MEMBER,
    "hugo": Role.GUEST,
    "iris": Role.MEMBER,
    "jasper": Role.MEMBER,
}
PER_SERVER = 1000
"""After that many requests most of the organization has been deleted."""


@dataclass
class Found:
    """The result of a run."""

    faults: list[str] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    longest: float = 0.0
    """CPU seconds of the longest step of the event loop."""


async def run(folder: Path, seed: int, count: int, most_held: float) -> Found:
    """Sends that many requests to a new server."""
    found = Found()
    async with running_server(folder) as server:
        keys = {name: _credentials(server, name) for name in PEOPLE if name is not None}
        await _talk(server)
        with held() as watch:
            for request in requests(seed, count):
                await _send(server, keys, request, watch, found, most_held)
    return found


def _credentials(server: TestServer, name: str) -> tuple[str, int]:
    user = server.user(name)
    return user.delivery_email, user.id


async def _talk(server: TestServer) -> None:
    for number in range(6):
        await server.send("ada", "general", f"topic {number % 2}", f"message {number}")
        await server.send_direct("dario", ["ada", "hugo"], f"message {number}")
    await server.send("ada", "general", "poll", "/poll soup?\nyes\nno")


def _revived(server: TestServer, identity: int, name: str) -> User | None:
    """Reactivates a user and restores their role if a request changed it."""
    organization = server.organization
    user = organization.users.get(identity)
    if user is None or (user.is_active and user.role is ROLES[name]):
        return user
    with organization.transaction():
        return organization.users.update(identity, is_active=1, role=int(ROLES[name]))


async def _send(
    server: TestServer,
    keys: dict[str, tuple[str, int]],
    request: Request,
    watch: Watch,
    found: Found,
    most_held: float,
) -> None:
    watch.longest = 0.0
    auth = None
    if request.person is not None:
        address, identity = keys[request.person]
        user = _revived(server, identity, request.person)
        # Keys may have been regenerated.
        auth = httpx2.BasicAuth(
            address if user is None else user.delivery_email, "" if user is None else user.api_key
        )
    options = cast(dict[str, Any], request.options)
    response = await server.client.request(request.method, server.url + request.path, auth=auth, **options)
    found.statuses[response.status_code] += 1
    wrong = fault(response)
    if wrong is not None:
        found.faults.append(f"{request}: {wrong}")
    if watch.longest > most_held:
        found.faults.append(f"{request}: held the event loop for {watch.longest * 1000:.0f} ms")
    found.longest = max(found.longest, watch.longest)
