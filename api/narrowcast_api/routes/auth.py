"""Logging in: what a server says before (SRV rows), and obtaining an API key (outside the contract, AUTH-04)."""

from __future__ import annotations

from narrowcast_api.account import Account
from narrowcast_api.errors import BadRequest, MalformedResponse, NotFound
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.encoding import OMIT
from narrowcast_api.http.operations import Bound, Operations, text_segment
from narrowcast_api.http.secret import Secret
from narrowcast_api.wire.server import ServerSettings


async def get_server_settings(connection: Connection) -> ServerSettings:
    """GET /server_settings: version, level, login methods. No credentials are sent (SRV-02).

    The connection learns the server's level and dialect from the response. Every field has a default: old
    servers omit many, and the root domain of a server with many organizations omits `realm_*` (SRV-24,
    SRV-25).
    """
    response = await connection.request("GET", "/server_settings", authenticated=False)
    connection.record_server(response)
    return ServerSettings.from_response(response)


async def fetch_api_key(
    connection: Connection, *, username: str, password: Secret, second_factor: Secret | None = None
) -> Account:
    """POST /fetch_api_key: log in with a user name (usually an email address) and a password; returns the account.

    Raises AuthenticationFailed if the name or password is wrong, SecondFactorNeeded if an embedded server
    requires `second_factor` too, AccountDeactivated, and RateLimited after several failed attempts; servers
    then reject further attempts for half an hour.
    """
    params = {"username": username, "password": password, "second_factor": second_factor or OMIT}
    return account_of(
        connection, await connection.request("POST", "/fetch_api_key", params, authenticated=False)
    )


async def list_dev_users(connection: Connection) -> list[str]:
    """GET /dev_list_users: the addresses of the people of a development server, which has no passwords. Those of
    its other organizations are left out, unless the server is reached by a name that none of them has.
    """
    response = await connection.request("GET", "/dev_list_users", authenticated=False)
    own: list[str] = []
    found: list[str] = []
    for name in ("direct_admins", "direct_users"):
        people = response.get(name)
        for person in people if isinstance(people, list) else ():
            row = person if isinstance(person, dict) else {"email": person}
            email, organization = row.get("email"), row.get("realm_url", row.get("realm_uri"))
            if isinstance(email, str):
                found.append(email)
                if not isinstance(organization, str) or connection.is_own(organization):
                    own.append(email)
    return own or found


async def fetch_dev_api_key(connection: Connection, *, username: str) -> Account:
    """POST /dev_fetch_api_key: log in to a development server without a password."""
    params = {"username": username}
    return account_of(
        connection, await connection.request("POST", "/dev_fetch_api_key", params, authenticated=False)
    )


def account_of(connection: Connection, response: dict[str, object]) -> Account:
    """The account in the response to logging in; the key is removed from it. Raises MalformedResponse."""
    # Wrapped before anything can fail, so that no traceback contains the key.
    key = Secret(text) if isinstance(text := response.pop("api_key", None), str) else Secret("")
    text, email = None, response.get("email")
    if not key or not isinstance(email, str):
        raise MalformedResponse("the response to logging in has no API key")
    return Account(connection.site, email, key, connection.ca_bundle)


async def find_invitation(connection: Connection, *, token: str) -> None:
    """Raises NotFound if the server does not accept invitations over the API (see `accept_invitation`). Does
    not use up the invitation.
    """
    try:
        await connection.request("POST", f"/join/{text_segment(token, 'token')}", {}, authenticated=False)
    except BadRequest as error:
        if isinstance(error, NotFound):
            raise
        # Any other BadRequest is about the missing parameters: the server accepts invitations.


async def accept_invitation(
    connection: Connection, *, token: str, email: str, full_name: str, password: Secret
) -> Account:
    """POST /join/{token}: create an account from an invitation link of an embedded server (outside the contract).

    Raises NotFound on other servers, which accept invitations in a browser only, and BadRequest if the link,
    the address or the password is not valid.
    """
    params = {"email": email, "full_name": full_name, "password": password}
    path = f"/join/{text_segment(token, 'token')}"
    return account_of(connection, await connection.request("POST", path, params, authenticated=False))


async def choose_password(
    connection: Connection, *, token: str, password: Secret, second_factor: Secret | None = None
) -> Account:
    """POST /reset/{token}: set a new password with a reset link of an embedded server (outside the contract).

    Raises BadRequest if the link is not valid, and SecondFactorNeeded.
    """
    params = {"password": password, "second_factor": second_factor or OMIT}
    path = f"/reset/{text_segment(token, 'token')}"
    return account_of(connection, await connection.request("POST", path, params, authenticated=False))


async def ask_for_password_link(connection: Connection, *, email: str) -> None:
    """POST /reset: request an email with a password reset link; the response is the same if no account has it.

    Embedded servers only (outside the contract). Raises BadRequest if the server does not send emails.
    """
    await connection.request("POST", "/reset", {"email": email}, authenticated=False)


class ServerOperations(Operations):
    """The server itself, and logging in to it."""

    settings = Bound(get_server_settings)
    fetch_api_key = Bound(fetch_api_key)
