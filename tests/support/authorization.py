"""The Authorization header, for requests that no HTTP client builds."""

from __future__ import annotations

import base64


def basic(email: str, key: str) -> str:
    """Returns the value of the Authorization header."""
    return f"Basic {base64.b64encode(f'{email}:{key}'.encode()).decode()}"
