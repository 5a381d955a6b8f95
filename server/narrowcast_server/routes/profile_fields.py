"""Custom profile fields (outside the contract except for their values: USRU-17, USR-28)."""

from __future__ import annotations

import json
from typing import TypeVar

from narrowcast_api.wire.levels import Gate
from narrowcast_server.http.params import (
    Param,
    Parser,
    boolean,
    defaulted,
    integer,
    integers,
    mapping,
    optional,
    required,
    text_without_null,
    values_by_id,
)
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.queries.profile_fields import fields_of
from narrowcast_server.resources import profile_fields
from narrowcast_server.rules.permissions import Callers

routes = Routes()
T = TypeVar("T")

NAME = defaulted("name", text_without_null, "")
KIND = required("field_type", integer)
HINT = defaulted("hint", text_without_null, "")
FIELD_DATA = optional("field_data", mapping)
IN_SUMMARY = defaulted("display_in_profile_summary", boolean, False)
REQUIRED = defaulted("required", boolean, False, since=Gate.PROFILE_FIELD_REQUIRED.level)
EDITABLE = defaulted("editable_by_user", boolean, True, since=Gate.PROFILE_FIELD_EDITABLE.level)


def _changed(name: str, parse: Parser[T], empty: object, since: int = 0) -> Param[T | None]:
    """A parameter that keeps the value if absent; below level 252, absence clears the value."""
    return Param(name, parse, None, since, default_below=(Gate.PROFILE_FIELD_PARTIAL_UPDATE.level, empty))


NEW_NAME = _changed("name", text_without_null, "")
NEW_HINT = _changed("hint", text_without_null, "")
NEW_FIELD_DATA = _changed("field_data", mapping, {})
NEW_IN_SUMMARY = _changed("display_in_profile_summary", boolean, False)
NEW_REQUIRED = _changed("required", boolean, False, Gate.PROFILE_FIELD_REQUIRED.level)
NEW_EDITABLE = optional("editable_by_user", boolean, since=Gate.PROFILE_FIELD_EDITABLE.level)
ORDER = required("order", integers)
VALUES = required("data", values_by_id)
IDS = required("data", integers)


def _stored(data: dict[str, object] | None) -> str | None:
    """The options of list and external account fields, as stored and sent: JSON, or an empty text."""
    return None if data is None else json.dumps(data, ensure_ascii=False) if data else ""


@routes.get("/realm/profile_fields")
def list_fields(call: Call) -> ResponseBody:
    """All field definitions, in order."""
    return {"custom_fields": fields_of(call.core)}


@routes.post(
    "/realm/profile_fields",
    NAME,
    KIND,
    HINT,
    FIELD_DATA,
    IN_SUMMARY,
    REQUIRED,
    EDITABLE,
    callers=Callers.ADMINISTRATORS,
)
def create_field(call: Call) -> ResponseBody:
    identity = profile_fields.create_field(
        call.core,
        name=call[NAME],
        kind=call[KIND],
        hint=call[HINT],
        field_data=_stored(call[FIELD_DATA]) or "",
        in_summary=call[IN_SUMMARY],
        required=call[REQUIRED],
        editable_by_user=call[EDITABLE],
    )
    return {"id": identity}


@routes.patch("/realm/profile_fields", ORDER, callers=Callers.ADMINISTRATORS)
def reorder_fields(call: Call) -> ResponseBody:
    """Sets the order of the fields."""
    profile_fields.reorder_fields(call.core, call[ORDER])
    return {}


@routes.patch(
    "/realm/profile_fields/{field_id}",
    NEW_NAME,
    NEW_HINT,
    NEW_FIELD_DATA,
    NEW_IN_SUMMARY,
    NEW_REQUIRED,
    NEW_EDITABLE,
    callers=Callers.ADMINISTRATORS,
)
def update_field(call: Call) -> ResponseBody:
    profile_fields.update_field(
        call.core,
        call.path_id("field_id"),
        name=call[NEW_NAME],
        hint=call[NEW_HINT],
        field_data=_stored(call[NEW_FIELD_DATA]),
        in_summary=call[NEW_IN_SUMMARY],
        required=call[NEW_REQUIRED],
        editable_by_user=call[NEW_EDITABLE],
    )
    return {}


@routes.delete("/realm/profile_fields/{field_id}", callers=Callers.ADMINISTRATORS)
def delete_field(call: Call) -> ResponseBody:
    """Removes a field and its values."""
    profile_fields.delete_field(call.core, call.path_id("field_id"))
    return {}


@routes.patch("/users/me/profile_data", VALUES, callers=Callers.PEOPLE)
def set_own_values(call: Call) -> ResponseBody:
    """Sets the caller's own values: a list of {id, value}."""
    for field_id, value in call[VALUES].items():
        profile_fields.set_value(call.core, call.user, field_id, value, by_user=True)
    return {}


@routes.delete("/users/me/profile_data", IDS, callers=Callers.PEOPLE)
def remove_own_values(call: Call) -> ResponseBody:
    """Removes the caller's own values of these fields."""
    for field_id in dict.fromkeys(call[IDS]):
        profile_fields.remove_value(call.core, call.user, field_id, by_user=True)
    return {}
