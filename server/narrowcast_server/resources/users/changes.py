"""Administration of accounts: name, role, email address, deactivation, reactivation (rows USRU, USRD)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from narrowcast_api.wire.vocabulary import Role
from narrowcast_server.actions.keys import replace_key
from narrowcast_server.actions.mail import send_mail
from narrowcast_server.actions.visibility import channels_may_open, emit_members, visibility_may_change
from narrowcast_server.organization.models import User
from narrowcast_server.resources.invites.changes import revoke_all_of
from narrowcast_server.resources.password_resets import end_links
from narrowcast_server.resources.users.accounts import (
    bot_watchers,
    check_own_address,
    emit_avatar,
    emit_delivery_email,
    emit_person,
    emit_role_groups,
)
from narrowcast_server.rules.access import subscribed_ids, who_may_know
from narrowcast_server.rules.accounts import check_may_deactivate, check_may_reactivate
from narrowcast_server.rules.addresses import api_address

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization


def change_name(organization: Organization, user: User, full_name: str) -> None:
    if full_name == user.full_name:
        return
    organization.users.update(user.id, full_name=full_name)
    emit_person(organization, user, full_name=full_name)
    if user.is_bot:
        bot = {"user_id": user.id, "full_name": full_name}
        organization.emit({"type": "realm_bot", "op": "update", "bot": bot}, bot_watchers(organization, user))


def change_role(organization: Organization, user: User, role: Role) -> None:
    """Sets a checked new role, and updates the system groups."""
    if role is user.role:
        return
    with channels_may_open(organization, [user.id]):
        with visibility_may_change(organization):
            organization.users.update(user.id, role=int(role))
        if user.is_bot and role < user.role:
            # A key handed out while the bot had a lower role must not gain its new permissions.
            replace_key(organization, user)
        emit_person(organization, user, role=int(role))
        revoke_all_of(organization, user, above=role)
        if user.is_active:
            # Groups list only active users.
            emit_role_groups(organization, user.id, user.role, "remove_members")
            emit_role_groups(organization, user.id, role, "add_members")
    for bot in bots_of(organization, user):
        if bot.role < role:
            change_role(organization, bot, role)


def bots_of(organization: Organization, user: User) -> list[User]:
    """A user's bots, including deactivated ones."""
    return [bot for bot in organization.users.all() if bot.bot_owner_id == user.id]


def change_address(
    organization: Organization,
    user: User,
    address: str,
    check: Callable[[Organization, str], str] = check_own_address,
) -> None:
    """Changes the real email address, and the addresses and avatar derived from it. Ends password reset links,
    which went to the old address. `check` raises ServiceError for an address that the user may not have.
    """
    if address.strip().lower() == user.delivery_email.lower():
        return
    checked = check(organization, address)
    before = api_address(organization, user)
    end_links(organization, user)
    organization.users.update(user.id, delivery_email=checked)
    organization.forget_addresses()
    changed = organization.users[user.id]
    if changed.avatar_url is None:
        emit_avatar(organization, changed)
    active = {viewer_id: organization.users[viewer_id] for viewer_id in organization.user_ids()}
    emit_delivery_email(organization, changed, active)
    if api_address(organization, changed) != before:
        emit_person(organization, changed, new_email=api_address(organization, changed))


def deactivate(organization: Organization, caller: User, user: User, comment: str | None) -> None:
    """Deactivates an account and its bots (USRD-07); with a comment, emails the user (USRD-04, USRD-05)."""
    check_may_deactivate(organization, caller, user)
    bots = [bot for bot in bots_of(organization, user) if bot.is_active]
    for account in (*bots, user):
        revoke_all_of(organization, account)
        end_links(organization, account)
        _set_active(organization, account, False)
    if comment is not None:
        text = f"Your account at {organization.setting('name', str)} was deactivated by {caller.full_name}."
        send_mail(
            organization,
            user.delivery_email,
            "Account deactivated",
            f"{text}\n\n{comment}" if comment else text,
        )


def reactivate(organization: Organization, caller: User, user: User) -> None:
    """Reactivates an account; its subscriptions are as before."""
    check_may_reactivate(organization, caller, user)
    if not user.is_active:
        _set_active(organization, user, True)


def _set_active(organization: Organization, user: User, active: bool) -> None:
    channel_ids = sorted(subscribed_ids(organization, user.id))
    organization.users.update(user.id, is_active=int(active))
    emit_person(organization, user, is_active=active)
    if user.is_bot:
        bot = {"user_id": user.id, "is_active": active}
        organization.emit({"type": "realm_bot", "op": "update", "bot": bot}, bot_watchers(organization, user))
    _emit_to_peers(organization, user, channel_ids, "peer_add" if active else "peer_remove")
    if active:  # no event is needed for deactivation: clients remove deactivated users from groups themselves
        emit_role_groups(organization, user.id, user.role, "add_members")
        for group in organization.groups.all():
            if user.id in organization.memberships.members(group.id):
                emit_members(
                    organization, {"type": "user_group", "op": "add_members", "group_id": group.id}, [user.id]
                )
    if not active:
        organization.hub.end_all_of(user.id)


def _emit_to_peers(
    organization: Organization, user: User, channel_ids: Iterable[int], operation: str
) -> None:
    for channel_id in channel_ids:
        peers = [
            peer for peer in who_may_know(organization, organization.channels[channel_id]) if peer != user.id
        ]
        event = {"type": "subscription", "op": operation, "stream_ids": [channel_id], "user_ids": [user.id]}
        organization.emit(event, peers)
