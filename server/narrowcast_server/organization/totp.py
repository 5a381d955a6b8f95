"""Codes of authenticator apps (RFC 6238, with SHA-1, 30 seconds and six digits, which every app supports)."""

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
"""How many steps a clock may be off, in either direction."""


def new_secret() -> str:
    """A new random secret, in base32 as people type it."""
    return base64.b32encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def code_at(secret: str, step: int) -> str:
    """The code for one time step: UTC seconds divided by `STEP_SECONDS`."""
    digest = hmac.new(base64.b32decode(secret), struct.pack(">Q", step), hashlib.sha1).digest()
    offset = digest[-1] & 0xF
    number = int.from_bytes(digest[offset : offset + 4], "big") & 0x7FFF_FFFF
    return str(number % 10**_DIGITS).zfill(_DIGITS)


def matching_step(secret: str, code: str, now: float, after: int) -> int | None:
    """The time step near `now`, later than `after`, that the code is for; None if it is wrong or already used."""
    present = int(now) // STEP_SECONDS
    for step in range(present - _DRIFT, present + _DRIFT + 1):
        if step > after and hmac.compare_digest(code_at(secret, step).encode(), code.encode()):
            return step
    return None


def address(secret: str, organization: str, email: str) -> str:
    """The `otpauth://totp/...` address that authenticator apps read from a QR code."""
    issuer = quote(organization, safe="")
    return f"otpauth://totp/{issuer}:{quote(email, safe='@')}?secret={secret}&issuer={issuer}"
