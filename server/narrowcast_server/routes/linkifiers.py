"""Linkifiers (rows LNK); only administrators may change them (LNK-09)."""

from __future__ import annotations

from narrowcast_api.wire.levels import Gate
from narrowcast_server.http.params import integers, required, text_without_null
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.queries.linkifiers import linkifiers_of
from narrowcast_server.resources import linkifiers
from narrowcast_server.rules.permissions import Callers

routes = Routes()

PATTERN = required("pattern", text_without_null)
TEMPLATE = required("url_template", text_without_null, since=Gate.LINKIFIER_TEMPLATE.level)
FORMAT = required("url_format_string", text_without_null, until=Gate.LINKIFIER_TEMPLATE.level)
ORDER = required("ordered_linkifier_ids", integers)


def _template(call: Call) -> str:
    if call.level < Gate.LINKIFIER_TEMPLATE.level:
        return linkifiers.template_of_format(call[FORMAT])
    return call[TEMPLATE]


@routes.get("/realm/linkifiers")
def list_linkifiers(call: Call) -> ResponseBody:
    """All linkifiers, in the order in which they are tried."""
    return {"linkifiers": linkifiers_of(call.core)}


@routes.post("/realm/filters", PATTERN, TEMPLATE, FORMAT, callers=Callers.ADMINISTRATORS)
def add_linkifier(call: Call) -> ResponseBody:
    return {"id": linkifiers.add_linkifier(call.core, call[PATTERN], _template(call))}


@routes.patch(
    "/realm/filters/{filter_id}",
    PATTERN,
    TEMPLATE,
    FORMAT,
    since=Gate.LINKIFIER_EDIT.level,
    callers=Callers.ADMINISTRATORS,
)
def update_linkifier(call: Call) -> ResponseBody:
    """Replaces a linkifier (LNK-01)."""
    linkifiers.update_linkifier(call.core, call.path_id("filter_id"), call[PATTERN], _template(call))
    return {}


@routes.delete("/realm/filters/{filter_id}", callers=Callers.ADMINISTRATORS)
def remove_linkifier(call: Call) -> ResponseBody:
    linkifiers.remove_linkifier(call.core, call.path_id("filter_id"))
    return {}


@routes.patch("/realm/linkifiers", ORDER, callers=Callers.ADMINISTRATORS)
def reorder_linkifiers(call: Call) -> ResponseBody:
    """Sets the order in which linkifiers are tried."""
    linkifiers.reorder_linkifiers(call.core, call[ORDER])
    return {}
