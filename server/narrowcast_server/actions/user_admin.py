"""Administration of accounts: name, role, email address, deactivation, reactivation (rows USRU, USRD)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from narrowcast_api.wire.vocabulary import Role
from narrowcast_server.actions.channel_knowledge import channels_may_open
from narrowcast_server.actions.invites import revoke_all_of
from narrowcast_server.actions.keys import replace_key
from narrowcast_server.actions.mail import send_mail
from narrowcast_server.actions.password_resets import end_links
from narrowcast_server.actions.users import (
    bot_watchers,
    check_own_address,
    emit_avatar,
    emit_delivery_email,
    emit_person,
    emit_role_groups,
)
from narrowcast_server.actions.visibility import emit_members, visibility_may_change
from narrowcast_server.organization.models import User
from narrowcast_server.rules.access import subscribed_ids, who_may_know
from narrowcast_server.rules.accounts import check_may_deactivate, check_may_reactivate
from narrowcast_server.rules.addresses import api_address

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core


def change_name(core: Core, user: User, full_name: str) -> None:
    if full_name == user.full_name:
        return
    core.users.update(user.id, full_name=full_name)
    emit_person(core, user, full_name=full_name)
    if user.is_bot:
        bot = {"user_id": user.id, "full_name": full_name}
        core.emit({"type": "realm_bot", "op": "update", "bot": bot}, bot_watchers(core, user))


def change_role(core: Core, user: User, role: Role) -> None:
    """Sets a checked new role, and updates the system groups."""
    if role is user.role:
        return
    with channels_may_open(core, [user.id]):
        with visibility_may_change(core):
            core.users.update(user.id, role=int(role))
        if user.is_bot and role < user.role:
            # A key handed out while the bot had a lower role must not gain its new permissions.
            replace_key(core, user)
        emit_person(core, user, role=int(role))
        revoke_all_of(core, user, above=role)
        if user.is_active:
            # Groups list only active users.
            emit_role_groups(core, user.id, user.role, "remove_members")
            emit_role_groups(core, user.id, role, "add_members")
    for bot in bots_of(core, user):
        if bot.role < role:
            change_role(core, bot, role)


def bots_of(core: Core, user: User) -> list[User]:
    """A user's bots, including deactivated ones."""
    return [bot for bot in core.users.all() if bot.bot_owner_id == user.id]


def change_address(
    core: Core, user: User, address: str, check: Callable[[Core, str], str] = check_own_address
) -> None:
    """Changes the real email address, and the addresses and avatar derived from it. Ends password reset links,
    which went to the old address. `check` raises ServiceError for an address that the user may not have.
    """
    if address.strip().lower() == user.delivery_email.lower():
        return
    checked = check(core, address)
    before = api_address(core, user)
    end_links(core, user)
    core.users.update(user.id, delivery_email=checked)
    core.forget_addresses()
    changed = core.users[user.id]
    if changed.avatar_url is None:
        emit_avatar(core, changed)
    active = {viewer_id: core.users[viewer_id] for viewer_id in core.user_ids()}
    emit_delivery_email(core, changed, active)
    if api_address(core, changed) != before:
        emit_person(core, changed, new_email=api_address(core, changed))


def deactivate(core: Core, caller: User, user: User, comment: str | None) -> None:
    """Deactivates an account and its bots (USRD-07); with a comment, emails the user (USRD-04, USRD-05)."""
    check_may_deactivate(core, caller, user)
    bots = [bot for bot in bots_of(core, user) if bot.is_active]
    for account in (*bots, user):
        revoke_all_of(core, account)
        end_links(core, account)
        _set_active(core, account, False)
    if comment is not None:
        text = f"Your account at {core.setting('name', str)} was deactivated by {caller.full_name}."
        send_mail(
            core, user.delivery_email, "Account deactivated", f"{text}\n\n{comment}" if comment else text
        )


def reactivate(core: Core, caller: User, user: User) -> None:
    """Reactivates an account; its subscriptions are as before."""
    check_may_reactivate(core, caller, user)
    if not user.is_active:
        _set_active(core, user, True)


def _set_active(core: Core, user: User, active: bool) -> None:
    channel_ids = sorted(subscribed_ids(core, user.id))
    core.users.update(user.id, is_active=int(active))
    emit_person(core, user, is_active=active)
    if user.is_bot:
        bot = {"user_id": user.id, "is_active": active}
        core.emit({"type": "realm_bot", "op": "update", "bot": bot}, bot_watchers(core, user))
    _emit_to_peers(core, user, channel_ids, "peer_add" if active else "peer_remove")
    if active:  # no event is needed for deactivation: clients remove deactivated users from groups themselves
        emit_role_groups(core, user.id, user.role, "add_members")
        for group in core.groups.all():
            if user.id in core.memberships.members(group.id):
                emit_members(
                    core, {"type": "user_group", "op": "add_members", "group_id": group.id}, [user.id]
                )
    if not active:
        core.hub.end_all_of(user.id)


def _emit_to_peers(core: Core, user: User, channel_ids: Iterable[int], operation: str) -> None:
    for channel_id in channel_ids:
        peers = [peer for peer in who_may_know(core, core.channels[channel_id]) if peer != user.id]
        event = {"type": "subscription", "op": operation, "stream_ids": [channel_id], "user_ids": [user.id]}
        core.emit(event, peers)
