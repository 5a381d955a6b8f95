"""Uploads in progress, between address and text in compose: progress, pause, resume, cancel."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from textual.containers import Vertical
from textual.message import Message

from narrowcast.keys.hints import Keys, hint_words, keys_of, with_keys
from narrowcast.panes.compose.links import TextPlace
from narrowcast.runtime.context import app_of
from narrowcast.text import names
from narrowcast.text.formats import size
from narrowcast.text.safe_text import safe_line
from narrowcast.widgets.one_line import OneLine, Piece
from narrowcast_api.narrow.destinations import Destination, same_conversation
from narrowcast_api.storage.records import UploadState

if TYPE_CHECKING:
    from narrowcast_api.protocols.uploads import Upload
    from narrowcast_api.sync.session import Session

BAR_CELLS = 16
NAME_CELLS = 40
_ENDED = (UploadState.FAILED, UploadState.CANCELLED)


class UploadRows(Vertical):
    """One row per unfinished upload, including those of an earlier run. ``here`` returns the current destination."""

    DEFAULT_CSS = """
    UploadRows { height: auto; }
    UploadRows OneLine { background: $background; }
    """

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

    def _newest(self) -> Upload | None:
        unfinished = self._unfinished()
        if not unfinished:
            text = with_keys(keys_of(self), "No upload in progress. <compose.attach> uploads a file.")
            app_of(self).tell(text)
        return unfinished[-1] if unfinished else None

    def stop_or_resume(self) -> None:
        """Pauses the newest upload if it is running, else resumes it."""
        upload = self._newest()
        if upload is None:
            return
        if upload.state in _ENDED:
            upload.resume()
        else:
            upload.cancel()
        self.refresh_rows()

    def drop(self) -> None:
        upload = self._newest()
        if upload is not None:
            self.session.uploads.dismiss(upload)
            self.refresh_rows()


def describe(
    upload: Upload, keys: Keys, elsewhere: str = "", live: bool = True
) -> tuple[list[Piece], list[Piece]]:
    """The row of one upload: name, progress bar, percentage, status and keys."""
    name = safe_line(upload.name, NAME_CELLS)
    for_whom: list[Piece] = [(f"  for {safe_line(elsewhere, NAME_CELLS)}", "dim")] if elsewhere else []
    stops = ("compose.attach-cancel", "resumes" if upload.state in _ENDED else "pauses")
    does = hint_words(keys, (stops, ("compose.attach-drop", "cancels")))
    right: list[Piece] = [(" · ".join(does) + " ", "dim")]
    if upload.state is UploadState.FAILED:
        return [(f" {name} ", ""), (f" {trouble(upload)}", "bad"), *for_whom], right
    share = upload.fraction
    filled = round(share * BAR_CELLS)
    left: list[Piece] = [
        (f" {name} ", ""),
        ("━" * filled, "accent"),
        ("─" * (BAR_CELLS - filled), "dim"),
        (f" {share:4.0%} of {size(upload.size)}", ""),
    ]
    if upload.state is UploadState.CANCELLED:
        left.append(("  paused", "warn"))
    elif upload.state is UploadState.WAITING:
        left.append(("  waits its turn" if live else "  waits for the connection", "dim"))
    return [*left, *for_whom], right


def trouble(upload: Upload) -> str:
    """The error of an upload, in one line."""
    return safe_line(upload.error or "The connection was lost.", 300)
