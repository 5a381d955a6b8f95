"""Authentication of the caller: HTTP Basic with email address and API key (AUTH-01)."""

from __future__ import annotations

import base64
import binascii
import hmac
from typing import TYPE_CHECKING, Final

from narrowcast_server.organization.errors import unauthorized
from narrowcast_server.organization.models import User
from narrowcast_server.storage.extra_keys import ExtraKey, Scope
from narrowcast_server.storage.key_vault import KEY_LENGTH

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

_NO_KEY: Final = "0" * KEY_LENGTH


def caller_by_key(organization: Organization, key: str) -> User:
    """The active user who has this key, for programs that can only open URLs; raises UNAUTHORIZED."""
    holder: User | None = None
    for user in organization.users.all():
        if hmac.compare_digest(user.api_key.encode(), key.encode()) and not user.is_system_bot:
            holder = user
    if holder is None or not holder.is_active:
        raise unauthorized("Invalid API key")
    return holder


def caller(organization: Organization, header: str | None) -> User:
    """The active user in an Authorization header, whose key has unlimited scope; raises UNAUTHORIZED."""
    user, _ = unlimited_caller(organization, header)
    return user


def unlimited_caller(organization: Organization, header: str | None) -> tuple[User, ExtraKey | None]:
    """Like `caller_and_key`, for keys of unlimited scope."""
    user, extra = caller_and_key(organization, header)
    if extra is not None and extra.scope is not Scope.ALL:
        raise unauthorized("This API key does not allow this")
    return user, extra


def caller_and_key(organization: Organization, header: str | None) -> tuple[User, ExtraKey | None]:
    """The active user in an Authorization header, and the additional key; None for the account's own key.

    Raises UNAUTHORIZED.
    """
    if not header:
        raise unauthorized("Not logged in: API authentication or user session required")
    scheme, _, payload = header.partition(" ")
    if scheme.lower() != "basic":
        raise unauthorized("This endpoint requires HTTP basic authentication.")
    try:
        address, colon, key = base64.b64decode(payload.strip(), validate=True).decode().partition(":")
    except (binascii.Error, ValueError) as error:
        raise unauthorized("Invalid authorization header for basic auth") from error
    if not colon:
        raise unauthorized("Invalid authorization header for basic auth")
    if len(key) != KEY_LENGTH:
        raise unauthorized("Malformed API key")
    user = organization.user_by_address(address)
    expected = _NO_KEY if user is None else user.api_key
    fits = hmac.compare_digest(expected.encode(), key.encode())
    if user is None or user.is_system_bot:
        raise unauthorized("Invalid API key")
    extra = None if fits else organization.extra_keys.find(user.id, key, organization.now())
    if not fits and extra is None:
        raise unauthorized("Invalid API key")
    if not user.is_active:
        raise unauthorized("Account is deactivated")
    organization.callers.add(user.id)
    return user, extra
