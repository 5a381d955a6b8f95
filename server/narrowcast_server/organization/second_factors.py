"""Two-factor authentication: which users give a code of an authenticator app, and the secrets of their codes."""

from __future__ import annotations

import hashlib
import json
import secrets
from typing import Final

from narrowcast_server.organization.clock import ServerClock
from narrowcast_server.organization.config import RateLimit
from narrowcast_server.organization.rate_limits import RateLimiter
from narrowcast_server.organization.totp import matching_step, new_secret
from narrowcast_server.storage.key_vault import KeyVault
from narrowcast_server.storage.store import Row, Store

RECOVERY_CODES: Final = 10
_ALPHABET: Final = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without characters that look alike."""
_LETTERS: Final = 16
_ATTEMPTS: Final = RateLimit(1800, 10)
"""By someone who knows the password already."""


class SecondFactors:
    """The second factors of all users. Call methods that change something inside a transaction."""

    def __init__(self, store: Store, vault: KeyVault, clock: ServerClock) -> None:
        self._store = store
        self._vault = vault
        self._clock = clock
        self._attempts = RateLimiter(clock, (_ATTEMPTS,))

    def is_on(self, user_id: int) -> bool:
        """Whether the user needs a code to log in."""
        row = self._row(user_id)
        return row is not None and bool(row["confirmed"])

    def recovery_codes_left(self, user_id: int) -> int:
        """The number of unused recovery codes."""
        row = self._row(user_id)
        return 0 if row is None else len(json.loads(row["recovery"]))

    def begin(self, user_id: int) -> str:
        """Stores and returns a new secret for an authenticator app, in base32; it has no effect until it is
        confirmed.
        """
        secret = new_secret()
        self._store.execute(
            "INSERT INTO second_factors (user_id, secret) VALUES (?, ?) ON CONFLICT DO UPDATE SET"
            " secret = excluded.secret, confirmed = 0, last_step = 0, recovery = '[]'",
            user_id,
            self._vault.seal(secret),
        )
        return secret

    def confirm(self, user_id: int) -> list[str]:
        """Enables the secret from `begin`; returns the recovery codes, each of which replaces an app's code once."""
        self._store.execute("UPDATE second_factors SET confirmed = 1 WHERE user_id = ?", user_id)
        return self.new_recovery_codes(user_id)

    def new_recovery_codes(self, user_id: int) -> list[str]:
        """Replaces the recovery codes; the previous ones become invalid."""
        codes = [_recovery_code() for _ in range(RECOVERY_CODES)]
        self._store.execute(
            "UPDATE second_factors SET recovery = ? WHERE user_id = ?",
            json.dumps([_digest(code) for code in codes]),
            user_id,
        )
        return codes

    def remove(self, user_id: int) -> None:
        """Disables two-factor authentication and deletes secret and recovery codes."""
        self._store.execute("DELETE FROM second_factors WHERE user_id = ?", user_id)

    def fits(self, user_id: int, code: str) -> bool:
        """Whether an app's code or a recovery code is right; each is valid once. Raises RATE_LIMIT_HIT."""
        row = self._row(user_id)
        if row is None:
            return False
        self._attempts.hit(user_id)
        given = code.replace(" ", "").replace("-", "").lower()
        if not (self._fits_app(row, given) or self._fits_recovery(row, given)):
            return False
        self._attempts.clear(user_id)
        return True

    def _fits_app(self, row: Row, code: str) -> bool:
        # After a restore without the vault's secret, only recovery codes work.
        if (secret := self._vault.open(row["secret"])) is None:
            return False
        step = matching_step(secret, code, self._clock.now(), row["last_step"])
        if step is not None:
            self._store.execute(
                "UPDATE second_factors SET last_step = ? WHERE user_id = ?", step, row["user_id"]
            )
        return step is not None

    def _fits_recovery(self, row: Row, code: str) -> bool:
        left: list[str] = json.loads(row["recovery"])
        if _digest(code) not in left:
            return False
        left.remove(_digest(code))
        self._store.execute(
            "UPDATE second_factors SET recovery = ? WHERE user_id = ?", json.dumps(left), row["user_id"]
        )
        return True

    def _row(self, user_id: int) -> Row | None:
        return self._store.one("SELECT * FROM second_factors WHERE user_id = ?", user_id)


def _recovery_code() -> str:
    letters = "".join(secrets.choice(_ALPHABET) for _ in range(_LETTERS))
    return "-".join(letters[start : start + 4] for start in range(0, _LETTERS, 4))


def _digest(code: str) -> str:
    return hashlib.sha256(code.replace("-", "").encode()).hexdigest()
