"""What is being written in compose: a draft, or an edit of a message; how both are saved, and which drafts are open.

The texts are in the journal. The next start restores the drafts that were in compose.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from narrowcast_api.regular_files import regular
from narrowcast_api.storage.records import Edit

if TYPE_CHECKING:
    from narrowcast_api.narrow.destinations import Destination
    from narrowcast_api.protocols.drafts import Drafts
    from narrowcast_api.storage.records import Draft
    from narrowcast_api.sync.session import Session


__all__ = [
    "CHANGED_MEANWHILE",
    "DELETED_MEANWHILE",
    "ComposeNote",
    "Edits",
    "OpenDraft",
    "destination_of",
    "to_draft",
]

EDIT_KEPT = "Edit not saved. It is restored when you edit this message again."
CHANGED_MEANWHILE = "The message was changed meanwhile. Your unsaved edit of it is in Drafts."
DELETED_MEANWHILE = "The message was deleted meanwhile. Your unsaved edit of it is in Drafts."


def destination_of(message_id: int, session: Session) -> Destination | None:
    """The conversation of a message; None if the message is not known."""
    message = session.state.messages.get(message_id)
    return message.destination(session.state.me) if message is not None else None


def to_draft(edit: Edit, session: Session) -> None:
    """Saves an unsaved edit as a draft for the conversation of its message."""
    where = destination_of(edit.message_id, session) or edit.destination
    with session.one_write():
        session.drafts.save(None, where, edit.content)
        session.edits.forget(edit.message_id)


class Edits:
    """At most one current edit. An unsaved one is stored in the account, for the next edit of its message."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._original = ""
        self._destination: Destination | None = None
        """Where the message was last, also after it was deleted."""
        self._begun: set[int] = set()
        """The messages of which an edit was begun."""
        self._deleted: set[int] = set()
        """Those of them that were deleted."""
        self.message_id: int | None = None
        """The id of the message that is being edited."""
        self.is_loading = False
        """Whether the text of the message has not arrived yet."""
        self.theirs: str | None = None
        """The text that the message was given elsewhere during the edit, and that would be overwritten."""
        self.seen = ""
        """The rendered content of the message when its text was requested or compared last."""
        self._too_late: str | None = None
        """The draft of the text, once the time for edits is over."""

    def await_source(self, message_id: int) -> None:
        """Starts to edit a message whose text has not arrived yet: until `begin`, nothing is stored."""
        self.message_id, self.is_loading = message_id, True
        self._original, self._destination = "", destination_of(message_id, self._session)
        self.theirs = self._too_late = None
        self.has_changed()

    def begin(self, message_id: int, original: str) -> Edit:
        """Starts to edit a message; restores an earlier unsaved edit of it."""
        self.message_id, self._original, self.is_loading = message_id, original, False
        self._begun.add(message_id)
        kept = self._session.edits.get(message_id)
        self._destination = kept.destination if kept is not None else None
        edit = self._edit(message_id, original)
        return kept or edit

    @property
    def original(self) -> str:
        """The text of the message with which the edit began, or that the user knows of."""
        return self._original

    def has_changed(self) -> bool:
        """Whether the content of the message is another one than at the last call."""
        message = self._session.state.messages.get(self.message_id) if self.message_id is not None else None
        before, self.seen = self.seen, message.content if message is not None else self.seen
        return before != self.seen

    def changed_elsewhere(self, source: str, content: str) -> bool:
        """The message has the text ``source`` now, ``content`` is in compose. Returns whether saving would overwrite
        what the user has not seen; from now on it is known that it does.
        """
        if source == self._original:
            return False
        self._original = source
        self.theirs = source if content.strip() != source.strip() else None
        self.note(content)
        return self.theirs is not None

    @property
    def is_too_late(self) -> bool:
        """Whether the time for edits is over: the text is a draft."""
        return self._too_late is not None

    def end_in_time(self, content: str) -> bool:
        """The time for edits is over: the text becomes a draft at once. False if it has not changed."""
        if self.message_id is None or not self.note(content):
            return False
        edit = self._edit(self.message_id, content)
        with self._session.one_write():
            self._too_late = self._session.drafts.save(None, edit.destination, content)
            self._session.edits.forget(edit.message_id)
        return True

    def _edit(self, message_id: int, content: str) -> Edit:
        self._destination = destination_of(message_id, self._session) or self._destination
        return Edit(message_id, self._original, content, self._destination)

    def deleted(self, message_ids: Iterable[int]) -> None:
        """These messages were deleted: what is typed for one of them is stored as a draft when the edit ends."""
        self._deleted.update(self._begun.intersection(message_ids))

    def keep(self, message_id: int) -> str:
        """Stores the unsaved edit of a message for the next edit, or as a draft if there cannot be one;
        returns a notice that says where it is.
        """
        edit = self._session.edits.get(message_id)
        if edit is None or message_id not in self._deleted:
            return EDIT_KEPT
        to_draft(edit, self._session)
        return DELETED_MEANWHILE

    def outdated(self, message_id: int, original: str) -> Edit | None:
        """An unsaved edit that began with another text than the message has now. It is discarded if the
        message has its text by now.
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
        """Stores the current text if it differs from the original; returns whether it does."""
        if self.message_id is None or self.is_loading:
            return False
        if self._too_late is not None:
            self._session.drafts.save(self._too_late, self._destination, content)
            return False
        if not content.strip() or content == self._original:
            self._session.edits.forget(self.message_id)
            return False
        self._session.edits.update(self._edit(self.message_id, content))
        return True

    def leave(self, content: str) -> bool:
        """Ends the edit before another text is shown; returns whether there were changes, which are stored."""
        changed = self.note(content)
        self.message_id, self.is_loading, self._too_late = None, False, None
        return changed

    def keep_early(self, content: str) -> bool:
        """Stores what was typed before the text of the message arrived as a draft; returns whether there was any."""
        is_early = self.is_loading and bool(content.strip())
        if is_early:
            self._session.drafts.save(None, self._destination, content)
        return is_early

    def take(self, content: str) -> Edit | None:
        """Finishes the edit, which is about to be saved; None if nothing is being edited."""
        if self.message_id is None or self.is_loading:
            return None
        edit = self._edit(self.message_id, content)
        self.message_id = None
        self._session.edits.saving(edit)
        return edit


class OpenDraft:
    """At most one draft. Compose reports every text; this class saves it only if it changed.

    A text that was not edited since it was last saved is never saved again: another device may have changed
    the draft meanwhile, and that change would be lost.
    """

    def __init__(self, drafts: Drafts) -> None:
        self._drafts = drafts
        self._id: str | None = None
        self._reserved: str | None = None
        self._shown: tuple[Destination | None, str] | None = None
        self._kept: tuple[Destination | None, str] | None = None
        self._reported_conflict: str | None = None
        self.id_changed: Callable[[], None] | None = None
        """Called when another draft is in compose, or none."""

    @property
    def id(self) -> str | None:
        """The id of the draft that is being written."""
        return self._id

    def reserve(self) -> str:
        """The id of the draft, or the one that it gets once there is a text."""
        if self._id is None and self._reserved is None:
            self._reserved = self._drafts.save(None, None, "")
        return self._id or self._reserved or ""

    def is_for(self, draft_id: str | None) -> bool:
        """Whether it is the draft with this id, also if there is no text yet."""
        return draft_id is not None and draft_id in (self._id, self._reserved)

    def _become(self, draft_id: str | None) -> None:
        if draft_id != self._id:
            self._id = draft_id
            if self.id_changed is not None:
                self.id_changed()

    def take(self, draft: Draft | None, where: Destination | None) -> str:
        """Takes ``draft`` into compose, with the destination ``where`` of the fields; returns its text."""
        content = draft.content if draft is not None else ""
        if draft is not None:
            self._drafts.was_removed(draft.draft_id)  # what happened before it was shown is not reported
        self._shown = (where, content)
        self._kept = (draft.destination, content) if draft is not None else None
        self._reserved = None
        self._become(draft.draft_id if draft is not None else None)
        return content

    def keep(self, where: Destination | None, content: str) -> None:
        """Saves the text to the journal; deletes the draft if the text is empty."""
        if (where, content) == self._shown:
            return
        self._shown = (where, content)
        if content.strip():
            self._kept = (where, content)
            self._become(self._drafts.save(self._id or self._reserved, where, content))
        elif self._id is not None:
            self.drop()

    def release(self) -> None:
        """Lets go of the draft, which stays saved, before another text is shown."""
        self._shown = self._kept = self._reserved = None
        self._become(None)

    def drop(self) -> None:
        draft_id = self._id
        self.release()
        if draft_id is not None:
            self._drafts.delete(draft_id)

    def is_as_shown(self, content: str) -> bool:
        """Whether the text is the one that was last saved or shown here."""
        return self._shown is not None and self._shown[1] == content

    def is_gone(self) -> bool:
        """Whether the draft was sent or deleted elsewhere; true only once, as the text then has no draft."""
        if self._id is None or self._drafts.get(self._id) is not None:
            return False
        self.release()
        return True

    def was_removed(self) -> bool:
        """Whether the draft was sent or deleted elsewhere, and what was written here is a new one; true only once."""
        return self._id is not None and self._drafts.was_removed(self._id)

    def stay_with_own(self) -> None:
        """Continues the text of this device as the other version of its draft, if the draft has got the text of
        another one that was written at the same time.
        """
        draft = self._drafts.get(self._id) if self._id is not None else None
        own = self._drafts.get(draft.conflict_with or "") if draft is not None else None
        if draft is None or own is None or (draft.destination, draft.content) == self._kept:
            return
        if (own.destination, own.content) == self._kept:
            self._become(own.draft_id)

    def changed_elsewhere(self) -> Draft | None:
        """The draft, if it differs from what was last saved here."""
        draft = self._drafts.get(self._id) if self._id is not None else None
        if draft is None or (draft.destination, draft.content) == self._kept:
            return None
        return draft

    @property
    def is_in_conflict(self) -> bool:
        """Whether another device or window edited the draft at the same time, and the user has not chosen yet."""
        draft = self._drafts.get(self._id) if self._id is not None else None
        return draft is not None and draft.conflict_with is not None

    def has_new_conflict(self) -> bool:
        """Whether another device edited the draft at the same time; true only once per conflict."""
        draft = self._drafts.get(self._id) if self._id is not None else None
        other = draft.conflict_with if draft is not None else None
        is_new = other is not None and other != self._reported_conflict
        self._reported_conflict = other
        return is_new


class ComposeNote(Struct, frozen=True):
    """One small file. It may be lost: the drafts are then still in the list of drafts."""

    path: Path

    def read(self) -> list[str]:
        """The ids of the drafts, at most one per conversation on the screen."""
        try:
            return [draft_id[:100] for draft_id in regular(self.path).read_text(encoding="utf-8").split()[:2]]
        except (OSError, UnicodeDecodeError):
            return []

    def write(self, draft_ids: Sequence[str]) -> None:
        """Stores the ids of the drafts in compose."""
        with contextlib.suppress(OSError):
            self.path.write_text("\n".join(draft_ids), encoding="utf-8")
