"""What a request says of who asks, where no HTTP client writes it."""

from __future__ import annotations

import base64


def basic(email: str, key: str) -> str:
    """The value of the header Authorization."""
    return f"Basic {base64.b64encode(f'{email}:{key}'.encode()).decode()}"
