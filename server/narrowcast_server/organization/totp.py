"""Codes of authenticator apps (RFC 6238, with SHA-1, 30 seconds and six digits, which every app has)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import struct
from typing import Final
from urllib.parse import quote

STEP_SECONDS: Final = 30
_DIGITS: Final = 6
_SECRET_BYTES: Final = 20
_DRIFT: Final = 1
"""Steps that a clock may be off, either way."""


def new_secret() -> str:
    """A fresh one, in base32 as people type it."""
    return base64.b32encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def code_at(secret: str, step: int) -> str:
    """The code of one step of time: UTC seconds divided by `STEP_SECONDS`."""
    digest = hmac.new(base64.b32decode(secret), struct.pack(">Q", step), hashlib.sha1).digest()
    offset = digest[-1] & 0xF
    number = int.from_bytes(digest[offset : offset + 4], "big") & 0x7FFF_FFFF
    return str(number % 10**_DIGITS).zfill(_DIGITS)


def matching_step(secret: str, code: str, now: float, after: int) -> int | None:
    """The step around `now` that a code is of, of those later than `after`; None: it is wrong, or was used."""
    present = int(now) // STEP_SECONDS
    for step in range(present - _DRIFT, present + _DRIFT + 1):
        if step > after and hmac.compare_digest(code_at(secret, step).encode(), code.encode()):
            return step
    return None


def address(secret: str, organization: str, email: str) -> str:
    """What authenticator apps read from a QR code: `otpauth://totp/...`."""
    issuer = quote(organization, safe="")
    return f"otpauth://totp/{issuer}:{quote(email, safe='@')}?secret={secret}&issuer={issuer}"
