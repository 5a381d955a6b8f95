"""The current user's settings, muted users and alert words (outside the contract)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.operations import Bound, Done, Operations, read, segment, texts
from narrowcast_api.http.secret import Secret
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.users import AlertWords, ApiKey
from narrowcast_api.wire.vocabulary import NOT_FOR_OTHERS


async def update_settings(connection: Connection, *, settings: Mapping[str, object]) -> Done:
    """PATCH /settings: change settings by name, e.g. `{"enter_sends": True}`; level 80, else Unsupported.

    Names that the server does not know are in the response's `ignored_parameters_unsupported`. Passwords are `Secret`s.
    """
    if not settings:
        raise InvalidInput("no settings given")
    (await connection.identified()).require(Gate.SETTINGS_ENDPOINT)
    return read(Done, await connection.request("PATCH", "/settings", settings))


async def update_settings_of_users(
    connection: Connection,
    *,
    settings: Mapping[str, object],
    user_ids: Iterable[int] = (),
    group_ids: Iterable[int] = (),
    skip_if_already_edited: bool,
) -> Done:
    """PATCH /settings: change settings of these users and of the members of these groups, bots excepted; for
    administrators; level 444, else Unsupported.

    With `skip_if_already_edited`, a user who has changed a setting keeps that one. Raises InvalidInput without
    users and groups, and for settings that only the users themselves can change.
    """
    target = {"user_ids": list(user_ids), "group_ids": list(group_ids)}
    own = sorted(NOT_FOR_OTHERS & settings.keys())
    if not settings or own:
        raise InvalidInput(f"only users themselves can change {own[0]}" if own else "no settings given")
    if not any(target.values()):
        raise InvalidInput("no users and no groups given")
    (await connection.identified()).require(Gate.SETTINGS_OF_OTHERS)
    params = {**settings, "target_users": {**target, "skip_if_already_edited": skip_if_already_edited}}
    return read(Done, await connection.request("PATCH", "/settings", params))


async def change_password(connection: Connection, *, old: Secret, new: Secret) -> Secret | None:
    """PATCH /settings: change the password; level 80, else Unsupported. Raises BadRequest if the old one is wrong.

    Returns the new API key if the server replaces the key along with the password, else None.
    """
    (await connection.identified()).require(Gate.SETTINGS_ENDPOINT)
    passwords = {"old_password": old, "new_password": new}
    key = (await connection.request("PATCH", "/settings", passwords)).get("api_key")
    return Secret(key) if isinstance(key, str) else None


async def regenerate_api_key(connection: Connection) -> Secret:
    """POST /users/me/api_key/regenerate: returns a new API key; the current one stops working at once."""
    response = await connection.request("POST", "/users/me/api_key/regenerate")
    return Secret(read(ApiKey, {"email": "", **response}).api_key)


async def mute_user(connection: Connection, *, user_id: int) -> Done:
    """POST /users/me/muted_users/{user_id}; level 48, else Unsupported. Raises BadRequest if the user is
    already muted or is the current user.
    """
    path = f"/users/me/muted_users/{segment(user_id, 'user_id')}"
    (await connection.identified()).require(Gate.MUTED_USERS)
    return read(Done, await connection.request("POST", path))


async def unmute_user(connection: Connection, *, user_id: int) -> Done:
    """DELETE /users/me/muted_users/{user_id}; level 48, else Unsupported. Raises BadRequest if not muted."""
    path = f"/users/me/muted_users/{segment(user_id, 'user_id')}"
    (await connection.identified()).require(Gate.MUTED_USERS)
    return read(Done, await connection.request("DELETE", path))


async def get_alert_words(connection: Connection) -> list[str]:
    """GET /users/me/alert_words: words that notify the current user when a message contains them."""
    return read(AlertWords, await connection.request("GET", "/users/me/alert_words")).alert_words


async def add_alert_words(connection: Connection, *, words: Iterable[str]) -> list[str]:
    """POST /users/me/alert_words: add words; returns the complete list."""
    params = {"alert_words": texts(words, "words")}
    return read(AlertWords, await connection.request("POST", "/users/me/alert_words", params)).alert_words


async def remove_alert_words(connection: Connection, *, words: Iterable[str]) -> list[str]:
    """DELETE /users/me/alert_words: remove words; returns the remaining ones."""
    params = {"alert_words": texts(words, "words")}
    return read(AlertWords, await connection.request("DELETE", "/users/me/alert_words", params)).alert_words


class SettingOperations(Operations):
    """The current user's settings."""

    update = Bound(update_settings)
    update_of_users = Bound(update_settings_of_users)
    change_password = Bound(change_password)
    regenerate_api_key = Bound(regenerate_api_key)
    mute_user = Bound(mute_user)
    unmute_user = Bound(unmute_user)
    alert_words = Bound(get_alert_words)
    add_alert_words = Bound(add_alert_words)
    remove_alert_words = Bound(remove_alert_words)
