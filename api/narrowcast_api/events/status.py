"""The connection status that users see. Cheap to import."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


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
