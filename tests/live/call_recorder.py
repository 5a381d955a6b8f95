"""Calls of the library on a Zulip server, with their outcomes: error messages and ignored parameters."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any, Final

from live.site import LiveSite
from narrowcast_api.client import Client
from narrowcast_api.errors import NarrowcastError, RateLimited, ServerFault
from narrowcast_api.http.ignored_parameters import ignored_parameters
from support.api import operations

EITHER: Final = object()
"""As `refused`: success and refusal are both right, as they depend on the server's settings."""
_MAX_TRIES: Final = 5
_SHOWN: Final = frozenset({"settings", "narrow", "anchor", "field_type", "flag", "op", "to", "properties"})
_MAX_LENGTH: Final = 120


@dataclass(frozen=True, slots=True)
class Call:
    """One call. `refusal` is None for a success; `ignored`: parameters that the server ignored."""

    who: str
    operation: str
    given: tuple[str, ...]
    refusal: str | None
    ignored: tuple[str, ...]

    def __str__(self) -> str:
        what = f"{self.who} {self.operation}({', '.join(self.given)})"
        outcome = f": refused: {self.refusal}" if self.refusal else ": done"
        return what + outcome + (f"; ignored {list(self.ignored)}" if self.ignored else "")


@dataclass(slots=True)
class CallRecorder:
    """The clients of all users, and their calls in order."""

    site: LiveSite
    clients: dict[str, Client] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    unexpected: list[Call] = field(default_factory=list)
    stopped: list[str] = field(default_factory=list)
    """Parts that ended early, because a response that they need was missing."""

    async def __call__(
        self, who: str, operation: str, /, refused: Any = None, needs: Any = 0, **given: Any
    ) -> Any:
        """Calls an operation as a user; returns None if it was refused. `refused`: a part of the expected error
        message, "" for any error, None if it must succeed, or `EITHER`.

        Below level `needs` any error and ignored parameters are expected.
        """
        client = self.clients.setdefault(who, self.site.client(who))
        group, _, name = operation.partition(".")
        refusal = response = None
        with ignored_parameters() as ignored:
            try:
                response = await self._patiently(getattr(getattr(client, group), name), given)
            except NarrowcastError as error:
                refusal = f"{type(error).__name__}: {error}"
        names = tuple(name for one in ignored for name in one.names)
        call = Call(who, operation, _named(given), refusal, names)
        self.calls.append(call)
        if self.site.level >= needs and (names or not _is_expected(refusal, refused)):
            self.unexpected.append(call)
        return response

    async def _patiently(self, function: Any, given: dict[str, Any]) -> Any:
        for number in range(_MAX_TRIES):
            try:
                return await function(**given)
            except (RateLimited, ServerFault) as error:
                if number == _MAX_TRIES - 1:
                    raise
                await asyncio.sleep(getattr(error, "retry_after", None) or 1)
        raise AssertionError

    def now(self, seconds: int = 0) -> int:
        """The time `seconds` from now, in whole seconds since 1970."""
        return int(self.site.now()) + seconds

    def not_called(self) -> list[str]:
        """Operations that were not called."""
        client = next(iter(self.clients.values()))
        called = {call.operation for call in self.calls}
        return [name for name in map(".".join, operations(client)) if name not in called]

    async def aclose(self) -> None:
        """Closes all clients."""
        for client in self.clients.values():
            await client.aclose()


def _is_expected(refusal: str | None, wanted: Any) -> bool:
    if wanted is EITHER:
        return True
    return wanted is None if refusal is None else wanted is not None and wanted in refusal


def _named(given: dict[str, Any]) -> tuple[str, ...]:
    return tuple(f"{name}={value}"[:_MAX_LENGTH] if name in _SHOWN else name for name, value in given.items())
