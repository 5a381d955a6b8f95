"""Logging in: from a link or an address, an email and a password or key, to a stored account."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

from narrowcast.config import account_files
from narrowcast_api.account import Account, is_cleartext, normal_site
from narrowcast_api.client import Client
from narrowcast_api.errors import ApiError, InvalidInput, MalformedResponse, NoServerThere
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.secret import Secret
from narrowcast_api.routes import auth
from narrowcast_api.routes.auth import get_server_settings
from narrowcast_api.wire.server import ServerSettings

_INVITED = "Open the link of the invitation in a browser and make your account there; then log in here"


class Cleartext(InvalidInput):
    """The password or key would be sent to ``site`` unencrypted, and the user has not allowed that."""

    def __init__(self, site: str) -> None:
        super().__init__(
            f"{site} does not encrypt: anyone on the network can read the password and all messages. "
            "Use an https:// address"
        )
        self.site = site


def check_encryption(site: str, *, cleartext: bool) -> None:
    """Raises Cleartext for plain http to another machine, unless ``cleartext`` allows it."""
    if not cleartext and is_cleartext(site):
        raise Cleartext(normal_site(site))


async def join(
    site: str,
    token: str,
    email: str,
    full_name: str,
    password: Secret,
    *,
    ca_bundle: Path | None = None,
    cleartext: bool = False,
) -> Account:
    """Creates an account at ``site`` from an invitation. Raises what the library raises."""

    check_encryption(site, cleartext=cleartext)
    async with _or_on_the_website(site, _INVITED, ca_bundle) as connection:
        return await auth.accept_invitation(
            connection, token=token, email=email, full_name=full_name, password=password
        )


async def check_invitation(
    site: str, token: str, *, ca_bundle: Path | None = None, cleartext: bool = False
) -> None:
    """Raises InvalidInput if invitations need a browser; called before the user types a name and a password."""

    check_encryption(site, cleartext=cleartext)
    async with _or_on_the_website(site, _INVITED, ca_bundle) as connection:
        await auth.find_invitation(connection, token=token)


async def choose_password(
    site: str,
    token: str,
    password: Secret,
    *,
    second_factor: Secret | None = None,
    ca_bundle: Path | None = None,
    cleartext: bool = False,
) -> Account:
    """Sets a new password at ``site`` with the link that the user received. Raises what the library raises."""

    check_encryption(site, cleartext=cleartext)
    async with _or_on_the_website(site, "Open the link in a browser", ca_bundle) as connection:
        return await auth.choose_password(
            connection, token=token, password=password, second_factor=second_factor
        )


async def ask_for_password_link(site: str, email: str, *, ca_bundle: Path | None = None) -> None:
    """Has ``site`` send an email with a link for a new password. Raises what the library raises."""

    advice = f"Open {site}/accounts/password/reset/ in a browser"
    async with _or_on_the_website(site, advice, ca_bundle) as connection:
        await auth.ask_for_password_link(connection, email=email)


@asynccontextmanager
async def _or_on_the_website(site: str, advice: str, ca_bundle: Path | None) -> AsyncIterator[Connection]:
    """A connection for operations that some servers, such as Zulip's, offer only on their website: for these,
    raises InvalidInput with ``advice`` on where to go instead.
    """
    async with aclosing(Connection(site, ca_bundle=ca_bundle)) as connection:
        try:
            yield connection
        except ApiError as error:
            if error.status != 404:
                raise
            raise InvalidInput(f"{site} has this on its website only. {advice}.") from error


async def find_server(site: str, *, ca_bundle: Path | None = None) -> ServerSettings:
    """What a server says before anybody logs in. Raises NoServerThere, or why ``site`` does not respond."""

    async with aclosing(Connection(site, ca_bundle=ca_bundle)) as connection:
        return await _identify(connection)


async def _identify(connection: Connection) -> ServerSettings:
    try:
        return await get_server_settings(connection)
    except MalformedResponse as error:
        problem: tuple[str, int] = error.detail, error.status
    except ApiError as error:
        problem = (
            "it has no such page" if error.status == 404 else "it refused the request",
            error.status,
        )
    raise NoServerThere(connection.site, problem[0], status=problem[1])


async def sign_in(
    site: str,
    email: str,
    secret: Secret,
    *,
    second_factor: Secret | None = None,
    is_key: bool = False,
    ca_bundle: Path | None = None,
    cleartext: bool = False,
) -> Account:
    """The account of ``email`` at ``site``, confirmed by the server.

    ``secret`` is the password, or with ``is_key`` the API key. Raises Cleartext, NoServerThere and what the
    library raises: a wrong address, a wrong password, too many tries, SecondFactorNeeded.
    """
    if refusal := login_refusal(site):
        raise InvalidInput(refusal)
    check_encryption(site, cleartext=cleartext)
    async with aclosing(Connection(site, ca_bundle=ca_bundle)) as connection:
        await _identify(connection)
        if not is_key:
            return await auth.fetch_api_key(
                connection, username=email, password=secret, second_factor=second_factor
            )
        account = Account(connection.site, email, secret, ca_bundle)
    async with Client.open(account) as client:
        await client.users.me()
    return account


async def sign_in_and_store(
    site: str,
    email: str,
    secret: Secret,
    folder: Path,
    *,
    second_factor: Secret | None = None,
    is_key: bool = False,
    keyring: bool = False,
    ca_bundle: Path | None = None,
    cleartext: bool = False,
) -> Path:
    """Logs in and stores the account; returns its file."""
    account = await sign_in(
        site,
        email,
        secret,
        second_factor=second_factor,
        is_key=is_key,
        ca_bundle=ca_bundle,
        cleartext=cleartext,
    )
    return await asyncio.to_thread(account_files.store, account, folder, keyring=keyring)


_PASSWORD_LINK = re.compile(r"^(?P<site>.+?)/reset/(?P<token>[^/?#]+)/?$")
_WEB_PAGE = re.compile(r"^(?P<site>.+?)/accounts/(?:do_confirm|password/reset)(?:/.*)?$")
_INVITATION = re.compile(r"^(?P<site>.+?)/join/(?P<token>[^/?#]+)/?$")


def invitation(url: str) -> tuple[str, str] | None:
    """The organization's address and the token, if ``url`` is an invitation link."""
    return _parts(_INVITATION, url)


def password_link(url: str) -> tuple[str, str] | None:
    """The organization's address and the token, if ``url`` is an embedded server's link for a new password.
    That of a Zulip server, `/accounts/password/reset/…`, has to be opened in a browser.
    """
    return _parts(_PASSWORD_LINK, url) if _WEB_PAGE.match(url.strip()) is None else None


def login_refusal(url: str) -> str:
    """Why logging in at ``url`` is not possible, and what to do with it; empty if it is not one of these links."""
    if (page := _WEB_PAGE.match(url.strip())) is not None:
        return f"This link is for a browser: open it there. Then log in at {page['site']}"
    if password_link(url) is not None:
        return f"This is a link for a new password. Choose one with: narrowcast login {url.strip()}"
    return ""


def _parts(pattern: re.Pattern[str], url: str) -> tuple[str, str] | None:
    match = pattern.match(url.strip())
    return (match["site"], match["token"]) if match is not None else None
