"""Limits on password attempts, so that strangers can neither guess passwords nor lock users out.

Attempts are counted per account, whichever name of it they use, and per place they come from. A few attempts
from one place block that place for the account; very many from all places together block the account for
places from which nobody has logged in to it before. Names without an account are limited in the same way, so
that nobody learns which names exist, but counted separately, so that made-up names cannot displace the counts
of accounts.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from narrowcast_server.organization.addresses import is_local, place_of
from narrowcast_server.organization.config import RateLimit
from narrowcast_server.organization.rate_limits import RateLimiter

if TYPE_CHECKING:
    from narrowcast_server.organization.clock import ServerClock

_ANYWHERE: Final = 20
"""How many times the attempts of one place are allowed at an account from all places together."""
_ANY_ACCOUNT: Final = 6
"""How many times the attempts at one account are allowed from one place at all accounts together."""
_MAX_PLACES: Final = 10_000


class LoginLimits:
    """The login attempts at one server."""

    def __init__(self, clock: ServerClock, attempts: RateLimit) -> None:
        """`attempts`: the limit for one account from one place."""
        self._pairs = RateLimiter(clock, (attempts,))
        self._made_up = RateLimiter(clock, (attempts,))
        self._accounts = RateLimiter(clock, (RateLimit(attempts.seconds, attempts.requests * _ANYWHERE),))
        self._places = RateLimiter(clock, (RateLimit(attempts.seconds, attempts.requests * _ANY_ACCOUNT),))
        self._familiar: OrderedDict[tuple[int, str], None] = OrderedDict()

    def hit(self, account: int | None, name: str, address: str) -> None:
        """Counts an attempt at an account (None: no account has that name); raises RATE_LIMIT_HIT."""
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
        """How many familiar places, of all accounts, are remembered."""
        return len(self._familiar)

    def succeeded(self, account: int, address: str) -> None:
        """Remembers the place as familiar to the account, and resets its attempts."""
        place = place_of(address)
        self._pairs.clear((account, place))
        self._familiar[account, place] = None
        self._familiar.move_to_end((account, place))
        while len(self._familiar) > _MAX_PLACES:
            self._familiar.popitem(last=False)
