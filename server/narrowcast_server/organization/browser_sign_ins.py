"""People who signed in on this server's page, until a program has fetched their API key: kept in memory only."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from hmac import compare_digest
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from narrowcast_server.organization.clock import ServerClock

TOKEN_SECONDS: Final = 15.0
SESSION_SECONDS: Final = 60.0
_MOST: Final = 1000
"""How many are kept of each kind; the oldest make way."""


@dataclass(frozen=True, slots=True)
class BrowserSession:
    """A session that may fetch an API key once, and the token that such a request must repeat."""

    user_id: int
    csrf: str
    expires: float


class BrowserSignIns:
    """The tokens that open a session, and the sessions."""

    def __init__(self, clock: ServerClock) -> None:
        self._clock = clock
        self._tokens: dict[str, tuple[int, float]] = {}
        self._sessions: dict[str, BrowserSession] = {}

    def make_token(self, user_id: int) -> str:
        """A token that opens a session of the user: once, within 15 seconds."""
        token = secrets.token_urlsafe(32)
        _make_room(self._tokens)
        self._tokens[token] = (user_id, self._clock.monotonic() + TOKEN_SECONDS)
        return token

    def open_session(self, token: str) -> tuple[str, BrowserSession] | None:
        """The name and the values of a new session; None if the token is unknown, used or too old."""
        user_id, expires = self._tokens.pop(token, (0, 0.0))
        now = self._clock.monotonic()
        if now >= expires:
            return None
        session = BrowserSession(user_id, secrets.token_urlsafe(32), now + SESSION_SECONDS)
        name = secrets.token_urlsafe(32)
        _make_room(self._sessions)
        self._sessions[name] = session
        return name, session

    def use_session(self, name: str, csrf: str) -> int | None:
        """Ends a session; returns its user, or None if there is no such session or the second token is wrong."""
        session = self._sessions.pop(name, None)
        if session is None or self._clock.monotonic() >= session.expires:
            return None
        return session.user_id if compare_digest(session.csrf.encode(), csrf.encode()) else None


def _make_room(kept: dict[str, Any]) -> None:
    while len(kept) >= _MOST:
        del kept[next(iter(kept))]
