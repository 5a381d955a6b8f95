"""Visibility of real email addresses, and the address that stands for a user in the API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.vocabulary import EmailVisibility, Role
from narrowcast_server.organization.models import User
from narrowcast_server.organization.personal import setting

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization


_VISIBILITIES: Final = {int(visibility): visibility for visibility in EmailVisibility}
"""Faster than the enumeration's own lookup, which registration would need once for each user."""
_LEAST_ROLE: Final = {
    EmailVisibility.EVERYONE: Role.GUEST,
    EmailVisibility.MEMBERS: Role.MEMBER,
    EmailVisibility.MODERATORS: Role.MODERATOR,
    EmailVisibility.ADMINISTRATORS: Role.ADMINISTRATOR,
}


def email_visibility(user: User) -> EmailVisibility:
    """The setting of who may see the user's real email address."""
    value = setting(user, "email_address_visibility")
    assert isinstance(value, int)
    return _VISIBILITIES[value]


def may_see_address(viewer: User, user: User) -> bool:
    """Whether `viewer` may see the real email address of `user` (USR-08, USR-10)."""
    if user.is_bot or viewer.id == user.id:
        return True
    least = _LEAST_ROLE.get(email_visibility(user))
    return least is not None and viewer.role <= least


def api_address(organization: Organization, user: User) -> str:
    """The email address of a user in the API: the real one only if everyone may see it (USR-11)."""
    if user.is_bot or email_visibility(user) is EmailVisibility.EVERYONE:
        return user.delivery_email
    return organization.dummy_address(user.id)


def user_at(organization: Organization, address: str) -> User | None:
    """The user with this API address; a hidden real address finds nobody, not even the user themselves."""
    user = organization.user_by_address(address)
    return (
        user
        if user is not None and api_address(organization, user).lower() == address.strip().lower()
        else None
    )
