"""Passwords: length limits, and checking and hashing in threads."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from functools import cache, partial
from typing import Final, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from narrowcast_api.wire.vocabulary import PASSWORD_CHARACTERS
from narrowcast_server.organization.addresses import is_local
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.rate_limits import rate_limited
from narrowcast_server.storage.key_vault import new_key

T = TypeVar("T")
MIN_PASSWORD: Final = PASSWORD_CHARACTERS[0]
MAX_PASSWORD: Final = PASSWORD_CHARACTERS[1]
hasher = PasswordHasher()
"""Sets the cost of new hashes; each hash holds the parameters for checking it."""
_MAX_WAITING: Final = 50
_MAX_WAITING_AN_ADDRESS: Final = 5
_PAUSE_SECONDS: Final = 5.0


def check_password(password: str) -> None:
    """Raises BAD_REQUEST if the length of a password is outside the limits."""
    if not MIN_PASSWORD <= len(password) <= MAX_PASSWORD:
        raise ServiceError(f"A password has {MIN_PASSWORD} to {MAX_PASSWORD} characters.")


def hash_password(password: str) -> str:
    """A salted, deliberately slow hash (argon2)."""
    return hasher.hash(password)


def password_fits(password_hash: str | None, password: str) -> bool:
    """Whether the password is right; takes equally long if there is no hash."""
    try:
        return hasher.verify(password_hash or _unknown_hash(), password) and password_hash is not None
    except (Argon2Error, InvalidHashError):
        return False


class Passwords:
    """Checks and hashes passwords in threads, two at a time, because each takes long."""

    def __init__(self) -> None:
        self._free = asyncio.Semaphore(2)
        self._waiting = 0
        self._waiting_at: Counter[str] = Counter()

    async def fits(self, password_hash: str | None, password: str, address: str = "") -> bool:
        """`password_fits` in a thread; raises RATE_LIMIT_HIT if too many checks are pending, in total or from
        this address.
        """
        if not is_local(address) and self._waiting_at[address] >= _MAX_WAITING_AN_ADDRESS:
            raise rate_limited(_PAUSE_SECONDS)
        self._waiting_at[address] += 1
        try:
            return await self._in_thread(partial(password_fits, password_hash, password))
        finally:
            self._waiting_at[address] -= 1
            if not self._waiting_at[address]:
                del self._waiting_at[address]

    async def hashed(self, password: str) -> str:
        """`hash_password` in a thread; raises RATE_LIMIT_HIT if too many are pending."""
        return await self._in_thread(partial(hash_password, password))

    async def _in_thread(self, work: Callable[[], T]) -> T:
        if self._waiting >= _MAX_WAITING:
            raise rate_limited(_PAUSE_SECONDS)
        self._waiting += 1
        try:
            async with self._free:
                return await asyncio.to_thread(work)
        finally:
            self._waiting -= 1


@cache
def _unknown_hash() -> str:
    return hasher.hash(new_key())
