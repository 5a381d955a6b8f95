"""Strings that must not be shown: API keys and passwords."""

from __future__ import annotations

import hmac
from typing import NoReturn

MASK = "••••"


class Secret:
    """Wraps a key or a password so that no repr, log line, traceback or pickle contains it.

    Only `reveal()` returns the text; call it only where the request to the server is built.
    """

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """Returns the text itself; only for building the request."""
        return self._value

    def __repr__(self) -> str:
        return f"Secret('{MASK}')"

    def __str__(self) -> str:
        return MASK

    def __format__(self, spec: str) -> str:
        return format(MASK, spec)

    def __bool__(self) -> bool:
        return bool(self._value)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Secret):
            return NotImplemented
        mine, theirs = (text.encode("utf-8", "surrogatepass") for text in (self._value, other._value))
        return hmac.compare_digest(mine, theirs)

    def __hash__(self) -> int:
        return hash((Secret, self._value))

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Secret cannot be pickled or copied, so that it is not stored by accident")
