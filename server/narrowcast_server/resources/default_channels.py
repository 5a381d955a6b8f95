"""Default channels, which new users are subscribed to (outside the contract)."""

from __future__ import annotations

from narrowcast_server.actions.default_channels import set_default
from narrowcast_server.http.params import integer, required
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.errors import ServiceError, invalid_channel_id
from narrowcast_server.organization.models import Channel
from narrowcast_server.rules.permissions import Callers

routes = Routes()

CHANNEL = required("stream_id", integer)


def _channel(call: Call) -> Channel:
    channel = call.core.channels.get(call[CHANNEL])
    if channel is None:
        raise invalid_channel_id()
    return channel


@routes.post("/default_streams", CHANNEL, callers=Callers.ADMINISTRATORS)
def add(call: Call) -> ResponseBody:
    """Makes a channel a default one, which new users are subscribed to."""
    channel = _channel(call)
    if channel.is_archived:
        raise invalid_channel_id()
    if channel.invite_only:
        raise ServiceError("Private channels cannot be made default.")
    set_default(call.core, channel, True)
    return {}


@routes.delete("/default_streams", CHANNEL, callers=Callers.ADMINISTRATORS)
def remove(call: Call) -> ResponseBody:
    set_default(call.core, _channel(call), False)
    return {}
