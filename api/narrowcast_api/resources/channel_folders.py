"""The organization's folders of channels (outside the contract, CONV-23)."""

from __future__ import annotations

from collections.abc import Iterable

from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.encoding import OMIT, Omit
from narrowcast_api.http.operations import Bound, Done, Group, given, ids, read, segment
from narrowcast_api.wire.channels import ChannelFolder, ChannelFolderList, CreatedChannelFolder


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


class ChannelFolders(Group):
    """Folders of channels, the same for all users."""

    list = Bound(list_channel_folders)
    create = Bound(create_channel_folder)
    update = Bound(update_channel_folder)
    reorder = Bound(reorder_channel_folders)
