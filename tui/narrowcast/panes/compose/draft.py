"""The draft in compose: saving it, and changes that another device makes to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from narrowcast_api.narrow.destinations import Destination
    from narrowcast_api.protocols.drafts import Drafts
    from narrowcast_api.storage.records import Draft


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
