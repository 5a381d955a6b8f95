"""Validation of definitions of custom profile fields."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.vocabulary import ProfileFieldType
from narrowcast_server.organization.errors import ServiceError

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core

MAX_NAME: Final = 40
MAX_HINT: Final = 80
_IN_SUMMARY: Final = 2
_NOT_IN_SUMMARY: Final = {ProfileFieldType.LONG_TEXT, ProfileFieldType.USERS}
_USERNAME: Final = "%(username)s"


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


def check_room_in_summary(core: Core, field_id: int | None) -> None:
    """Raises BAD_REQUEST if the summary is full, not counting the field that is changed."""
    others = core.store.integers(
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
        for part in ("text", "order"):
            if not isinstance(value[part], str) or not value[part].strip():
                raise ServiceError(f'field_data["{part}"] cannot be blank.')
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
