"""Signing in on a page of this server, for programs on any machine: as other servers do it with external methods.

The address carries a one-time key: `desktop_flow_otp` for a token that the person pastes into the program,
`mobile_flow_otp` for a link. See `narrowcast_api.routes.external_sign_in`.
"""

from __future__ import annotations

import re
import secrets
from typing import Final
from urllib.parse import urlencode

from starlette.responses import RedirectResponse, Response

from narrowcast_server.http.page import Form, PageCommand, PageField, PageHeading, PageText, Part, page
from narrowcast_server.http.params import defaulted, optional, required, string
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.config import ExternalLogin
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import User
from narrowcast_server.routes.auth import key_of, signed_in
from narrowcast_server.routes.server_settings import base_url

routes = Routes()

PATH: Final = "/accounts/login/browser/"
METHOD: Final = ExternalLogin("browser", "Browser", PATH, PATH)
DESKTOP = defaulted("desktop_flow_otp", string, "")
MOBILE = defaulted("mobile_flow_otp", string, "")
USERNAME = required("username", string)
PASSWORD = required("password", string)
CODE = optional("second_factor", string)
_ONE_TIME_KEY: Final = re.compile(r"[0-9a-fA-F]{64}")
_NONCE_BYTES: Final = 12
_SESSION: Final = "session"
_CSRF: Final = "csrftoken"
_FORM: Final = Form(
    (
        PageField("username", "Email", "email", "username"),
        PageField("password", "Password", "password", "current-password"),
        PageField(
            "second_factor",
            "Code of your authenticator app, if you use one",
            completion="one-time-code",
            required=False,
        ),
    ),
    "Sign in",
)


@routes.add("GET", PATH, DESKTOP, MOBILE, public=True, absolute=True)
def sign_in_page(call: Call) -> Response:
    """The form."""
    _check_flow(call)
    return _page(call, PageText("Sign in, to log in in Narrowcast."), _FORM)


@routes.add("POST", PATH, USERNAME, PASSWORD, CODE, public=True, absolute=True, accepts_anything=True)
async def sign_in(call: Call) -> Response:
    """Checks what the form has; shows what is to be pasted into the program, or what is wrong."""
    desktop, mobile = _check_flow(call)
    try:
        user = await signed_in(call, call[USERNAME], call[PASSWORD], call[CODE])
    except ServiceError as error:
        return _page(call, PageText(error.message), _FORM, status=error.status)
    if desktop:
        what, shown = "token", _encrypted(call.organization.browser_sign_ins.make_token(user.id), desktop)
        limit = " It works once, within 15 seconds."
    else:
        what, shown, limit = "link", _link(call, user, mobile), ""
    return _page(
        call,
        PageText(f"You are signed in. Copy this {what} and paste it in Narrowcast.{limit}"),
        PageCommand(shown),
    )


@routes.add("GET", "/accounts/login/subdomain/{token}", public=True, absolute=True)
def open_session(call: Call) -> Response:
    """Opens a session with the token of the page, and sets its cookies."""
    opened = call.organization.browser_sign_ins.open_session(call.path["token"])
    if opened is None:
        raise ServiceError("Invalid or expired login session.")
    name, session = opened
    response = RedirectResponse(f"{base_url(call)}/", 302)
    secure = base_url(call).startswith("https://")
    response.set_cookie(_SESSION, name, httponly=True, secure=secure, samesite="lax")
    response.set_cookie(_CSRF, session.csrf, secure=secure, samesite="lax")
    return response


@routes.add("POST", "/json/fetch_api_key", public=True, absolute=True, accepts_anything=True)
def fetch_api_key(call: Call) -> ResponseBody:
    """The API key of the user of a session, which ends."""
    request = call.request
    user_id = call.organization.browser_sign_ins.use_session(
        request.cookies.get(_SESSION, ""), request.headers.get("x-csrftoken", "")
    )
    user = None if user_id is None else call.organization.users.get(user_id)
    if user is None or not user.is_active:
        raise ServiceError("Not logged in: API authentication or user session required", "UNAUTHORIZED", 401)
    return key_of(user)


def _check_flow(call: Call) -> tuple[str, str]:
    """The one-time keys of the desktop and the mobile flow; raises BAD_REQUEST unless there is exactly one."""
    query = call.request.query_params
    desktop, mobile = query.get(DESKTOP.name, ""), query.get(MOBILE.name, "")
    if bool(desktop) == bool(mobile) or not _ONE_TIME_KEY.fullmatch(desktop or mobile):
        raise ServiceError("Start logging in in Narrowcast: it opens this page with a one-time key.")
    return desktop, mobile


def _page(call: Call, *parts: Part, status: int = 200) -> Response:
    name = call.organization.setting("name", str)
    return page(f"Sign in to {name}", [PageHeading("Sign in to", name, level=1), *parts], status)


def _encrypted(token: str, one_time_key: str) -> str:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # only who signs in so needs it

    nonce = secrets.token_bytes(_NONCE_BYTES)
    cipher = AESGCM(bytes.fromhex(one_time_key))
    return (nonce + cipher.encrypt(nonce, token.encode(), None)).hex()


def _link(call: Call, user: User, one_time_key: str) -> str:
    pad = bytes.fromhex(one_time_key)
    encrypted = bytes(a ^ b for a, b in zip(user.api_key.encode(), pad, strict=True)).hex()
    fields = {"otp_encrypted_api_key": encrypted, "email": user.delivery_email, "user_id": user.id}
    return f"zulip://login?{urlencode({'realm': base_url(call), **fields})}"
