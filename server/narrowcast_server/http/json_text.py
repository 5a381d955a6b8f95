"""JSON as it goes out. msgspec makes it several times faster than the standard library, which takes over for the
few values that msgspec refuses."""

from __future__ import annotations

import json
from typing import Final

import msgspec

_encoder: Final = msgspec.json.Encoder()


def encoded(value: object) -> bytes:
    """Compact JSON in UTF-8, as it goes over the wire."""
    try:
        return _encoder.encode(value)
    except (UnicodeError, OverflowError, TypeError, msgspec.MsgspecError):
        # Lone surrogates and integers of more than 64 bits, from data that an older server let in.
        return json.dumps(value, separators=(",", ":")).encode()


def encoded_text(value: object) -> str:
    return encoded(value).decode()
