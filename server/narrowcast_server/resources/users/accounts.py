"""Accounts: creating them, and the events about them."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Final

from narrowcast_api.wire.vocabulary import BotType, Role
from narrowcast_server.actions.visibility import emit_members
from narrowcast_server.organization.checks import unfit_position
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import Channel, FlagBit, User
from narrowcast_server.organization.organization import Organization
from narrowcast_server.queries.channels import direct_role
from narrowcast_server.queries.users import avatar_url, bot_object, user_object
from narrowcast_server.resources.subscriptions.changes import subscribe
from narrowcast_server.rules.addresses import may_see_address
from narrowcast_server.rules.new_addresses import check_allowed
from narrowcast_server.rules.visibility import watchers
from narrowcast_server.storage.key_vault import new_key

MAX_NAME = 100
_FORBIDDEN_IN_NAMES = frozenset('*`\\>"@')
_LIKE_A_MENTION = re.compile(r"\|\d+$")
"""Names must not end like this, since `@**name|id**` is a mention by id."""


def check_full_name(organization: Organization, name: str, user: User | None = None) -> str:
    """The stripped name; raises BAD_REQUEST unless it can be mentioned and, if the organization wants that,
    is unique. `user`: whose name it will be, None for new accounts.
    """
    name = name.strip()
    if not name:
        raise ServiceError("Name too short!")
    if len(name) > MAX_NAME:
        raise ServiceError("Name too long!")
    if unfit_position(name) is not None or any(character in _FORBIDDEN_IN_NAMES for character in name):
        raise ServiceError("Invalid characters in name!")
    if _LIKE_A_MENTION.search(name):
        raise ServiceError("Invalid format!")
    others = [other for other in organization.users.all() if user is None or other.id != user.id]
    if organization.settings["require_unique_names"] and _folded(name) in {
        _folded(it.full_name) for it in others
    }:
        raise ServiceError("Unique names required in this organization.")
    return name


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


def check_bot_name(organization: Organization, name: str, bot: User | None = None) -> str:
    """The stripped name of a bot, as `check_full_name`; raises BAD_REQUEST also if another active bot has it."""
    name = check_full_name(organization, name, bot)
    others = [
        other
        for other in organization.users.all()
        if other.is_bot and other.is_active and (bot is None or other.id != bot.id)
    ]
    if name.casefold() in {other.full_name.casefold() for other in others}:
        raise ServiceError("Name is already in use.")
    return name


def check_address(organization: Organization, address: str) -> str:
    """The stripped email address; raises BAD_REQUEST if it is malformed or in use."""
    address = well_formed_address(address)
    if organization.user_by_address(address) is not None:
        raise ServiceError("Email is already in use.")
    return address


def check_own_address(organization: Organization, address: str) -> str:
    """The stripped email address of a person; raises ServiceError if it is in use or not allowed to join."""
    address = well_formed_address(address)
    check_allowed(organization, address)
    return check_address(organization, address)


def well_formed_address(address: str) -> str:
    """The stripped email address; raises BAD_REQUEST if it is malformed."""
    address = address.strip()
    local, at, domain = address.partition("@")
    plain = address.isprintable() and not any(character in " ,;<>()[]" for character in address)
    if not (local and at and domain and plain) or len(address) > 254 or "@" in domain:
        raise ServiceError("Invalid email address.")
    return address


def create_user(
    organization: Organization,
    *,
    email: str,
    full_name: str,
    role: Role = Role.MEMBER,
    password_hash: str | None = None,
    bot_type: BotType | None = None,
    owner: User | None = None,
    timezone: str = "",
    channel_ids: Iterable[int] | None = None,
    date_joined: int | None = None,
) -> User:
    """Creates an account, notifies everyone, and subscribes it to `channel_ids` (None: the default channels
    for people).

    People also get recent messages of these channels as their history.
    """
    user_id = organization.users.insert(
        delivery_email=email,
        full_name=full_name,
        role=int(role),
        password_hash=password_hash,
        api_key=organization.vault.seal(new_key()),
        bot_type=None if bot_type is None else int(bot_type),
        bot_owner_id=None if owner is None else owner.id,
        timezone=timezone,
        date_joined=organization.now() if date_joined is None else date_joined,
        settings=organization.settings["personal_defaults"] if bot_type is None else {},
    )
    organization.forget_addresses()
    user = organization.users[user_id]
    emit_new_user(organization, user)
    emit_role_groups(organization, user.id, user.role, "add_members")
    if channel_ids is None:
        channel_ids = (
            [
                channel.id
                for channel in organization.channels.all()
                if channel.is_default and not channel.is_archived
            ]
            if bot_type is None and role is not Role.GUEST
            else []
        )
    channels = [organization.channels[identity] for identity in channel_ids]
    subscribe(organization, channels, [user])
    if bot_type is None:
        give_history(organization, user, channels)
    return organization.users[user_id]


def emit_new_user(organization: Organization, user: User) -> None:
    """Emits `realm_user` add to everyone, and `realm_bot` add to the owner of a bot and to administrators."""
    everybody = watchers(organization, user, organization.listening_ids())
    organization.emit(
        {"type": "realm_user", "op": "add"},
        everybody,
        per_user={
            viewer_id: {
                "person": user_object(
                    organization, organization.users[viewer_id], user, client_gravatar=False, profile_data={}
                )
            }
            for viewer_id in everybody
        },
    )
    if user.is_bot:
        organization.emit(
            {"type": "realm_bot", "op": "add"},
            bot_watchers(organization, user),
            per_user={
                viewer_id: {"bot": bot_object(organization, organization.users[viewer_id], user)}
                for viewer_id in bot_watchers(organization, user)
            },
        )


def emit_role_groups(organization: Organization, user_id: int, role: Role, operation: str) -> None:
    """Emits `user_group` events for the system groups whose direct members have exactly this role."""
    for group in organization.groups.all():
        if group.is_system and direct_role(group) is role:
            emit_members(
                organization, {"type": "user_group", "op": operation, "group_id": group.id}, [user_id]
            )


def bot_watchers(organization: Organization, bot: User) -> list[int]:
    """Ids of the users who receive the `realm_bot` events of a bot."""
    return [
        user.id
        for user in organization.users.all()
        if user.is_active and (user.is_administrator or user.id == bot.bot_owner_id)
    ]


def emit_person(organization: Organization, user: User, **changed: object) -> None:
    """Emits `realm_user` update with these fields of a user, to everyone who may know of them."""
    person = {"user_id": user.id, **changed}
    organization.emit({"type": "realm_user", "op": "update", "person": person}, watchers(organization, user))


def emit_avatar(organization: Organization, user: User) -> None:
    """Emits the user's avatar, which may be derived from their email address."""
    emit_person(
        organization,
        user,
        avatar_source="G" if user.avatar_url is None else "U",
        avatar_url=avatar_url(user),
        avatar_url_medium=avatar_url(user, size=500),
        avatar_version=user.avatar_version,
    )


def emit_delivery_email(organization: Organization, user: User, viewers: Mapping[int, User]) -> None:
    """Emits the user's real email address, to each viewer as they may see it now."""
    receivers = watchers(organization, user, viewers)
    organization.emit(
        {"type": "realm_user", "op": "update"},
        receivers,
        per_user={
            viewer_id: {
                "person": {
                    "user_id": user.id,
                    "delivery_email": user.delivery_email
                    if may_see_address(viewers[viewer_id], user)
                    else None,
                }
            }
            for viewer_id in receivers
        },
    )


_MAX_MESSAGES: Final = 1000
_UNREAD: Final = 20
"""How many of the newest messages are unread, as a start."""
_SECONDS: Final = 12 * 7 * 86_400
"""The greatest age of a message."""


def give_history(organization: Organization, user: User, channels: Iterable[Channel]) -> None:
    """Adds the newest 1,000 messages of the public ones of these channels, at most 12 weeks old, to the
    history of a new user; the newest 20 are unread. Emits no events: a new account has no event queue yet.
    """
    ids = organization.store.integers(
        "SELECT id FROM messages WHERE channel_id IN (SELECT value FROM json_each(?)) AND timestamp > ?"
        " ORDER BY id DESC LIMIT ?",
        json.dumps([channel.id for channel in channels if not channel.invite_only]),
        organization.now() - _SECONDS,
        _MAX_MESSAGES,
    )
    unread, read = int(FlagBit.HISTORICAL), int(FlagBit.HISTORICAL | FlagBit.READ)
    organization.store.execute_many(
        "INSERT OR IGNORE INTO user_messages (user_id, message_id, flags) VALUES (?, ?, ?)",
        [(user.id, message_id, unread if n < _UNREAD else read) for n, message_id in enumerate(ids)],
    )
