"""Which groups each permission may be given to, according to the server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from narrowcast_api.model.reading import RawRecord, boolean, table, texts


class HolderRule(NamedTuple):
    """Which groups a permission may be given to, from `server_supported_permission_settings`."""

    system_only: bool = False
    """Whether only a system group is allowed: no users, no other groups."""
    nobody: bool = True
    everyone: bool = True
    roles: tuple[str, ...] = ()
    """The system groups that it is limited to; empty: any."""

    def allows(self, name: str) -> bool:
        """Whether the system group may hold the permission. `role:internet` is not handled here, because it
        is never offered.
        """
        if self.roles:
            return name in self.roles
        return {"role:nobody": self.nobody, "role:everyone": self.everyone}.get(name, True)


class HolderRules:
    """Rules by kind of object ('realm', 'stream' or 'group') and permission."""

    def __init__(self, rules: Mapping[tuple[str, str], HolderRule] | None = None) -> None:
        self._rules = dict(rules or {})

    def of(self, kind: str, permission: str) -> HolderRule:
        """The rule of a permission; one without restrictions if the server sends none."""
        return self._rules.get((kind, permission), HolderRule())


def read_holder_rules(response: RawRecord) -> HolderRules:
    """Reads the rules from a snapshot."""
    supported = table(response.get("server_supported_permission_settings"))
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
