"""The connection status that users see, and how it follows from successes and failures."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

from narrowcast_api import debug_log
from narrowcast_api.clock import Clock
from narrowcast_api.errors import NarrowcastError, UnusableProxy


class ConnectionKind(StrEnum):
    """The states of the connection.

    ```
    CONNECTING ──registered──> LIVE ──a poll failed──> RECONNECTING ──for a while──> OFFLINE
        │                       ^                          │                           │
        ├──failed──> RECONNECTING                          └────────works again────────┴──> LIVE
        └──the proxy cannot be used──> OFFLINE
    any ──the server does not accept the key──> REFUSED ──asked to try again──> CONNECTING
    ```
    """

    CONNECTING = "connecting"
    LIVE = "live"
    RECONNECTING = "reconnecting"
    OFFLINE = "offline"
    REFUSED = "refused"


class ConnectionStatus(NamedTuple):
    """`since` is when the trouble (or the live period) began, in UTC seconds; `detail` is the reason, for the
    user. `ended`: the account or its organization is deactivated, so that no other API key would be accepted.
    """

    kind: ConnectionKind
    since: float
    detail: str = ""
    ended: bool = False

    @property
    def is_live(self) -> bool:
        return self.kind is ConnectionKind.LIVE


OFFLINE_AFTER = 30.0
"""Seconds of trouble after which the connection counts as offline instead of reconnecting."""


class Health:
    """The status of one stream of events; the diagram is in `ConnectionKind`. `on_status` receives each new status."""

    def __init__(self, clock: Clock, on_status: Callable[[ConnectionStatus], None]) -> None:
        self._clock = clock
        self._on_status = on_status
        self._trouble_since: float | None = None
        self.status = ConnectionStatus(ConnectionKind.CONNECTING, clock.now())

    def succeeded(self) -> None:
        """Records that the server has responded."""
        self._trouble_since = None
        if not self.status.is_live:
            self._set(ConnectionKind.LIVE, "")

    def failed(self, error: Exception) -> None:
        """Records a failure with this cause."""
        debug_log.note("connection", "failed", error)
        detail = error.user_message if isinstance(error, NarrowcastError) else "an event could not be applied"
        if self._trouble_since is None:
            self._trouble_since = self._clock.monotonic()
        if isinstance(error, UnusableProxy):
            # The environment of a process does not change: only the user can help.
            self._set(ConnectionKind.OFFLINE, detail)
        elif self.status.kind is not ConnectionKind.OFFLINE:
            self._set(ConnectionKind.RECONNECTING, detail)
        self.check_offline()

    def check_offline(self) -> None:
        """Changes the status to offline if the trouble has lasted long enough."""
        since = self._trouble_since
        if since is not None and self._clock.monotonic() - since >= OFFLINE_AFTER:
            self._set(ConnectionKind.OFFLINE, self.status.detail)

    def refused(self, detail: str, *, ended: bool) -> None:
        """Records that the server does not accept the API key; with ``ended``, it would accept none for this
        account.
        """
        self._trouble_since = None  # from here on it is not a network problem
        self._set(ConnectionKind.REFUSED, detail, ended=ended)

    def connecting(self) -> None:
        """Records that another attempt was requested."""
        self._set(ConnectionKind.CONNECTING, "")

    def _set(self, kind: ConnectionKind, detail: str, *, ended: bool = False) -> None:
        in_trouble = {ConnectionKind.RECONNECTING, ConnectionKind.OFFLINE}
        goes_on = kind is self.status.kind or {kind, self.status.kind} == in_trouble
        since = self.status.since if goes_on else self._clock.now()
        status = ConnectionStatus(kind, since, detail, ended)
        if status != self.status:
            self.status = status
            debug_log.note("connection", kind.value)
            self._on_status(status)
