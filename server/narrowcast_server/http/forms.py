"""Decoding of form fields, in time that is short whatever the fields are: mostly in library code written in C."""

from __future__ import annotations

import re
from binascii import a2b_qp
from typing import Final

from narrowcast_server.organization.errors import ServiceError

MAX_FIELDS: Final = 1000
_MAX_BARE: Final = 10_000
"""Percent signs without two digits after them, which stand for themselves."""
_BARE: Final = re.compile(rb"%(?![0-9A-Fa-f]{2})")


def decoded(raw: bytes) -> dict[str, str]:
    """The fields of a query or a body (application/x-www-form-urlencoded), of several with one name the last.

    Raises BAD_REQUEST if there are too many, or if the text is not UTF-8.
    """
    if raw.count(b"&") >= MAX_FIELDS:
        raise _malformed()
    fields: dict[str, str] = {}
    for field in raw.split(b"&"):
        if field:
            name, _, value = field.partition(b"=")
            fields[_text(name)] = _text(value)
    return fields


def _text(raw: bytes) -> str:
    text = raw.replace(b"+", b" ")
    if b"%" in text:
        text, bare = _BARE.subn(b"%25", text, _MAX_BARE)
        if bare == _MAX_BARE:
            raise _malformed()
        # Quoted-printable differs from percent encoding in its sign only, once each sign has its two digits.
        text = a2b_qp(text.replace(b"=", b"=3D").replace(b"%", b"="))
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        raise _malformed() from error


def _malformed() -> ServiceError:
    return ServiceError("The form fields are malformed")
