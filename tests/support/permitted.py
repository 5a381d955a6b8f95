"""What the server says to somebody, beside what the client says before."""

from __future__ import annotations

from collections.abc import Mapping

from narrowcast_api.state.state import State
from support.server import TestServer

PEOPLE = ("ada", "bruno", "chiyo", "dario", "hugo")
"""First names: an owner, an administrator, a moderator, a member, a guest."""


async def state_of(server: TestServer, name: str) -> State:
    """Somebody's state, from a registration now."""
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
    """Whether the server does it."""
    return (await server.raw(name, method, path, params)).status_code == 200
