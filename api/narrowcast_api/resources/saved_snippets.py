"""Saved texts for messages (SNP rows; listing, creating and deleting are outside them, SNP-10, SNP-11)."""

from __future__ import annotations

from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.operations import OMIT, Bound, Done, Group, Omit, given, read, segment
from narrowcast_api.wire.drafts import CreatedSavedSnippet, SavedSnippet, SavedSnippetList
from narrowcast_api.wire.levels import Gate


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


class SavedSnippets(Group):
    """Saved texts to insert into messages."""

    list = Bound(list_saved_snippets)
    create = Bound(create_saved_snippet)
    edit = Bound(edit_saved_snippet)
    delete = Bound(delete_saved_snippet)
