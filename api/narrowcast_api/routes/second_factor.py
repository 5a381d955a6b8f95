"""Two-factor login with codes of an authenticator app, on embedded servers (outside the contract)."""

from __future__ import annotations

from typing import ClassVar

from narrowcast_api.http.connection import Connection
from narrowcast_api.http.operations import read
from narrowcast_api.http.secret import Secret
from narrowcast_api.wire.model import Int, WireModel

_PATH = "/server/second_factor"


class SecondFactor(WireModel):
    """Whether logging in requires a code, and how many recovery codes are unused."""

    is_on: bool = False
    recovery_codes_left: Int = 0


class Enrolment(WireModel):
    """The data for an authenticator app: the secret in base32, and the `otpauth:` address of a QR code."""

    secret: str
    uri: str

    hidden_fields: ClassVar[frozenset[str]] = frozenset({"secret", "uri"})


class _RecoveryCodes(WireModel):
    recovery_codes: list[str]

    hidden_fields: ClassVar[frozenset[str]] = frozenset({"recovery_codes"})


async def fetch_second_factor(connection: Connection) -> SecondFactor:
    """GET /server/second_factor. Raises NotFound on other servers."""
    return read(SecondFactor, await connection.request("GET", _PATH))


async def begin_second_factor(connection: Connection, *, password: Secret) -> Enrolment:
    """POST /server/second_factor: returns a secret for the app; nothing changes until it is confirmed.

    Raises NotFound on other servers, and BadRequest if the password is wrong or two-factor login is already on.
    """
    return read(Enrolment, await connection.request("POST", _PATH, {"password": password}))


async def confirm_second_factor(connection: Connection, *, code: Secret) -> list[str]:
    """POST /server/second_factor/confirm: enable it; returns the recovery codes, which cannot be requested again."""
    response = await connection.request("POST", f"{_PATH}/confirm", {"code": code})
    return read(_RecoveryCodes, response).recovery_codes


async def renew_recovery_codes(connection: Connection, *, password: Secret, code: Secret) -> list[str]:
    """POST /server/second_factor/recovery_codes: replace the recovery codes; returns the new ones, this once.

    Raises BadRequest if the password is wrong or two-factor login is off, AuthenticationFailed for a wrong code.
    """
    fields = {"password": password, "code": code}
    response = await connection.request("POST", f"{_PATH}/recovery_codes", fields)
    return read(_RecoveryCodes, response).recovery_codes


async def end_second_factor(connection: Connection, *, password: Secret, code: Secret) -> None:
    """DELETE /server/second_factor: require only the password again.

    Raises BadRequest for a wrong password, and AuthenticationFailed for a wrong code.
    """
    await connection.request("DELETE", _PATH, {"password": password, "code": code})
