"""Pages for browsers: what this server is, and how to log in (outside the contract)."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final

from starlette.requests import Request
from starlette.responses import Response

from narrowcast_api.wire.vocabulary import API_PREFIX
from narrowcast_assets.installing import INSTALL
from narrowcast_server.http.page import PageCommand, PageHeading, PageText, Part, page
from narrowcast_server.http.routing import Call, Routes
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.resources import joining, password_resets
from narrowcast_server.resources.invites.changes import link_of

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

routes = Routes()

_WHAT: Final = PageText(
    "This is a Narrowcast server: team chat for people who live in a terminal, organized in channels and topics."
    " Its messages are read in a terminal, not in a browser."
)


def _installing(organization: Organization) -> tuple[Part, ...]:
    """The operator's own command, or the one that works in a checkout."""
    if own := organization.config.install:
        return PageText("Install Narrowcast:"), PageCommand(own)
    return (
        PageText("Install Narrowcast in a checkout of its repository (it needs Python 3.11 or newer):"),
        PageCommand(INSTALL),
    )


@routes.add("GET", "/", public=True, absolute=True, accepts_anything=True)
def home(call: Call) -> Response:
    """The home page. Links to messages open it too, since browsers do not send the fragment of a URL."""
    return _home(call.organization, [])


@routes.add("GET", "/join/{token}/", public=True, absolute=True, accepts_anything=True)
@routes.add("GET", "/join/{token}", public=True, absolute=True, accepts_anything=True)
def invitation(call: Call) -> Response:
    """A valid invitation, or why it is not valid; shows only the organization's name."""
    name = call.organization.setting("name", str)
    try:
        joining.invitation(call.organization, call.path["token"])
    except ServiceError as error:
        return page(name, [PageHeading("", name, level=1), PageText(error.message), _WHAT], 410)
    parts: list[Part] = [
        PageHeading("You are invited to", name, level=1),
        _WHAT,
        *_installing(call.organization),
        PageText("Then join. This command asks for your name, your email and a new password:"),
        PageCommand(f"narrowcast login {shlex.quote(link_of(call.organization, call.path['token']))}"),
        PageText("Anyone who has this link can use it to join: keep it to yourself."),
    ]
    return page(f"Join {name}", parts)


@routes.add("GET", "/reset/{token}/", public=True, absolute=True, accepts_anything=True)
@routes.add("GET", "/reset/{token}", public=True, absolute=True, accepts_anything=True)
def reset(call: Call) -> Response:
    """A link to set a new password; does not show whose account it is for."""
    organization, token = call.organization, call.path["token"]
    name = organization.setting("name", str)
    try:
        password_resets.whose(organization, token)
    except ServiceError as error:
        return page(name, [PageHeading("", name, level=1), PageText(error.message), _WHAT], 410)
    parts: list[Part] = [
        PageHeading("A new password for", name, level=1),
        PageText("In a terminal where Narrowcast is installed, type:"),
        PageCommand(f"narrowcast login {shlex.quote(password_resets.reset_url(organization, token))}"),
        PageText("The command asks for the new password. Keep this link to yourself: it works once."),
    ]
    return page(f"New password for {name}", parts)


def not_found_page(organization: Organization, request: Request) -> Response | None:
    """The page for browsers that open a missing page; None for API requests and other programs."""
    is_page = request.method in ("GET", "HEAD") and "text/html" in request.headers.get("accept", "")
    if not is_page or request.url.path.startswith(f"{API_PREFIX}/"):
        return None
    return _home(organization, [PageText("This page does not exist.")], 404)


def _home(organization: Organization, before: list[Part], status: int = 200) -> Response:
    name = organization.setting("name", str)
    parts: list[Part] = [
        PageHeading("", name, level=1),
        *before,
        _WHAT,
        *_installing(organization),
        PageText("Then log in:"),
        PageCommand(f"narrowcast login {shlex.quote(organization.url)}"),
        PageText("Without an account, ask the operator of this server for an invitation."),
        PageHeading("If a link to a message led you here"),
        PageText("Copy the whole address from the browser, and open it in Narrowcast:"),
        PageCommand("narrowcast open 'ADDRESS'"),
    ]
    return page(name, parts, status)
