"""The app's connection as extensions see it.

Each request runs as a task of its own, so that interrupting or cancelling an extension never interrupts the app's
own code; and only the app can close the connection.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from narrowcast.extensions.limits import uninterrupted

if TYPE_CHECKING:
    from narrowcast_api.client import Client
    from narrowcast_api.http.connection import Connection

__all__ = ["isolated_client"]


class _IsolatedConnection:
    """A proxy for a connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._connection, name)
        return _as_task(value) if inspect.iscoroutinefunction(value) else value

    async def aclose(self) -> None:
        """Does nothing: only the app closes its connection."""


def _as_task(function: Callable[..., Any]) -> Callable[..., Any]:
    async def call(*args: Any, **kwargs: Any) -> Any:
        with uninterrupted():
            task = asyncio.get_running_loop().create_task(function(*args, **kwargs))
        return await task

    return call


def isolated_client(client: Client) -> Client:
    """A client that shares the connection of ``client``."""
    return type(client)(cast("Connection", _IsolatedConnection(client.connection)))
