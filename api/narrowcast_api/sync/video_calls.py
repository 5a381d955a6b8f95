"""Creates the URL of a new video call with the provider that the organization has chosen."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from secrets import token_hex
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from narrowcast_api.errors import ApiError, InvalidInput
from narrowcast_api.model.reading import integer, table

if TYPE_CHECKING:
    from narrowcast_api.state.state import State
    from narrowcast_api.sync.session import Session

_MEETING_BYTES = 12
"""Bytes of randomness in the name of a meeting: anyone who guesses it could join."""

_WITHOUT_TOKEN = frozenset({"INVALID_VIDEO_CALL_PROVIDER_TOKEN", "INVALID_ZOOM_TOKEN"})
"""Error codes before the user has logged in to the provider; the second is the older one."""


async def new_call(session: Session, room: str) -> str:
    """Returns the URL of a new call; `room` names it where the provider shows a name. Raises InvalidInput if the
    organization has no calls, or only ones that must be made in the web app or need a login there; BadRequest if
    the server's provider is not set up.
    """
    provider = provider_of(session.state)
    calls = session.client.calls
    match provider:
        case "jitsi_meet":
            return _jitsi(session.state)
        case "big_blue_button":
            name = f"meeting-{token_hex(_MEETING_BYTES)}"
            return urljoin(f"{session.account.site}/", await calls.bigbluebutton(meeting_name=name))
        case "constructor_groups":
            return await calls.constructor_groups()
        case "nextcloud_talk":
            return await calls.nextcloud_talk(room_name=room)
        case "webex" if session.state.offers.webex_login is False:
            raise InvalidInput(_log_in("Webex"))
        case "webex":
            return await _with_login("Webex", calls.webex())
        case "zoom" | "zoom_server_to_server":
            return await _with_login("Zoom", calls.zoom())
        case "" | "disabled":
            raise InvalidInput("this organization has no video calls")
    raise InvalidInput(f"video calls with {provider} can only be made in the web app")


async def _with_login(provider: str, created: Awaitable[str]) -> str:
    """Returns the URL of a call for which the user may need a login at the provider."""
    try:
        return await created
    except ApiError as error:
        if error.code in _WITHOUT_TOKEN:
            raise InvalidInput(_log_in(provider)) from error
        if error.code == "UNKNOWN_ZOOM_USER":
            raise InvalidInput("Zoom has no account with your email address") from error
        raise


def _log_in(provider: str) -> str:
    return f"log in to {provider} in the web app first; calls are made with your account there"


def provider_of(state: State) -> str:
    """Returns the name of the organization's provider; empty if the server names none."""
    chosen = state.organization.get("video_chat_provider")
    offered = table(state.organization.get("available_video_chat_providers"))
    for name, provider in offered.items():
        if isinstance(provider, Mapping) and integer(provider, "id", -1) == chosen:
            return name
    return ""


def _jitsi(state: State) -> str:
    site = state.organization.text("jitsi_server_url") or state.offers.jitsi_url
    if not site:
        raise InvalidInput("this organization has no Jitsi server for calls")
    return f"{site.rstrip('/')}/{token_hex(_MEETING_BYTES)}"
