"""Closes connections whose request was cancelled while they were established: httpcore2 leaves those open.

The `trace` extension of a request reports each step of it:
https://www.python-httpx.org/advanced/extensions/#trace
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_STEPS_AFTER_CONNECTING = (".start_tls.failed", ".setup_socks5_connection.failed")


class ConnectionGuard:
    """The `trace` extension of one request: closes its connection if TLS or SOCKS fails or is cancelled."""

    def __init__(self) -> None:
        self._stream: Any = None

    async def __call__(self, step: str, values: Mapping[str, Any]) -> None:
        if step.endswith(".connect_tcp.complete"):
            self._stream = values["return_value"]
        elif step.endswith(_STEPS_AFTER_CONNECTING) and self._stream is not None:
            await self._stream.aclose()
