"""Groups of channels that new users can choose (outside the contract, CONV-23). Registration lists them."""

from __future__ import annotations

from collections.abc import Iterable

from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.operations import OMIT, Bound, Done, Group, Omit, given, read, segment, texts


async def create_default_channel_group(
    connection: Connection, *, name: str, description: str, channels: Iterable[str]
) -> Done:
    """POST /default_stream_groups/create: create a group of channels, given by name; administrators only."""
    params = {"group_name": name, "description": description, "stream_names": texts(channels, "channels")}
    return read(Done, await connection.request("POST", "/default_stream_groups/create", params))


async def update_default_channel_group(
    connection: Connection, *, group_id: int, name: str | Omit = OMIT, description: str | Omit = OMIT
) -> Done:
    """PATCH /default_stream_groups/{group_id}: change the name or the description."""
    params = given(new_group_name=name, new_description=description)
    if not params:
        raise InvalidInput("nothing to change")
    return read(Done, await connection.request("PATCH", _path(group_id), params))


async def add_to_default_channel_group(
    connection: Connection, *, group_id: int, channels: Iterable[str]
) -> Done:
    """PATCH /default_stream_groups/{group_id}/streams: add channels, given by name."""
    return await _change(connection, group_id, "add", channels)


async def remove_from_default_channel_group(
    connection: Connection, *, group_id: int, channels: Iterable[str]
) -> Done:
    """PATCH /default_stream_groups/{group_id}/streams: remove channels, given by name."""
    return await _change(connection, group_id, "remove", channels)


async def delete_default_channel_group(connection: Connection, *, group_id: int) -> Done:
    """DELETE /default_stream_groups/{group_id}: remove a group; its channels are not affected."""
    return read(Done, await connection.request("DELETE", _path(group_id)))


async def _change(connection: Connection, group_id: int, op: str, channels: Iterable[str]) -> Done:
    params = {"op": op, "stream_names": texts(channels, "channels")}
    return read(Done, await connection.request("PATCH", f"{_path(group_id)}/streams", params))


def _path(group_id: int) -> str:
    return f"/default_stream_groups/{segment(group_id, 'group_id')}"


class DefaultChannelGroups(Group):
    """Groups of channels that new users can choose."""

    create = Bound(create_default_channel_group)
    update = Bound(update_default_channel_group)
    add = Bound(add_to_default_channel_group)
    remove = Bound(remove_from_default_channel_group)
    delete = Bound(delete_default_channel_group)
