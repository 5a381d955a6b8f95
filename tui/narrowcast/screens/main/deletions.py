"""Messages that are deleted while there are unsaved edits of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from narrowcast.panes.compose.edits import DELETED_MEANWHILE, to_draft
from narrowcast_api.state.changes import Change, MessagesRemoved

if TYPE_CHECKING:
    from narrowcast.commands.workspace import Workspace

__all__ = ["Deletions"]


class Deletions:
    """An edit of a deleted message cannot be continued: it becomes a draft, at once if it is not in compose."""

    def __init__(self, screen: Workspace) -> None:
        self._screen = screen

    def show(self, changes: Sequence[Change]) -> None:
        for change in changes:
            if isinstance(change, MessagesRemoved):
                self._show(set(change.ids))

    def _show(self, deleted: set[int]) -> None:
        writers = [one.writing for one in self._screen.side.all]
        for writing in writers:
            writing.messages_deleted(deleted)
        edits = self._screen.session.edits
        for message_id in deleted - {writing.editing for writing in writers}:
            if (edit := edits.get(message_id)) is not None:
                to_draft(edit, self._screen.session)
                self._screen.tell(DELETED_MEANWHILE)
