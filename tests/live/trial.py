"""Calls of the library on a Zulip server, and what became of each: refused by what words, which parameters ignored."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any, Final

from live.site import LiveSite
from narrowcast_api.client import Client
from narrowcast_api.errors import NarrowcastError, RateLimited, ServerFault
from narrowcast_api.http.ignored_parameters import ignored_parameters
from support.api import operations

_MOST_TRIES: Final = 5
_TELLING: Final = frozenset({"settings", "narrow", "anchor", "field_type", "flag", "op", "to", "properties"})
_LONGEST: Final = 120


@dataclass(frozen=True, slots=True)
class Call:
    """One call. `refusal` is None where it was a success; `ignored` are parameters that the server left out."""

    who: str
    operation: str
    given: tuple[str, ...]
    refusal: str | None
    ignored: tuple[str, ...]

    def __str__(self) -> str:
        what = f"{self.who} {self.operation}({', '.join(self.given)})"
        said = f": refused: {self.refusal}" if self.refusal else ": done"
        return what + said + (f"; ignored {list(self.ignored)}" if self.ignored else "")


@dataclass(slots=True)
class Trial:
    """The clients of all people, and their calls in order."""

    site: LiveSite
    clients: dict[str, Client] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    unexpected: list[Call] = field(default_factory=list)
    stopped: list[str] = field(default_factory=list)
    """Parts that ended early, for want of an answer that they go on with."""

    async def __call__(
        self, who: str, operation: str, /, refused: Any = None, needs: Any = 0, **given: Any
    ) -> Any:
        """Calls as somebody; None where it was refused. `refused`: words of the refusal that is right here, "" for any.

        Below level `needs` any refusal is right, and so is that parameters are ignored.
        """
        client = self.clients.setdefault(who, self.site.client(who))
        group, _, name = operation.partition(".")
        refusal = answer = None
        with ignored_parameters() as ignored:
            try:
                answer = await self._patiently(getattr(getattr(client, group), name), given)
            except NarrowcastError as error:
                refusal = f"{type(error).__name__}: {error}"
        names = tuple(name for one in ignored for name in one.names)
        call = Call(who, operation, _named(given), refusal, names)
        self.calls.append(call)
        if self.site.level >= needs and (names or not _is_right(refusal, refused)):
            self.unexpected.append(call)
        return answer

    async def _patiently(self, function: Any, given: dict[str, Any]) -> Any:
        for number in range(_MOST_TRIES):
            try:
                return await function(**given)
            except (RateLimited, ServerFault) as error:
                if number == _MOST_TRIES - 1:
                    raise
                await asyncio.sleep(getattr(error, "retry_after", None) or 1)
        raise AssertionError

    def now(self, seconds: int = 0) -> int:
        """The time so many seconds from now, in whole seconds since 1970."""
        return int(self.site.now()) + seconds

    def not_called(self) -> list[str]:
        """The operations that nobody has called."""
        client = next(iter(self.clients.values()))
        called = {call.operation for call in self.calls}
        return [name for name in map(".".join, operations(client)) if name not in called]

    async def aclose(self) -> None:
        """Closes all clients."""
        for client in self.clients.values():
            await client.aclose()


def _is_right(refusal: str | None, wanted: str | None) -> bool:
    return wanted is None if refusal is None else wanted is not None and wanted in refusal


def _named(given: dict[str, Any]) -> tuple[str, ...]:
    return tuple(f"{name}={value}"[:_LONGEST] if name in _TELLING else name for name, value in given.items())
