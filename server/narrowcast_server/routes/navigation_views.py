"""The caller's own navigation entries, and hints for new users (outside the contract)."""

from __future__ import annotations

from narrowcast_server.http.params import boolean, optional, required, text_without_null
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.queries.navigation_views import views_of
from narrowcast_server.resources import navigation_views
from narrowcast_server.rules.permissions import Callers

routes = Routes()

FRAGMENT = required("fragment", text_without_null)
PINNED = required("is_pinned", boolean)
NAME = optional("name", text_without_null)
NEW_PINNED = optional("is_pinned", boolean)
STEP = required("onboarding_step", text_without_null)


@routes.get("/navigation_views")
def list_views(call: Call) -> ResponseBody:
    return {"navigation_views": views_of(call.core, call.user)}


@routes.post("/navigation_views", FRAGMENT, PINNED, NAME)
def add_view(call: Call) -> ResponseBody:
    """Adds an entry; built-in views need no name."""
    navigation_views.add_view(call.core, call.user, call[FRAGMENT], call[PINNED], call[NAME])
    return {}


@routes.patch("/navigation_views/{fragment:path}", NEW_PINNED, NAME)
def change_view(call: Call) -> ResponseBody:
    """Changes the properties of an entry that the request carries."""
    navigation_views.change_view(call.core, call.user, call.path["fragment"], call[NEW_PINNED], call[NAME])
    return {}


@routes.delete("/navigation_views/{fragment:path}")
def remove_view(call: Call) -> ResponseBody:
    navigation_views.remove_view(call.core, call.user, call.path["fragment"])
    return {}


@routes.post("/users/me/onboarding_steps", STEP, callers=Callers.PEOPLE)
def mark_step(call: Call) -> ResponseBody:
    navigation_views.mark_step(call.core, call.user, call[STEP])
    return {}
