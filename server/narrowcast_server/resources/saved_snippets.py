"""Saved snippets: texts that a user keeps to insert again (rows SNP)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.levels import Gate
from narrowcast_server.http.params import optional, required, takes_text, text_without_null
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.checks import check_length
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import User
from narrowcast_server.queries.snapshot.parts import Snapshot, part
from narrowcast_server.resources.owned import OwnedTable
from narrowcast_server.rules.quotas import check_room
from narrowcast_server.storage.store import Row

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

MAX_TITLE: Final = 60
_SNIPPETS: Final = OwnedTable("saved_snippets", "Saved snippet does not exist.")


def snippet_object(row: Row) -> dict[str, object]:
    """A snippet in lists and events."""
    return {key: row[key] for key in ("id", "title", "content", "date_created")}


def snippets_of(organization: Organization, user: User) -> list[dict[str, object]]:
    """A user's snippets, in the order of creation."""
    rows = organization.store.all("SELECT * FROM saved_snippets WHERE user_id = ? ORDER BY id", user.id)
    return [snippet_object(row) for row in rows]


def create_snippet(organization: Organization, user: User, title: str, content: str) -> int:
    """Stores a snippet; returns its id."""
    check_length("content", content, organization.config.limits.max_message_length)
    check_room(organization, user, "saved_snippets")
    identity = organization.store.insert(
        "INSERT INTO saved_snippets (user_id, title, content, date_created) VALUES (?, ?, ?, ?)",
        user.id,
        title,
        content,
        organization.now(),
    )
    _emit_snippet(organization, user, "add", identity)
    return identity


def edit_snippet(
    organization: Organization, user: User, snippet_id: int, title: str | None, content: str | None
) -> None:
    """Changes the given properties of a snippet (SNP-01); raises BAD_REQUEST if none is given (SNP-11)."""
    check_length("content", content or "", organization.config.limits.max_message_length)
    row = _SNIPPETS.row(organization, snippet_id, user)
    if title is None and content is None:
        raise ServiceError("No new data supplied")
    organization.store.execute(
        "UPDATE saved_snippets SET title = ?, content = ? WHERE id = ?",
        row["title"] if title is None else title,
        row["content"] if content is None else content,
        snippet_id,
    )
    _emit_snippet(organization, user, "update", snippet_id)


def _emit_snippet(organization: Organization, user: User, op: str, snippet_id: int) -> None:
    snippet = snippet_object(_SNIPPETS.row(organization, snippet_id, user))
    organization.emit({"type": "saved_snippets", "op": op, "saved_snippet": snippet}, [user.id])


def remove_snippet(organization: Organization, user: User, snippet_id: int) -> None:
    _SNIPPETS.remove(organization, snippet_id, user)
    organization.emit({"type": "saved_snippets", "op": "remove", "saved_snippet_id": snippet_id}, [user.id])


@part("saved_snippets")
def snippets(request: Snapshot) -> dict[str, object]:
    return {"saved_snippets": snippets_of(request.organization, request.user)}


routes = Routes()


@takes_text
def _content(name: str, text: str) -> str:
    content = text_without_null(name, text)
    if not content.strip():
        raise ServiceError(f"{name} cannot be blank")
    return content


@takes_text
def _title(name: str, text: str) -> str:
    title = _content(name, text).strip()
    check_length(name, title, MAX_TITLE)
    return title


TITLE = required("title", _title)
CONTENT = required("content", _content)
NEW_TITLE = optional("title", _title)
NEW_CONTENT = optional("content", _content)


@routes.get("/saved_snippets")
def get_snippets(call: Call) -> ResponseBody:
    return {"saved_snippets": snippets_of(call.organization, call.user)}


@routes.post("/saved_snippets", TITLE, CONTENT)
def post_snippet(call: Call) -> ResponseBody:
    identity = create_snippet(call.organization, call.user, call[TITLE], call[CONTENT])
    return {"saved_snippet_id": identity}


@routes.patch("/saved_snippets/{saved_snippet_id}", NEW_TITLE, NEW_CONTENT, since=Gate.SNIPPET_EDIT.level)
def patch_snippet(call: Call) -> ResponseBody:
    """Changes a snippet (SNP-01)."""
    identity = call.path_id("saved_snippet_id")
    edit_snippet(call.organization, call.user, identity, call[NEW_TITLE], call[NEW_CONTENT])
    return {}


@routes.delete("/saved_snippets/{saved_snippet_id}")
def delete_snippet(call: Call) -> ResponseBody:
    remove_snippet(call.organization, call.user, call.path_id("saved_snippet_id"))
    return {}
