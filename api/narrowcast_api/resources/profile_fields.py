"""Definitions of custom profile fields (outside the contract, CONV-23); ``users`` sets the current user's values."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.encoding import OMIT, Omit
from narrowcast_api.http.operations import Bound, Done, Group, given, ids, read, segment
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.model import CreatedId
from narrowcast_api.wire.organization import ProfileField, ProfileFieldList
from narrowcast_api.wire.vocabulary import ProfileFieldType


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


class ProfileFields(Group):
    """Custom profile fields and the current user's values."""

    list = Bound(list_profile_fields)
    create = Bound(create_profile_field)
    update = Bound(update_profile_field)
    reorder = Bound(reorder_profile_fields)
    delete = Bound(delete_profile_field)
