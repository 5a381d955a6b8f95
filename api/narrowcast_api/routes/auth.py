"""Signing in: how an API key is got (outside the contract, AUTH-04)."""

from __future__ import annotations

from narrowcast_api.account import Account
from narrowcast_api.errors import BadRequest, MalformedAnswer, NotFound
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.encoding import OMIT
from narrowcast_api.http.secret import Secret
from narrowcast_api.routes.common import text_segment


async def fetch_api_key(
    connection: Connection, *, username: str, password: Secret, second_factor: Secret | None = None
) -> Account:
    """POST /fetch_api_key: the account that a user name (an email address, mostly) and a password open.

    Raises AuthenticationFailed for a wrong name or password, SecondFactorNeeded where an embedded server wants
    `second_factor` too, AccountDeactivated, and RateLimited after several bad tries; servers lock for half an hour
    then.
    """
    params = {"username": username, "password": password, "second_factor": second_factor or OMIT}
    return _account(
        connection, await connection.request("POST", "/fetch_api_key", params, authenticated=False)
    )


def _account(connection: Connection, answer: dict[str, object]) -> Account:
    # Wrapped before anything can fail, so that no traceback holds the key.
    key = Secret(text) if isinstance(text := answer.pop("api_key", None), str) else Secret("")
    text, email = None, answer.get("email")
    if not key or not isinstance(email, str):
        raise MalformedAnswer("signing in gave no key")
    return Account(connection.site, email, key, connection.ca_bundle)


async def find_invitation(connection: Connection, *, token: str) -> None:
    """Raises NotFound where invitations are not accepted here (see `accept_invitation`). Uses nothing up."""
    try:
        await connection.request("POST", f"/join/{text_segment(token, 'token')}", {}, authenticated=False)
    except BadRequest as error:
        if isinstance(error, NotFound):
            raise
        # Where they are, the rest is missing.


async def accept_invitation(
    connection: Connection, *, token: str, email: str, full_name: str, password: Secret
) -> Account:
    """POST /join/{token}: make an account from an invitation link of an embedded server (outside the contract).

    Other servers take invitations in a browser only; there it raises NotFound. BadRequest says what is wrong
    with the link, the address or the password.
    """
    params = {"email": email, "full_name": full_name, "password": password}
    path = f"/join/{text_segment(token, 'token')}"
    return _account(connection, await connection.request("POST", path, params, authenticated=False))


async def choose_password(
    connection: Connection, *, token: str, password: Secret, second_factor: Secret | None = None
) -> Account:
    """POST /reset/{token}: a new password by a link of an embedded server (outside the contract).

    Raises BadRequest for a link that does not hold, and SecondFactorNeeded.
    """
    params = {"password": password, "second_factor": second_factor or OMIT}
    path = f"/reset/{text_segment(token, 'token')}"
    return _account(connection, await connection.request("POST", path, params, authenticated=False))


async def ask_for_password_link(connection: Connection, *, email: str) -> None:
    """POST /reset: have a link for a new password mailed; the answer is the same where nobody has this address.

    Of embedded servers (outside the contract). Raises BadRequest where they send no mail.
    """
    await connection.request("POST", "/reset", {"email": email}, authenticated=False)
