"""Codes of an authenticator app beside the password, on embedded servers (outside the contract)."""

from __future__ import annotations

from dataclasses import dataclass, field

from narrowcast_api.errors import MalformedAnswer
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.secret import Secret

_PATH = "/server/second_factor"


@dataclass(frozen=True, slots=True)
class SecondFactor:
    """Whether signing in takes a code as well, and how many recovery codes are unused."""

    is_on: bool
    recovery_codes_left: int


@dataclass(frozen=True, slots=True)
class Enrolment:
    """What an authenticator app is given: the secret in base32, and the `otpauth:` address of a QR code."""

    secret: str = field(repr=False)
    uri: str = field(repr=False)


async def fetch_second_factor(connection: Connection) -> SecondFactor:
    """GET /server/second_factor. Raises NotFound on other servers."""
    answer = await connection.request("GET", _PATH)
    left = answer.get("recovery_codes_left")
    return SecondFactor(answer.get("is_on") is True, left if isinstance(left, int) else 0)


async def begin_second_factor(connection: Connection, *, password: Secret) -> Enrolment:
    """POST /server/second_factor: a secret for the app; nothing changes until it is confirmed.

    Raises NotFound on other servers, and BadRequest for a wrong password or where it is on.
    """
    answer = await connection.request("POST", _PATH, {"password": password})
    return Enrolment(_text(answer, "secret"), _text(answer, "uri"))


async def confirm_second_factor(connection: Connection, *, code: Secret) -> list[str]:
    """POST /server/second_factor/confirm: switches it on; gives the recovery codes, which are shown this once."""
    return _recovery_codes(await connection.request("POST", f"{_PATH}/confirm", {"code": code}))


async def renew_recovery_codes(connection: Connection, *, password: Secret, code: Secret) -> list[str]:
    """POST /server/second_factor/recovery_codes: other recovery codes, shown this once; the old ones end.

    Raises BadRequest for a wrong password or where it is off, and AuthenticationFailed for a wrong code.
    """
    fields = {"password": password, "code": code}
    return _recovery_codes(await connection.request("POST", f"{_PATH}/recovery_codes", fields))


async def end_second_factor(connection: Connection, *, password: Secret, code: Secret) -> None:
    """DELETE /server/second_factor: the password is enough again.

    Raises BadRequest for a wrong password, and AuthenticationFailed for a wrong code.
    """
    await connection.request("DELETE", _PATH, {"password": password, "code": code})


def _recovery_codes(answer: dict[str, object]) -> list[str]:
    codes = answer.get("recovery_codes")
    if not isinstance(codes, list) or not all(isinstance(each, str) for each in codes):
        raise MalformedAnswer("there are no recovery codes in the answer")
    return codes


def _text(answer: dict[str, object], name: str) -> str:
    if not isinstance(text := answer.get(name), str):
        raise MalformedAnswer(f"there is no {name} in the answer")
    return text
