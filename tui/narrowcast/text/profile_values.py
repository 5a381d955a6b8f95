"""Values of custom profile fields as text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from narrowcast.text import names
from narrowcast_api.wire.vocabulary import ProfileFieldType

if TYPE_CHECKING:
    from narrowcast_api.resources.profile_fields import ProfileField
    from narrowcast_api.state.state import State


def value_text(state: State, field: ProfileField, value: str) -> str:
    """The text of a profile field's value."""
    if field.type == ProfileFieldType.SELECT:
        return options(field).get(value, value)
    if field.type == ProfileFieldType.USERS:
        return names.people(state, people_of(value)) or value
    return " ".join(value.split())


def options(field: ProfileField) -> dict[str, str]:
    """The choices of a list field: keys and their texts, in order."""
    ordered: list[tuple[str, str, str]] = []
    for key, entry in _object(field.field_data).items():
        if isinstance(entry, dict) and isinstance(entry.get("text"), str):
            ordered.append((str(entry.get("order", "")).rjust(6), str(key), entry["text"]))
    return {key: text for _, key, text in sorted(ordered)}


def people_of(value: str) -> list[int]:
    """The user ids in the value of a field of type people."""
    try:
        listed = json.loads(value) if value else []
    except (ValueError, RecursionError):
        return []
    return [item for item in listed if type(item) is int] if isinstance(listed, list) else []


def _object(text: str) -> dict[str, object]:
    try:
        value = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
