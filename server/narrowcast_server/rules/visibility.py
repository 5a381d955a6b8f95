"""Visibility of users. All are visible, except to guests whom the organization does not let see everyone
(`can_access_all_users_group`): they see bots, and users who share a channel or a direct conversation with
them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.vocabulary import SystemGroup
from narrowcast_server.organization.errors import ServiceError, insufficient_permission
from narrowcast_server.organization.models import User
from narrowcast_server.rules.addresses import user_at
from narrowcast_server.rules.permissions import realm_allows, system_group

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

SETTING: Final = "can_access_all_users_group"
_VISIBLE: Final = """
SELECT other.user_id FROM subscriptions own JOIN subscriptions other ON other.channel_id = own.channel_id
 WHERE own.user_id = ?1 AND own.active = 1 AND other.active = 1
UNION SELECT other.user_id FROM conversation_members own
 JOIN conversation_members other ON other.conversation_id = own.conversation_id WHERE own.user_id = ?1
UNION SELECT id FROM users WHERE bot_type IS NOT NULL OR id = ?1
"""


def visible_ids(organization: Organization, viewer: User) -> frozenset[int] | None:
    """Ids of the users whom `viewer` may know of; None for everyone."""
    if not viewer.is_guest or realm_allows(organization, viewer, SETTING):
        return None
    return frozenset(organization.store.integers(_VISIBLE, viewer.id))


def sees(organization: Organization, viewer: User, user: User) -> bool:
    """Whether `viewer` may know of `user`."""
    seen = visible_ids(organization, viewer)
    return seen is None or user.id in seen


def found_by_address(organization: Organization, viewer: User, address: str) -> User | None:
    """The user with this API email address; None if `viewer` may not know of them."""
    user = user_at(organization, address)
    return user if user is not None and sees(organization, viewer, user) else None


def check_sees(organization: Organization, viewer: User, user: User) -> None:
    """Raises BAD_REQUEST if `viewer` may not know of `user`."""
    if not sees(organization, viewer, user):
        raise insufficient_permission()


def check_sees_recipients(organization: Organization, sender: User, people: Iterable[User]) -> None:
    """Raises BAD_REQUEST if the sender may not know of one of the recipients."""
    seen = visible_ids(organization, sender)
    if seen is not None and any(person.id not in seen for person in people):
        raise ServiceError("You do not have permission to access some of the recipients.")


def watchers(organization: Organization, user: User, viewers: Iterable[int] | None = None) -> list[int]:
    """Those of `viewers` (None: all active users) who may know of `user`, and so receive events about them."""
    ids = organization.user_ids() if viewers is None else list(viewers)
    if realm_hides_nobody(organization):
        return ids
    return [identity for identity in ids if sees(organization, organization.users[identity], user)]


def realm_hides_nobody(organization: Organization) -> bool:
    """Whether everyone may know of everyone."""
    return organization.settings[SETTING] == system_group(organization, SystemGroup.EVERYONE).id
