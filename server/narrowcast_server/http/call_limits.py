"""Limits on requests: how many a caller may send over time, how many may be in progress at once, and how many
of these are processed at once.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Final
from weakref import WeakValueDictionary

from starlette.requests import Request

from narrowcast_server.http.routing import Endpoint
from narrowcast_server.organization.addresses import is_local
from narrowcast_server.organization.models import User
from narrowcast_server.organization.rate_limits import Headers, RateLimiter, rate_limited

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

_PAUSE_SECONDS: Final = 1.0
_EVENTS: Final = "/events"
_TURNS: Final = 2
_COST_SECONDS: Final = 0.02
"""A request counts once more for each time that its processing takes this long."""


class CallLimiter:
    """The request limits of one server."""

    def __init__(self, organization: Organization) -> None:
        config = organization.config
        self._organization = organization
        self._calls = RateLimiter(organization.clock, config.rate_limits)
        self._event_calls = RateLimiter(organization.clock, config.event_rate_limits)
        self._anonymous = RateLimiter(organization.clock, config.anonymous_rate_limits)
        self._under_way: Counter[int] = Counter()
        self._turns: WeakValueDictionary[int, asyncio.Semaphore] = WeakValueDictionary()
        """By account, whose bots share its turns; only of accounts with requests."""

    @contextmanager
    def counted(self, user: User | None, request: Request, endpoint: Endpoint) -> Iterator[Headers]:
        """Counts a request while it is being handled; yields the rate limit headers of its response.

        Raises RATE_LIMIT_HIT if a limit is reached.
        """
        if user is None:
            address = address_of(request)
            yield {} if is_local(address) else self._anonymous.hit(address)
            return
        headers = (self._event_calls if endpoint.path == _EVENTS else self._calls).hit(user.id)
        if self._under_way[user.id] >= self._organization.config.quotas.requests_at_once:
            raise rate_limited(_PAUSE_SECONDS)
        self._under_way[user.id] += 1
        try:
            yield headers
        finally:
            self._under_way[user.id] -= 1
            if not self._under_way[user.id]:
                del self._under_way[user.id]

    @asynccontextmanager
    async def turn(self, user: User | None, endpoint: Endpoint) -> AsyncIterator[None]:
        """Waits until a request whose body has arrived may be processed: of one account two at once are, so that
        others are served before its third. What the processing costs counts against the account's limit.

        Requests for events and uploads wait for their clients, so they need no turn.
        """
        if user is None or endpoint.path == _EVENTS or endpoint.streaming:
            yield
            return
        account = user.id if user.bot_owner_id is None else user.bot_owner_id
        async with self._turns.setdefault(account, asyncio.Semaphore(_TURNS)):
            begun = self._organization.clock.monotonic()
            try:
                yield
            finally:
                taken = self._organization.clock.monotonic() - begun
                self._calls.add(user.id, int(taken / _COST_SECONDS))


def address_of(request: Request) -> str:
    """The client's address, as seen by this server or by its proxy; empty if unknown."""
    return request.client.host if request.client else ""
