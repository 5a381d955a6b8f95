"""Video calls that the server creates (outside the contract, CONV-23); Jitsi calls need no server."""

from __future__ import annotations

from narrowcast_api.http.connection import Connection
from narrowcast_api.http.operations import Bound, Operations, read
from narrowcast_api.wire.organization import CallResponse


async def create_bigbluebutton_call(
    connection: Connection, *, meeting_name: str, voice_only: bool = False
) -> str:
    """GET /calls/bigbluebutton/create: create a call; returns its address, relative to the organization's.

    Raises BadRequest if BigBlueButton is not configured on the server.
    """
    params = {"meeting_name": meeting_name, "voice_only": voice_only}
    return read(CallResponse, await connection.request("GET", "/calls/bigbluebutton/create", params)).url


async def create_zoom_call(connection: Connection, *, is_video_call: bool = True) -> str:
    """POST /calls/zoom/create: create a call; returns its address.

    Raises BadRequest if Zoom is not configured on the server. If its code is
    INVALID_VIDEO_CALL_PROVIDER_TOKEN (on older servers INVALID_ZOOM_TOKEN), the user must log in to Zoom
    first, which requires a browser.
    """
    return await _created(connection, "zoom", is_video_call=is_video_call)


async def create_constructor_groups_call(connection: Connection) -> str:
    """POST /calls/constructorgroups/create: create a call; returns its address. Servers have it from level 460."""
    return await _created(connection, "constructorgroups")


async def create_nextcloud_talk_call(connection: Connection, *, room_name: str) -> str:
    """POST /calls/nextcloud_talk/create: create a call in a new room; returns its address. From level 465."""
    return await _created(connection, "nextcloud_talk", room_name=room_name)


async def create_webex_call(connection: Connection) -> str:
    """POST /calls/webex/create: create a call; returns its address. From level 493.

    Raises BadRequest with the code INVALID_VIDEO_CALL_PROVIDER_TOKEN if the user must log in to Webex first,
    which requires a browser.
    """
    return await _created(connection, "webex")


async def _created(connection: Connection, provider: str, **params: object) -> str:
    return read(CallResponse, await connection.request("POST", f"/calls/{provider}/create", params)).url


class CallOperations(Operations):
    """Video calls that the server creates."""

    bigbluebutton = Bound(create_bigbluebutton_call)
    zoom = Bound(create_zoom_call)
    constructor_groups = Bound(create_constructor_groups_call)
    nextcloud_talk = Bound(create_nextcloud_talk_call)
    webex = Bound(create_webex_call)
