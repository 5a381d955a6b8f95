"""Roles, who holds a permission, and rules that depend only on these."""

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
"""The text for the holders of a permission, by the least role that holds it."""

_NAMED = 4
"""The number of holders that are listed by name before the rest is only counted."""


def role_of(state: State) -> int:
    """The current user's role code; that of a member until it is known."""
    me = state.users.get(state.me)
    return me.role if me is not None else int(Role.MEMBER)


def role_name(role: int) -> str:
    return ROLE_NAMES.get(role, f"role {role}")


def is_owner(state: State) -> bool:
    """Whether the current user is an owner of the organization."""
    return role_of(state) <= Role.OWNER


def is_administrator(state: State) -> bool:
    """Whether the current user is an administrator of the organization; owners are too."""
    return role_of(state) <= Role.ADMINISTRATOR


def is_guest(state: State) -> bool:
    """Whether the current user is a guest."""
    return role_of(state) >= Role.GUEST


def only_administrators(state: State, act: str = "do this") -> Refusal:
    """Returns a refusal unless the current user is an administrator."""
    if is_administrator(state):
        return ALLOWED
    return only("organization administrators", f"{act}{_ask(state, Role.ADMINISTRATOR)}")


def only_owners(state: State, act: str = "do this") -> Refusal:
    """Returns a refusal unless the current user is an owner."""
    return ALLOWED if is_owner(state) else only("organization owners", f"{act}{_ask(state, Role.OWNER)}")


def only_members(state: State, act: str = "do this") -> Refusal:
    """Returns a refusal if the current user is a guest."""
    return ALLOWED if role_of(state) <= Role.MEMBER else only("members", act)


def leaving_refusal(state: State) -> str:
    """Why the current user may not deactivate their own account: the organization needs an owner. Empty if they may."""
    if not is_owner(state):
        return ""
    owners = [user for user in state.users.active() if not user.is_bot and user.is_owner]
    if len(owners) > 1:
        return ""
    return "You are the only owner of the organization. Make another user an owner first."


def only_holders(state: State, permission: str, act: str = "do this") -> Refusal:
    """Returns a refusal unless the current user holds a permission of the organization, named as in its settings."""
    if state.has_permission(permission):
        return ALLOWED
    return only(holders_of(state, permission, "users with permission"), act)


def holders_of(state: State, permission: str, default: str) -> str:
    """The holders of a permission of the organization as text; `default` if the server does not send them."""
    setting = read_group_setting(state.organization.get(permission))
    if setting is not None:
        return holders(state, setting)
    least = least_role(state.organization, permission)
    return default if least is None else _OLD_HOLDERS[least]


def only(who: str, act: str) -> Refusal:
    """A refusal of the form 'Only … can …', or one for nobody or guests."""
    if who == "nobody":
        return Refusal(f"Nobody can {act}.", "nobody")
    if who == _SYSTEM_NAMES["role:members"]:
        return Refusal(f"Guests cannot {act}.", "not for guests")
    return Refusal(f"Only {who} can {act}.", f"only {who}")


def level_refusal(state: State, gate: Gate) -> Refusal:
    """A sentence that the server is too old for a feature; empty if it supports the feature."""
    missing = level_needed(state, gate)
    return Refusal(f"{gate.title}: {missing}.", missing) if missing else ALLOWED


def level_needed(state: State, gate: Gate) -> str:
    """A short text that the server is too old for a feature, for display beside a disabled item; empty if supported."""
    return "" if state.supports(gate) else gate.unsupported(state.server.level)


def holders(state: State, setting: GroupSettingValue) -> str:
    """The holders of a permission as text: a group's name, or a list of users and groups."""
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
    """A group's name; for system groups a description."""
    group = state.user_groups.get(group_id)
    if group is None:
        return f"group {group_id}"
    return _SYSTEM_NAMES.get(group.name, group.name) if group.is_system else group.name


def may_administer(state: State, user: User, act: str = "change other users") -> Refusal:
    """Returns a refusal unless the current user may change the account: as an administrator, or as the owner
    of a bot.
    """
    if user.is_bot and user.bot_owner_id == state.me:
        return ALLOWED
    return only_administrators(state, act)


def may_deactivate(state: State, user: User) -> Refusal:
    """Returns a refusal unless the current user may deactivate the account; only owners may deactivate other owners."""
    if user.role <= Role.OWNER and user.user_id != state.me:
        return only_owners(state, "deactivate an owner")
    return may_administer(state, user, "deactivate users")


def roles_to_give(state: State, user: User) -> list[int]:
    """The roles that the current user may give to a user; only owners can grant or revoke the owner role."""
    if not is_administrator(state) or (user.role <= Role.OWNER and not is_owner(state)):
        return []
    return [role for role in ROLE_NAMES if role > Role.OWNER or is_owner(state)]


def _ask(state: State, least: Role) -> str:
    """A hint with the name of one user to ask; empty if there is none."""
    names = sorted(
        user.full_name
        for user in state.users.active()
        if user.role <= least and not user.is_bot and user.user_id != state.me
    )
    if not names:
        return ""
    return f"; ask {names[0]}"
