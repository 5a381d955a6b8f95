"""Looks up the users that requests name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from narrowcast_server.organization.errors import ServiceError, no_such_user
from narrowcast_server.organization.models import User

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization


def person(organization: Organization, user_id: int) -> User:
    """The user, deactivated or not; raises BAD_REQUEST if there is none (USR-29)."""
    user = organization.users.get(user_id)
    if user is None:
        raise no_such_user()
    return user


def check_active(user: User) -> None:
    """Raises BAD_REQUEST if the account is deactivated."""
    if not user.is_active:
        raise ServiceError("User is deactivated")


def active_people(organization: Organization, user_ids: Iterable[int]) -> list[User]:
    """These users without duplicates; raises BAD_REQUEST if one does not exist, is deactivated or is a system bot."""
    people: dict[int, User] = {}
    for user_id in user_ids:
        user = organization.users.get(user_id)
        if user is None or not user.is_active or user.is_system_bot:
            raise ServiceError(f"Invalid user ID: {user_id}")
        people[user_id] = user
    return list(people.values())
