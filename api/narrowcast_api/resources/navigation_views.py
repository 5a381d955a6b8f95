"""The current user's own navigation entries (outside the contract, CONV-23)."""

from __future__ import annotations

from urllib.parse import quote

from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.encoding import OMIT, Omit
from narrowcast_api.http.operations import Bound, Done, Group, given, read
from narrowcast_api.wire.organization import NavigationView, NavigationViewList


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


class NavigationViews(Group):
    """The current user's own navigation entries."""

    list = Bound(list_navigation_views)
    add = Bound(add_navigation_view)
    update = Bound(update_navigation_view)
    remove = Bound(remove_navigation_view)
