"""Signing in: how an API key is got (outside the contract, AUTH-04)."""

from __future__ import annotations

from narrowcast_api.account import Account
from narrowcast_api.connection import Connection
from narrowcast_api.routes.common import read
from narrowcast_api.secret import Secret
from narrowcast_api.wire.users import ApiKey


async def fetch_api_key(connection: Connection, *, username: str, password: Secret) -> Account:
    """POST /fetch_api_key: the account that a user name (an email address, mostly) and a password open.

    Raises AuthenticationFailed for a wrong name or password, AccountDeactivated, and RateLimited after
    several bad tries; servers lock for half an hour then.
    """
    answer = await connection.request(
        "POST", "/fetch_api_key", {"username": username, "password": password}, authenticated=False
    )
    key = read(ApiKey, answer)
    return Account(connection.site, key.email, Secret(key.api_key), connection.ca_bundle)
