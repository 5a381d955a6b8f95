"""The server's own operations for more keys of one account: GET, POST /server/keys, DELETE /server/keys/ID."""

from __future__ import annotations

from typing import Final

from narrowcast_server.http.params import choice, defaulted, integer, optional, required, text_without_null
from narrowcast_server.http.routing import Answer, Call, Routes
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.rules.quotas import check_room
from narrowcast_server.storage.extra_keys import Scope

routes = Routes()

_LONGEST_NAME: Final = 60
_MOST_DAYS: Final = 3650
_DAY_SECONDS: Final = 86_400

NAME = required("name", text_without_null)
SCOPE = defaulted("scope", choice(*(scope.value for scope in Scope)), Scope.ALL.value)
DAYS = optional("days", integer)


@routes.add("GET", "/server/keys", absolute=True)
def list_keys(call: Call) -> Answer:
    """The caller's other keys, without the keys."""
    return {
        "keys": [
            {
                "id": key.id,
                "name": key.name,
                "scope": key.scope.value,
                "created": key.created,
                "expires": key.expires,
                "last_used": key.last_used,
            }
            for key in call.core.extra_keys.of(call.user.id)
        ]
    }


@routes.add("POST", "/server/keys", NAME, SCOPE, DAYS, absolute=True)
def make_key(call: Call) -> Answer:
    """A new key, which is shown this once; it ends after `days`, or with the account's password or key."""
    name, days = call[NAME].strip(), call[DAYS]
    if not name or len(name) > _LONGEST_NAME:
        raise ServiceError(f"name must have 1 to {_LONGEST_NAME} characters")
    if days is not None and not 1 <= days <= _MOST_DAYS:
        raise ServiceError(f"days must be 1 to {_MOST_DAYS}")
    check_room(call.core, call.user, "extra_keys")
    now = call.core.now()
    expires = None if days is None else now + days * _DAY_SECONDS
    identity, key = call.core.extra_keys.make(call.user.id, name, Scope(call[SCOPE]), now, expires)
    return {"id": identity, "api_key": key}


@routes.add("DELETE", "/server/keys/{key_id}", absolute=True)
def end_key(call: Call) -> Answer:
    """Ends a key, and the clients that may have used it."""
    if not call.core.extra_keys.remove(call.user.id, call.path_id("key_id")):
        raise ServiceError("Key does not exist")
    call.core.hub.end_all_of(call.user.id)
    return {}
