"""Permissions in an archive: the value of each is one group, named or not."""

from __future__ import annotations

from dataclasses import dataclass

from narrowcast_server.zulip_archive.writing.source import Source


@dataclass(frozen=True, slots=True)
class Unnamed:
    """An unnamed group, used by a single setting."""

    id: int
    members: tuple[int, ...]
    subgroups: tuple[int, ...]


class Permissions:
    """Creates an unnamed group for each value that consists of users or several groups."""

    def __init__(self, source: Source) -> None:
        self._next = source.newest("groups") + 1
        self._system = {group.name: group.id for group in source.groups if group.is_system}
        self.unnamed: list[Unnamed] = []

    def system(self, name: str) -> int:
        """The id of a system group."""
        return self._system[name]

    def group(self, value: object) -> int:
        """The id of the group for a group-setting value."""
        if isinstance(value, int):
            return value
        assert isinstance(value, dict), "every stored permission is a group or a dict"
        made = Unnamed(
            self._next, tuple(value.get("direct_members", ())), tuple(value.get("direct_subgroups", ()))
        )
        self.unnamed.append(made)
        self._next += 1
        return made.id
