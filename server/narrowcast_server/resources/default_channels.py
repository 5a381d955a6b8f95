"""Default channels, which new users are subscribed to (outside the contract)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_server.http.params import integer, required
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.errors import ServiceError, invalid_channel_id
from narrowcast_server.organization.models import Channel
from narrowcast_server.queries.snapshot.parts import Snapshot, part
from narrowcast_server.resources.channels.creation import emit_default_channels
from narrowcast_server.rules.permissions import Callers

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization


def set_default(organization: Organization, channel: Channel, is_default: bool) -> None:
    """Sets whether new users are subscribed to the channel."""
    if is_default and channel.invite_only:
        raise ServiceError("A default channel cannot be private.")
    if channel.is_default == is_default:
        return
    organization.channels.update(channel.id, is_default=int(is_default))
    emit_default_channels(organization)


@part("default_streams")
def default_channels(request: Snapshot) -> dict[str, object]:
    """Ids of the default channels of new users; empty for guests."""
    if request.user.is_guest:
        return {"realm_default_streams": []}
    return {
        "realm_default_streams": [
            channel.id for channel in request.organization.channels.all() if channel.is_default
        ]
    }


routes = Routes()

CHANNEL = required("stream_id", integer)


def _channel(call: Call) -> Channel:
    channel = call.organization.channels.get(call[CHANNEL])
    if channel is None:
        raise invalid_channel_id()
    return channel


@routes.post("/default_streams", CHANNEL, callers=Callers.ADMINISTRATORS)
def post_default_channel(call: Call) -> ResponseBody:
    """Makes a channel a default one, which new users are subscribed to."""
    channel = _channel(call)
    if channel.is_archived:
        raise invalid_channel_id()
    if channel.invite_only:
        raise ServiceError("Private channels cannot be made default.")
    set_default(call.organization, channel, True)
    return {}


@routes.delete("/default_streams", CHANNEL, callers=Callers.ADMINISTRATORS)
def delete_default_channel(call: Call) -> ResponseBody:
    set_default(call.organization, _channel(call), False)
    return {}
