"""The message that is being edited in compose; the account keeps what was not saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_api.storage.records import Edit

if TYPE_CHECKING:
    from narrowcast_api.narrow.destinations import Destination
    from narrowcast_api.sync.session import Session

__all__ = ["CHANGED_MEANWHILE", "Edits", "destination_of", "to_draft"]


CHANGED_MEANWHILE = "The message was changed meanwhile. Your unsaved edit of it is in Drafts."


def destination_of(message_id: int, session: Session) -> Destination | None:
    """Where a message is, if it is known."""
    message = session.state.messages.get(message_id)
    return message.destination(session.state.me) if message is not None else None


def to_draft(edit: Edit, session: Session) -> None:
    """What was not saved becomes a draft for the conversation of its message."""
    where = destination_of(edit.message_id, session) or edit.destination
    session.drafts.save(None, where, edit.content)
    session.edits.forget(edit.message_id)


class Edits:
    """At most one edit is in hand. One with changes is kept for the account, and comes back with its message."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._original = ""
        self.message_id: int | None = None
        """The message that is being edited now."""

    def begin(self, message_id: int, original: str) -> Edit:
        """Edit a message; what was left of an earlier edit is taken up."""
        self.message_id, self._original = message_id, original
        return self._session.edits.get(message_id) or self._edit(message_id, original)

    def _edit(self, message_id: int, content: str) -> Edit:
        return Edit(message_id, self._original, content, destination_of(message_id, self._session))

    def outdated(self, message_id: int, original: str) -> Edit | None:
        """What was left of an edit of another text than the message has now. What the message has by now is left no
        more.
        """
        self._session.edits.take_over()
        left = self._session.edits.get(message_id)
        if left is None or left.original == original:
            return None
        if left.content.strip() == original.strip():
            self._session.edits.forget(message_id)
            return None
        return left

    def note(self, content: str) -> bool:
        """This is written now; whether there are changes, which are kept."""
        if self.message_id is None:
            return False
        if not content.strip() or content == self._original:
            self._session.edits.forget(self.message_id)
            return False
        self._session.edits.keep(self._edit(self.message_id, content))
        return True

    def leave(self, content: str) -> bool:
        """Another text comes; whether there were changes, which are kept."""
        changed = self.note(content)
        self.message_id = None
        return changed

    def take(self, content: str) -> Edit | None:
        """The edit is complete and is to be saved; None if nothing is being edited."""
        if self.message_id is None:
            return None
        edit = self._edit(self.message_id, content)
        self.message_id = None
        self._session.edits.saving(edit)
        return edit
