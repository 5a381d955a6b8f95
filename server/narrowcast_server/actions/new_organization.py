"""First start: creating an organization with its system groups and its own bot."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.vocabulary import BotType, Role, SystemGroup
from narrowcast_server.organization.models import User
from narrowcast_server.organization.realm_settings import GROUP_SETTINGS
from narrowcast_server.storage.key_vault import new_key
from narrowcast_server.storage.store import Store

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

_SYSTEM_GROUPS: Final[tuple[tuple[SystemGroup, str, SystemGroup | None], ...]] = (
    (SystemGroup.NOBODY, "Nobody", None),
    (SystemGroup.OWNERS, "Owners of this organization", None),
    (SystemGroup.ADMINISTRATORS, "Administrators of this organization, including owners", SystemGroup.OWNERS),
    (
        SystemGroup.MODERATORS,
        "Moderators of this organization, including administrators",
        SystemGroup.ADMINISTRATORS,
    ),
    (
        SystemGroup.FULL_MEMBERS,
        "Members of this organization, not including new accounts and guests",
        SystemGroup.MODERATORS,
    ),
    (SystemGroup.MEMBERS, "Members of this organization, not including guests", SystemGroup.FULL_MEMBERS),
    (SystemGroup.EVERYONE, "Everyone in this organization, including guests", SystemGroup.MEMBERS),
    (SystemGroup.INTERNET, "Everyone on the Internet", SystemGroup.EVERYONE),
)
_NOTIFICATION_BOT: Final = "notification-bot"


def exists(store: Store) -> bool:
    """Whether the database has an organization already."""
    return store.one("SELECT 1 FROM groups") is not None


def set_up(organization: Organization, *, name: str, domain: str, description: str = "") -> None:
    """Creates the organization: settings, system groups, the notification bot. It has no users yet."""
    ids: dict[SystemGroup, int] = {}
    for group_name, text, subgroup in _SYSTEM_GROUPS:
        ids[group_name] = organization.groups.insert(name=group_name.value, description=text, is_system=1)
        if subgroup is not None:
            organization.memberships.add_subgroup(ids[group_name], ids[subgroup])
    nobody = ids[SystemGroup.NOBODY]
    for group_id in ids.values():
        settings = dict.fromkeys(
            (
                "can_add_members_group",
                "can_join_group",
                "can_leave_group",
                "can_manage_group",
                "can_mention_group",
                "can_remove_members_group",
            ),
            nobody,
        )
        organization.groups.update(group_id, settings=json.dumps(settings))
    organization.set_settings(
        **{setting: ids[SystemGroup(holder)] for setting, holder in GROUP_SETTINGS.items()},
        name=name,
        domain=domain,
        description=description,
        date_created=organization.now(),
    )
    organization.users.insert(
        delivery_email=f"{_NOTIFICATION_BOT}@{domain}",
        full_name="Notification Bot",
        role=int(Role.MEMBER),
        bot_type=int(BotType.GENERIC),
        is_system_bot=1,
        api_key=organization.vault.seal(new_key()),
        date_joined=organization.now(),
        avatar_url="/static/images/notification-bot.png",
    )
    organization.forget_addresses()


def notification_bot(organization: Organization) -> User:
    """The bot that posts notices."""
    for user in organization.users.all():
        if user.is_system_bot:
            return user
    raise LookupError(_NOTIFICATION_BOT)
