"""JSON encoding of responses and events. msgspec is several times faster than the standard library, which is
the fallback for the few values that msgspec rejects.
"""

from __future__ import annotations

import json
from typing import Final

import msgspec

_encoder: Final = msgspec.json.Encoder()


def encoded(value: object) -> bytes:
    """JSON in UTF-8, without spaces between tokens."""
    try:
        return _encoder.encode(value)
    except (UnicodeError, OverflowError, TypeError, msgspec.MsgspecError):
        # Lone surrogates and integers of more than 64 bits, in data that an older server stored.
        return json.dumps(value, separators=(",", ":")).encode()


def encoded_text(value: object) -> str:
    return encoded(value).decode()
