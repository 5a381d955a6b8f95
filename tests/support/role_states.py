"""A small account of a user with a certain role, for tests of permissions."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from narrowcast_api.model.users import User
from narrowcast_api.state.state import State
from narrowcast_api.wire.vocabulary import Role
from support.live import ADA, BRUNO, CHIYO, make_state, user

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
