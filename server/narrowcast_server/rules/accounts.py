"""Permissions to change accounts (rows USRU, USRD)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_api.wire.vocabulary import Role
from narrowcast_server.organization.errors import (
    ServiceError,
    insufficient_permission,
    no_such_user,
    not_owner,
)
from narrowcast_server.organization.models import User
from narrowcast_server.organization.people import check_active

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization


def require_may_administer(caller: User, user: User) -> None:
    """Raises BAD_REQUEST unless `caller` is an administrator, or owns the bot `user` (USRU-15, USRD-10)."""
    if not caller.is_administrator and not (user.is_bot and user.bot_owner_id == caller.id):
        raise insufficient_permission()


def administered(organization: Organization, caller: User, user_id: int) -> User:
    """An account that `caller` may change. Without permission the error does not show whether the account exists."""
    user = organization.users.get(user_id)
    if user is None or user.is_system_bot:
        if not caller.is_administrator:
            raise insufficient_permission()
        raise no_such_user()
    require_may_administer(caller, user)
    return user


def is_only_owner(organization: Organization, user: User) -> bool:
    """Whether the user is the only active owner of the organization; bots do not count."""
    owners = [
        other for other in organization.users.all() if other.is_active and other.is_owner and not other.is_bot
    ]
    return user.is_active and [owner.id for owner in owners] == [user.id]


def check_role(organization: Organization, caller: User, user: User, role: Role) -> None:
    """Raises ServiceError for a role that `caller` may not give to `user` (USRU-06, USRU-07, USRU-12, USRU-14)."""
    if not caller.is_administrator:
        raise insufficient_permission()
    owner = None if user.bot_owner_id is None else organization.users[user.bot_owner_id]
    if owner is not None and role < owner.role:
        raise ServiceError("A bot cannot be given a higher role than its owner has.")
    if Role.OWNER in (role, user.role) and role is not user.role:
        if not caller.is_owner:
            raise not_owner()
        if is_only_owner(organization, user):
            raise ServiceError("The owner permission cannot be removed from the only organization owner.")
    if user.is_guest and role <= Role.ADMINISTRATOR:
        raise ServiceError("A guest cannot become an administrator in one step. Make them a member first.")


def check_may_create(caller: User) -> None:
    """Checks that the operator gave `caller`, an administrator, the permission: they learn the password.

    Raises BAD_REQUEST without it.
    """
    if not caller.can_create_users:
        raise ServiceError("User not authorized to create users")


def check_may_change_address(caller: User) -> None:
    """Raises BAD_REQUEST unless `caller` is an owner with the permission (USRU-10)."""
    if not (caller.is_owner and caller.can_change_user_emails):
        raise ServiceError("User not authorized to change user emails")


def check_may_deactivate(organization: Organization, caller: User, user: User) -> None:
    """Raises BAD_REQUEST for the only owner (USRD-08), UNAUTHORIZED_PRINCIPAL for owners if `caller` is none."""
    if user.is_owner and not caller.is_owner:
        raise not_owner()
    if user.is_owner and is_only_owner(organization, user):
        raise ServiceError("Cannot deactivate the only organization owner")
    check_active(user)


def check_may_leave(organization: Organization, user: User) -> None:
    """Raises CANNOT_DEACTIVATE_LAST_USER if the user, who deactivates their own account, is the only owner or user."""
    others = [other for other in organization.users.all() if other.is_active and not other.is_system_bot]
    if is_only_owner(organization, user) or [other.id for other in others] == [user.id]:
        entity = "organization owner" if user.is_owner else "user"
        raise ServiceError(
            f"Cannot deactivate the only {entity}.",
            "CANNOT_DEACTIVATE_LAST_USER",
            is_last_owner=user.is_owner,
            entity=entity,
        )


def check_may_reactivate(organization: Organization, caller: User, user: User) -> None:
    """Raises BAD_REQUEST for bots of deactivated owners, UNAUTHORIZED_PRINCIPAL for owners if `caller` is none."""
    if user.is_owner and not caller.is_owner:
        raise not_owner()
    if user.bot_owner_id is not None and not organization.users[user.bot_owner_id].is_active:
        raise ServiceError("The owner of this bot is deactivated: reactivate them first.")


def check_may_change_avatar(organization: Organization, user: User) -> None:
    """Raises BAD_REQUEST if the organization lets only administrators change avatars and the user is none."""
    if organization.setting("avatar_changes_disabled", bool) and not user.is_administrator:
        raise ServiceError("Avatar changes are disabled in this organization.")


def may_change_own_name(organization: Organization, user: User) -> bool:
    """Whether the user may change their own name; administrators always may."""
    return user.is_administrator or not organization.setting("name_changes_disabled", bool)
