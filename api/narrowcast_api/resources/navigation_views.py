"""The current user's own navigation entries (outside the contract, CONV-23)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple
from urllib.parse import quote

from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.operations import OMIT, Bound, Done, Omit, Operations, given, read
from narrowcast_api.model.reading import RawRecord, boolean, optional_text, required_text
from narrowcast_api.resources.collection import Collection, EventHandlers
from narrowcast_api.wire.event import Event
from narrowcast_api.wire.model import GoodList, WireModel, read_by

if TYPE_CHECKING:
    from narrowcast_api.http.connection import Connection


class NavigationView(NamedTuple):
    """A view that the current user has pinned or hidden in the navigation. `fragment` is the part after # of its
    address.
    """

    fragment: str
    is_pinned: bool
    name: str | None


def read_navigation_view(row: RawRecord) -> NavigationView:
    """Reads a row of `navigation_views`."""
    return NavigationView(
        required_text(row, "fragment"), boolean(row, "is_pinned"), optional_text(row, "name")
    )


NavigationViewRow = Annotated[NavigationView, read_by(read_navigation_view)]


def collection() -> Collection[str, NavigationView]:
    """The current user's views in the state."""
    return Collection("navigation_views", lambda view: view.fragment, read_navigation_view)


# events

handlers = EventHandlers[Collection[str, NavigationView]]()


class NavigationViewEvent(Event):
    """Base class of events about the current user's navigation views."""

    type: Literal["navigation_view"] = "navigation_view"


class NavigationViewAddEvent(NavigationViewEvent):
    """A navigation view was added."""

    op: Literal["add"] = "add"
    navigation_view: NavigationViewRow


class NavigationViewUpdateEvent(NavigationViewEvent):
    """Fields of a navigation view changed; ``data`` contains the new values by name."""

    op: Literal["update"] = "update"
    fragment: str
    data: dict[str, Any]


class NavigationViewRemoveEvent(NavigationViewEvent):
    """A navigation view was removed."""

    op: Literal["remove"] = "remove"
    fragment: str


@handlers.of(NavigationViewAddEvent)
def _add(views: Collection[str, NavigationView], event: NavigationViewAddEvent) -> None:
    views.put([event.navigation_view])


@handlers.of(NavigationViewUpdateEvent)
def _update(views: Collection[str, NavigationView], event: NavigationViewUpdateEvent) -> None:
    view = views.get(event.fragment)
    if view is not None:
        pinned = event.data.get("is_pinned", view.is_pinned)
        name = optional_text(event.data, "name") if "name" in event.data else view.name
        views.put([NavigationView(view.fragment, bool(pinned), name)])


@handlers.of(NavigationViewRemoveEvent)
def _remove(views: Collection[str, NavigationView], event: NavigationViewRemoveEvent) -> None:
    views.remove(event.fragment)


# operations


class NavigationViewList(WireModel):
    """Response of GET /navigation_views."""

    navigation_views: GoodList[NavigationViewRow] = []


async def list_navigation_views(connection: Connection) -> list[NavigationView]:
    """GET /navigation_views: the user's own views, and built-in ones that were moved."""
    return list(
        read(NavigationViewList, await connection.request("GET", "/navigation_views")).navigation_views
    )


async def add_navigation_view(
    connection: Connection, *, fragment: str, is_pinned: bool, name: str | Omit = OMIT
) -> Done:
    """POST /navigation_views: add a view; `fragment` is the part after # of its address.

    Built-in views need no name.
    """
    params = given(fragment=fragment, is_pinned=is_pinned, name=name)
    return read(Done, await connection.request("POST", "/navigation_views", params))


async def update_navigation_view(
    connection: Connection, *, fragment: str, is_pinned: bool | Omit = OMIT, name: str | Omit = OMIT
) -> Done:
    """PATCH /navigation_views/{fragment}: change the given properties."""
    params = given(is_pinned=is_pinned, name=name)
    if not params:
        raise InvalidInput("nothing to change")
    return read(Done, await connection.request("PATCH", f"/navigation_views/{_path(fragment)}", params))


async def remove_navigation_view(connection: Connection, *, fragment: str) -> Done:
    """DELETE /navigation_views/{fragment}."""
    return read(Done, await connection.request("DELETE", f"/navigation_views/{_path(fragment)}"))


def _path(fragment: str) -> str:
    """Returns a fragment as path segments, with its slashes. Raises InvalidInput if a segment is empty, `.` or `..`."""
    parts = fragment.split("/")
    if not fragment or any(part in {"", ".", ".."} for part in parts):
        raise InvalidInput("this is not the fragment of a view")
    try:
        return "/".join(quote(part, safe="") for part in parts)
    except UnicodeEncodeError:
        raise InvalidInput("fragment holds a character that cannot be sent") from None


class NavigationViewOperations(Operations):
    """The current user's own navigation entries."""

    list = Bound(list_navigation_views)
    add = Bound(add_navigation_view)
    update = Bound(update_navigation_view)
    remove = Bound(remove_navigation_view)
