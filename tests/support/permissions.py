"""Permissions in tests: accounts with certain roles, and the server's decision beside the client's prediction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from narrowcast_api.model.users import User
from narrowcast_api.state.state import State
from narrowcast_api.wire.vocabulary import Role
from support.live import ADA, BRUNO, CHIYO, make_state, user
from support.server import TestServer

ADMINISTRATORS, FRIENDS, NOBODY = 21, 22, 23
GROUPS = [
    {"id": ADMINISTRATORS, "name": "role:administrators", "is_system_group": True, "members": [BRUNO]},
    {"id": FRIENDS, "name": "friends", "members": [CHIYO], "direct_subgroup_ids": []},
    {"id": NOBODY, "name": "role:nobody", "is_system_group": True, "members": []},
]


def state_as(role: Role, **fields: object) -> State:
    """Ada's state in this role, with Bruno, an administrator, and Chiyo, a member; `fields` are of the
    organization.
    """
    people = [user(ADA, "Ada"), user(BRUNO, "Bruno", role=200), user(CHIYO, "Chiyo")]
    state = make_state(realm_users=people, realm_user_groups=GROUPS)
    for name, value in fields.items():
        state.organization.put(name, value)
    person(state, ADA, role=role)
    return state


def person(state: State, user_id: int, **fields: object) -> User:
    """Changes a user's fields."""
    known = state.users.get(user_id)
    assert known is not None
    state.users.put([replace(known, **fields)])
    return replace(known, **fields)


def set_channel(state: State, channel_id: int, **fields: Any) -> None:
    known = state.channels.get(channel_id)
    assert known is not None
    state.channels.put([known._replace(**fields)])


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
    return State.from_snapshot(listener.snapshot, now=server.organization.now())


async def allowed(
    server: TestServer, name: str, method: str, path: str, params: Mapping[str, object] | None = None
) -> bool:
    """Whether the server allows it."""
    return (await server.raw(name, method, path, params)).status_code == 200
