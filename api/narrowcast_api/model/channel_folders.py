"""Folders of channels."""

from __future__ import annotations

from typing import NamedTuple

from narrowcast_api.model.reading import RawRecord, boolean, integer, required_int, text


class ChannelFolder(NamedTuple):
    """A folder of channels, the same for all users."""

    id: int
    name: str
    description: str = ""
    rendered_description: str = ""
    order: int = 0
    is_archived: bool = False


def read_channel_folder(row: RawRecord) -> ChannelFolder:
    """Reads a row of `channel_folders`."""
    return ChannelFolder(
        id=required_int(row, "id"),
        name=text(row, "name"),
        description=text(row, "description"),
        rendered_description=text(row, "rendered_description"),
        order=integer(row, "order"),
        is_archived=boolean(row, "is_archived"),
    )
