"""Random histories of several users on one server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import httpx2

from support.history_steps import CHANNELS, STEPS, pick

PEOPLE = ("ada", "bruno", "chiyo", "dario", "elif", "greta", "hugo")
OBSERVERS = ("ada", "bruno", "chiyo", "dario", "greta", "hugo")
"""An owner, an administrator, a moderator, members, a guest."""

Step = tuple[str, int, int, int]
"""The name of the step, and three numbers that choose who, where and what."""


class Place(Protocol):
    """A server on which histories run; users are named by their first names in lower case."""

    def now(self) -> float:
        """The server's time, in seconds since 1970."""

    def id(self, name: str, /) -> int:
        """Returns the id of a user."""

    def channel(self, name: str, /) -> int:
        """Returns the id of a channel. Raises LookupError if there is none."""

    def group(self, name: str, /) -> int:
        """Returns the id of a user group. Raises LookupError if there is none."""

    async def raw(
        self, name: str | None, method: str, path: str, params: Mapping[str, object] | None = None, /
    ) -> httpx2.Response:
        """Sends one request as a user."""


class History:
    """Runs steps; errors that the server reports are allowed, failures of the server are not."""

    def __init__(self, server: Place) -> None:
        self.server = server
        self.messages: list[int] = []
        self.made: dict[str, list[tuple[str, int]]] = {}

    async def step(self, step: Step) -> None:
        """Runs one step."""
        kind, who, where, what = step
        await STEPS[kind](self, pick(PEOPLE, who), where, what)

    async def do(self, who: str, method: str, path: str, **params: object) -> dict[str, Any]:
        """Sends a request that the server may reject, but only with a reason."""
        response = await self.server.raw(who, method, path, params)
        assert response.status_code < 500, (method, path, params, response.text)
        body: dict[str, Any] = response.json()
        return body if body.get("result") == "success" else {}

    def channel(self, number: int) -> int:
        """Returns the id of one of the channels, possibly of one that does not exist (yet)."""
        try:
            return self.server.channel(pick(CHANNELS, number))
        except LookupError:
            return 1

    def person(self, number: int) -> int:
        """Returns the id of one of the users."""
        return self.server.id(pick(PEOPLE, number))

    def message(self, number: int) -> int:
        """Returns one of the messages, counted from the newest."""
        return pick(self.messages, -1 - number) if self.messages else 1

    async def make(self, kind: str, who: str, path: str, key: str, **params: object) -> None:
        """Registers an object that later steps change."""
        response = await self.do(who, "POST", path, **params)
        found = response.get(key)
        for made_id in found if isinstance(found, list) else [found]:
            if isinstance(made_id, int):
                self.made.setdefault(kind, []).append((who, made_id))

    def one(self, kind: str, number: int) -> tuple[str, int]:
        """Returns one of the registered objects, with its creator."""
        return pick(self.made.get(kind, [("ada", 999)]), number)
