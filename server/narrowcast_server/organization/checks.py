"""Checks of values from requests that several resources share."""

from __future__ import annotations

from typing import Final

from narrowcast_server.organization.errors import ServiceError

MAX_VALUES: Final = 100_000
"""Of one request: checking ten times as many would block the server for a second."""


def check_length(name: str, text: str, limit: int) -> None:
    """Raises BAD_REQUEST if the text of a parameter has more characters than `limit`."""
    if len(text) > limit:
        raise ServiceError(f"{name} is too long (limit: {limit} characters)")
