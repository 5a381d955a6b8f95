"""The draft that stands in compose: what of it is kept, and what another device makes of it meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from narrowcast_api.narrow.destinations import Destination
    from narrowcast_api.protocols.drafts import Drafts
    from narrowcast_api.storage.records import Draft


class DraftInHand:
    """At most one draft. Compose says what is written; this says when that is news.

    A text that nobody touched since it was kept is never kept again: another device may have written on
    meanwhile, and its words would be lost.
    """

    def __init__(self, drafts: Drafts) -> None:
        self._drafts = drafts
        self._id: str | None = None
        self._shown: tuple[Destination | None, str] | None = None
        self._kept: tuple[Destination | None, str] | None = None
        self._told: str | None = None
        self.noted: Callable[[str | None], None] | None = None
        """Told when another draft stands in compose, or none."""

    @property
    def id(self) -> str | None:
        """The draft that is being written."""
        return self._id

    def _become(self, draft_id: str | None) -> None:
        if draft_id != self._id:
            self._id = draft_id
            if self.noted is not None:
                self.noted(draft_id)

    def take(self, draft: Draft | None, where: Destination | None) -> str:
        """`draft` stands in compose now, addressed as the fields say to `where`; its words."""
        content = draft.content if draft is not None else ""
        self._shown = (where, content)
        self._kept = (draft.destination, content) if draft is not None else None
        self._become(draft.draft_id if draft is not None else None)
        return content

    def keep(self, where: Destination | None, content: str) -> None:
        """Hand the text to the journal, or drop the draft if there is nothing left of it."""
        if (where, content) == self._shown:
            return
        self._shown = (where, content)
        if content.strip():
            self._kept = (where, content)
            self._become(self._drafts.save(self._id, where, content))
        else:
            self.drop()

    def put_down(self) -> None:
        """Another text comes; this one stays a draft."""
        self._shown = self._kept = None
        self._become(None)

    def drop(self) -> None:
        draft_id = self._id
        self.put_down()
        if draft_id is not None:
            self._drafts.delete(draft_id)

    def is_gone(self) -> bool:
        """Whether another device has sent or deleted it; asked once, then the text is nobody's."""
        if self._id is None or self._drafts.get(self._id) is not None:
            return False
        self._kept = None
        self._become(None)
        return True

    def changed_elsewhere(self) -> Draft | None:
        """The draft, if it is not any more what was kept from here."""
        draft = self._drafts.get(self._id) if self._id is not None else None
        if draft is None or (draft.destination, draft.content) == self._kept:
            return None
        return draft

    def has_new_conflict(self) -> bool:
        """Whether it was written on another device at the same time; said once for each conflict."""
        draft = self._drafts.get(self._id) if self._id is not None else None
        other = draft.conflict_with if draft is not None else None
        is_new = other is not None and other != self._told
        self._told = other
        return is_new
