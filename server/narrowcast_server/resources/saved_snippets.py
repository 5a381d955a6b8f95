"""Saved snippets (rows SNP)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from narrowcast_server.actions.owned import own_row, remove_own
from narrowcast_server.organization.checks import check_length
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import User
from narrowcast_server.queries.saved_snippets import snippet_object
from narrowcast_server.rules.quotas import check_room

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core

MAX_TITLE: Final = 60


def _check(core: Core, title: str | None, content: str | None) -> None:
    if title is not None and not title.strip():
        raise ServiceError("title cannot be blank")
    check_length("title", title or "", MAX_TITLE)
    if content is not None and not content.strip():
        raise ServiceError("content cannot be blank")
    check_length("content", content or "", core.config.limits.max_message_length)


def create_snippet(core: Core, user: User, title: str, content: str) -> int:
    """Stores a snippet; returns its id."""
    _check(core, title, content)
    check_room(core, user, "saved_snippets")
    identity = core.store.insert(
        "INSERT INTO saved_snippets (user_id, title, content, date_created) VALUES (?, ?, ?, ?)",
        user.id,
        title.strip(),
        content,
        core.now(),
    )
    _emit_snippet(core, user, "add", identity)
    return identity


def edit_snippet(core: Core, user: User, snippet_id: int, title: str | None, content: str | None) -> None:
    """Changes the given properties of a snippet (SNP-01); raises BAD_REQUEST if none is given (SNP-11)."""
    _check(core, title, content)
    row = own_row(core, "saved_snippets", snippet_id, user)
    if title is None and content is None:
        raise ServiceError("No new data supplied")
    core.store.execute(
        "UPDATE saved_snippets SET title = ?, content = ? WHERE id = ?",
        row["title"] if title is None else title.strip(),
        row["content"] if content is None else content,
        snippet_id,
    )
    _emit_snippet(core, user, "update", snippet_id)


def _emit_snippet(core: Core, user: User, op: str, snippet_id: int) -> None:
    snippet = snippet_object(own_row(core, "saved_snippets", snippet_id, user))
    core.emit({"type": "saved_snippets", "op": op, "saved_snippet": snippet}, [user.id])


def delete_snippet(core: Core, user: User, snippet_id: int) -> None:
    remove_own(core, "saved_snippets", snippet_id, user)
    core.emit({"type": "saved_snippets", "op": "remove", "saved_snippet_id": snippet_id}, [user.id])
