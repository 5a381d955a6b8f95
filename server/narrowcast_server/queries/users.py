"""Users in responses and events (rows USR, ME), bots as shown to those who manage them, and passwords."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import EmailVisibility
from narrowcast_server.organization.models import User
from narrowcast_server.organization.personal import switched_on
from narrowcast_server.rules.addresses import api_address, email_visibility, may_see_address
from narrowcast_server.storage.store import Row

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization


def avatar_url(user: User, *, size: int | None = None) -> str:
    """The URL of the avatar: the uploaded one, or else the provider's for the email address."""
    if user.avatar_url is not None:
        return f"{user.avatar_url}?version={user.avatar_version}"
    # A digest of an address can be guessed from a list of addresses, so for hidden ones it is that of the user id.
    open_to_all = user.is_bot or email_visibility(user) is EmailVisibility.EVERYONE
    source = user.delivery_email.lower() if open_to_all else f"user {user.id}"
    digest = hashlib.md5(source.encode(), usedforsecurity=False).hexdigest()
    sized = "" if size is None else f"&s={size}"
    return f"https://secure.gravatar.com/avatar/{digest}?d=identicon{sized}&version={user.avatar_version}"


def avatar_by_provider(user: User) -> bool:
    """Whether clients can compute the avatar's URL from the API email address."""
    return user.avatar_url is None and (user.is_bot or email_visibility(user) is EmailVisibility.EVERYONE)


def iso_time(seconds: int) -> str:
    """UTC in ISO 8601, to the minute, as in user objects."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="minutes")


def user_object(
    organization: Organization,
    viewer: User,
    user: User,
    *,
    client_gravatar: bool,
    profile_data: dict[str, dict[str, str]] | None = None,
    with_active: bool = True,
) -> dict[str, object]:
    """A `user` object (USR rows). `profile_data` is left out if None, and for bots."""
    seen = may_see_address(viewer, user)
    result: dict[str, object] = {
        "email": api_address(organization, user),
        "user_id": user.id,
        "avatar_version": user.avatar_version,
        "is_admin": user.is_administrator,
        "is_owner": user.is_owner,
        "is_guest": user.is_guest,
        "role": int(user.role),
        "is_bot": user.is_bot,
        "full_name": user.full_name,
        "timezone": user.timezone,
        "date_joined": iso_time(user.date_joined),
        "delivery_email": user.delivery_email if seen else None,
        "is_imported_stub": False,
        "avatar_url": None if client_gravatar and seen and user.avatar_url is None else avatar_url(user),
        "bot_type": user.bot_type,
        "bot_owner_id": user.bot_owner_id,
    }
    if with_active:
        result["is_active"] = user.is_active
    if user.is_system_bot:
        result["is_system_bot"] = True
    if organization.level < Gate.DELIVERY_EMAIL.level and not seen:
        del result["delivery_email"]
    if organization.level < Gate.NO_BILLING_ADMIN.level:
        result["is_billing_admin"] = False
    if profile_data is not None and not user.is_bot:
        result["profile_data"] = profile_data
    return result


def profile_data(
    organization: Organization, user_ids: Iterable[int] | None = None
) -> dict[int, dict[str, dict[str, str]]]:
    """`profile_data` by user id, of all users or of these."""
    result: dict[int, dict[str, dict[str, str]]] = defaultdict(dict)
    ids = None if user_ids is None else set(user_ids)
    if ids is not None and len(ids) == 1:
        rows = organization.store.all("SELECT * FROM profile_values WHERE user_id = ?", *ids)
    else:
        rows = organization.store.all("SELECT * FROM profile_values")
    for row in rows:
        if ids is None or row["user_id"] in ids:
            value = {"value": row["value"]}
            if row["rendered_value"] is not None:
                value["rendered_value"] = row["rendered_value"]
            result[row["user_id"]][str(row["field_id"])] = value
    return result


def people(organization: Organization) -> list[User]:
    """All users except system bots."""
    return [user for user in organization.users.all() if not user.is_system_bot]


def password_hash_of(organization: Organization, user: User | None) -> str | None:
    """The stored password hash of a user; None if there is none."""
    row = (
        None
        if user is None
        else organization.store.one("SELECT password_hash FROM users WHERE id = ?", user.id)
    )
    return None if row is None else row["password_hash"]


def newest_message_id(organization: Organization, user: User) -> int | None:
    """The id of the newest message in a user's history."""
    return organization.store.integer("SELECT max(message_id) FROM user_messages WHERE user_id = ?", user.id)


def shows_presence(user: User) -> bool:
    """Whether others may see when the user was last active."""
    return user.is_active and not user.is_bot and switched_on(user, "presence_enabled")


def presence_row(organization: Organization, user: User) -> Row | None:
    """A user's stored presence; None if there is none, or others may not see it."""
    if not shows_presence(user):
        return None
    return organization.store.one("SELECT * FROM presence WHERE user_id = ?", user.id)


async def has_password(organization: Organization, user: User | None, password: str, address: str) -> bool:
    """Whether this is the user's password, before and after the time that the check takes: a password that
    is replaced meanwhile is wrong. Takes as long without a user.
    """
    checked = password_hash_of(organization, user)
    return (
        await organization.passwords.fits(checked, password, address)
        and password_hash_of(organization, user) == checked
    )


def bot_object(organization: Organization, viewer: User, bot: User) -> dict[str, object]:
    """A bot as its owner and administrators see it; only the owner sees its API key."""
    key = {"api_key": bot.api_key} if bot.bot_owner_id == viewer.id else {}
    return {
        "user_id": bot.id,
        "email": bot.delivery_email,
        "full_name": bot.full_name,
        "bot_type": bot.bot_type,
        "is_active": bot.is_active,
        **key,
        "default_sending_stream": None,
        "default_events_register_stream": None,
        "default_all_public_streams": False,
        "avatar_url": avatar_url(bot),
        "owner_id": bot.bot_owner_id,
        "services": services_of(organization, viewer, bot),
    }


def services_of(organization: Organization, viewer: User, bot: User) -> list[dict[str, object]]:
    """The URLs that a bot calls, as in `realm_bot` objects; only its owner sees the token."""
    row = organization.store.one(
        "SELECT base_url, interface, token FROM bot_services WHERE bot_id = ?", bot.id
    )
    if row is None:
        return []
    token = {"token": organization.vault.open(row["token"])} if bot.bot_owner_id == viewer.id else {}
    return [{"base_url": row["base_url"], "interface": row["interface"], **token}]
