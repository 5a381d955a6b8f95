"""Links that arrive some time after they were asked for, such as those of uploads: each goes into its text."""

from __future__ import annotations

from typing import NamedTuple

from msgspec.structs import replace

from narrowcast.keys.hints import keys_of, with_keys
from narrowcast.panes.compose.drafts import destination_of
from narrowcast.panes.compose.session import ComposeContext
from narrowcast.text import names
from narrowcast_api.narrow.destinations import Destination, same_conversation
from narrowcast_api.short_links import shortened
from narrowcast_api.storage.records import Draft, Edit

__all__ = ["Links", "TextPlace"]


class TextPlace(NamedTuple):
    """Which text a link belongs to: a draft, which may not be saved yet, or the edit of a message."""

    destination: Destination | None
    draft_id: str | None
    edited_id: int | None = None

    def is_same_text(self, other: TextPlace) -> bool:
        """Whether it is the same text, perhaps to another address."""
        return (self.draft_id, self.edited_id) == (other.draft_id, other.edited_id)


class Links:
    """Puts a link into the text for which it was asked, and into no other."""

    def __init__(self, pane: ComposeContext) -> None:
        self._pane = pane

    @property
    def place(self) -> TextPlace:
        """The text in compose, for a link that arrives later."""
        writing = self._pane.writing
        here = writing.destination()[0]
        edited_id = writing.edits.message_id
        if edited_id is None:
            return TextPlace(here, writing.draft.reserve())
        return TextPlace(destination_of(edited_id, self._pane.session) or here, None, edited_id)

    def is_here(self, place: TextPlace) -> bool:
        """Whether that text is the one in compose. If it was sent, the next text to the same conversation is."""
        writing = self._pane.writing
        edited_id = writing.edits.message_id
        if edited_id is not None or self._kept_edit(place) is not None:
            return edited_id == place.edited_id
        if writing.draft.is_for(place.draft_id):
            return True
        is_elsewhere = place.draft_id is not None and self._pane.session.drafts.get(place.draft_id)
        return not is_elsewhere and same_conversation(writing.destination()[0], place.destination)

    def shorten(self, pasted: str) -> None:
        """Replaces a URL that was just pasted by the text that a linkifier turns into it, unless it is a part of
        something longer, or of code.
        """
        buffer = self._pane.text.buffer
        start = buffer.cursor - len(pasted)
        before = buffer.text[:start]
        is_alone = not before[-1:].strip() and before.count("`") % 2 == 0
        if not is_alone or buffer.text[start : buffer.cursor] != pasted:
            return
        short = shortened(self._pane.session.state.linkifiers, pasted)
        if short is not None:
            self._pane.text.replace(start, buffer.cursor, short)
            how = "The link was shortened by a linkifier. <compose.undo> brings the URL back."
            self._pane.tell(with_keys(keys_of(self._pane.host), how))

    def insert(self, link: str) -> None:
        """Inserts a link at the cursor."""
        text = self._pane.text
        text.insert(f"{_gap(text.text[: text.buffer.cursor])}{link} ")
        self._pane.writing.keep()

    def save(self, link: str, place: TextPlace) -> str:
        """Saves a link at the end of a text that is not in compose; returns which text that is, for a notice."""
        session = self._pane.session
        if (edit := self._kept_edit(place)) is not None:
            session.edits.update(replace(edit, content=_with(edit.content, link)))
            return "your unsaved edit"
        draft = self._draft(place)
        where = draft.destination if draft is not None else place.destination
        content = _with(draft.content if draft is not None else "", link)
        session.drafts.save(draft.draft_id if draft is not None else None, where, content)
        return f"your draft to {names.destination(session.state, where)}" if where is not None else "Drafts"

    def _kept_edit(self, place: TextPlace) -> Edit | None:
        return self._pane.session.edits.get(place.edited_id) if place.edited_id is not None else None

    def _draft(self, place: TextPlace) -> Draft | None:
        """The draft of the text, or another one for the same conversation."""
        drafts = self._pane.session.drafts
        if place.draft_id is not None and (draft := drafts.get(place.draft_id)) is not None:
            return draft
        where = place.destination
        return next((one for one in drafts.all() if same_conversation(one.destination, where)), None)


def _with(text: str, link: str) -> str:
    return f"{text}{_gap(text)}{link} "


def _gap(before: str) -> str:
    """What separates a link from the text before it."""
    return " " if before and not before[-1].isspace() else ""
