"""Encoding of parameters: form fields and query strings, lists and objects as JSON (CONV-02 to CONV-04, CONV-18)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Final, final

from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.secret import Secret


@final
class Omit(Enum):
    """The type of `OMIT`, the default of parameters that are not sent."""

    OMIT = "omit"

    def __repr__(self) -> str:
        return "OMIT"


OMIT: Final = Omit.OMIT
"""The value of a parameter that was not given and is not sent, as None is sent as null."""


def encode_params(
    params: Mapping[str, object], is_quoted: Callable[[str], bool] = lambda _: False
) -> dict[str, str]:
    """Form fields as text: strings unquoted, or as JSON if `is_quoted` is true for the parameter's name;
    booleans and null as JSON literals, numbers decimal, all others JSON.

    Parameters that are OMIT are left out. Raises InvalidInput for text that cannot be encoded (lone
    surrogates) and for values that JSON cannot represent.
    """
    return {name: _encode(name, value, is_quoted) for name, value in params.items() if value is not OMIT}


def _encode(name: str, value: object, is_quoted: Callable[[str], bool]) -> str:
    if isinstance(value, Enum) and isinstance(value, str):
        value = str(value.value)
    if isinstance(value, Secret):
        text = value.reveal()
    elif isinstance(value, str) and not is_quoted(name):
        text = value
    else:
        try:
            text = _to_json(value)
        except (TypeError, ValueError, RecursionError):
            raise InvalidInput(f"{name} cannot be sent: JSON cannot represent it") from None
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidInput(f"{name} holds a character that cannot be sent") from None
    return text


def _as_json(value: object) -> object:
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(type(value).__name__)


_to_json = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, default=_as_json, separators=(",", ":")
).encode
