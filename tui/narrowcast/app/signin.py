"""Signing in: from an address, an email and a password or key to a stored account."""

from __future__ import annotations

import re
from pathlib import Path

from narrowcast.app import accounts
from narrowcast_api.account import Account
from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.secret import Secret

_INVITATION = re.compile(r"^(?P<site>.+?)/join/(?P<token>[^/?#]+)/?$")


def invitation(url: str) -> tuple[str, str] | None:
    """The organization's address and the token, if ``url`` is the link of an invitation."""
    found = _INVITATION.match(url.strip())
    return (found["site"], found["token"]) if found is not None else None


async def join(
    site: str, token: str, email: str, full_name: str, password: Secret, *, ca_bundle: Path | None = None
) -> Account:
    """Make an account at ``site`` from an invitation. Raises what the library raises."""
    from narrowcast_api.http.connection import Connection
    from narrowcast_api.routes.auth import accept_invitation

    connection = Connection(site, ca_bundle=ca_bundle)
    try:
        return await accept_invitation(
            connection, token=token, email=email, full_name=full_name, password=password
        )
    finally:
        await connection.aclose()


async def sign_in(
    site: str, email: str, secret: Secret, *, is_key: bool = False, ca_bundle: Path | None = None
) -> Account:
    """The account behind ``email`` at ``site``; the server has confirmed it.

    ``secret`` is the password, or with ``is_key`` the API key. Raises what the library raises: a wrong
    address, a wrong password, too many tries.
    """
    from narrowcast_api.client import Client
    from narrowcast_api.http.connection import Connection
    from narrowcast_api.routes.auth import fetch_api_key

    if invitation(site) is not None:
        raise InvalidInput(f"This is an invitation. Join with: narrowcast login {site}")
    if not is_key:
        connection = Connection(site, ca_bundle=ca_bundle)
        try:
            await connection.identify()
            return await fetch_api_key(connection, username=email, password=secret)
        finally:
            await connection.aclose()
    account = Account(site, email, secret, ca_bundle)
    async with Client.open(account) as client:
        await client.users.me()
    return account


async def sign_in_and_store(
    site: str,
    email: str,
    secret: Secret,
    folder: Path,
    *,
    is_key: bool = False,
    keyring: bool = False,
    ca_bundle: Path | None = None,
) -> Path:
    """Sign in and keep the account; returns its file."""
    account = await sign_in(site, email, secret, is_key=is_key, ca_bundle=ca_bundle)
    return accounts.store(account, folder, keyring=keyring)
