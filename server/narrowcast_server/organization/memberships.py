"""The direct members and subgroups of each user group, in memory, and the functions that change them.

Every request checks permissions of many users, and groups can be nested. So the full membership of a group,
with all groups nested in it, is computed once, without recursion, and cached until any group changes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from narrowcast_server.organization.models import Group
from narrowcast_server.storage.directory import Directory
from narrowcast_server.storage.store import Store

MAX_NESTING: Final = 10
"""The maximum length of a chain of nested groups, counting the outermost and the innermost."""


@dataclass(frozen=True, slots=True)
class GroupMembers:
    """The users that a group includes: these users, and everybody in these system groups."""

    user_ids: frozenset[int]
    system_groups: tuple[str, ...]


class Memberships:
    """Direct members and direct subgroups of all groups; mirrors two tables."""

    def __init__(self, store: Store, groups: Directory[Group]) -> None:
        self._store = store
        self._groups = groups
        self._members: dict[int, set[int]] | None = None
        self._subgroups: dict[int, set[int]] | None = None
        self._supergroups: dict[int, set[int]] | None = None
        self._cached_members: dict[int, GroupMembers] = {}
        self._groups_version = -1

    # --- reading ---------------------------------------------------------------------------------------------

    def members(self, group_id: int) -> list[int]:
        """Ids of the direct members of a group, ascending. Empty for system groups: their members follow from
        roles.
        """
        return sorted(self._loaded_members().get(group_id, ()))

    def subgroups(self, group_id: int) -> list[int]:
        """Ids of the direct subgroups of a group, ascending."""
        return sorted(self._loaded_subgroups().get(group_id, ()))

    def above(self, group_id: int) -> list[int]:
        """Ids of the groups that have a group as a direct subgroup, ascending."""
        return sorted(self._loaded_supergroups().get(group_id, ()))

    def groups_inside(self, group_id: int) -> set[int]:
        """Ids of all groups nested in a group, at any depth, including deactivated ones."""
        subgroups = self._loaded_subgroups()
        inside: set[int] = set()
        waiting = [group_id]
        while waiting:
            new = subgroups.get(waiting.pop(), set()) - inside
            inside |= new
            waiting.extend(new)
        return inside

    def members_of(self, group_id: int) -> GroupMembers:
        """The users that a group includes, directly and through subgroups; a deactivated group includes nobody."""
        if self._groups_version != self._groups.version:
            self._cached_members.clear()
            self._groups_version = self._groups.version
        members = self._cached_members.get(group_id)
        if members is None:
            members = self._cached_members[group_id] = self._walk(group_id)
        return members

    def _walk(self, group_id: int) -> GroupMembers:
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
        return GroupMembers(frozenset(user_ids), tuple(sorted(system)))

    def nests_too_deep(self, outer_id: int, inner_id: int) -> bool:
        """Whether putting `inner` into `outer` would make a chain of more than MAX_NESTING nested groups."""
        above = longest_chain(self._loaded_supergroups(), outer_id)
        return above + longest_chain(self._loaded_subgroups(), inner_id) > MAX_NESTING

    # --- changing --------------------------------------------------------------------------------------------

    def add_members(self, group_id: int, user_ids: Iterable[int]) -> None:
        """Adds users to a group; existing members stay."""
        self._store.execute_many(
            "INSERT OR IGNORE INTO group_members VALUES (?, ?)", [(group_id, user_id) for user_id in user_ids]
        )
        self._members = None
        self._cached_members.clear()

    def remove_members(self, group_id: int, user_ids: Iterable[int]) -> None:
        """Removes users from a group."""
        self._store.execute_many(
            "DELETE FROM group_members WHERE group_id = ? AND user_id = ?",
            [(group_id, user_id) for user_id in user_ids],
        )
        self._members = None
        self._cached_members.clear()

    def add_subgroup(self, group_id: int, subgroup_id: int) -> None:
        """Adds a group to a group."""
        subgroups, supergroups = self._loaded_subgroups(), self._loaded_supergroups()
        self._store.execute("INSERT INTO group_subgroups VALUES (?, ?)", group_id, subgroup_id)
        # Updated in place: a request may add many subgroups, and each is checked against those added before
        # it.
        subgroups.setdefault(group_id, set()).add(subgroup_id)
        supergroups.setdefault(subgroup_id, set()).add(group_id)
        self._cached_members.clear()

    def remove_subgroup(self, group_id: int, subgroup_id: int) -> None:
        """Removes a group from a group."""
        subgroups, supergroups = self._loaded_subgroups(), self._loaded_supergroups()
        self._store.execute(
            "DELETE FROM group_subgroups WHERE group_id = ? AND subgroup_id = ?", group_id, subgroup_id
        )
        subgroups.get(group_id, set()).discard(subgroup_id)
        supergroups.get(subgroup_id, set()).discard(group_id)
        self._cached_members.clear()

    def forget(self) -> None:
        """Discards what is in memory; it is loaded again on the next access."""
        self._members = self._subgroups = self._supergroups = None
        self._cached_members.clear()

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


def longest_chain(next_ids: Mapping[int, set[int]], start: int) -> int:
    """The number of groups in the longest chain from `start`, including it; stops counting at MAX_NESTING + 1."""
    level, length = {start}, 0
    while level and length <= MAX_NESTING:
        length += 1
        level = {identity for group_id in level for identity in next_ids.get(group_id, ())}
    return length
