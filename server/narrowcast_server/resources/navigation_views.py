"""A user's own navigation entries (outside the contract)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from narrowcast_server.http.params import boolean, optional, required, text_without_null
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.checks import check_length
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import User
from narrowcast_server.queries.snapshot.parts import Snapshot, part
from narrowcast_server.rules.quotas import check_room
from narrowcast_server.storage.store import Row

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

BUILT_IN: Final = frozenset(
    {
        "inbox",
        "recent",
        "feed",
        "drafts",
        "scheduled",
        "reminders",
        "narrow/has/reaction/sender/me",
        "narrow/is/mentioned",
        "narrow/is/starred",
    }
)
"""Fragments of built-in views, which have a name in every client."""
MAX_FRAGMENT: Final = 1000
MAX_NAME: Final = 100


def view_object(row: Row) -> dict[str, object]:
    """A navigation entry in lists and events."""
    return {"fragment": row["fragment"], "is_pinned": bool(row["is_pinned"]), "name": row["name"]}


def views_of(organization: Organization, user: User) -> list[dict[str, object]]:
    """A user's navigation entries, by fragment."""
    rows = organization.store.all(
        "SELECT * FROM navigation_views WHERE user_id = ? ORDER BY fragment", user.id
    )
    return [view_object(row) for row in rows]


def _checked_name(fragment: str, name: str | None) -> str | None:
    if fragment in BUILT_IN:
        if name is not None:
            raise ServiceError("Built-in views cannot have a custom name.")
        return None
    if name is None or not name.strip():
        raise ServiceError("Custom views must have a valid name.")
    check_length("name", name, MAX_NAME)
    return name.strip()


def _check_name_is_free(organization: Organization, user: User, fragment: str, name: str | None) -> None:
    taken = organization.store.one(
        "SELECT 1 FROM navigation_views WHERE user_id = ? AND name = ? AND fragment != ?",
        user.id,
        name,
        fragment,
    )
    if taken is not None:
        raise ServiceError("Navigation view already exists.")


def add_view(
    organization: Organization, user: User, fragment: str, is_pinned: bool, name: str | None
) -> None:
    """Adds an entry; raises BAD_REQUEST if it exists, or if a custom one has no name."""
    if not fragment or len(fragment) > MAX_FRAGMENT:
        raise ServiceError(f"fragment must have 1 to {MAX_FRAGMENT} characters")
    if _find(organization, user, fragment) is not None:
        raise ServiceError("Navigation view already exists.")
    checked = _checked_name(fragment, name)
    _check_name_is_free(organization, user, fragment, checked)
    check_room(organization, user, "navigation_views")
    organization.store.execute(
        "INSERT INTO navigation_views VALUES (?, ?, ?, ?)", user.id, fragment, int(is_pinned), checked
    )
    view = view_object(_own(organization, user, fragment))
    organization.emit({"type": "navigation_view", "op": "add", "navigation_view": view}, [user.id])


def change_view(
    organization: Organization, user: User, fragment: str, is_pinned: bool | None, name: str | None
) -> None:
    """Changes the given properties of an entry; the event carries only those."""
    row = _own(organization, user, fragment)
    data: dict[str, object] = {}
    if is_pinned is not None:
        data["is_pinned"] = is_pinned
    if name is not None:
        data["name"] = checked = _checked_name(fragment, name)
        _check_name_is_free(organization, user, fragment, checked)
    if not data:
        raise ServiceError("No new data supplied")
    changed = {**view_object(row), **data}
    organization.store.execute(
        "UPDATE navigation_views SET is_pinned = ?, name = ? WHERE user_id = ? AND fragment = ?",
        int(bool(changed["is_pinned"])),
        None if changed["name"] is None else str(changed["name"]),
        user.id,
        fragment,
    )
    organization.emit(
        {"type": "navigation_view", "op": "update", "fragment": fragment, "data": data}, [user.id]
    )


def remove_view(organization: Organization, user: User, fragment: str) -> None:
    _own(organization, user, fragment)
    organization.store.execute(
        "DELETE FROM navigation_views WHERE user_id = ? AND fragment = ?", user.id, fragment
    )
    organization.emit({"type": "navigation_view", "op": "remove", "fragment": fragment}, [user.id])


def _find(organization: Organization, user: User, fragment: str) -> Row | None:
    return organization.store.one(
        "SELECT * FROM navigation_views WHERE user_id = ? AND fragment = ?", user.id, fragment
    )


def _own(organization: Organization, user: User, fragment: str) -> Row:
    row = _find(organization, user, fragment)
    if row is None:
        raise ServiceError("Navigation view does not exist.", status=404)
    return row


# The name of the event is not that of the key, so clients may fetch either.
@part("navigation_view")
@part("navigation_views")
def navigation_views(request: Snapshot) -> dict[str, object]:
    """The caller's navigation entries."""
    return {"navigation_views": views_of(request.organization, request.user)}


routes = Routes()

FRAGMENT = required("fragment", text_without_null)
PINNED = required("is_pinned", boolean)
NAME = optional("name", text_without_null)
NEW_PINNED = optional("is_pinned", boolean)


@routes.get("/navigation_views")
def get_views(call: Call) -> ResponseBody:
    return {"navigation_views": views_of(call.organization, call.user)}


@routes.post("/navigation_views", FRAGMENT, PINNED, NAME)
def post_view(call: Call) -> ResponseBody:
    """Adds an entry; built-in views need no name."""
    add_view(call.organization, call.user, call[FRAGMENT], call[PINNED], call[NAME])
    return {}


@routes.patch("/navigation_views/{fragment:path}", NEW_PINNED, NAME)
def patch_view(call: Call) -> ResponseBody:
    """Changes the properties of an entry that the request carries."""
    change_view(call.organization, call.user, call.path["fragment"], call[NEW_PINNED], call[NAME])
    return {}


@routes.delete("/navigation_views/{fragment:path}")
def delete_view(call: Call) -> ResponseBody:
    remove_view(call.organization, call.user, call.path["fragment"])
    return {}
