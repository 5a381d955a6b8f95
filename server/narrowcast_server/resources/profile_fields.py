"""Custom profile fields: their definitions, and the users' values (USRU-08, USR-24)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.vocabulary import ProfileFieldType
from narrowcast_server.actions.urls import check_url
from narrowcast_server.organization.checks import check_length
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import User
from narrowcast_server.queries.profile_fields import fields_of
from narrowcast_server.queries.rendering import rendered_apart
from narrowcast_server.rules.profile_fields import check_definition, check_room_in_summary, choices
from narrowcast_server.rules.visibility import watchers
from narrowcast_server.storage.store import Row

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core

MAX_SHORT: Final = 50
MAX_LONG: Final = 500
_RENDERED: Final = {ProfileFieldType.SHORT_TEXT, ProfileFieldType.LONG_TEXT}


def _emit_fields(core: Core) -> None:
    core.emit({"type": "custom_profile_fields", "fields": fields_of(core)}, core.user_ids())


def _check_label_is_free(core: Core, name: str, field_id: int | None) -> None:
    taken = core.store.integer("SELECT id FROM profile_fields WHERE name = ?", name.strip())
    if taken is not None and taken != field_id:
        raise ServiceError("A field with that label already exists.")


def create_field(
    core: Core,
    *,
    name: str,
    kind: int,
    hint: str = "",
    field_data: str = "",
    in_summary: bool = False,
    required: bool = False,
    editable_by_user: bool = True,
) -> int:
    """Defines a field after the others; returns its id."""
    if kind not in set(ProfileFieldType):
        raise ServiceError("Invalid field type.")
    check_definition(name, hint, ProfileFieldType(kind), field_data, in_summary=in_summary)
    if in_summary:
        check_room_in_summary(core, None)
    _check_label_is_free(core, name, None)
    position = (core.store.integer("SELECT max(position) FROM profile_fields") or 0) + 1
    identity = core.store.insert(
        "INSERT INTO profile_fields (name, type, hint, field_data, position, required, editable_by_user,"
        " display_in_profile_summary) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        name.strip(), kind, hint, field_data, position, int(required), int(editable_by_user), int(in_summary),
    )  # fmt: skip
    _emit_fields(core)
    return identity


def update_field(
    core: Core,
    field_id: int,
    *,
    name: str | None,
    hint: str | None,
    field_data: str | None,
    in_summary: bool | None,
    required: bool | None,
    editable_by_user: bool | None,
) -> None:
    """Changes the given properties of a definition; its type cannot change."""
    row = definition(core, field_id)
    new_name = row["name"] if name is None else name.strip()
    new_hint = row["hint"] if hint is None else hint
    new_data = row["field_data"] if field_data is None else field_data
    shown = bool(row["display_in_profile_summary"]) if in_summary is None else in_summary
    check_definition(new_name, new_hint, ProfileFieldType(row["type"]), new_data, in_summary=shown)
    if shown:
        check_room_in_summary(core, field_id)
    flags = {
        "display_in_profile_summary": in_summary,
        "required": required,
        "editable_by_user": editable_by_user,
    }
    _check_label_is_free(core, new_name, field_id)
    values = [int(row[key] if flag is None else flag) for key, flag in flags.items()]
    core.store.execute(
        "UPDATE profile_fields SET name = ?, hint = ?, field_data = ?, display_in_profile_summary = ?, required = ?,"
        " editable_by_user = ? WHERE id = ?",
        new_name, new_hint, new_data, *values, field_id,
    )  # fmt: skip
    _emit_fields(core)


def delete_field(core: Core, field_id: int) -> None:
    """Removes a field with all its values."""
    definition(core, field_id)
    core.store.execute("DELETE FROM profile_fields WHERE id = ?", field_id)
    _emit_fields(core)


def reorder_fields(core: Core, ids: Sequence[int]) -> None:
    """Sets the order of all fields."""
    if sorted(ids) != sorted(core.store.integers("SELECT id FROM profile_fields")):
        raise ServiceError("Invalid order mapping.")
    core.store.execute_many(
        "UPDATE profile_fields SET position = ? WHERE id = ?",
        [(place, identity) for place, identity in enumerate(ids)],
    )
    _emit_fields(core)


def definition(core: Core, field_id: int) -> Row:
    """The row of a field; raises BAD_REQUEST if there is none."""
    row = core.store.one("SELECT * FROM profile_fields WHERE id = ?", field_id)
    if row is None:
        raise ServiceError(f"Field id {field_id} not found.")
    return row


def set_value(core: Core, user: User, field_id: int, value: object, *, by_user: bool) -> None:
    """Stores a user's value of a field; null and empty values remove it. Raises BAD_REQUEST if it is invalid."""
    row = definition(core, field_id)
    if by_user and not row["editable_by_user"]:
        raise ServiceError("You are not allowed to change this field. Contact an administrator to update it.")
    if value is None or value in ("", []):
        remove_value(core, user, field_id, by_user=by_user)
        return
    kind = ProfileFieldType(row["type"])
    text = _checked(core, row, kind, value)
    rendered = rendered_apart(core, text) if kind in _RENDERED else None
    core.store.execute(
        "INSERT INTO profile_values VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value,"
        " rendered_value = excluded.rendered_value",
        user.id, field_id, text, rendered,
    )  # fmt: skip
    changed: dict[str, object] = {"id": field_id, "value": text}
    if rendered is not None:
        changed["rendered_value"] = rendered
    _emit_value(core, user, changed)


def remove_value(core: Core, user: User, field_id: int, *, by_user: bool) -> None:
    """Removes a user's value of a field."""
    row = definition(core, field_id)
    if by_user and not row["editable_by_user"]:
        raise ServiceError("You are not allowed to change this field. Contact an administrator to update it.")
    if core.store.execute("DELETE FROM profile_values WHERE user_id = ? AND field_id = ?", user.id, field_id):
        _emit_value(core, user, {"id": field_id, "value": None})


def _emit_value(core: Core, user: User, changed: dict[str, object]) -> None:
    person = {"user_id": user.id, "custom_profile_field": changed}
    core.emit({"type": "realm_user", "op": "update", "person": person}, watchers(core, user))


def _checked(core: Core, row: Row, kind: ProfileFieldType, value: object) -> str:
    name = row["name"]
    if kind is ProfileFieldType.USERS:
        return _checked_people(core, name, value)
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


def _checked_people(core: Core, name: str, value: object) -> str:
    if not isinstance(value, list) or any(
        isinstance(item, bool) or not isinstance(item, int) for item in value
    ):
        raise ServiceError(f"{name} is not a list of user IDs")
    people = list(dict.fromkeys(value))
    for user_id in people:
        user = core.users.get(user_id)
        if user is None or not user.is_active:
            raise ServiceError(f"Invalid user ID: {user_id}")
        if user.is_bot:
            raise ServiceError(f"User with ID {user_id} is a bot")
    return json.dumps(people, separators=(",", ":"))
