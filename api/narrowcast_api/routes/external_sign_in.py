"""Signing in by a browser, with whatever an organization signs in by: Google, SAML and the like (SRV-07).

The person opens an address, with a one-time key in it, on any machine; what the page shows in the end is pasted here.

In the desktop flow that is a token, encrypted with the one-time key, which opens a session; the session gets the API
key. The token works once, for some 15 seconds. An organization that also allows passwords then asks for the password.

In the mobile flow it is a link, `zulip://login?...`, with the API key encrypted by the one-time key. It has no time
limit. One address carries one flow.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import parse_qs, urlencode, urljoin, urlsplit

from narrowcast_api.account import Account
from narrowcast_api.errors import ApiError, InvalidInput, NotFound
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.secret import Secret
from narrowcast_api.routes.auth import account_of
from narrowcast_api.wire.server import ExternalMethod, ServerSettings

KEY_BYTES = 32
_NONCE_BYTES = 12
_TAG_BYTES = 16
_API_KEY_CHARACTERS = 32
_LINK = "zulip://"


class Flow(StrEnum):
    """What the page shows in the end; the values are the names of the parameters."""

    DESKTOP = "desktop_flow_otp"
    MOBILE = "mobile_flow_otp"


@dataclass(frozen=True, slots=True)
class BrowserSignIn:
    """One attempt: where the person signs in, and the one-time key in hexadecimal digits."""

    address: str
    flow: Flow
    one_time_key: Secret


def usual_flow(settings: ServerSettings) -> Flow:
    """The flow that needs no password."""
    methods = settings.authentication_methods
    has_passwords = methods.get("password", settings.email_auth_enabled) or methods.get("ldap")
    return Flow.MOBILE if has_passwords else Flow.DESKTOP


def begin_sign_in(
    connection: Connection,
    method: ExternalMethod,
    flow: Flow,
    random: Callable[[int], bytes] = secrets.token_bytes,
) -> BrowserSignIn:
    """A new attempt with a method of the server. Raises InvalidInput if the method leads to another server first,
    which would learn the one-time key.
    """
    page = urljoin(f"{connection.site}/", method.login_url)
    if not method.login_url or not connection.is_own(page):
        raise InvalidInput(f"{method.display_name or method.name}: its page is not at {connection.site}.")
    key = random(KEY_BYTES).hex()
    mark = "&" if urlsplit(page).query else "?"
    return BrowserSignIn(f"{page}{mark}{flow.value}={key}", flow, Secret(key))


def is_complete(attempt: BrowserSignIn, pasted: str) -> bool:
    """Whether a text that may still be arriving is all of what the page shows."""
    text = "".join(pasted.split())
    if text.lower().startswith(_LINK):
        fields = _fields(text)
        is_whole_realm = attempt.address.startswith(fields.get("realm", " ").rstrip("/") + "/")
        # Of all fields, only an email address may be cut off without a sign of it.
        is_cut = text.rpartition("&")[2].startswith("email=") or "email" not in fields
        return is_whole_realm and not is_cut and _api_key(attempt, text) is not None
    return _login_token(attempt, text) is not None


AskPassword = Callable[[str], Awaitable[Secret | None]]
"""Asks the person for the password; called with what was wrong with the last one, first with an empty text."""


async def finish_sign_in(
    connection: Connection, attempt: BrowserSignIn, pasted: str, ask_password: AskPassword | None = None
) -> Account:
    """The account of the person who signed in, from the token or link that the page showed.

    Where an organization wants the password with a token, `ask_password` is called, until it returns None. Raises
    InvalidInput, whose message says what is wrong: it is not one of this attempt, it comes too late, it is of another
    organization, or there is no password.
    """
    text = "".join(pasted.split())
    if text.lower().startswith(_LINK):
        return _from_link(connection, attempt, text)
    token = _login_token(attempt, text)
    if token is None:
        raise InvalidInput("That is not what the page shows at the end of this attempt. Copy all of it.")
    return await _from_token(connection, token, ask_password)


def _from_link(connection: Connection, attempt: BrowserSignIn, text: str) -> Account:
    fields = _fields(text)
    if not connection.is_own(fields.get("realm", "")):
        raise InvalidInput(f"The link is of another organization: {fields.get('realm', 'it names none')}.")
    key = _api_key(attempt, text)
    if key is None and len(fields.get("otp_encrypted_api_key", "")) < 2 * _API_KEY_CHARACTERS:
        raise InvalidInput("That is not all of the link. Copy all of it.")
    if key is None or "@" not in fields.get("email", ""):
        raise InvalidInput("The link is not one of this attempt. Sign in again at the address above.")
    return Account(connection.site, fields["email"], key, connection.ca_bundle)


async def _from_token(connection: Connection, token: Secret, ask_password: AskPassword | None) -> Account:
    site = connection.site
    page = f"{site}/accounts/login/subdomain/{token.reveal()}"
    # The redirect leads to the web app, at whatever address the server takes for its own.
    async with connection.stream("GET", page, follow=False) as response:
        is_open = response.status_code < 400
    csrf = connection.cookie("csrftoken")
    if not is_open or not csrf:
        raise InvalidInput(
            "The server does not accept the token: it works once, within 15 seconds. Sign in in the browser again."
        )
    password: Secret | None = None
    while True:
        try:
            return await _session_key(connection, csrf, password)
        except NotFound:
            raise
        except ApiError as error:
            if "password" not in error.msg.lower():
                raise
            problem = "" if password is None else error.user_message
        password = None if ask_password is None else await ask_password(problem)
        if password is None:
            raise InvalidInput(
                "The organization allows passwords as well, so it wants yours with a token. Use the link instead."
            )


async def _session_key(connection: Connection, csrf: str, password: Secret | None) -> Account:
    """The account of the open session. Raises ApiError, also if the organization wants the right password."""
    site = connection.site
    headers = {
        "X-CSRFToken": csrf,
        "Referer": f"{site}/",
        "Content-Type": "application/x-www-form-urlencoded",
    }
    content = urlencode({} if password is None else {"password": password.reveal()}).encode()
    async with connection.stream(
        "POST", f"{site}/json/fetch_api_key", headers=headers, content=content
    ) as response:
        return account_of(connection, await connection.finish(response))


def _login_token(attempt: BrowserSignIn, text: str) -> Secret | None:
    """The token that opens the session; None if the text is not one of this attempt."""
    from cryptography.exceptions import InvalidTag  # only who signs in so needs it
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    try:
        data = bytes.fromhex(text)
        if len(data) <= _NONCE_BYTES + _TAG_BYTES:
            return None
        cipher = AESGCM(bytes.fromhex(attempt.one_time_key.reveal()))
        token = cipher.decrypt(data[:_NONCE_BYTES], data[_NONCE_BYTES:], None).decode("ascii")
    except (ValueError, InvalidTag):
        return None
    return Secret(token) if token.isprintable() and not set(token) & set("/?#% ") else None


def _fields(link: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(link).query).items()}


def _api_key(attempt: BrowserSignIn, link: str) -> Secret | None:
    """The API key in a link; None if it is not one of this attempt."""
    try:
        data = bytes.fromhex(_fields(link).get("otp_encrypted_api_key", ""))
    except ValueError:
        return None
    pad = bytes.fromhex(attempt.one_time_key.reveal())
    key = bytes(a ^ b for a, b in zip(data, pad, strict=False))
    is_key = len(data) == _API_KEY_CHARACTERS and key.isalnum()
    return Secret(key.decode("ascii")) if is_key else None
