"""Color, muting, pinning and notifications of the caller's own subscriptions."""

from __future__ import annotations

import re
from typing import Final

from narrowcast_server.http.params import objects, required
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.checks import check_string
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.resources.subscriptions.changes import set_property
from narrowcast_server.rules import access

routes = Routes()

_COLOR: Final = re.compile(r"#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})\Z")
DATA = required("subscription_data", objects)

_BOOLEANS: Final = frozenset(
    {
        "is_muted",
        "in_home_view",
        "pin_to_top",
        "desktop_notifications",
        "audible_notifications",
        "push_notifications",
        "email_notifications",
        "wildcard_mentions_notify",
    }
)


@routes.post("/users/me/subscriptions/properties", DATA)
def update_subscription_properties(call: Call) -> ResponseBody:
    """Changes properties of the caller's own subscriptions."""
    limit = call.organization.config.quotas.subscriptions_a_request
    if len(call[DATA]) > limit:
        raise ServiceError(f"Too many subscriptions in one request (limit: {limit}).")
    for index, item in enumerate(call[DATA]):
        label = f"subscription_data[{index}]"
        stream_id, name = item.get("stream_id"), check_string(f'{label}["property"]', item.get("property"))
        if isinstance(stream_id, bool) or not isinstance(stream_id, int) or abs(stream_id) > 2**53:
            raise ServiceError(f'{label}["stream_id"] is not an integer')
        _set_property(call, stream_id, name, item.get("value"), label)
    return {}


def _set_property(call: Call, channel_id: int, name: str, value: object, label: str) -> None:
    organization, user = call.organization, call.user
    channel = access.readable_channel(organization, user, channel_id)
    if not access.is_subscribed(organization, user.id, channel.id):
        raise ServiceError(f"Not subscribed to channel ID {channel.id}")
    if not isinstance(value, bool | str):
        raise ServiceError(f'{label}["value"] is not a boolean')
    if name == "color":
        value = check_color(f"Invalid {label}: color", value)
    elif name not in _BOOLEANS:
        raise ServiceError(f"Unknown subscription property: {name}")
    elif not isinstance(value, bool):
        raise ServiceError(f"{name} is not a boolean")
    events = [(name, value)]
    column, stored = name, value
    if name in ("in_home_view", "is_muted"):
        column, stored = "is_muted", value if name == "is_muted" else not value
        events = [("in_home_view", not stored), ("is_muted", stored)]
    set_property(organization, user, channel, column, stored, events)


def check_color(name: str, value: object) -> str:
    """A hex color; raises BAD_REQUEST with a message that begins with `name`."""
    if not isinstance(value, str) or not _COLOR.match(value):
        raise ServiceError(f"{name} is not a valid hex color code")
    return value
