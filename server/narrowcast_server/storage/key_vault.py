"""API keys at rest: the database holds them encrypted ("sealed"), with a secret in a separate file.

A copy of the database alone (a backup, a snapshot, a glance at it) gives access to no account. Keys are
sealed, not hashed, because the service returns them again: at each login, and to the owner of a bot.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import secrets
import string
from pathlib import Path
from typing import Final

from narrowcast_server.storage.private_files import load_or_create_secret
from narrowcast_server.storage.store import Store

FILE: Final = "keys.secret"
_FORM: Final = "s1"
_NONCE_BYTES: Final = 16
_TAG_BYTES: Final = 8
_MAX_LENGTH: Final = 64
KEY_LENGTH: Final = 32
_ALPHABET: Final = string.ascii_letters + string.digits
_log = logging.getLogger("narrowcast.server")


def new_key() -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(KEY_LENGTH))


class KeyVault:
    """Seals and opens keys with the secret of a data folder, which is created if missing."""

    def __init__(self, folder: Path) -> None:
        self._secret = load_or_create_secret(folder / FILE)

    def seal(self, key: str) -> str:
        """The stored form of `key` (at most 64 bytes of UTF-8); different each time."""
        plain = key.encode()
        if len(plain) > _MAX_LENGTH:
            raise ValueError("the key is too long")
        nonce = secrets.token_bytes(_NONCE_BYTES)
        covered = bytes(a ^ b for a, b in zip(plain, self._digest(b"pad", nonce), strict=False))
        tag = self._digest(b"tag", nonce + covered)[:_TAG_BYTES]
        return ":".join((_FORM, nonce.hex(), covered.hex(), tag.hex()))

    def open(self, stored: str) -> str | None:
        """The key from its stored form; None if it was sealed with another secret or is not a sealed key."""
        try:
            form, *parts = stored.split(":")
            nonce, covered, tag = (bytes.fromhex(part) for part in parts)
        except ValueError:
            return None
        expected = self._digest(b"tag", nonce + covered)[:_TAG_BYTES]
        if form != _FORM or len(covered) > _MAX_LENGTH or not hmac.compare_digest(expected, tag):
            return None
        plain = bytes(a ^ b for a, b in zip(covered, self._digest(b"pad", nonce), strict=False))
        return plain.decode()

    def _digest(self, purpose: bytes, text: bytes) -> bytes:
        """64 bytes that can only be computed with the secret; each nonce gives a pad that is used once."""
        return hmac.new(self._secret, purpose + b":" + text, hashlib.sha512).digest()


class ClosedVault(KeyVault):
    """Opens no key of a data folder, whose secret it leaves alone."""

    def __init__(self) -> None:
        self._secret = secrets.token_bytes(32)


def seal_stored_keys(store: Store, vault: KeyVault) -> None:
    """Seals keys that an older server stored in plain text, and replaces keys that were sealed with another
    secret.

    The latter happens when a database is restored without the secret's file: those users must log in again.
    """
    rows = store.all("SELECT id, api_key FROM users")
    plain = {row["id"]: row["api_key"] for row in rows if ":" not in row["api_key"]}
    lost = [row["id"] for row in rows if row["id"] not in plain and vault.open(row["api_key"]) is None]
    if not plain and not lost:
        return
    with store.transaction():
        for user_id in lost:
            store.execute("UPDATE users SET api_key = ? WHERE id = ?", vault.seal(new_key()), user_id)
        for user_id, key in plain.items():
            store.execute("UPDATE users SET api_key = ? WHERE id = ?", vault.seal(key), user_id)
    if plain:
        # The overwritten text remains in free pages and in the log.
        store.rewrite()
    if lost:
        _log.warning("%s does not match the keys of %d accounts: they got new ones", FILE, len(lost))
