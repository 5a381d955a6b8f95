"""Drafts (rows DRF; listing, creating and deleting are outside the contract, DRF-17)."""

from __future__ import annotations

from narrowcast_server.http.params import objects, required
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.checks import json_value
from narrowcast_server.queries.drafts import drafts_of
from narrowcast_server.resources import drafts

routes = Routes()

DRAFT = required("draft", json_value)
DRAFTS = required("drafts", objects)


@routes.get("/drafts")
def list_drafts(call: Call) -> ResponseBody:
    """The caller's drafts, oldest first."""
    drafts.require_synchronization(call.user)
    rows = drafts_of(call.core, call.user)
    return {"count": len(rows), "drafts": rows}


@routes.post("/drafts", DRAFTS)
def create_drafts(call: Call) -> ResponseBody:
    checked = [drafts.checked(f"drafts[{index}]", raw) for index, raw in enumerate(call[DRAFTS])]
    return {"ids": drafts.create_drafts(call.core, call.user, checked)}


@routes.patch("/drafts/{draft_id}", DRAFT)
def edit_draft(call: Call) -> ResponseBody:
    """Replaces a draft (DRF-01)."""
    drafts.edit_draft(call.core, call.user, call.path_id("draft_id"), drafts.checked("draft", call[DRAFT]))
    return {}


@routes.delete("/drafts/{draft_id}")
def delete_draft(call: Call) -> ResponseBody:
    drafts.delete_draft(call.core, call.user, call.path_id("draft_id"))
    return {}
