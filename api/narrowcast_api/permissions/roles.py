"""Roles, who holds a permission, and rules that follow from these alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_api.model.user_groups import AdHocGroup, GroupSettingValue, read_group_setting
from narrowcast_api.permissions.refusal import ALLOWED, Refusal
from narrowcast_api.state.policies import NOBODY, least_role
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import Role

if TYPE_CHECKING:
    from narrowcast_api.model.users import User
    from narrowcast_api.state.state import State

ROLE_NAMES = {
    int(Role.OWNER): "owner",
    int(Role.ADMINISTRATOR): "administrator",
    int(Role.MODERATOR): "moderator",
    int(Role.MEMBER): "member",
    int(Role.GUEST): "guest",
}

_SYSTEM_NAMES = {
    "role:internet": "everyone on the internet",
    "role:everyone": "everyone including guests",
    "role:members": "everyone except guests",
    "role:fullmembers": "full members",
    "role:moderators": "admins and moderators",
    "role:administrators": "admins",
    "role:owners": "owners",
    "role:nobody": "nobody",
}

_OLD_HOLDERS = {
    NOBODY: "nobody",
    Role.OWNER: "owners",
    Role.ADMINISTRATOR: "admins",
    Role.MODERATOR: "admins and moderators",
    Role.MEMBER: "members",
}
"""Who holds a permission by the least role that does."""

_NAMED = 4
"""People who are named one by one before the rest is counted."""


def role_of(state: State) -> int:
    """The caller's own role code; that of a member while it is not known."""
    me = state.users.get(state.me)
    return me.role if me is not None else int(Role.MEMBER)


def role_name(role: int) -> str:
    return ROLE_NAMES.get(role, f"role {role}")


def is_owner(state: State) -> bool:
    """Whether oneself owns the organization."""
    return role_of(state) <= Role.OWNER


def is_administrator(state: State) -> bool:
    """Whether oneself administers the organization; owners do."""
    return role_of(state) <= Role.ADMINISTRATOR


def is_guest(state: State) -> bool:
    """Whether oneself is a guest."""
    return role_of(state) >= Role.GUEST


def only_administrators(state: State, act: str = "do this") -> Refusal:
    """Refuses everybody but administrators."""
    if is_administrator(state):
        return ALLOWED
    return only("organization administrators", f"{act}{_ask(state, Role.ADMINISTRATOR)}")


def only_owners(state: State, act: str = "do this") -> Refusal:
    """Refuses everybody but owners."""
    return ALLOWED if is_owner(state) else only("organization owners", f"{act}{_ask(state, Role.OWNER)}")


def only_members(state: State, act: str = "do this") -> Refusal:
    """Allowed for members and whoever is above them; guests are refused."""
    return ALLOWED if role_of(state) <= Role.MEMBER else only("members", act)


def leaving_refusal(state: State) -> str:
    """Why oneself may not end one's own account: an organization keeps an owner."""
    if not is_owner(state):
        return ""
    owners = [user for user in state.users.active() if not user.is_bot and user.is_owner]
    if len(owners) > 1:
        return ""
    return "You are the only owner of the organization. Make another user an owner first."


def only_holders(state: State, permission: str, act: str = "do this") -> Refusal:
    """Refuses who does not hold a permission of the organization, named as in its settings."""
    if state.has_permission(permission):
        return ALLOWED
    setting = read_group_setting(state.organization.get(permission))
    if setting is not None:
        return only(holders(state, setting), act)
    least = least_role(state.organization, permission)
    who = "users with permission" if least is None else _OLD_HOLDERS[least]
    return only(who, act)


def only(who: str, act: str) -> Refusal:
    """'Only … can …', or that nobody can."""
    if who == "nobody":
        return Refusal(f"Nobody can {act}.", "nobody")
    if who == _SYSTEM_NAMES["role:members"]:
        return Refusal(f"Guests cannot {act}.", "not for guests")
    return Refusal(f"Only {who} can {act}.", f"only {who}")


def below(state: State, gate: Gate) -> Refusal:
    """Why a server that is too old cannot do something, in a sentence; empty where it can."""
    missing = level_needed(state, gate)
    return Refusal(f"{gate.title}: {missing}.", missing) if missing else ALLOWED


def level_needed(state: State, gate: Gate) -> str:
    """Why a server that is too old cannot do something, to stand beside what is disabled; empty where it can."""
    return "" if state.supports(gate) else gate.unsupported(state.server.level)


def holders(state: State, setting: GroupSettingValue) -> str:
    """Who holds a permission: a group's name, or people and groups one by one."""
    if not isinstance(setting, AdHocGroup):
        return group_name(state, setting)
    people = sorted((state.users.name(user_id) for user_id in setting.direct_members), key=str.casefold)
    groups = [group_name(state, group_id) for group_id in sorted(setting.direct_subgroups)]
    named = [*groups, *people]
    if not named:
        return "nobody"
    more = len(named) - _NAMED
    return ", ".join(named[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def group_name(state: State, group_id: int) -> str:
    """A group's name; those of roles in words."""
    group = state.user_groups.get(group_id)
    if group is None:
        return f"group {group_id}"
    return _SYSTEM_NAMES.get(group.name, group.name) if group.is_system else group.name


def may_administer(state: State, user: User, act: str = "change other users") -> Refusal:
    """Refuses who may not change somebody's account: administrators may, and owners of bots their bots."""
    if user.is_bot and user.bot_owner_id == state.me:
        return ALLOWED
    return only_administrators(state, act)


def may_deactivate(state: State, user: User) -> Refusal:
    """Refuses who may not deactivate somebody: as for any change, but owners are deactivated by owners."""
    if user.role <= Role.OWNER and user.user_id != state.me:
        return only_owners(state, "deactivate an owner")
    return may_administer(state, user, "deactivate users")


def roles_to_give(state: State, user: User) -> list[int]:
    """The roles that oneself could give somebody; only owners give or take that of an owner."""
    if not is_administrator(state) or (user.role <= Role.OWNER and not is_owner(state)):
        return []
    return [role for role in ROLE_NAMES if role > Role.OWNER or is_owner(state)]


def _ask(state: State, least: Role) -> str:
    """Whom to ask, by name: one who is there will do."""
    names = sorted(
        user.full_name
        for user in state.users.active()
        if user.role <= least and not user.is_bot and user.user_id != state.me
    )
    if not names:
        return ""
    return f"; ask {names[0]}"
