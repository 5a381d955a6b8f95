"""The shared state of one export, and the ids that it assigns: of client programs and of unnamed groups."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from narrowcast_server.zulip_archive.layout import TargetServer
from narrowcast_server.zulip_archive.writing.recipients import RecipientWriter
from narrowcast_server.zulip_archive.writing.source import Source

Record = dict[str, object]
"""One row of a table of the archive."""
_MAX_LENGTH: Final = 30
"""Characters of the name of a client."""


class Clients:
    """Assigns ids to the names of the clients that messages were sent from, as they occur."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}

    def id(self, name: str) -> int:
        return self._ids.setdefault(name[:_MAX_LENGTH] or "unknown", len(self._ids) + 1)

    def rows(self) -> list[dict[str, object]]:
        """The rows of all clients named so far."""
        return [{"id": identity, "name": name} for name, identity in self._ids.items()]


@dataclass(frozen=True, slots=True)
class Unnamed:
    """An unnamed group, used by a single setting."""

    id: int
    members: tuple[int, ...]
    subgroups: tuple[int, ...]


class Permissions:
    """The value of each permission is one group in an archive: creates an unnamed one for users or several groups."""

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


@dataclass(slots=True)
class ArchiveExport:
    """One archive while it is written: its source, the ids it assigns, and what it leaves out."""

    source: Source
    target: TargetServer
    recipients: RecipientWriter
    permissions: Permissions
    clients: Clients
    now: int
    """When the export began, UTC seconds."""
    lost_files: set[str] = field(default_factory=set)
    """Path ids of uploads whose file is missing."""
    changed: list[str] = field(default_factory=list)
    """What had to be changed, one line each, for the report."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Counts of what was left out, for the report."""
    emoji_names: dict[str, str] = field(default_factory=dict)
    """Names of custom emoji by emoji code."""
    reminded_of: dict[int, int] = field(default_factory=dict)
    """Message ids by the archive's ids of their reminders."""
    scheduled_uploads: dict[str, list[int]] = field(default_factory=dict)
    """Ids of scheduled messages by the path ids of the uploads that they link to."""
    system_bot_ids: frozenset[int] = frozenset()
    names: dict[str, dict[int, str]] = field(default_factory=dict)
    """The syntax for mentioning active users, active groups and channels, by kind as in HTML attributes and by id."""

    @classmethod
    def of(cls, source: Source, target: TargetServer, now: int) -> ArchiveExport:
        recipients = RecipientWriter(source, direct_groups=target.direct_groups)
        export = cls(source, target, recipients, Permissions(source), Clients(), now)
        export.emoji_names = {
            str(row["id"]): row["name"] for row in source.rows("SELECT id, name FROM custom_emoji")
        }
        export.system_bot_ids = frozenset(bot.id for bot in source.system_bots)
        export.names = {
            "user": {user.id: f"**{user.full_name}**" for user in source.people if user.is_active},
            "user-group": {group.id: f"*{group.name}*" for group in source.groups if not group.deactivated},
            "stream": {channel.id: f"#**{channel.name}" for channel in source.channels},
        }
        return export
