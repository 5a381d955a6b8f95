"""Folders of channels (outside the contract)."""

from __future__ import annotations

from narrowcast_server.http.params import boolean, defaulted, integers, optional, required, text_without_null
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.queries.channel_folders import folders_of
from narrowcast_server.resources import channel_folders
from narrowcast_server.rules.permissions import Callers

routes = Routes()

NAME = required("name", text_without_null)
DESCRIPTION = required("description", text_without_null)
NEW_NAME = optional("name", text_without_null)
NEW_DESCRIPTION = optional("description", text_without_null)
ARCHIVED = optional("is_archived", boolean)
ORDER = required("order", integers)
WITH_ARCHIVED = defaulted("include_archived", boolean, False)


@routes.get("/channel_folders", WITH_ARCHIVED)
def list_folders(call: Call) -> ResponseBody:
    """Every folder, in order."""
    return {"channel_folders": folders_of(call.core, with_archived=call[WITH_ARCHIVED])}


@routes.post("/channel_folders/create", NAME, DESCRIPTION, callers=Callers.ADMINISTRATORS)
def create(call: Call) -> ResponseBody:
    identity = channel_folders.create_folder(call.core, call.user, call[NAME], call[DESCRIPTION])
    return {"channel_folder_id": identity}


@routes.patch("/channel_folders", ORDER, callers=Callers.ADMINISTRATORS)
def reorder(call: Call) -> ResponseBody:
    """Sets the order of the folders."""
    channel_folders.reorder_folders(call.core, call[ORDER])
    return {}


@routes.patch(
    "/channel_folders/{folder_id}", NEW_NAME, NEW_DESCRIPTION, ARCHIVED, callers=Callers.ADMINISTRATORS
)
def update(call: Call) -> ResponseBody:
    channel_folders.update_folder(
        call.core,
        call.path_id("folder_id"),
        name=call[NEW_NAME],
        description=call[NEW_DESCRIPTION],
        archived=call[ARCHIVED],
    )
    return {}
