"""Groups of channels that new users can choose (outside the contract, CONV-23). Registration lists them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.operations import OMIT, Bound, Done, Omit, Operations, given, read, segment, texts
from narrowcast_api.model.reading import RawRecord, ids, integer, records, required_int, rows, text
from narrowcast_api.resources.collection import Collection, EventHandlers
from narrowcast_api.wire.event import Event

if TYPE_CHECKING:
    from narrowcast_api.http.connection import Connection


class DefaultChannelGroup(NamedTuple):
    """A group of channels that new users can choose together."""

    id: int
    name: str
    description: str = ""
    channel_ids: tuple[int, ...] = ()


def read_default_channel_group(row: RawRecord) -> DefaultChannelGroup:
    """Reads a row of `realm_default_stream_groups`; older servers send whole channel objects."""
    streams = row.get("streams")
    return DefaultChannelGroup(
        required_int(row, "id"),
        text(row, "name"),
        text(row, "description"),
        tuple(ids(streams) or [integer(stream, "stream_id") for stream in rows(streams)]),
    )


class DefaultChannelGroupCollection(Collection[int, DefaultChannelGroup]):
    """The organization's groups in the state, by name."""

    def __init__(self) -> None:
        super().__init__("realm_default_stream_groups", lambda group: group.id, read_default_channel_group)

    def load(self, snapshot: RawRecord) -> None:
        self.replace_rows(snapshot.get("realm_default_stream_groups"))

    def replace_rows(self, value: object) -> None:
        """Replaces all groups by those of a snapshot or an event."""
        groups = records(value, read_default_channel_group, "group of channels")
        self.replace(sorted(groups, key=lambda group: (group.name.casefold(), group.id)))


# events


class DefaultChannelGroupsEvent(Event):
    """All groups of channels that new users can choose."""

    type: Literal["default_stream_groups"] = "default_stream_groups"
    default_stream_groups: list[dict[str, Any]]


handlers = EventHandlers[DefaultChannelGroupCollection]()


@handlers.of(DefaultChannelGroupsEvent)
def _replace(groups: DefaultChannelGroupCollection, event: DefaultChannelGroupsEvent) -> None:
    groups.replace_rows(event.default_stream_groups)


# operations


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


class DefaultChannelGroupOperations(Operations):
    """Groups of channels that new users can choose."""

    create = Bound(create_default_channel_group)
    update = Bound(update_default_channel_group)
    add = Bound(add_to_default_channel_group)
    remove = Bound(remove_from_default_channel_group)
    delete = Bound(delete_default_channel_group)
