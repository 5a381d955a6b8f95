"""The message that is being edited in compose, and the edits of an account that were not saved yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from narrowcast_api.sync.session import Session


class Edit(Struct, frozen=True):
    """A change of a message: its id, the text that it had, and the text that it shall have."""

    message_id: int
    original: str
    content: str


def to_draft(edit: Edit, session: Session) -> None:
    """What was not saved becomes a draft for the conversation of its message."""
    message = session.state.messages.get(edit.message_id)
    where = message.destination(session.state.me) if message is not None else None
    session.drafts.save(None, where, edit.content)


UnsavedEdits = dict[int, Edit]
"""By message id: what an account has changed and not saved. It outlives the panes in which it was written."""


class Edits:
    """At most one edit is in hand. One with changes stands in ``unsaved``, and comes back with its message."""

    def __init__(self, unsaved: UnsavedEdits) -> None:
        self._unsaved = unsaved
        self._original = ""
        self.message_id: int | None = None
        """The message that is being edited now."""

    def begin(self, message_id: int, original: str) -> Edit:
        """Edit a message; what was left of an earlier edit is taken up."""
        self.message_id, self._original = message_id, original
        return self._unsaved.pop(message_id, None) or Edit(message_id, original, original)

    def outdated(self, message_id: int, original: str) -> Edit | None:
        """What was left of an edit of another text than the message has now; it is kept no longer."""
        left = self._unsaved.get(message_id)
        return self._unsaved.pop(message_id) if left is not None and left.original != original else None

    def note(self, content: str) -> bool:
        """This is written now; whether there are changes, which are kept."""
        if self.message_id is None:
            return False
        if not content.strip() or content == self._original:
            self._unsaved.pop(self.message_id, None)
            return False
        self._unsaved[self.message_id] = Edit(self.message_id, self._original, content)
        return True

    def leave(self, content: str) -> bool:
        """Another text comes; whether there were changes, which are kept."""
        changed = self.note(content)
        self.message_id = None
        return changed

    def take(self, content: str) -> Edit | None:
        """The edit is complete; None if nothing is being edited."""
        message_id, self.message_id = self.message_id, None
        if message_id is None:
            return None
        self._unsaved.pop(message_id, None)
        return Edit(message_id, self._original, content)

    def keep(self, edit: Edit) -> None:
        """It could not be saved: it comes back with its message."""
        self._unsaved[edit.message_id] = edit
