"""The caller's API key, and this server's own operations for additional ones: GET, POST /server/keys, DELETE
/server/keys/ID.

With `bot_id` the additional keys are those of one of the caller's own bots.
"""

from __future__ import annotations

from typing import Final

from narrowcast_server.actions.keys import replace_key
from narrowcast_server.http.params import choice, defaulted, integer, optional, required, text_without_null
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import User
from narrowcast_server.resources.bots import own_bot
from narrowcast_server.rules.quotas import check_room
from narrowcast_server.storage.extra_keys import Scope

routes = Routes()

_MAX_NAME: Final = 60
_MAX_DAYS: Final = 3650
_DAY_SECONDS: Final = 86_400

NAME = required("name", text_without_null)
SCOPE = defaulted("scope", choice(*(scope.value for scope in Scope)), Scope.ALL.value)
DAYS = optional("days", integer)
BOT_ID = optional("bot_id", integer)


def _whose(call: Call) -> User:
    bot_id = call[BOT_ID]
    return call.user if bot_id is None else own_bot(call.organization, call.user, bot_id)


@routes.add("GET", "/server/keys", BOT_ID, absolute=True)
def list_keys(call: Call) -> ResponseBody:
    """The additional API keys, without the secrets."""
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
            for key in call.organization.extra_keys.of(_whose(call).id)
        ]
    }


@routes.add("POST", "/server/keys", NAME, SCOPE, DAYS, BOT_ID, absolute=True)
def make_key(call: Call) -> ResponseBody:
    """Creates a key and shows it this once; it expires after `days`, or when the account's password or key changes."""
    name, days = call[NAME].strip(), call[DAYS]
    if not name or len(name) > _MAX_NAME:
        raise ServiceError(f"name must have 1 to {_MAX_NAME} characters")
    if days is not None and not 1 <= days <= _MAX_DAYS:
        raise ServiceError(f"days must be 1 to {_MAX_DAYS}")
    account = _whose(call)
    check_room(call.organization, account, "extra_keys")
    now = call.organization.now()
    expires = None if days is None else now + days * _DAY_SECONDS
    identity, key = call.organization.extra_keys.make(account.id, name, Scope(call[SCOPE]), now, expires)
    return {"id": identity, "api_key": key}


@routes.add("DELETE", "/server/keys/{key_id}", BOT_ID, absolute=True)
def end_key(call: Call) -> ResponseBody:
    """Deletes a key, and ends all sessions of the account, since any of them may have used it."""
    account = _whose(call)
    if not call.organization.extra_keys.remove(account.id, call.path_id("key_id")):
        raise ServiceError("Key does not exist")
    call.organization.hub.end_all_of(account.id)
    return {}


@routes.post("/users/me/api_key/regenerate")
def regenerate_own_key(call: Call) -> ResponseBody:
    """Replaces the caller's API key; the one of this request becomes invalid."""
    return {"api_key": replace_key(call.organization, call.user)}
