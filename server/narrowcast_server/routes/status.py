"""User status (rows STAT; reading it is outside the contract, STAT-23)."""

from __future__ import annotations

from narrowcast_api.wire.levels import Gate
from narrowcast_server.http.params import boolean, optional, text_without_null
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.errors import insufficient_permission, no_such_user
from narrowcast_server.organization.models import User
from narrowcast_server.organization.people import check_active, person
from narrowcast_server.queries.status import status_of
from narrowcast_server.resources.status import set_status
from narrowcast_server.rules.permissions import Callers
from narrowcast_server.rules.visibility import check_sees

routes = Routes()

TEXT = optional("status_text", text_without_null)
EMOJI_NAME = optional("emoji_name", text_without_null, since=Gate.STATUS_EMOJI.level)
EMOJI_CODE = optional("emoji_code", text_without_null, since=Gate.STATUS_EMOJI.level)
REACTION_TYPE = optional("reaction_type", text_without_null, since=Gate.STATUS_EMOJI.level)
AWAY = optional("away", boolean)


def _set(call: Call, user: User, away: bool | None) -> ResponseBody:
    if user.is_bot:
        raise no_such_user()
    set_status(
        call.core,
        user,
        text=call[TEXT],
        emoji_name=call[EMOJI_NAME],
        emoji_code=call[EMOJI_CODE],
        reaction_type=call[REACTION_TYPE],
        away=away,
    )
    return {}


@routes.post("/users/me/status", TEXT, EMOJI_NAME, EMOJI_CODE, REACTION_TYPE, AWAY, callers=Callers.PEOPLE)
def set_own_status(call: Call) -> ResponseBody:
    """Changes the parts of the caller's status that the request carries (STAT-01)."""
    return _set(call, call.user, call[AWAY])


@routes.post("/users/{user_id}/status", TEXT, EMOJI_NAME, EMOJI_CODE, REACTION_TYPE, callers=Callers.PEOPLE)
def set_status_of(call: Call) -> ResponseBody:
    """Changes the status of a user; only administrators may change that of others."""
    user = person(call.core, call.path_id("user_id"))
    if user.id != call.user.id and not call.user.is_administrator:
        raise insufficient_permission()
    return _set(call, user, None)


@routes.get("/users/{user_id}/status")
def get_status(call: Call) -> ResponseBody:
    user = person(call.core, call.path_id("user_id"))
    check_sees(call.core, call.user, user)
    check_active(user)
    return {"status": status_of(call.core, user)}
