"""Users' values of custom profile fields (USRU-08, USRU-17, USR-24, USR-28)."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.vocabulary import ProfileFieldType
from narrowcast_server.actions.urls import check_url
from narrowcast_server.http.params import integers, required, values_by_id
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.checks import check_length
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import User
from narrowcast_server.queries.rendering import rendered_apart
from narrowcast_server.resources.profile_fields import choices, definition
from narrowcast_server.rules.permissions import Callers
from narrowcast_server.rules.visibility import watchers
from narrowcast_server.storage.store import Row

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

MAX_SHORT: Final = 50
MAX_LONG: Final = 500
_RENDERED: Final = {ProfileFieldType.SHORT_TEXT, ProfileFieldType.LONG_TEXT}


def set_value(organization: Organization, user: User, field_id: int, value: object, *, by_user: bool) -> None:
    """Stores a user's value of a field; null and empty values remove it. Raises BAD_REQUEST if it is invalid."""
    row = definition(organization, field_id)
    if by_user and not row["editable_by_user"]:
        raise ServiceError("You are not allowed to change this field. Contact an administrator to update it.")
    if value is None or value in ("", []):
        remove_value(organization, user, field_id, by_user=by_user)
        return
    kind = ProfileFieldType(row["type"])
    text = _checked(organization, row, kind, value)
    rendered = rendered_apart(organization, text) if kind in _RENDERED else None
    written = organization.store.execute(
        "INSERT INTO profile_values VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value,"
        " rendered_value = excluded.rendered_value"
        " WHERE (value, rendered_value) IS NOT (excluded.value, excluded.rendered_value)",
        user.id, field_id, text, rendered,
    )  # fmt: skip
    if not written:
        return
    changed: dict[str, object] = {"id": field_id, "value": text}
    if rendered is not None:
        changed["rendered_value"] = rendered
    _emit_value(organization, user, changed)


def remove_value(organization: Organization, user: User, field_id: int, *, by_user: bool) -> None:
    """Removes a user's value of a field."""
    row = definition(organization, field_id)
    if by_user and not row["editable_by_user"]:
        raise ServiceError("You are not allowed to change this field. Contact an administrator to update it.")
    if organization.store.execute(
        "DELETE FROM profile_values WHERE user_id = ? AND field_id = ?", user.id, field_id
    ):
        _emit_value(organization, user, {"id": field_id, "value": None})


def _emit_value(organization: Organization, user: User, changed: dict[str, object]) -> None:
    person = {"user_id": user.id, "custom_profile_field": changed}
    organization.emit({"type": "realm_user", "op": "update", "person": person}, watchers(organization, user))


def _checked(organization: Organization, row: Row, kind: ProfileFieldType, value: object) -> str:
    name = row["name"]
    if kind is ProfileFieldType.USERS:
        return _checked_people(organization, name, value)
    if not isinstance(value, str):
        raise ServiceError(f"{name} is not a string")
    limit = MAX_LONG if kind is ProfileFieldType.LONG_TEXT else MAX_SHORT
    if kind is ProfileFieldType.SELECT:
        if value not in choices(row["field_data"]):
            raise ServiceError(f"'{value}' is not a valid choice for '{name}'.")
    elif kind is ProfileFieldType.DATE:
        _check_date(name, value)
    elif kind is ProfileFieldType.LINK:
        check_url(name, value)
    else:
        check_length(name, value, limit)
    return value


def _check_date(name: str, value: str) -> None:
    try:
        date.fromisoformat(value)
    except ValueError as error:
        raise ServiceError(f"{name} is not a date") from error


def _checked_people(organization: Organization, name: str, value: object) -> str:
    if not isinstance(value, list) or any(
        isinstance(item, bool) or not isinstance(item, int) for item in value
    ):
        raise ServiceError(f"{name} is not a list of user IDs")
    people = list(dict.fromkeys(value))
    for user_id in people:
        user = organization.users.get(user_id)
        if user is None or not user.is_active:
            raise ServiceError(f"Invalid user ID: {user_id}")
        if user.is_bot:
            raise ServiceError(f"User with ID {user_id} is a bot")
    return json.dumps(people, separators=(",", ":"))


routes = Routes()

VALUES = required("data", values_by_id)
IDS = required("data", integers)


@routes.patch("/users/me/profile_data", VALUES, callers=Callers.PEOPLE)
def patch_own_values(call: Call) -> ResponseBody:
    """Sets the caller's own values: a list of {id, value}."""
    for field_id, value in call[VALUES].items():
        set_value(call.organization, call.user, field_id, value, by_user=True)
    return {}


@routes.delete("/users/me/profile_data", IDS, callers=Callers.PEOPLE)
def delete_own_values(call: Call) -> ResponseBody:
    """Removes the caller's own values of these fields."""
    for field_id in dict.fromkeys(call[IDS]):
        remove_value(call.organization, call.user, field_id, by_user=True)
    return {}
