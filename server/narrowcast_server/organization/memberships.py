"""Who and what is directly in each user group, in memory, and the one way to change it.

A permission is looked up for many people at every request, and groups may hold groups that hold groups. So what a
group comes to, with all the groups inside it, is worked out once, without recursion, and kept until any group changes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from narrowcast_server.organization.models import Group
from narrowcast_server.storage.directory import Directory
from narrowcast_server.storage.store import Store

MAX_NESTING: Final = 10
"""Groups one inside the other, from the outermost to the innermost."""


@dataclass(frozen=True, slots=True)
class Reach:
    """Whom a group includes: these people, and everybody who belongs to these system groups."""

    user_ids: frozenset[int]
    system_groups: tuple[str, ...]


class Memberships:
    """The direct members and direct subgroups of all groups; the rows of two tables."""

    def __init__(self, store: Store, groups: Directory[Group]) -> None:
        self._store = store
        self._groups = groups
        self._members: dict[int, set[int]] | None = None
        self._subgroups: dict[int, set[int]] | None = None
        self._supergroups: dict[int, set[int]] | None = None
        self._reaches: dict[int, Reach] = {}
        self._groups_version = -1

    # --- reading ---------------------------------------------------------------------------------------------

    def members(self, group_id: int) -> list[int]:
        """Ids of the users directly in a group, ascending. System groups have none here: roles say who is in."""
        return sorted(self._loaded_members().get(group_id, ()))

    def subgroups(self, group_id: int) -> list[int]:
        """Ids of the groups directly inside a group, ascending."""
        return sorted(self._loaded_subgroups().get(group_id, ()))

    def above(self, group_id: int) -> list[int]:
        """Ids of the groups that a group is directly inside of, ascending."""
        return sorted(self._loaded_supergroups().get(group_id, ()))

    def groups_inside(self, group_id: int) -> set[int]:
        """Ids of all groups inside a group, at any depth, deactivated or not."""
        subgroups = self._loaded_subgroups()
        inside: set[int] = set()
        waiting = [group_id]
        while waiting:
            new = subgroups.get(waiting.pop(), set()) - inside
            inside |= new
            waiting.extend(new)
        return inside

    def reach(self, group_id: int) -> Reach:
        """Whom a group includes through all that is inside it; a deactivated group includes nobody."""
        if self._groups_version != self._groups.version:
            self._reaches.clear()
            self._groups_version = self._groups.version
        reach = self._reaches.get(group_id)
        if reach is None:
            reach = self._reaches[group_id] = self._walk(group_id)
        return reach

    def _walk(self, group_id: int) -> Reach:
        members, subgroups = self._loaded_members(), self._loaded_subgroups()
        user_ids: set[int] = set()
        system: list[str] = []
        met = {group_id}
        waiting = [group_id]
        while waiting:
            identity = waiting.pop()
            group = self._groups.get(identity)
            if group is None or group.deactivated:
                continue
            if group.is_system:
                system.append(group.name)
                continue
            user_ids |= members.get(identity, set())
            new = subgroups.get(identity, set()) - met
            met |= new
            waiting.extend(new)
        return Reach(frozenset(user_ids), tuple(sorted(system)))

    def nests_too_deep(self, outer_id: int, inner_id: int) -> bool:
        """Whether more than MAX_NESTING groups would lie one inside the other with `inner` put into `outer`."""
        above = _longest_chain(self._loaded_supergroups(), outer_id)
        return above + _longest_chain(self._loaded_subgroups(), inner_id) > MAX_NESTING

    # --- changing --------------------------------------------------------------------------------------------

    def add_members(self, group_id: int, user_ids: Iterable[int]) -> None:
        """Puts users into a group; those who are in it stay."""
        self._store.execute_many(
            "INSERT OR IGNORE INTO group_members VALUES (?, ?)", [(group_id, user_id) for user_id in user_ids]
        )
        self._members = None
        self._reaches.clear()

    def remove_members(self, group_id: int, user_ids: Iterable[int]) -> None:
        """Takes users out of a group."""
        self._store.execute_many(
            "DELETE FROM group_members WHERE group_id = ? AND user_id = ?",
            [(group_id, user_id) for user_id in user_ids],
        )
        self._members = None
        self._reaches.clear()

    def add_subgroup(self, group_id: int, subgroup_id: int) -> None:
        """Puts a group into a group."""
        # In place: a request may name many, and each is checked against what those before it made.
        self._loaded_subgroups().setdefault(group_id, set()).add(subgroup_id)
        self._loaded_supergroups().setdefault(subgroup_id, set()).add(group_id)
        self._store.execute("INSERT INTO group_subgroups VALUES (?, ?)", group_id, subgroup_id)
        self._reaches.clear()

    def remove_subgroup(self, group_id: int, subgroup_id: int) -> None:
        """Takes a group out of a group."""
        self._loaded_subgroups().get(group_id, set()).discard(subgroup_id)
        self._loaded_supergroups().get(subgroup_id, set()).discard(group_id)
        self._store.execute(
            "DELETE FROM group_subgroups WHERE group_id = ? AND subgroup_id = ?", group_id, subgroup_id
        )
        self._reaches.clear()

    def forget(self) -> None:
        """Drops what is in memory; it is read again when it is next asked for."""
        self._members = self._subgroups = self._supergroups = None
        self._reaches.clear()

    # --- the rows --------------------------------------------------------------------------------------------

    def _loaded_members(self) -> dict[int, set[int]]:
        if self._members is None:
            self._members = self._pairs("SELECT group_id, user_id FROM group_members")
        return self._members

    def _loaded_subgroups(self) -> dict[int, set[int]]:
        if self._subgroups is None:
            self._subgroups = self._pairs("SELECT group_id, subgroup_id FROM group_subgroups")
        return self._subgroups

    def _loaded_supergroups(self) -> dict[int, set[int]]:
        if self._supergroups is None:
            self._supergroups = self._pairs("SELECT subgroup_id, group_id FROM group_subgroups")
        return self._supergroups

    def _pairs(self, sql: str) -> dict[int, set[int]]:
        pairs: dict[int, set[int]] = defaultdict(set)
        for outer, inner in self._store.all(sql):
            pairs[outer].add(inner)
        return dict(pairs)


def _longest_chain(next_ids: dict[int, set[int]], start: int) -> int:
    """Groups on the longest way from `start`, itself included; stops one past what is allowed."""
    level, length = {start}, 0
    while level and length <= MAX_NESTING:
        length += 1
        level = {identity for group_id in level for identity in next_ids.get(group_id, ())}
    return length
