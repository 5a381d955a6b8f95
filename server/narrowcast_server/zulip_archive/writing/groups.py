"""User groups: named groups, system groups, and unnamed groups of single settings."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Final

from narrowcast_api.wire.vocabulary import Role, SystemGroup
from narrowcast_server.organization.models import User
from narrowcast_server.organization.realm_settings import USER_GROUP_SETTINGS
from narrowcast_server.zulip_archive.layout import REALM_ID
from narrowcast_server.zulip_archive.writing.export import ArchiveExport, Record

_DAY: Final = 86_400
_OF_ROLE: Final = {
    Role.OWNER: SystemGroup.OWNERS,
    Role.ADMINISTRATOR: SystemGroup.ADMINISTRATORS,
    Role.MODERATOR: SystemGroup.MODERATORS,
    Role.MEMBER: SystemGroup.MEMBERS,
    Role.GUEST: SystemGroup.EVERYONE,
}


def named(export: ArchiveExport) -> Iterator[Record]:
    names = _names(export)
    for group in export.source.groups:
        permissions = {
            name: export.permissions.group(
                group.settings.get(name, export.permissions.system(USER_GROUP_SETTINGS[name]))
            )
            for name in USER_GROUP_SETTINGS
        }
        yield {
            "id": group.id,
            "usergroup_ptr": group.id,
            "realm_for_sharding": REALM_ID,
            "name": names[group.id],
            "description": group.description,
            "is_system_group": group.is_system,
            "deactivated": group.deactivated,
            "creator": group.creator_id,
            "date_created": group.date_created,
            **permissions,
        }


def _names(export: ArchiveExport) -> dict[int, str]:
    """Names by group id. Zulip requires unique names, even of deactivated groups: a number is added to later ones."""
    names: dict[int, str] = {}
    taken: set[str] = set()
    for group in sorted(export.source.groups, key=lambda group: (group.deactivated, group.id)):
        name, number = group.name, 1
        while name in taken:
            number += 1
            name = f"{group.name[:90]} ({number})"
        if number > 1:
            export.changed.append(f"the deactivated group {group.name} is called {name}: there are several")
        taken.add(name)
        names[group.id] = name
    return names


def all_groups(export: ArchiveExport) -> Iterator[Record]:
    """All groups, named or not; to be written after everything that has permissions."""
    for group in export.source.groups:
        yield {"id": group.id, "realm": REALM_ID}
    for unnamed in export.permissions.unnamed:
        yield {"id": unnamed.id, "realm": REALM_ID}


def members(export: ArchiveExport) -> Iterator[Record]:
    """Direct members. In Zulip system groups have members too: everybody is in the group of their role."""
    ids = count(1)
    for row in export.source.rows("SELECT * FROM group_members ORDER BY group_id, user_id"):
        yield _member(next(ids), row["group_id"], row["user_id"])
    for user in export.source.people:
        for name in _role_groups(export, user):
            yield _member(next(ids), export.permissions.system(name), user.id)
    for unnamed in export.permissions.unnamed:
        for user_id in unnamed.members:
            yield _member(next(ids), unnamed.id, user_id)


def _role_groups(export: ArchiveExport, user: User) -> Iterator[str]:
    yield _OF_ROLE[user.role]
    threshold = export.source.settings["waiting_period_threshold"]
    assert isinstance(threshold, int)
    if user.role is Role.MEMBER and export.now - user.date_joined >= threshold * _DAY:
        yield SystemGroup.FULL_MEMBERS


def _member(identity: int, group_id: int, user_id: int) -> Record:
    return {"id": identity, "user_group": group_id, "user_profile": user_id}


def subgroups(export: ArchiveExport) -> Iterator[Record]:
    """Groups directly inside groups."""
    ids = count(1)
    for row in export.source.rows("SELECT * FROM group_subgroups ORDER BY group_id, subgroup_id"):
        yield {"id": next(ids), "supergroup": row["group_id"], "subgroup": row["subgroup_id"]}
    for unnamed in export.permissions.unnamed:
        for subgroup_id in unnamed.subgroups:
            yield {"id": next(ids), "supergroup": unnamed.id, "subgroup": subgroup_id}
