"""Messages that are changed or deleted elsewhere while they are being edited here."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from narrowcast.panes.compose.drafts import DELETED_MEANWHILE, to_draft
from narrowcast_api.state.changes import Change, MessagesAdded, MessagesChanged, MessagesRemoved

if TYPE_CHECKING:
    from narrowcast.screens.workspace import Workspace

__all__ = ["EditedMessages"]


class EditedMessages:
    """A change is shown in the edit. An edit of a deleted message cannot be continued: it becomes a draft, at once if
    it is not in compose.
    """

    def __init__(self, screen: Workspace) -> None:
        self._screen = screen

    def show(self, changes: Sequence[Change]) -> None:
        for change in changes:
            if isinstance(change, MessagesRemoved):
                self._deleted(set(change.ids))
            elif isinstance(
                change, MessagesChanged | MessagesAdded
            ):  # added: fetched again after a lost queue
                self._changed(change.ids)

    def _changed(self, message_ids: Collection[int]) -> None:
        for one in self._screen.side.all:
            one.writing.messages_changed(message_ids)

    def _deleted(self, deleted: set[int]) -> None:
        writers = [one.writing for one in self._screen.side.all]
        for writing in writers:
            writing.messages_deleted(deleted)
        edits = self._screen.session.edits
        for message_id in deleted - {writing.editing for writing in writers}:
            if (edit := edits.get(message_id)) is not None:
                to_draft(edit, self._screen.session)
                self._screen.tell(DELETED_MEANWHILE)
