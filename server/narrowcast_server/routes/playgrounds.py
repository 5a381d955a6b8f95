"""Code playgrounds (rows PLG); only administrators may change them (PLG-09)."""

from __future__ import annotations

from narrowcast_api.wire.levels import Gate
from narrowcast_server.http.params import required, text_without_null
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.resources import playgrounds
from narrowcast_server.rules.permissions import Callers

routes = Routes()

NAME = required("name", text_without_null)
LANGUAGE = required("highlighter_language", text_without_null, aliases=("pygments_language",))
TEMPLATE = required("url_template", text_without_null, since=Gate.PLAYGROUND_TEMPLATE.level)
PREFIX = required("url_prefix", text_without_null, until=Gate.PLAYGROUND_TEMPLATE.level)


@routes.post("/realm/playgrounds", NAME, LANGUAGE, TEMPLATE, PREFIX, callers=Callers.ADMINISTRATORS)
def add_playground(call: Call) -> ResponseBody:
    """Adds a playground (PLG-01)."""
    old = call.level < Gate.PLAYGROUND_TEMPLATE.level
    template = playgrounds.template_of_prefix(call[PREFIX]) if old else call[TEMPLATE]
    return {"id": playgrounds.add_playground(call.core, call[NAME], call[LANGUAGE], template)}


@routes.delete("/realm/playgrounds/{playground_id}", callers=Callers.ADMINISTRATORS)
def remove_playground(call: Call) -> ResponseBody:
    playgrounds.remove_playground(call.core, call.path_id("playground_id"))
    return {}
