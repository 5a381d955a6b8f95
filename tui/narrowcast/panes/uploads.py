"""The files that are on their way, between address and text in compose: progress, cancel, resume."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from textual.containers import Vertical
from textual.message import Message

from narrowcast.widgets.one_line import OneLine, Piece
from narrowcast_api.destinations import Destination

if TYPE_CHECKING:
    from narrowcast_api.protocols.uploads import Upload
    from narrowcast_api.session import Session

BAR_CELLS = 16


class UploadRows(Vertical):
    """One row for each upload that is not done."""

    DEFAULT_CSS = """
    UploadRows { height: auto; }
    UploadRows OneLine { background: $panel; }
    """

    class Done(Message):
        """A file is on the server; ``link`` is the Markdown that refers to it."""

        def __init__(self, link: str) -> None:
            super().__init__()
            self.link = link

    def __init__(self, session: Session) -> None:
        super().__init__(id="uploads")
        self.session = session
        self._rows: dict[str, OneLine] = {}
        self._uploads: dict[str, Upload] = {}

    def start(self, path: Path, destination: Destination | None) -> None:
        """Send the file at ``path``."""
        upload = self.session.uploads.start(path, destination)
        self._uploads[upload.id] = upload
        row = OneLine()
        self._rows[upload.id] = row
        self.mount(row)
        self.refresh_rows()

    def refresh_rows(self) -> None:
        """Show the progress; hand over the links of what is done."""
        for upload_id, upload in list(self._uploads.items()):
            if upload.state.value == "done":
                self._drop(upload_id)
                self.session.uploads.dismiss(upload)
                self.post_message(self.Done(upload.link or ""))
            else:
                self._rows[upload_id].show_pieces(*describe(upload))

    def _drop(self, upload_id: str) -> None:
        self._uploads.pop(upload_id, None)
        row = self._rows.pop(upload_id, None)
        if row is not None:
            row.remove()

    def cancel_or_resume(self) -> None:
        """The newest upload: stop it while it runs, go on with it if it failed; drop it when stopped."""
        if not self._uploads:
            self.app.notify("No file is being uploaded. Ctrl-t attaches one.", markup=False)
            return
        upload_id, upload = next(reversed(self._uploads.items()))
        if upload.state.value == "failed":
            upload.resume()
        else:
            self.session.uploads.dismiss(upload)
            self._drop(upload_id)
        self.refresh_rows()


def describe(upload: Upload) -> tuple[list[Piece], list[Piece]]:
    """The row of one upload: name, bar, share, and what Ctrl-x does."""
    share = upload.fraction
    filled = round(share * BAR_CELLS)
    left: list[Piece] = [
        (f" {upload.name} ", ""),
        ("█" * filled, "accent"),
        ("░" * (BAR_CELLS - filled), "dim"),
    ]
    left.append((f" {share:4.0%} of {human_size(upload.size)}", ""))
    if upload.state.value == "failed":
        left.append((f"  failed: {upload.error or 'connection lost'}", "bad"))
        return left, [("Ctrl-x goes on ", "dim")]
    return left, [("Ctrl-x cancels ", "dim")]


def human_size(size: int) -> str:
    """Bytes for people."""
    amount = float(size)
    for unit in ("B", "kB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"
