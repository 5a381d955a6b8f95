"""The message that is being edited in compose, and the edits that were left before they were saved."""

from __future__ import annotations

from msgspec import Struct


class Edit(Struct, frozen=True):
    """A change of a message: its id, the text that it had, and the text that it shall have."""

    message_id: int
    original: str
    content: str


class Edits:
    """At most one edit is in hand. One that is left with changes is kept, and comes back with its message."""

    def __init__(self) -> None:
        self._left: dict[int, Edit] = {}
        self._original = ""
        self.message_id: int | None = None
        """The message that is being edited now."""

    def begin(self, message_id: int, original: str) -> Edit:
        """Edit a message; what was left of an earlier edit of the same text is taken up."""
        left = self._left.pop(message_id, None)
        self.message_id, self._original = message_id, original
        if left is not None and left.original == original:
            return left
        return Edit(message_id, original, original)

    def leave(self, content: str) -> bool:
        """Another text comes; whether there were changes, which are kept."""
        message_id, self.message_id = self.message_id, None
        if message_id is None or not content.strip() or content == self._original:
            return False
        self._left[message_id] = Edit(message_id, self._original, content)
        return True

    def take(self, content: str) -> Edit | None:
        """The edit is complete; None if nothing is being edited."""
        message_id, self.message_id = self.message_id, None
        return Edit(message_id, self._original, content) if message_id is not None else None

    def keep(self, edit: Edit) -> None:
        """It could not be saved: it comes back with its message."""
        self._left[edit.message_id] = edit
