"""Uploads in progress, between address and text in compose: progress, pause, resume, cancel. Links that arrive some
time after they were asked for, such as those of uploads: each goes into its text.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace
from textual.containers import Vertical
from textual.message import Message

from narrowcast.keys.hints import Keys, hint_words, keys_of, with_keys
from narrowcast.panes.compose.drafts import destination_of
from narrowcast.panes.compose.session import ComposeContext
from narrowcast.runtime.context import app_of
from narrowcast.text import names
from narrowcast.text.formats import size
from narrowcast.text.safe_text import safe_line
from narrowcast.widgets.one_line import OneLine, Piece
from narrowcast.widgets.style_sheet import style_sheet
from narrowcast.widgets.transfer_row import bar, transfer_row
from narrowcast_api.narrow.destinations import Destination, same_conversation
from narrowcast_api.short_links import shortened
from narrowcast_api.storage.records import Draft, Edit, UploadState

if TYPE_CHECKING:
    from narrowcast_api.protocols.uploads import Upload
    from narrowcast_api.sync.session import Session

PLACE_CELLS = 40
_ENDED = (UploadState.FAILED, UploadState.CANCELLED)


class TextPlace(NamedTuple):
    """Which text a link belongs to: a draft, which may not be saved yet, or the edit of a message."""

    destination: Destination | None
    draft_id: str | None
    edited_id: int | None = None

    def is_same_text(self, other: TextPlace) -> bool:
        """Whether it is the same text, perhaps to another address."""
        return (self.draft_id, self.edited_id) == (other.draft_id, other.edited_id)


class UploadRows(Vertical):
    """One row per unfinished upload, including those of an earlier run. ``here`` returns the current destination."""

    DEFAULT_CSS = style_sheet(__name__)

    class Done(Message):
        """A file was uploaded; its ``link`` belongs in a text. Dismiss the upload once the link is inserted: every
        pane posts this.
        """

        def __init__(self, upload: Upload) -> None:
            super().__init__()
            self.upload = upload

    def __init__(self, session: Session, here: Callable[[], Destination | None]) -> None:
        super().__init__(id="uploads")
        self.session = session
        self._here = here
        self._rows: dict[str, OneLine] = {}
        self._handed: set[str] = set()
        self._told: dict[str, str] = {}

    def on_mount(self) -> None:
        self.refresh_rows()

    def start(self, path: Path, place: TextPlace) -> None:
        """Uploads the file at ``path``, for a link in that text."""
        self.session.uploads.start(path, place.destination, place.draft_id, place.edited_id)
        self.refresh_rows()

    def pending(self, destination: Destination) -> list[Upload]:
        """The unfinished uploads for a conversation."""
        return [
            upload
            for upload in self._unfinished()
            if upload.state not in _ENDED
            and upload.edited_id is None
            and same_conversation(upload.destination, destination)
        ]

    def refresh_rows(self) -> None:
        """Shows the progress; passes on the links of finished uploads."""
        uploads = self.session.uploads.all()
        unfinished = {upload.id: upload for upload in uploads if upload.state is not UploadState.DONE}
        for gone in self._rows.keys() - unfinished.keys():
            self._rows.pop(gone).remove()
        for upload in uploads:
            if upload.state is UploadState.DONE and upload.id not in self._handed:
                self._handed.add(upload.id)
                self.post_message(self.Done(upload))
        for upload_id, upload in unfinished.items():
            self._tell_trouble(upload)
            if upload_id not in self._rows:
                self._rows[upload_id] = OneLine()
                self.mount(self._rows[upload_id])
            self._rows[upload_id].show_pieces(
                *describe(upload, keys_of(self), self._elsewhere(upload), self.session.is_live)
            )

    def _tell_trouble(self, upload: Upload) -> None:
        """Shows the error of an upload once and in full: the row may be too short for it."""
        if upload.state is not UploadState.FAILED:
            self._told.pop(upload.id, None)
        elif self._told.get(upload.id) != (text := trouble(upload)):
            self._told[upload.id] = text
            how = "<compose.attach-cancel> in compose resumes, <compose.attach-drop> cancels."
            app_of(self).tell(f"{text} {with_keys(keys_of(self), how)}", severity="error")

    def _elsewhere(self, upload: Upload) -> str:
        """The conversation the file is for, if it is not the current destination."""
        here = self._here()
        if upload.destination is None or same_conversation(here, upload.destination):
            return ""
        return names.destination(self.session.state, upload.destination)

    def _unfinished(self) -> list[Upload]:
        return [upload for upload in self.session.uploads.all() if upload.state is not UploadState.DONE]

    def stop_or_resume(self) -> bool:
        """Pauses the newest upload if it is running, else resumes it; False if there is none."""
        unfinished = self._unfinished()
        if not unfinished:
            return False
        if unfinished[-1].state in _ENDED:
            unfinished[-1].resume()
        else:
            unfinished[-1].cancel()
        self.refresh_rows()
        return True

    def drop(self) -> bool:
        """Cancels the newest upload; False if there is none."""
        unfinished = self._unfinished()
        if not unfinished:
            return False
        self.session.uploads.dismiss(unfinished[-1])
        self.refresh_rows()
        return True


def describe(
    upload: Upload, keys: Keys, elsewhere: str = "", live: bool = True
) -> tuple[list[Piece], list[Piece]]:
    """The row of one upload: name, progress bar, percentage, status and keys."""
    for_whom: list[Piece] = [(f"  for {safe_line(elsewhere, PLACE_CELLS)}", "dim")] if elsewhere else []
    stops = ("compose.attach-cancel", "resumes" if upload.state in _ENDED else "pauses")
    does = hint_words(keys, (stops, ("compose.attach-drop", "cancels")))
    if upload.state is UploadState.FAILED:
        return transfer_row(upload.name, [(f" {trouble(upload)}", "bad"), *for_whom], does)
    about = bar(upload.fraction, size(upload.size))
    if upload.state is UploadState.CANCELLED:
        about.append(("  paused", "warn"))
    elif upload.state is UploadState.WAITING:
        about.append(("  waits its turn" if live else "  waits for the connection", "dim"))
    return transfer_row(upload.name, [*about, *for_whom], does)


def trouble(upload: Upload) -> str:
    """The error of an upload, in one line."""
    return safe_line(upload.error or "The connection was lost.", 300)


class TextLinks:
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
