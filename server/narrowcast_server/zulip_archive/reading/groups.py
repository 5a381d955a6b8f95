"""User groups, and the permission settings that refer to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from narrowcast_server.organization.memberships import MAX_NESTING, longest_chain
from narrowcast_server.organization.realm_settings import USER_GROUP_SETTINGS
from narrowcast_server.resources.user_groups.changes import MAX_DESCRIPTION, MAX_NAME
from narrowcast_server.rules.holders import check_holder
from narrowcast_server.rules.permissions import system_group
from narrowcast_server.zulip_archive.layout import ArchiveError
from narrowcast_server.zulip_archive.reading.intake import Ids, Intake
from narrowcast_server.zulip_archive.reading.rows import ArchiveRow, identities

_PREFIXES: Final = ("@", "role:", "user:", "stream:", "channel:")


def groups(intake: Intake) -> None:
    """Creates groups with their members; system groups exist already. `permissions_of_groups` sets their
    permissions later.
    """
    every = identities(intake.tables, "zerver_usergroup")
    named = _named_ids(intake, every)
    intake.groups.update(named)
    store, taken = intake.organization.store, set[str]()
    for row in intake.rows("zerver_namedusergroup"):
        if row.flag("is_system_group"):
            continue
        identity = named[row.integer("usergroup_ptr")]
        deactivated = row.flag("deactivated")
        name = intake.texts.line("names of groups", row.text("name"), MAX_NAME, otherwise=f"Group {identity}")
        if name.startswith(_PREFIXES):
            name = intake.texts.line("names of groups", name.lstrip("@").replace(":", " "), MAX_NAME)
        if not deactivated:
            name = intake.texts.single("names of groups", name, taken, MAX_NAME)
            taken.add(name.casefold())
        store.execute(
            "INSERT INTO groups (id, name, description, creator_id, date_created, deactivated)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            identity,
            name,
            intake.texts.body("descriptions of groups", row.text("description", ""), MAX_DESCRIPTION),
            row.optional("creator", intake.users),
            row.time("date_created", 0) or None,
            int(deactivated),
        )
    for group_id in every.keys() - named.keys():
        intake.unnamed[group_id] = ([], [])
    _memberships(intake)
    intake.organization.forget()


def _named_ids(intake: Intake, every: Ids) -> Ids:
    """Our ids of named groups: system groups are matched by name, others keep their id unless it is taken."""
    named: Ids = {}
    present = {group.name: group.id for group in intake.organization.groups.all()}
    used = set(present.values())
    for row in intake.rows("zerver_namedusergroup"):
        theirs = row.reference("usergroup_ptr", {key: key for key in every})
        if theirs in named:
            row.fault("two groups have this id")
        if row.flag("is_system_group"):
            name = row.text("name")
            if name not in present:
                row.fault(f"there is no system group {name!r}")
            named[theirs] = present[name]
    free = max([*every.values(), *used, 0]) + 1
    for row in intake.rows("zerver_namedusergroup"):
        theirs = row.integer("usergroup_ptr")
        if theirs in named:
            continue
        ours = every[theirs]
        if ours in used:
            ours, free = free, free + 1
        used.add(ours)
        named[theirs] = ours
    return named


def _memberships(intake: Intake) -> None:
    system = {group.id for group in intake.organization.groups.all() if group.is_system}
    for row in intake.rows("zerver_usergroupmembership"):
        group_id, user_id = row.integer("user_group"), row.reference("user_profile", intake.users)
        if group_id in intake.unnamed:
            intake.unnamed[group_id][0].append(user_id)
        elif (ours := row.reference("user_group", intake.groups)) not in system:
            # Membership in system groups follows from roles.
            intake.execute("INSERT OR IGNORE INTO group_members VALUES (?, ?)", ours, user_id)
    inside: dict[int, set[int]] = {}
    for row in intake.rows("zerver_groupgroupmembership"):
        above = row.integer("supergroup")
        below = row.reference("subgroup", intake.groups)
        if above in intake.unnamed:
            intake.unnamed[above][1].append(below)
            continue
        outer = row.reference("supergroup", intake.groups)
        if outer in system:
            continue
        inside.setdefault(outer, set()).add(below)
        intake.execute("INSERT OR IGNORE INTO group_subgroups VALUES (?, ?)", outer, below)
    if any(longest_chain(inside, outer) > MAX_NESTING for outer in inside):
        raise ArchiveError(f"groups are nested in a circle, or more than {MAX_NESTING} deep")


def permissions(
    intake: Intake, row: ArchiveRow, kind: Literal["realm", "stream", "group"], defaults: Mapping[str, str]
) -> dict[str, object]:
    """The group-setting values of a row; defaults for settings that the archive lacks."""
    values: dict[str, object] = {}
    for name, holder in defaults.items():
        if not row.has(name):
            values[name] = system_group(intake.organization, holder).id
            continue
        theirs = row.integer(name)
        if theirs in intake.unnamed:
            members, subgroups = intake.unnamed[theirs]
            values[name] = {
                "direct_members": sorted(set(members)),
                "direct_subgroups": sorted(set(subgroups)),
            }
        else:
            values[name] = row.reference(name, intake.groups)
        with intake.aborting(row):
            check_holder(intake.organization, kind, name, values[name])
    return values


def permissions_of_groups(intake: Intake) -> None:
    """Sets the permissions of the groups."""
    for row in intake.rows("zerver_namedusergroup"):
        if not row.flag("is_system_group"):
            group_id = intake.groups[row.integer("usergroup_ptr")]
            values = permissions(intake, row, "group", USER_GROUP_SETTINGS)
            intake.organization.groups.update(group_id, settings=values)
