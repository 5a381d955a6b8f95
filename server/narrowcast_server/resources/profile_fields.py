"""Custom profile fields: their definitions (outside the contract)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import ProfileFieldType
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
)
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.queries.snapshot.parts import Snapshot, part
from narrowcast_server.rules.permissions import Callers
from narrowcast_server.storage.store import Row

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

MAX_NAME: Final = 40
MAX_HINT: Final = 80
_IN_SUMMARY: Final = 2
_NOT_IN_SUMMARY: Final = {ProfileFieldType.LONG_TEXT, ProfileFieldType.USERS}
_USERNAME: Final = "%(username)s"


def field_object(row: Row) -> dict[str, object]:
    result: dict[str, object] = {
        "id": row["id"],
        "name": row["name"],
        "type": row["type"],
        "hint": row["hint"],
        "field_data": row["field_data"],
        "order": row["position"],
        "required": bool(row["required"]),
        "editable_by_user": bool(row["editable_by_user"]),
    }
    if row["display_in_profile_summary"]:
        result["display_in_profile_summary"] = True
    return result


def fields_of(organization: Organization) -> list[dict[str, object]]:
    """All field definitions, in order."""
    return [
        field_object(row)
        for row in organization.store.all("SELECT * FROM profile_fields ORDER BY position, id")
    ]


def check_definition(
    name: str, hint: str, kind: ProfileFieldType, field_data: str, *, in_summary: bool
) -> None:
    """Raises BAD_REQUEST for an invalid definition. `field_data` is JSON, or empty."""
    if not name.strip():
        raise ServiceError("Label cannot be blank.")
    if len(name) > MAX_NAME:
        raise ServiceError(f"name is too long (limit: {MAX_NAME} characters)")
    if len(hint) > MAX_HINT:
        raise ServiceError(f"hint is too long (limit: {MAX_HINT} characters)")
    if kind is ProfileFieldType.SELECT:
        _check_choices(choices(field_data))
    elif kind is ProfileFieldType.EXTERNAL_ACCOUNT:
        _check_account(choices(field_data))
    if in_summary and kind in _NOT_IN_SUMMARY:
        raise ServiceError("Field type not supported for display in profile summary.")


def check_room_in_summary(organization: Organization, field_id: int | None) -> None:
    """Raises BAD_REQUEST if the summary is full, not counting the field that is changed."""
    others = organization.store.integers(
        "SELECT id FROM profile_fields WHERE display_in_profile_summary AND id IS NOT ?", field_id
    )
    if len(list(others)) >= _IN_SUMMARY:
        raise ServiceError(
            f"Only {_IN_SUMMARY} custom profile fields can be displayed in the profile summary."
        )


def choices(field_data: str) -> dict[str, object]:
    """The choices of a list field by value; empty if `field_data` is malformed."""
    try:
        data = json.loads(field_data or "{}")
    except (ValueError, RecursionError):
        return {}
    return {str(key): value for key, value in data.items()} if isinstance(data, dict) else {}


def _check_choices(data: Mapping[str, object]) -> None:
    if not data:
        raise ServiceError("Field must have at least one choice.")
    texts = set()
    for key, value in data.items():
        if not key.strip():
            raise ServiceError("'value' cannot be blank.")
        if not isinstance(value, dict) or set(value) != {"text", "order"}:
            raise ServiceError("field_data is not a choice with text and order")
        for key_name in ("text", "order"):
            if not isinstance(value[key_name], str) or not value[key_name].strip():
                raise ServiceError(f'field_data["{key_name}"] cannot be blank.')
        texts.add(value["text"])
    if len(texts) != len(data):
        raise ServiceError("Field must not have duplicate choices.")


def _check_account(data: Mapping[str, object]) -> None:
    """Raises BAD_REQUEST unless the account type is custom, the only one here, with a valid URL pattern."""
    if not data.keys() <= {"subtype", "url_pattern"} or "subtype" not in data:
        raise ServiceError("field_data is not an external account")
    if data["subtype"] != "custom":
        raise ServiceError("Invalid external account type")
    pattern = data.get("url_pattern")
    if pattern is None:
        raise ServiceError("Custom external account must define URL pattern")
    if not isinstance(pattern, str) or pattern.count(_USERNAME) != 1:
        raise ServiceError("Malformed URL pattern.")


def _emit_fields(organization: Organization) -> None:
    organization.emit(
        {"type": "custom_profile_fields", "fields": fields_of(organization)}, organization.user_ids()
    )


def _check_label_is_free(organization: Organization, name: str, field_id: int | None) -> None:
    taken = organization.store.integer("SELECT id FROM profile_fields WHERE name = ?", name.strip())
    if taken is not None and taken != field_id:
        raise ServiceError("A field with that label already exists.")


def create_field(
    organization: Organization,
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
        check_room_in_summary(organization, None)
    _check_label_is_free(organization, name, None)
    position = (organization.store.integer("SELECT max(position) FROM profile_fields") or 0) + 1
    identity = organization.store.insert(
        "INSERT INTO profile_fields (name, type, hint, field_data, position, required, editable_by_user,"
        " display_in_profile_summary) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        name.strip(), kind, hint, field_data, position, int(required), int(editable_by_user), int(in_summary),
    )  # fmt: skip
    _emit_fields(organization)
    return identity


def update_field(
    organization: Organization,
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
    row = definition(organization, field_id)
    new_name = row["name"] if name is None else name.strip()
    new_hint = row["hint"] if hint is None else hint
    new_data = row["field_data"] if field_data is None else field_data
    shown = bool(row["display_in_profile_summary"]) if in_summary is None else in_summary
    check_definition(new_name, new_hint, ProfileFieldType(row["type"]), new_data, in_summary=shown)
    if shown:
        check_room_in_summary(organization, field_id)
    flags = {
        "display_in_profile_summary": in_summary,
        "required": required,
        "editable_by_user": editable_by_user,
    }
    _check_label_is_free(organization, new_name, field_id)
    new_flags = [int(row[key] if flag is None else flag) for key, flag in flags.items()]
    values = [new_name, new_hint, new_data, *new_flags]
    if values == [row["name"], row["hint"], row["field_data"], *(row[key] for key in flags)]:
        return
    organization.store.execute(
        "UPDATE profile_fields SET name = ?, hint = ?, field_data = ?, display_in_profile_summary = ?, required = ?,"
        " editable_by_user = ? WHERE id = ?",
        *values, field_id,
    )  # fmt: skip
    _emit_fields(organization)


def remove_field(organization: Organization, field_id: int) -> None:
    """Removes a field with all its values."""
    definition(organization, field_id)
    organization.store.execute("DELETE FROM profile_fields WHERE id = ?", field_id)
    _emit_fields(organization)


def reorder_fields(organization: Organization, ids: Sequence[int]) -> None:
    """Sets the order of all fields."""
    present = organization.store.integers("SELECT id FROM profile_fields ORDER BY position, id")
    if sorted(ids) != sorted(present):
        raise ServiceError("Invalid order mapping.")
    if list(ids) == present:
        return
    organization.store.execute_many(
        "UPDATE profile_fields SET position = ? WHERE id = ?",
        [(place, identity) for place, identity in enumerate(ids)],
    )
    _emit_fields(organization)


def definition(organization: Organization, field_id: int) -> Row:
    """The row of a field; raises BAD_REQUEST if there is none."""
    row = organization.store.one("SELECT * FROM profile_fields WHERE id = ?", field_id)
    if row is None:
        raise ServiceError(f"Field id {field_id} not found.")
    return row


@part("custom_profile_fields")
def profile_fields(request: Snapshot) -> dict[str, object]:
    """The organization's profile fields, and the possible types."""
    return {
        "custom_profile_fields": fields_of(request.organization),
        "custom_profile_field_types": {
            "SHORT_TEXT": {"id": 1, "name": "Text (short)"},
            "LONG_TEXT": {"id": 2, "name": "Text (long)"},
            "SELECT": {"id": 3, "name": "List of options"},
            "DATE": {"id": 4, "name": "Date"},
            "URL": {"id": 5, "name": "Link"},
            "USER": {"id": 6, "name": "Users"},
            "EXTERNAL_ACCOUNT": {"id": 7, "name": "External account"},
            "PRONOUNS": {"id": 8, "name": "Pronouns"},
        },
    }


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


def _stored(data: dict[str, object] | None) -> str | None:
    """The options of list and external account fields, as stored and sent: JSON, or an empty text."""
    return None if data is None else json.dumps(data, ensure_ascii=False) if data else ""


@routes.get("/realm/profile_fields")
def get_fields(call: Call) -> ResponseBody:
    """All field definitions, in order."""
    return {"custom_fields": fields_of(call.organization)}


@routes.post(
    "/realm/profile_fields",
    NAME,
    HINT,
    FIELD_DATA,
    KIND,
    IN_SUMMARY,
    REQUIRED,
    EDITABLE,
    callers=Callers.ADMINISTRATORS,
)
def post_field(call: Call) -> ResponseBody:
    identity = create_field(
        call.organization,
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
def patch_order(call: Call) -> ResponseBody:
    """Sets the order of the fields."""
    reorder_fields(call.organization, call[ORDER])
    return {}


@routes.patch(
    "/realm/profile_fields/{field_id}",
    NEW_NAME,
    NEW_HINT,
    NEW_FIELD_DATA,
    NEW_REQUIRED,
    NEW_IN_SUMMARY,
    NEW_EDITABLE,
    callers=Callers.ADMINISTRATORS,
)
def patch_field(call: Call) -> ResponseBody:
    update_field(
        call.organization,
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
    remove_field(call.organization, call.path_id("field_id"))
    return {}
