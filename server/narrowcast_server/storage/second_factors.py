"""Who gives a code of an authenticator app beside the password, and what their codes are made from."""

from __future__ import annotations

import hashlib
import json
import secrets
from typing import Final

from narrowcast_server.http.rate_limits import RateLimiter
from narrowcast_server.organization.clock import Clock
from narrowcast_server.organization.config import RateLimit
from narrowcast_server.organization.totp import matching_step, new_secret
from narrowcast_server.storage.key_vault import KeyVault
from narrowcast_server.storage.store import Row, Store

RECOVERY_CODES: Final = 10
_ALPHABET: Final = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without what looks alike."""
_LETTERS: Final = 16
_ATTEMPTS: Final = RateLimit(1800, 10)
"""Of who knows the password already."""


class SecondFactors:
    """Those of everybody. Call what changes something within a transaction."""

    def __init__(self, store: Store, vault: KeyVault, clock: Clock) -> None:
        self._store = store
        self._vault = vault
        self._clock = clock
        self._attempts = RateLimiter(clock, (_ATTEMPTS,))

    def is_on(self, user_id: int) -> bool:
        """Whether somebody gives a code when they sign in."""
        row = self._row(user_id)
        return row is not None and bool(row["confirmed"])

    def recovery_codes_left(self, user_id: int) -> int:
        """How many recovery codes are unused."""
        row = self._row(user_id)
        return 0 if row is None else len(json.loads(row["recovery"]))

    def begin(self, user_id: int) -> str:
        """A secret for somebody's authenticator app, in base32; it counts for nothing until it is confirmed."""
        secret = new_secret()
        self._store.execute(
            "INSERT INTO second_factors (user_id, secret) VALUES (?, ?) ON CONFLICT DO UPDATE SET"
            " secret = excluded.secret, confirmed = 0, last_step = 0, recovery = '[]'",
            user_id,
            self._vault.seal(secret),
        )
        return secret

    def confirm(self, user_id: int) -> list[str]:
        """Switches on what was begun; gives the recovery codes, each of which is good once, in place of a code."""
        self._store.execute("UPDATE second_factors SET confirmed = 1 WHERE user_id = ?", user_id)
        return self.new_recovery_codes(user_id)

    def new_recovery_codes(self, user_id: int) -> list[str]:
        """Other recovery codes; those that were are good no more."""
        codes = [_recovery_code() for _ in range(RECOVERY_CODES)]
        self._store.execute(
            "UPDATE second_factors SET recovery = ? WHERE user_id = ?",
            json.dumps([_digest(code) for code in codes]),
            user_id,
        )
        return codes

    def remove(self, user_id: int) -> None:
        """Switches the second factor off, codes and all."""
        self._store.execute("DELETE FROM second_factors WHERE user_id = ?", user_id)

    def fits(self, user_id: int, code: str) -> bool:
        """Whether a code, or a recovery code, is right; none is right twice. Raises RATE_LIMIT_HIT."""
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
        # After a restore without the secret of the keys, recovery codes are what is left.
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
