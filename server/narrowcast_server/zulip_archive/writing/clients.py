"""The programs that messages came from."""

from __future__ import annotations

from typing import Final

_LONGEST: Final = 30


class Clients:
    """Ids for the names of programs, as they are met."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}

    def id(self, name: str) -> int:
        return self._ids.setdefault(name[:_LONGEST] or "unknown", len(self._ids) + 1)

    def rows(self) -> list[dict[str, object]]:
        """Those that were met so far."""
        return [{"id": identity, "name": name} for name, identity in self._ids.items()]
