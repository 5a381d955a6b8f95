"""Channels as the server stores them, and opening a channel in the app."""

from __future__ import annotations

from narrowcast_api.narrow.narrow import Narrow
from support.server import JsonObject
from support.sessions import until
from support.stage import Stage


async def channel_row(stage: Stage, name: str) -> JsonObject:
    """Returns a channel as the server lists it."""
    response = await stage.server.call(
        "ada", "GET", "/streams", {"include_all": True, "exclude_archived": False}
    )
    return next(row for row in response["streams"] if row["name"] == name)


async def members_of(stage: Stage, name: str) -> list[int]:
    """Returns the ids of its subscribers."""
    path = f"/streams/{stage.server.channel(name)}/members"
    members: list[int] = (await stage.server.call("ada", "GET", path))["subscribers"]
    return members


async def in_channel(stage: Stage, name: str) -> None:
    """Opens a channel."""
    await stage.go(Narrow.channel(stage.server.channel(name)))


async def archive(stage: Stage, channel_id: int) -> None:
    """Archives a channel as another user, and waits until the app has received the event."""
    await stage.server.call("ada", "DELETE", f"/streams/{channel_id}")
    channels = stage.session.state.channels
    await until(lambda: (channel := channels.get(channel_id)) is not None and channel.is_archived)
