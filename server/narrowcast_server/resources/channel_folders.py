"""Folders of channels (outside the contract)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from narrowcast_server.http.params import boolean, defaulted, integers, optional, required, text_without_null
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.checks import check_length, unfit_position
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import User
from narrowcast_server.queries.snapshot.parts import Snapshot, part
from narrowcast_server.resources.channels.creation import rendered_description
from narrowcast_server.rules.permissions import Callers
from narrowcast_server.storage.store import Row

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

MAX_NAME: Final = 60
MAX_DESCRIPTION: Final = 1024


def folders_of(organization: Organization, *, with_archived: bool) -> list[dict[str, object]]:
    rows = organization.store.all("SELECT * FROM channel_folders ORDER BY position, id")
    return [folder_object(row) for row in rows if with_archived or not row["is_archived"]]


def folder_object(row: Row) -> dict[str, object]:
    return {
        "id": row["id"],
        "name": row["name"],
        "description": row["description"],
        "rendered_description": row["rendered_description"],
        "order": row["position"],
        "date_created": row["date_created"],
        "creator_id": row["creator_id"],
        "is_archived": bool(row["is_archived"]),
    }


def check_folder(organization: Organization, folder_id: int) -> int:
    """The id of an active folder; raises BAD_REQUEST for others."""
    row = organization.store.one("SELECT is_archived FROM channel_folders WHERE id = ?", folder_id)
    if row is None or row["is_archived"]:
        raise ServiceError("Invalid channel folder ID")
    return folder_id


def _checked_name(organization: Organization, name: str, except_id: int | None) -> str:
    name = name.strip()
    if not name:
        raise ServiceError("Channel folder name can't be empty.")
    if unfit_position(name) is not None:
        raise ServiceError("Invalid character in channel folder name.")
    check_length("name", name, MAX_NAME)
    taken = organization.store.all("SELECT id, name FROM channel_folders WHERE is_archived = 0")
    if any(row["name"].casefold() == name.casefold() and row["id"] != except_id for row in taken):
        raise ServiceError("Channel folder name already in use")
    return name


def create_folder(organization: Organization, user: User | None, name: str, description: str) -> int:
    """Creates a folder after the others; returns its id."""
    checked = _checked_name(organization, name, None)
    check_length("description", description, MAX_DESCRIPTION)
    position = (organization.store.integer("SELECT max(position) FROM channel_folders") or 0) + 1
    identity = organization.store.insert(
        "INSERT INTO channel_folders (name, description, rendered_description, position, date_created, creator_id)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        checked,
        description,
        rendered_description(organization, description),
        position,
        organization.now(),
        None if user is None else user.id,
    )
    row = organization.store.one("SELECT * FROM channel_folders WHERE id = ?", identity)
    assert row is not None
    organization.emit(
        {"type": "channel_folder", "op": "add", "channel_folder": folder_object(row)}, organization.user_ids()
    )
    return identity


def update_folder(
    organization: Organization,
    folder_id: int,
    *,
    name: str | None,
    description: str | None,
    archived: bool | None,
) -> None:
    """Changes the given properties of a folder; raises BAD_REQUEST for archiving one that holds channels."""
    present = organization.store.one("SELECT * FROM channel_folders WHERE id = ?", folder_id)
    if present is None:
        raise ServiceError("Invalid channel folder ID")
    data: dict[str, object] = {}
    if name is not None:
        data["name"] = _checked_name(organization, name, folder_id)
    if description is not None:
        check_length("description", description, MAX_DESCRIPTION)
        data["description"] = description
        data["rendered_description"] = rendered_description(organization, description)
    if archived is not None:
        if archived and any(channel.folder_id == folder_id for channel in organization.channels.all()):
            raise ServiceError("You need to remove all the channels from this folder to archive it.")
        data["is_archived"] = archived
    changed = {name: value for name, value in data.items() if present[name] != value}
    for name, value in changed.items():
        stored = int(value) if isinstance(value, bool) else str(value)
        organization.store.execute(f"UPDATE channel_folders SET {name} = ? WHERE id = ?", stored, folder_id)
    if changed:
        event = {"type": "channel_folder", "op": "update", "channel_folder_id": folder_id, "data": changed}
        organization.emit(event, organization.user_ids())


def reorder_folders(organization: Organization, ids: Sequence[int]) -> None:
    """Sets the order of all folders."""
    present = organization.store.integers("SELECT id FROM channel_folders ORDER BY position, id")
    if sorted(ids) != sorted(present):
        raise ServiceError("Invalid order mapping.")
    if list(ids) == present:
        return
    organization.store.execute_many(
        "UPDATE channel_folders SET position = ? WHERE id = ?",
        [(place, identity) for place, identity in enumerate(ids)],
    )
    organization.emit(
        {"type": "channel_folder", "op": "reorder", "order": list(ids)}, organization.user_ids()
    )


@part("channel_folders")
def folders(request: Snapshot) -> dict[str, object]:
    """Channel folders, in order."""
    rows = request.organization.store.all("SELECT * FROM channel_folders ORDER BY position, id")
    return {"channel_folders": [folder_object(row) for row in rows]}


routes = Routes()

NAME = required("name", text_without_null)
DESCRIPTION = required("description", text_without_null)
NEW_NAME = optional("name", text_without_null)
NEW_DESCRIPTION = optional("description", text_without_null)
ARCHIVED = optional("is_archived", boolean)
ORDER = required("order", integers)
WITH_ARCHIVED = defaulted("include_archived", boolean, False)


@routes.get("/channel_folders", WITH_ARCHIVED)
def get_folders(call: Call) -> ResponseBody:
    """Every folder, in order."""
    return {"channel_folders": folders_of(call.organization, with_archived=call[WITH_ARCHIVED])}


@routes.post("/channel_folders/create", NAME, DESCRIPTION, callers=Callers.ADMINISTRATORS)
def post_folder(call: Call) -> ResponseBody:
    identity = create_folder(call.organization, call.user, call[NAME], call[DESCRIPTION])
    return {"channel_folder_id": identity}


@routes.patch("/channel_folders", ORDER, callers=Callers.ADMINISTRATORS)
def patch_order(call: Call) -> ResponseBody:
    """Sets the order of the folders."""
    reorder_folders(call.organization, call[ORDER])
    return {}


@routes.patch(
    "/channel_folders/{folder_id}", NEW_NAME, NEW_DESCRIPTION, ARCHIVED, callers=Callers.ADMINISTRATORS
)
def patch_folder(call: Call) -> ResponseBody:
    update_folder(
        call.organization,
        call.path_id("folder_id"),
        name=call[NEW_NAME],
        description=call[NEW_DESCRIPTION],
        archived=call[ARCHIVED],
    )
    return {}
