"""The client programs that messages were sent from."""

from __future__ import annotations

from typing import Final

_MAX_LENGTH: Final = 30


class Clients:
    """Assigns ids to the names of clients as they occur."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}

    def id(self, name: str) -> int:
        return self._ids.setdefault(name[:_MAX_LENGTH] or "unknown", len(self._ids) + 1)

    def rows(self) -> list[dict[str, object]]:
        """The rows of all clients named so far."""
        return [{"id": identity, "name": name} for name, identity in self._ids.items()]
