"""Saved snippets (rows SNP)."""

from __future__ import annotations

from narrowcast_api.wire.levels import Gate
from narrowcast_server.http.params import optional, required, text_without_null
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.queries.saved_snippets import snippets_of
from narrowcast_server.resources import saved_snippets

routes = Routes()

TITLE = required("title", text_without_null)
CONTENT = required("content", text_without_null)
NEW_TITLE = optional("title", text_without_null)
NEW_CONTENT = optional("content", text_without_null)


@routes.get("/saved_snippets")
def list_snippets(call: Call) -> ResponseBody:
    return {"saved_snippets": snippets_of(call.core, call.user)}


@routes.post("/saved_snippets", TITLE, CONTENT)
def create_snippet(call: Call) -> ResponseBody:
    identity = saved_snippets.create_snippet(call.core, call.user, call[TITLE], call[CONTENT])
    return {"saved_snippet_id": identity}


@routes.patch("/saved_snippets/{saved_snippet_id}", NEW_TITLE, NEW_CONTENT, since=Gate.SNIPPET_EDIT.level)
def edit_snippet(call: Call) -> ResponseBody:
    """Changes a snippet (SNP-01)."""
    identity = call.path_id("saved_snippet_id")
    saved_snippets.edit_snippet(call.core, call.user, identity, call[NEW_TITLE], call[NEW_CONTENT])
    return {}


@routes.delete("/saved_snippets/{saved_snippet_id}")
def delete_snippet(call: Call) -> ResponseBody:
    saved_snippets.delete_snippet(call.core, call.user, call.path_id("saved_snippet_id"))
    return {}
