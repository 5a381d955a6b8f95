"""Who calls: HTTP Basic with address and key (AUTH-01), passwords, and keys."""

from __future__ import annotations

import asyncio
import base64
import binascii
import hmac
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from narrowcast_api.wire.vocabulary import PASSWORD_CHARACTERS
from narrowcast_server.http.connections import is_local
from narrowcast_server.http.rate_limits import too_often
from narrowcast_server.organization.errors import ServiceError, unauthorized
from narrowcast_server.organization.models import User
from narrowcast_server.storage.key_vault import KEY_LENGTH, new_key

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core

T = TypeVar("T")
MIN_PASSWORD, MAX_PASSWORD = PASSWORD_CHARACTERS
_hasher = PasswordHasher()
_MOST_WAITING: Final = 50
_MOST_AN_ADDRESS: Final = 5
_PAUSE_SECONDS: Final = 5.0
_NO_KEY: Final = "0" * KEY_LENGTH


def check_password(password: str) -> None:
    """Raises BAD_REQUEST for a password of another length than allowed."""
    if not MIN_PASSWORD <= len(password) <= MAX_PASSWORD:
        raise ServiceError(f"A password has {MIN_PASSWORD} to {MAX_PASSWORD} characters.")


def hash_password(password: str) -> str:
    """A salted, slow hash."""
    return _hasher.hash(password)


def password_fits(password_hash: str | None, password: str) -> bool:
    """Whether this is the password; takes as long when there is none."""
    try:
        return _hasher.verify(password_hash or _unknown_hash(), password) and password_hash is not None
    except (Argon2Error, InvalidHashError):
        return False


class Passwords:
    """Checks and hashes passwords beside the event loop, few at a time: each takes as long as is safe."""

    def __init__(self) -> None:
        self._free = asyncio.Semaphore(2)
        self._waiting = 0
        self._waiting_at: Counter[str] = Counter()

    async def fits(self, password_hash: str | None, password: str, address: str = "") -> bool:
        """`password_fits`; raises RATE_LIMIT_HIT while very many others wait for theirs, or some at this address."""
        if not is_local(address) and self._waiting_at[address] >= _MOST_AN_ADDRESS:
            raise too_often(_PAUSE_SECONDS)
        self._waiting_at[address] += 1
        try:
            return await self._apart(partial(password_fits, password_hash, password))
        finally:
            self._waiting_at[address] -= 1
            if not self._waiting_at[address]:
                del self._waiting_at[address]

    async def hashed(self, password: str) -> str:
        """`hash_password`; raises the same."""
        return await self._apart(partial(hash_password, password))

    async def _apart(self, work: Callable[[], T]) -> T:
        if self._waiting >= _MOST_WAITING:
            raise too_often(_PAUSE_SECONDS)
        self._waiting += 1
        try:
            async with self._free:
                return await asyncio.to_thread(work)
        finally:
            self._waiting -= 1


_unknown: list[str] = []


def _unknown_hash() -> str:
    if not _unknown:
        _unknown.append(_hasher.hash(new_key()))
    return _unknown[0]


def caller_by_key(core: Core, key: str) -> User:
    """The active user who has this key, for programs that can only open addresses; raises UNAUTHORIZED."""
    found: User | None = None
    for user in core.users.all():
        if hmac.compare_digest(user.api_key.encode(), key.encode()) and not user.is_system_bot:
            found = user
    if found is None or not found.is_active:
        raise unauthorized("Invalid API key")
    return found


def caller(core: Core, header: str | None) -> User:
    """The active user that an Authorization header names; raises UNAUTHORIZED."""
    if not header:
        raise unauthorized("Not logged in: API authentication or user session required")
    scheme, _, payload = header.partition(" ")
    if scheme.lower() != "basic":
        raise unauthorized("This endpoint requires HTTP basic authentication.")
    try:
        address, colon, key = base64.b64decode(payload.strip(), validate=True).decode().partition(":")
    except (binascii.Error, ValueError) as error:
        raise unauthorized("Invalid authorization header for basic auth") from error
    if not colon:
        raise unauthorized("Invalid authorization header for basic auth")
    if len(key) != KEY_LENGTH:
        raise unauthorized("Malformed API key")
    user = core.user_by_address(address)
    expected = _NO_KEY if user is None else user.api_key
    fits = hmac.compare_digest(expected.encode(), key.encode())
    if user is None or not fits or user.is_system_bot:
        raise unauthorized("Invalid API key")
    if not user.is_active:
        raise unauthorized("Account is deactivated")
    core.callers.add(user.id)
    return user
