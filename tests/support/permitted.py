"""Compares the server's decision about a permission with the client's prediction."""

from __future__ import annotations

from collections.abc import Mapping

from narrowcast_api.state.state import State
from support.server import TestServer

PEOPLE = ("ada", "bruno", "chiyo", "dario", "hugo")
"""First names of an owner, an administrator, a moderator, a member and a guest."""


async def state_of(server: TestServer, name: str) -> State:
    """Returns a user's state, from a new registration."""
    listener = await server.listen(
        name,
        client_capabilities={
            "include_deactivated_groups": True,
            "archived_channels": True,
            "empty_topic_name": True,
        },
    )
    return State.from_snapshot(listener.snapshot, now=server.core.now())


async def allowed(
    server: TestServer, name: str, method: str, path: str, params: Mapping[str, object] | None = None
) -> bool:
    """Whether the server allows it."""
    return (await server.raw(name, method, path, params)).status_code == 200
