"""Users: the caller, one, all (rows ME, USR)."""

from __future__ import annotations

from narrowcast_api.wire.levels import Gate
from narrowcast_server.http.params import boolean, defaulted, integers, optional
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.models import User
from narrowcast_server.queries.users import newest_message_id, people, profile_data, user_object
from narrowcast_server.rules.visibility import check_sees, visible_ids

routes = Routes()

CLIENT_GRAVATAR = defaulted("client_gravatar", boolean, True, below=(Gate.GRAVATAR_DEFAULT.level, False))
INCLUDE_PROFILE = defaulted("include_custom_profile_fields", boolean, False)
USER_IDS = optional("user_ids", integers)


@routes.get("/users/me")
def get_own_user(call: Call) -> ResponseBody:
    organization, user = call.organization, call.user
    newest = newest_message_id(organization, user)
    data = profile_data(organization, [user.id]).get(user.id, {})
    shown = user_object(organization, user, user, client_gravatar=False, profile_data=data)
    if not user.is_bot:
        del shown["bot_type"]
    return {
        **shown,
        "max_message_id": -1 if newest is None else newest,
    }


@routes.get("/users/{user_id}", INCLUDE_PROFILE, CLIENT_GRAVATAR)
def get_user(call: Call) -> ResponseBody:
    """A user by id or API email address (USR-01)."""
    user = call.path_user("user_id")
    check_sees(call.organization, call.user, user)
    return {"user": _shown(call, [user])[0]}


@routes.get("/users", INCLUDE_PROFILE, USER_IDS, CLIENT_GRAVATAR)
def get_users(call: Call) -> ResponseBody:
    """All users whom the caller may see, or those of them in `user_ids`."""
    user_ids = call[USER_IDS]
    seen = visible_ids(call.organization, call.user)
    users = [user for user in people(call.organization) if seen is None or user.id in seen]
    if user_ids is not None:
        ids = set(user_ids)
        users = [user for user in users if user.id in ids]
    return {"members": _shown(call, users)}


def _shown(call: Call, users: list[User]) -> list[dict[str, object]]:
    organization = call.organization
    data = profile_data(organization, [user.id for user in users]) if call[INCLUDE_PROFILE] else None
    return [
        user_object(
            organization,
            call.user,
            user,
            client_gravatar=call[CLIENT_GRAVATAR],
            profile_data=None if data is None else data.get(user.id, {}),
        )
        for user in users
    ]
