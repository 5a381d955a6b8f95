"""The organization's folders of channels, the same for all users (outside the contract, CONV-23)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.operations import OMIT, Bound, Done, Omit, Operations, given, ids, read, segment
from narrowcast_api.model.reading import RawRecord, boolean, integer, required_int, text
from narrowcast_api.resources.collection import Collection, EventHandlers
from narrowcast_api.wire.event import Event
from narrowcast_api.wire.model import GoodList, Id, WireModel, read_by

if TYPE_CHECKING:
    from narrowcast_api.http.connection import Connection


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


ChannelFolderRow = Annotated[ChannelFolder, read_by(read_channel_folder)]


def collection() -> Collection[int, ChannelFolder]:
    """The organization's folders in the state."""
    return Collection("channel_folders", lambda folder: folder.id, read_channel_folder)


# events


class ChannelFolderEvent(Event):
    """Base class of channel folder events."""

    type: Literal["channel_folder"] = "channel_folder"


class ChannelFolderAddEvent(ChannelFolderEvent):
    """A channel folder was created."""

    op: Literal["add"] = "add"
    channel_folder: ChannelFolderRow


class ChannelFolderUpdateEvent(ChannelFolderEvent):
    """Fields of a folder changed; ``data`` contains the new values by name."""

    op: Literal["update"] = "update"
    channel_folder_id: Id
    data: dict[str, Any]


class ChannelFolderReorderEvent(ChannelFolderEvent):
    """The order of all folders."""

    op: Literal["reorder"] = "reorder"
    order: list[Id]


handlers = EventHandlers[Collection[int, ChannelFolder]]()


@handlers.of(ChannelFolderAddEvent)
def _add(folders: Collection[int, ChannelFolder], event: ChannelFolderAddEvent) -> None:
    folders.put([event.channel_folder])


@handlers.of(ChannelFolderUpdateEvent)
def _update(folders: Collection[int, ChannelFolder], event: ChannelFolderUpdateEvent) -> None:
    folder, data = folders.get(event.channel_folder_id), event.data
    if folder is not None:
        changed = folder._replace(
            name=text(data, "name", folder.name),
            description=text(data, "description", folder.description),
            rendered_description=text(data, "rendered_description", folder.rendered_description),
            is_archived=boolean(data, "is_archived", folder.is_archived),
        )
        folders.put([changed])


@handlers.of(ChannelFolderReorderEvent)
def _reorder(folders: Collection[int, ChannelFolder], event: ChannelFolderReorderEvent) -> None:
    for place, folder_id in enumerate(event.order):
        folder = folders.get(folder_id)
        if folder is not None:
            folders.put([folder._replace(order=place)])


# operations


class ChannelFolderList(WireModel):
    """Response of GET /channel_folders."""

    channel_folders: GoodList[ChannelFolderRow] = []


class CreatedChannelFolder(WireModel):
    """Response of POST /channel_folders/create."""

    channel_folder_id: Id


async def list_channel_folders(
    connection: Connection, *, include_archived: bool = False
) -> list[ChannelFolder]:
    """GET /channel_folders: the folders, in the organization's order."""
    response = await connection.request("GET", "/channel_folders", {"include_archived": include_archived})
    return list(read(ChannelFolderList, response).channel_folders)


async def create_channel_folder(connection: Connection, *, name: str, description: str = "") -> int:
    """POST /channel_folders/create: create a folder; returns its id.

    Raises UnauthorizedPrincipal if the current user is not an administrator.
    """
    params = {"name": name, "description": description}
    response = await connection.request("POST", "/channel_folders/create", params)
    return read(CreatedChannelFolder, response).channel_folder_id


async def update_channel_folder(
    connection: Connection,
    *,
    channel_folder_id: int,
    name: str | Omit = OMIT,
    description: str | Omit = OMIT,
    is_archived: bool | Omit = OMIT,
) -> Done:
    """PATCH /channel_folders/{id}: change the given properties; a folder with channels cannot be archived."""
    params = given(name=name, description=description, is_archived=is_archived)
    if not params:
        raise InvalidInput("nothing to change")
    path = f"/channel_folders/{segment(channel_folder_id, 'channel_folder_id')}"
    return read(Done, await connection.request("PATCH", path, params))


async def reorder_channel_folders(connection: Connection, *, order: Iterable[int]) -> Done:
    """PATCH /channel_folders: set the order of all folders, including archived ones, by id."""
    return read(Done, await connection.request("PATCH", "/channel_folders", {"order": ids(order, "order")}))


class ChannelFolderOperations(Operations):
    """Folders of channels, the same for all users."""

    list = Bound(list_channel_folders)
    create = Bound(create_channel_folder)
    update = Bound(update_channel_folder)
    reorder = Bound(reorder_channel_folders)
