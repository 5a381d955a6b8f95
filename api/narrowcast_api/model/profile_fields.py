"""Definitions of custom profile fields."""

from __future__ import annotations

from typing import NamedTuple

from narrowcast_api.model.reading import RawRecord, boolean, integer, required_int, text


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
