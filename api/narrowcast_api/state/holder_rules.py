"""What each permission may be given to, as the server says of those that it has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from narrowcast_api.model.reading import RawRecord, boolean, table, texts


class HolderRule(NamedTuple):
    """What a permission may be given to, as `server_supported_permission_settings` says of each."""

    system_only: bool = False
    """Only one group of a role: no people, no other groups."""
    nobody: bool = True
    everyone: bool = True
    roles: tuple[str, ...] = ()
    """The groups of roles that it is limited to; empty: any."""

    def allows(self, name: str) -> bool:
        """Whether the group of a role may hold it; that of the internet, which is none, is nowhere on offer."""
        if self.roles:
            return name in self.roles
        return {"role:nobody": self.nobody, "role:everyone": self.everyone}.get(name, True)


class HolderRules:
    """The rules by what a permission is of: 'realm', 'stream' or 'group'."""

    def __init__(self, rules: Mapping[tuple[str, str], HolderRule] | None = None) -> None:
        self._rules = dict(rules or {})

    def of(self, kind: str, permission: str) -> HolderRule:
        """The rule of a permission; servers that say none leave it open."""
        return self._rules.get((kind, permission), HolderRule())


def read_holder_rules(answer: RawRecord) -> HolderRules:
    """The rules of a snapshot."""
    supported = table(answer.get("server_supported_permission_settings"))
    return HolderRules(
        {
            (kind, name): _rule(table(row))
            for kind, settings in supported.items()
            for name, row in table(settings).items()
        }
    )


def _rule(row: RawRecord) -> HolderRule:
    return HolderRule(
        boolean(row, "require_system_group"),
        boolean(row, "allow_nobody_group", True),
        boolean(row, "allow_everyone_group", True),
        tuple(texts(row.get("allowed_system_groups"))),
    )
