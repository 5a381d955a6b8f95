"""How often passwords may be tried: a stranger finds none, and locks nobody out.

What counts is the account, by whatever name it is called, and where the attempt comes from. A few attempts from one
place close that place for the account; very many from everywhere close the account to places from which nobody has
signed in to it before. Names of no account are counted alike, so that nobody learns which are, but apart, so that
made-up ones cannot push out what is known of the others.
"""

from __future__ import annotations

import ipaddress
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from narrowcast_server.http.connections import is_local
from narrowcast_server.http.rate_limits import RateLimiter
from narrowcast_server.organization.config import RateLimit

if TYPE_CHECKING:
    from narrowcast_server.organization.clock import Clock

_ANYWHERE: Final = 20
"""An account may be tried so many times as often from everywhere as from one place."""
_ANY_ACCOUNT: Final = 6
"""And one place may try so many times as often at all accounts as at one."""
_MOST_PLACES: Final = 10_000


class SignInLimits:
    """The attempts at one server."""

    def __init__(self, clock: Clock, attempts: RateLimit) -> None:
        """`attempts`: at one account from one place."""
        self._pairs = RateLimiter(clock, (attempts,))
        self._made_up = RateLimiter(clock, (attempts,))
        self._accounts = RateLimiter(clock, (RateLimit(attempts.seconds, attempts.requests * _ANYWHERE),))
        self._places = RateLimiter(clock, (RateLimit(attempts.seconds, attempts.requests * _ANY_ACCOUNT),))
        self._familiar: OrderedDict[tuple[int, str], None] = OrderedDict()

    def hit(self, account: int | None, name: str, address: str) -> None:
        """Counts an attempt at an account (None: there is none of that name); raises RATE_LIMIT_HIT."""
        place = place_of(address)
        if account is not None and (account, place) in self._familiar:
            self._pairs.hit((account, place))
            return
        if not is_local(address):
            self._places.hit(place)
        if account is None:
            self._made_up.hit((name, place))
            return
        self._pairs.hit((account, place))
        self._accounts.hit(account)

    @property
    def familiar(self) -> int:
        """How many places of people it remembers."""
        return len(self._familiar)

    def succeeded(self, account: int, address: str) -> None:
        """The password was right: this place is the person's own."""
        place = place_of(address)
        self._pairs.clear((account, place))
        self._familiar[account, place] = None
        self._familiar.move_to_end((account, place))
        while len(self._familiar) > _MOST_PLACES:
            self._familiar.popitem(last=False)


def place_of(address: str) -> str:
    """Where an address is: of IPv6 the network, for whoever has one address there has all of them."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return address
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, 64), strict=False))
