"""Saved texts to insert into messages (SNP rows; listing, creating and deleting are outside them, SNP-10, SNP-11)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.operations import OMIT, Bound, Done, Omit, Operations, given, read, segment
from narrowcast_api.model.reading import RawRecord, integer, required_int, text
from narrowcast_api.resources.collection import Collection, EventHandlers
from narrowcast_api.wire.event import Event
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.model import GoodList, Id, WireModel, read_by

if TYPE_CHECKING:
    from narrowcast_api.http.connection import Connection


class SavedSnippet(NamedTuple):
    """A saved text of the current user. `content` is Markdown, to be inserted unchanged (SNP-06)."""

    id: int
    title: str
    content: str
    created: int


def read_saved_snippet(row: RawRecord) -> SavedSnippet:
    """Reads a row of `saved_snippets`."""
    return SavedSnippet(
        required_int(row, "id"), text(row, "title"), text(row, "content"), integer(row, "date_created")
    )


SavedSnippetRow = Annotated[SavedSnippet, read_by(read_saved_snippet)]


def collection() -> Collection[int, SavedSnippet]:
    """The current user's snippets in the state."""
    return Collection("saved_snippets", lambda snippet: snippet.id, read_saved_snippet)


# events

handlers = EventHandlers[Collection[int, SavedSnippet]]()


class SavedSnippetsEvent(Event):
    """Base class of events about saved snippets."""

    type: Literal["saved_snippets"] = "saved_snippets"


class SavedSnippetsAddEvent(SavedSnippetsEvent):
    """A saved snippet was created."""

    op: Literal["add"] = "add"
    saved_snippet: SavedSnippetRow


class SavedSnippetsUpdateEvent(SavedSnippetsEvent):
    """A changed snippet, complete."""

    op: Literal["update"] = "update"
    saved_snippet: SavedSnippetRow


class SavedSnippetsRemoveEvent(SavedSnippetsEvent):
    """A saved snippet was deleted."""

    op: Literal["remove"] = "remove"
    saved_snippet_id: Id


@handlers.of(SavedSnippetsAddEvent)
def _add(snippets: Collection[int, SavedSnippet], event: SavedSnippetsAddEvent) -> None:
    snippets.put([event.saved_snippet])


@handlers.of(SavedSnippetsUpdateEvent)
def _update(snippets: Collection[int, SavedSnippet], event: SavedSnippetsUpdateEvent) -> None:
    snippets.put([event.saved_snippet])


@handlers.of(SavedSnippetsRemoveEvent)
def _remove(snippets: Collection[int, SavedSnippet], event: SavedSnippetsRemoveEvent) -> None:
    snippets.remove(event.saved_snippet_id)


# operations


class SavedSnippetList(WireModel):
    """Response of GET /saved_snippets."""

    saved_snippets: GoodList[SavedSnippetRow] = []


class CreatedSavedSnippet(WireModel):
    """Response of POST /saved_snippets."""

    saved_snippet_id: Id


async def list_saved_snippets(connection: Connection) -> list[SavedSnippet]:
    """GET /saved_snippets: all of the user's snippets; `content` is Markdown, to be inserted unchanged (SNP-06)."""
    return list(read(SavedSnippetList, await connection.request("GET", "/saved_snippets")).saved_snippets)


async def create_saved_snippet(connection: Connection, *, title: str, content: str) -> int:
    """POST /saved_snippets: create a snippet; returns its id. Raises InvalidInput for an empty title."""
    params = {"title": _title(title), "content": content}
    response = await connection.request("POST", "/saved_snippets", params)
    return read(CreatedSavedSnippet, response).saved_snippet_id


async def edit_saved_snippet(
    connection: Connection,
    *,
    saved_snippet_id: int,
    title: str | Omit = OMIT,
    content: str | Omit = OMIT,
) -> Done:
    """PATCH /saved_snippets/{saved_snippet_id}: change title, content or both (SNP-01 to SNP-11).

    Level 368, else Unsupported. Raises InvalidInput if there is nothing to change; BadRequest (or NotFound)
    if the user has no such snippet.
    """
    path = f"/saved_snippets/{segment(saved_snippet_id, 'saved_snippet_id')}"
    (await connection.identified()).require(Gate.SNIPPET_EDIT)
    if not isinstance(title, Omit):
        title = _title(title)
    params = given(title=title, content=content)
    if not params:
        raise InvalidInput("nothing to change")
    return read(Done, await connection.request("PATCH", path, params))


async def delete_saved_snippet(connection: Connection, *, saved_snippet_id: int) -> Done:
    """DELETE /saved_snippets/{saved_snippet_id}. Raises BadRequest (or NotFound) if it is already deleted."""
    path = f"/saved_snippets/{segment(saved_snippet_id, 'saved_snippet_id')}"
    return read(Done, await connection.request("DELETE", path))


def _title(title: str) -> str:
    if not title.strip():
        raise InvalidInput("a snippet needs a title")
    return title


class SavedSnippetOperations(Operations):
    """Saved texts to insert into messages."""

    list = Bound(list_saved_snippets)
    create = Bound(create_saved_snippet)
    edit = Bound(edit_saved_snippet)
    delete = Bound(delete_saved_snippet)
