"""Random histories of several people on one server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import httpx

from support.history_steps import CHANNELS, STEPS, pick

PEOPLE = ("ada", "bruno", "chiyo", "dario", "elif", "greta", "hugo")
OBSERVERS = ("ada", "bruno", "chiyo", "dario", "greta", "hugo")
"""An owner, an administrator, a moderator, members, a guest."""

Step = tuple[str, int, int, int]
"""What is done, and three numbers that choose who, where and what."""


class Place(Protocol):
    """A server where histories happen; people go by their first names in lower case."""

    def now(self) -> float:
        """The time there, in seconds since 1970."""

    def id(self, name: str, /) -> int:
        """The id of somebody."""

    def channel(self, name: str, /) -> int:
        """The id of a channel; LookupError where there is none."""

    def group(self, name: str, /) -> int:
        """The id of a user group; LookupError where there is none."""

    async def raw(
        self, name: str | None, method: str, path: str, params: Mapping[str, object] | None = None, /
    ) -> httpx.Response:
        """One request as somebody."""


class History:
    """Carries out steps; what a server refuses is part of life, a failure of it is not."""

    def __init__(self, server: Place) -> None:
        self.server = server
        self.messages: list[int] = []
        self.made: dict[str, list[tuple[str, int]]] = {}

    async def step(self, step: Step) -> None:
        """Does one thing."""
        kind, who, where, what = step
        await STEPS[kind](self, pick(PEOPLE, who), where, what)

    async def do(self, who: str, method: str, path: str, **params: object) -> dict[str, Any]:
        """A request that may be refused, but with a reason."""
        response = await self.server.raw(who, method, path, params)
        assert response.status_code < 500, (method, path, params, response.text)
        answer: dict[str, Any] = response.json()
        return answer if answer.get("result") == "success" else {}

    def channel(self, number: int) -> int:
        """The id of one of the channels; one that does not exist (yet) is as good as another."""
        try:
            return self.server.channel(pick(CHANNELS, number))
        except LookupError:
            return 1

    def person(self, number: int) -> int:
        """The id of one of the people."""
        return self.server.id(pick(PEOPLE, number))

    def message(self, number: int) -> int:
        """One of the messages, the newest first."""
        return pick(self.messages, -1 - number) if self.messages else 1

    async def make(self, kind: str, who: str, path: str, key: str, **params: object) -> None:
        """Makes something that later steps change."""
        answer = await self.do(who, "POST", path, **params)
        found = answer.get(key)
        for made_id in found if isinstance(found, list) else [found]:
            if isinstance(made_id, int):
                self.made.setdefault(kind, []).append((who, made_id))

    def one(self, kind: str, number: int) -> tuple[str, int]:
        """One of the things made, with who made it."""
        return pick(self.made.get(kind, [("ada", 999)]), number)
