"""Definitions of custom profile fields (outside the contract, CONV-23); ``users`` sets the current user's values."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.operations import OMIT, Bound, Done, Omit, Operations, given, ids, read, segment
from narrowcast_api.model.reading import RawRecord, boolean, integer, required_int, text
from narrowcast_api.resources.collection import Collection
from narrowcast_api.wire.event import Event
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.model import CreatedId, GoodList, WireModel, read_by
from narrowcast_api.wire.vocabulary import ProfileFieldType

if TYPE_CHECKING:
    from narrowcast_api.http.connection import Connection


class ProfileField(NamedTuple):
    """A custom profile field: 1 short text, 2 long text, 3 list, 4 date, 5 link, 6 people, 7 account, 8
    pronouns.
    """

    id: int
    name: str
    type: int
    hint: str
    field_data: str
    order: int
    required: bool
    editable_by_user: bool
    display_in_profile_summary: bool
    use_for_user_matching: bool = False
    """Whether users are found by their values, in completion for example."""


def read_profile_field(row: RawRecord) -> ProfileField:
    """Reads a row of `custom_profile_fields`."""
    return ProfileField(
        id=required_int(row, "id"),
        name=text(row, "name"),
        type=integer(row, "type", 1),
        hint=text(row, "hint"),
        field_data=text(row, "field_data"),
        order=integer(row, "order"),
        required=boolean(row, "required"),
        editable_by_user=boolean(row, "editable_by_user", True),
        display_in_profile_summary=boolean(row, "display_in_profile_summary"),
        use_for_user_matching=boolean(row, "use_for_user_matching"),
    )


ProfileFieldRow = Annotated[ProfileField, read_by(read_profile_field)]


def collection() -> Collection[int, ProfileField]:
    """The organization's profile fields in the state."""
    return Collection("custom_profile_fields", lambda field: field.id, read_profile_field)


# events


class CustomProfileFieldsEvent(Event):
    """All custom profile fields, in order."""

    type: Literal["custom_profile_fields"] = "custom_profile_fields"
    fields: GoodList[ProfileFieldRow]


# operations


class ProfileFieldList(WireModel):
    """Response of GET /realm/profile_fields."""

    custom_fields: GoodList[ProfileFieldRow] = []


async def list_profile_fields(connection: Connection) -> list[ProfileField]:
    """GET /realm/profile_fields: all definitions, in order."""
    return list(
        read(ProfileFieldList, await connection.request("GET", "/realm/profile_fields")).custom_fields
    )


async def create_profile_field(
    connection: Connection,
    *,
    field_type: ProfileFieldType | int,
    name: str | Omit = OMIT,
    hint: str | Omit = OMIT,
    field_data: Mapping[str, object] | Omit = OMIT,
    display_in_profile_summary: bool | Omit = OMIT,
    required: bool | Omit = OMIT,
    editable_by_user: bool | Omit = OMIT,
    use_for_user_matching: bool | Omit = OMIT,
) -> int:
    """POST /realm/profile_fields: create a field; returns its id.

    The form of `field_data` depends on the type (lists, accounts).
    """
    params = given(
        field_type=int(field_type),
        name=name,
        hint=hint,
        field_data=field_data,
        display_in_profile_summary=display_in_profile_summary,
        required=required,
        editable_by_user=editable_by_user,
        use_for_user_matching=use_for_user_matching,
    )
    return read(CreatedId, await connection.request("POST", "/realm/profile_fields", params)).id


async def update_profile_field(
    connection: Connection,
    *,
    field_id: int,
    name: str | Omit = OMIT,
    hint: str | Omit = OMIT,
    field_data: Mapping[str, object] | Omit = OMIT,
    display_in_profile_summary: bool | Omit = OMIT,
    required: bool | Omit = OMIT,
    editable_by_user: bool | Omit = OMIT,
    use_for_user_matching: bool | Omit = OMIT,
) -> Done:
    """PATCH /realm/profile_fields/{field_id}: change the given properties. Raises InvalidInput if there are none.

    Servers below level 252 empty the properties that are missing, so their current values are fetched and sent too.
    """
    params = given(
        name=name,
        hint=hint,
        field_data=field_data,
        display_in_profile_summary=display_in_profile_summary,
        required=required,
        editable_by_user=editable_by_user,
        use_for_user_matching=use_for_user_matching,
    )
    if not params:
        raise InvalidInput("nothing to change")
    path = f"/realm/profile_fields/{segment(field_id, 'field_id')}"
    if not (await connection.identified()).supports(Gate.PROFILE_FIELD_PARTIAL_UPDATE):
        params = {**await _present(connection, field_id), **params}
    return read(Done, await connection.request("PATCH", path, params))


async def reorder_profile_fields(connection: Connection, *, order: Iterable[int]) -> Done:
    """PATCH /realm/profile_fields: set the order of all fields, by id."""
    return read(
        Done, await connection.request("PATCH", "/realm/profile_fields", {"order": ids(order, "order")})
    )


async def delete_profile_field(connection: Connection, *, field_id: int) -> Done:
    """DELETE /realm/profile_fields/{field_id}: delete a field and the values of all users in it."""
    path = f"/realm/profile_fields/{segment(field_id, 'field_id')}"
    return read(Done, await connection.request("DELETE", path))


async def _present(connection: Connection, field_id: int) -> dict[str, object]:
    """The current definition of a field, as parameters of a change."""
    field = next((one for one in await list_profile_fields(connection) if one.id == field_id), None)
    if field is None:
        raise InvalidInput("this profile field does not exist")
    try:
        data = json.loads(field.field_data or "{}")
    except ValueError:
        data = {}
    present = {
        "name": field.name,
        "hint": field.hint,
        "field_data": data,
        "display_in_profile_summary": field.display_in_profile_summary,
    }
    if (await connection.identified()).supports(Gate.PROFILE_FIELD_REQUIRED):
        present["required"] = field.required
    return present


class ProfileFieldOperations(Operations):
    """Custom profile fields and the current user's values."""

    list = Bound(list_profile_fields)
    create = Bound(create_profile_field)
    update = Bound(update_profile_field)
    reorder = Bound(reorder_profile_fields)
    delete = Bound(delete_profile_field)
