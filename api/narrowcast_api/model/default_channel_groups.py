"""Groups of channels that new users can choose."""

from __future__ import annotations

from typing import NamedTuple

from narrowcast_api.model.reading import RawRecord, ids, integer, records, required_int, rows, text


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


def read_default_channel_groups(value: object) -> tuple[DefaultChannelGroup, ...]:
    """Reads the value of `realm_default_stream_groups`: all groups, by name."""
    groups = records(value, read_default_channel_group, "group of channels")
    return tuple(sorted(groups, key=lambda group: (group.name.casefold(), group.id)))
