"""Users: the caller, one, all (rows ME, USR), and what administrators change (rows USRU, USRD)."""

from __future__ import annotations

from typing import Final

from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import Role
from narrowcast_server.http.params import (
    Param,
    boolean,
    defaulted,
    integer_choice,
    integers,
    limited,
    nullable,
    optional,
    required,
    string,
    text_without_null,
    values_by_id,
)
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.errors import insufficient_permission, no_such_user
from narrowcast_server.organization.models import User
from narrowcast_server.organization.passwords import check_password
from narrowcast_server.queries.users import newest_message_id, people, profile_data, user_object
from narrowcast_server.resources import profile_values
from narrowcast_server.resources.joining import announce_newcomer
from narrowcast_server.resources.users import changes as user_admin
from narrowcast_server.resources.users.accounts import (
    check_bot_name,
    check_full_name,
    check_own_address,
    create_user,
)
from narrowcast_server.rules.accounts import (
    administered,
    check_may_change_address,
    check_may_create,
    check_may_leave,
    check_role,
)
from narrowcast_server.rules.permissions import Callers
from narrowcast_server.rules.visibility import check_sees, found_by_address, visible_ids

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


MAX_COMMENT: Final = 2000
FULL_NAME = optional("full_name", text_without_null)
ROLE = optional("role", integer_choice(*Role, listed=True))
PROFILE_DATA = optional("profile_data", values_by_id)
NEW_ADDRESS = optional("new_email", text_without_null, since=Gate.NEW_EMAIL.level)
COMMENT: Param[str | None] = optional(
    "deactivation_notification_comment",
    nullable(limited(MAX_COMMENT, text_without_null)),
    since=Gate.DEACTIVATION_COMMENT.level,
)
EMAIL = required("email", text_without_null)
PASSWORD = required("password", string)
NAME = required("full_name", text_without_null)


def _account(call: Call) -> User:
    """The account in the path, by id or email address."""
    text = call.path["user_id"]
    if not text.isdigit() and "@" in text:
        user = found_by_address(call.organization, call.user, text)
        return administered(call.organization, call.user, -1 if user is None else user.id)
    return administered(call.organization, call.user, call.path_id("user_id"))


@routes.patch("/users/{user_id}", FULL_NAME, ROLE, PROFILE_DATA, NEW_ADDRESS)
def update_user(call: Call) -> ResponseBody:
    """Changes an account (USRU-01): everything that the request carries, or nothing."""
    organization, user = call.organization, _account(call)
    role = call[ROLE]
    if role is not None:
        check_role(organization, call.user, user, Role(role))
    if call[NEW_ADDRESS] is not None:
        call.require_main_key()  # a password reset link sent to the new address would show the account's own key
        check_may_change_address(call.user)
        user_admin.change_address(organization, user, call[NEW_ADDRESS] or "")
    # An empty name means no change, for clients that always send the field.
    if call[FULL_NAME]:
        check = check_bot_name if user.is_bot else check_full_name
        user_admin.change_name(organization, user, check(organization, call[FULL_NAME] or "", user))
    if role is not None:
        user_admin.change_role(organization, user, Role(role))
    for field_id, value in (call[PROFILE_DATA] or {}).items():
        profile_values.set_value(organization, user, field_id, value, by_user=False)
    return {}


@routes.delete("/users/{user_id}", COMMENT)
def deactivate_user(call: Call) -> ResponseBody:
    """Deactivates an account (USRD-01)."""
    user = _account(call)
    if not call.user.is_administrator:
        raise insufficient_permission()
    if user.is_bot:  # bots have an operation of their own
        raise no_such_user()
    user_admin.deactivate(call.organization, call.user, user, call[COMMENT])
    return {}


@routes.delete("/users/me")
def deactivate_self(call: Call) -> ResponseBody:
    """Deactivates the caller's own account; raises an error for the only owner."""
    check_may_leave(call.organization, call.user)
    user_admin.deactivate(call.organization, call.user, call.user, None)
    return {}


@routes.post("/users/{user_id}/reactivate")
def reactivate_user(call: Call) -> ResponseBody:
    """Reactivates an account."""
    user = _account(call)
    if not call.user.is_administrator:
        raise insufficient_permission()
    user_admin.reactivate(call.organization, call.user, user)
    return {}


@routes.post("/users", EMAIL, PASSWORD, NAME, callers=Callers.ADMINISTRATORS)
async def add_user(call: Call) -> ResponseBody:
    """Creates an account with a password, if the caller may (zulip.com/api/create-user)."""
    check_may_create(call.user)
    organization = call.organization
    check_password(call[PASSWORD])
    password_hash = await organization.passwords.hashed(call[PASSWORD])
    with organization.transaction():
        call.confirm()
        check_may_create(call.user)
        email = check_own_address(organization, call[EMAIL])
        name = check_full_name(organization, call[NAME])
        user = create_user(organization, email=email, full_name=name, password_hash=password_hash)
        announce_newcomer(organization, user)
    return {"user_id": user.id}
