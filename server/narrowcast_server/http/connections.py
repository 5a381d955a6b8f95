"""All connections of the server: how many there may be, and how long each step may take.

Before a peer has authenticated, its connections cost it nothing, so they are bounded: connections that wait
for a request are closed to make room for new ones, and peers that send or read too slowly are cut off.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from typing import TYPE_CHECKING, Final, Protocol

from narrowcast_server.organization.addresses import is_local

if TYPE_CHECKING:
    from narrowcast_server.organization.config import ConnectionLimits

_SWEEP_SECONDS: Final = 1.0


class ClientConnection(Protocol):
    """What `Connections` needs of a connection."""

    @property
    def address(self) -> str:
        """The peer's address, empty if it has none."""

    @property
    def idle_since(self) -> float | None:
        """Since when it waits for a request, by the event loop's clock; None while one is being handled."""

    @property
    def is_gone(self) -> bool: ...

    @property
    def unread(self) -> int:
        """Bytes that the peer has not read yet."""

    def is_too_slow(self, now: float) -> bool:
        """Whether the peer has exceeded the time limit of the current step."""

    def cut(self) -> None: ...


class Connections:
    """The open connections of one event loop."""

    def __init__(self, limits: ConnectionLimits, descriptors: int) -> None:
        """`descriptors`: how many files this process may open."""
        self.limits = limits
        self._most = max(min(limits.most, descriptors - limits.spare_descriptors), 1)
        self._open: set[ClientConnection] = set()
        self._by_address: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._open)

    @property
    def busy(self) -> int:
        """How many connections are not waiting for a request."""
        return sum(connection.idle_since is None for connection in self._open)

    @property
    def unread(self) -> int:
        """Bytes of responses that peers have not read yet."""
        return sum(connection.unread for connection in self._open)

    def admit(self, connection: ClientConnection) -> bool:
        """Counts a new connection, closing idle ones to make room; False if there is no room."""
        address = connection.address
        if not is_local(address) and self._by_address.get(address, 0) >= self.limits.most_an_address:
            self._make_room(address)
            if self._by_address.get(address, 0) >= self.limits.most_an_address:
                return False
        if len(self._open) >= self._most:
            self._make_room(None)
            if len(self._open) >= self._most:
                return False
        self._open.add(connection)
        self._by_address[address] = self._by_address.get(address, 0) + 1
        return True

    def bound_unread(self) -> None:
        """Cuts off connections until the unread responses fit into the limit: of the address with the most, the
        one that waits for a request for longest.
        """
        excess = self.unread - self.limits.most_unread_bytes
        if excess <= 0:
            return
        unread: Counter[str] = Counter()
        for connection in self._open:
            unread[connection.address] += connection.unread
        by_age = sorted(self._open, key=_by_age)
        while excess > 0:
            address, _ = unread.most_common(1)[0]
            oldest = next(each for each in by_age if each.address == address and each.unread)
            by_age.remove(oldest)
            excess -= oldest.unread
            unread[address] -= oldest.unread
            self._cut(oldest)

    def leave(self, connection: ClientConnection) -> None:
        if connection not in self._open:
            return
        self._open.remove(connection)
        left = self._by_address[connection.address] - 1
        if left:
            self._by_address[connection.address] = left
        else:
            del self._by_address[connection.address]

    def sweep(self, now: float) -> None:
        """Cuts off connections that are too slow, and forgets those that have closed."""
        for connection in tuple(self._open):
            if connection.is_gone:
                self.leave(connection)
            elif connection.is_too_slow(now):
                self._cut(connection)

    async def sweep_forever(self) -> None:
        """Sweeps once a second, in real time; runs until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(_SWEEP_SECONDS)
            self.sweep(loop.time())

    def _make_room(self, address: str | None) -> None:
        """Cuts off the twentieth that has been idle for longest: several at once, since the search takes time."""
        idle = [
            (connection.idle_since, number, connection)
            for number, connection in enumerate(self._open)
            if connection.idle_since is not None and address in (None, connection.address)
        ]
        for _, _, connection in sorted(idle)[: max(len(idle) // 20, 1)]:
            self._cut(connection)

    def _cut(self, connection: ClientConnection) -> None:
        self.leave(connection)
        connection.cut()


def _by_age(connection: ClientConnection) -> float:
    return math.inf if connection.idle_since is None else connection.idle_since
