"""Placeholders such as `{channel}` in the paths and parameters of parametrized requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def fill(value: Any, known: Mapping[str, object]) -> Any:
    """Returns the value with the placeholders of `known` replaced, also in lists and objects.

    A string that is only a placeholder becomes the known value itself, within longer strings it becomes text.
    """
    if isinstance(value, Mapping):
        return {name: fill(inner, known) for name, inner in value.items()}
    if isinstance(value, list):
        return [fill(inner, known) for inner in value]
    if not isinstance(value, str):
        return value
    for name, one in known.items():
        placeholder = f"{{{name}}}"
        if value == placeholder:
            return one
        if placeholder in value:
            value = value.replace(placeholder, str(one))
    return value
