"""People and bots: the current user (ME rows), others (USR), administration (USRU, USRD)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.operations import (
    OMIT,
    Bound,
    Done,
    Omit,
    Operations,
    drop_unsupported,
    given,
    read,
    segment,
    text_segment,
)
from narrowcast_api.http.secret import Secret
from narrowcast_api.model.users import User
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.users import ChannelsOfUser, CreatedUser, OwnUserResponse, UserList, UserResponse
from narrowcast_api.wire.vocabulary import DeactivationAction, Role


async def get_own_user(connection: Connection) -> User:
    """GET /users/me: the current user (ME-01). Takes no parameters; `max_message_id` is deprecated."""
    user = read(OwnUserResponse, await connection.request("GET", "/users/me")).user
    connection.own_user_id = user.user_id
    return user


async def get_user(
    connection: Connection,
    *,
    user_id: int,
    client_gravatar: bool = True,
    include_custom_profile_fields: bool = False,
) -> User:
    """GET /users/{user_id} (USR-01). `profile_data` is included only on request, and only for people.

    `client_gravatar` is always sent, because its default changed at level 92 (USR-04). HTML values of profile
    fields are untrusted, like message content (USR-28). Raises BadRequest for an unknown id.
    """
    path = f"/users/{segment(user_id, 'user_id')}"
    params = {
        "client_gravatar": client_gravatar,
        "include_custom_profile_fields": include_custom_profile_fields,
    }
    return read(UserResponse, await connection.request("GET", path, params)).user


async def list_channels_of_user(connection: Connection, *, user_id: int) -> list[int]:
    """GET /users/{user_id}/channels: the ids of a user's channels, as far as the current user may see them;
    level 440, else Unsupported.
    """
    path = f"/users/{segment(user_id, 'user_id')}/channels"
    (await connection.identified()).require(Gate.CHANNELS_OF_USER)
    return read(ChannelsOfUser, await connection.request("GET", path)).subscribed_channel_ids


async def get_user_by_email(
    connection: Connection,
    *,
    email: str,
    client_gravatar: bool = True,
    include_custom_profile_fields: bool = False,
) -> User:
    """GET /users/{email}: a user by API email address or real one (outside the contract)."""
    params = {
        "client_gravatar": client_gravatar,
        "include_custom_profile_fields": include_custom_profile_fields,
    }
    response = await connection.request("GET", f"/users/{text_segment(email, 'email')}", params)
    return read(UserResponse, response).user


async def list_users(
    connection: Connection, *, client_gravatar: bool = True, include_custom_profile_fields: bool = False
) -> UserList:
    """GET /users: all users, including deactivated ones (outside the contract)."""
    params = {
        "client_gravatar": client_gravatar,
        "include_custom_profile_fields": include_custom_profile_fields,
    }
    return read(UserList, await connection.request("GET", "/users", params))


async def create_user(connection: Connection, *, email: str, password: Secret, full_name: str) -> CreatedUser:
    """POST /users: create an account; for administrators whom the server permits to do so (outside the contract)."""
    params = {"email": email, "password": password, "full_name": full_name}
    return read(CreatedUser, await connection.request("POST", "/users", params))


async def update_user(
    connection: Connection,
    *,
    user_id: int,
    full_name: str | Omit = OMIT,
    role: Role | int | Omit = OMIT,
    profile_data: Mapping[int, object] | Omit = OMIT,
    new_email: str | Omit = OMIT,
) -> Done:
    """PATCH /users/{user_id}: change a user; only what is given is sent (USRU-01). Administrators only.

    `profile_data` maps ids of custom fields to values (None clears one); it is sent as a list of id and value
    (USRU-08). `new_email` needs level 285 (Unsupported below) and an owner who may change addresses. Only
    owners can grant or revoke the owner role. Raises PermissionDenied or BadRequest if the server rejects the
    change: a guest cannot become an administrator in one step, and the only owner must stay one.
    """
    path = f"/users/{segment(user_id, 'user_id')}"
    params = given(full_name=full_name, new_email=new_email)
    if not isinstance(role, Omit):
        params["role"] = _role(role)
    if not isinstance(profile_data, Omit):
        params["profile_data"] = [{"id": key, "value": value} for key, value in profile_data.items()]
    if not params:
        raise InvalidInput("nothing to change")
    if "new_email" in params:
        (await connection.identified()).require(Gate.NEW_EMAIL)
    return read(Done, await connection.request("PATCH", path, params))


async def deactivate_user(
    connection: Connection,
    *,
    user_id: int,
    notification_comment: str | Omit | None = OMIT,
    also_delete: Iterable[DeactivationAction | str] = (),
) -> Done:
    """DELETE /users/{user_id}: deactivate a user (USRD-01). Administrators only.

    `notification_comment`: by default or with None, the user is not notified; '' sends an email without a
    comment; any other text is included in the email. Below level 135 it is left out, with a notice (USRD-06).
    `also_delete` names what the server deletes with the account, and with those of the user's bots; it needs
    level 459, else Unsupported. Raises BadRequest (CannotDeactivateLastUser) for the only owner.
    """
    path = f"/users/{segment(user_id, 'user_id')}"
    params: dict[str, object] = {}
    if deleted := _deleted(also_delete):
        (await connection.identified()).require(Gate.DEACTIVATION_ACTIONS)
        params["actions"] = deleted
    notices: list[str] = []
    if isinstance(notification_comment, str):
        params["deactivation_notification_comment"] = notification_comment
        server = await connection.identified()
        notices = drop_unsupported(
            server, Gate.DEACTIVATION_COMMENT, params, "deactivation_notification_comment"
        )
    return read(Done, await connection.request("DELETE", path, params), notices)


def _deleted(names: Iterable[DeactivationAction | str]) -> dict[str, bool]:
    try:
        return {f"delete_{DeactivationAction(name)}": True for name in names}
    except ValueError as error:
        raise InvalidInput(f"cannot be deleted with an account: {error}") from None


async def deactivate_own_user(connection: Connection) -> Done:
    """DELETE /users/me: deactivate the current user, unless it is the only owner (outside the contract)."""
    return read(Done, await connection.request("DELETE", "/users/me"))


async def reactivate_user(connection: Connection, *, user_id: int) -> Done:
    """POST /users/{user_id}/reactivate: reactivate a user; administrators only (outside the contract)."""
    path = f"/users/{segment(user_id, 'user_id')}/reactivate"
    return read(Done, await connection.request("POST", path))


async def update_own_profile_data(connection: Connection, *, values: Mapping[int, object]) -> Done:
    """PATCH /users/me/profile_data: set the current user's custom profile fields by id (outside the contract)."""
    data = [{"id": key, "value": value} for key, value in values.items()]
    return read(Done, await connection.request("PATCH", "/users/me/profile_data", {"data": data}))


async def clear_own_profile_data(connection: Connection, *, field_ids: list[int]) -> Done:
    """DELETE /users/me/profile_data: clear custom profile fields of the current user (outside the contract)."""
    return read(Done, await connection.request("DELETE", "/users/me/profile_data", {"data": field_ids}))


def _role(role: Role | int) -> Role:
    try:
        return Role(role)
    except ValueError:
        raise InvalidInput(f"{role} is not a role") from None


class UserOperations(Operations):
    """People and bots: list, create, change, deactivate."""

    channels = Bound(list_channels_of_user)
    me = Bound(get_own_user)
    get = Bound(get_user)
    get_by_email = Bound(get_user_by_email)
    list = Bound(list_users)
    create = Bound(create_user)
    update = Bound(update_user)
    deactivate = Bound(deactivate_user)
    deactivate_me = Bound(deactivate_own_user)
    reactivate = Bound(reactivate_user)
    update_my_profile = Bound(update_own_profile_data)
    clear_my_profile = Bound(clear_own_profile_data)
