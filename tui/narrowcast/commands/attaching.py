"""Uploading files for the text in compose, and inserting links that arrive later; stopping and repeating
uploads and downloads."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from narrowcast.keys.hints import keys_of, with_keys
from narrowcast.panes.compose.uploads import TextPlace
from narrowcast.screens.dialogs.file_question import file_question
from narrowcast_api import permissions

if TYPE_CHECKING:
    from narrowcast.screens.workspace import Workspace
    from narrowcast_api.protocols.uploads import Upload

__all__ = ["attach", "cancel_transfer", "deliver", "retry_transfer", "use_upload"]


def attach(screen: Workspace) -> None:
    """Chooses a file and uploads it for the message in compose."""

    def chosen(path: str | None) -> None:
        writing = screen.writing
        if path:
            writing.keep_draft()
            writing.uploads.start(Path(path), writing.links.place)
        writing.focus_text()

    if screen.writing.begin.refused() or screen.refuse(permissions.upload_refusal(screen.session.state)):
        return
    limit = f"Maximum file size: {screen.session.state.limits.max_file_upload_size_mib} MB"
    screen.app.push_screen(file_question("Upload file", does="uploads", note=limit), chosen)


def use_upload(screen: Workspace, upload: Upload) -> None:
    """Inserts the link of an uploaded file, unless that was done already."""
    if upload not in screen.session.uploads.all():
        return
    place = TextPlace(upload.destination, upload.draft_id, upload.edited_id)
    with screen.session.one_write():
        saved = deliver(screen, upload.link or "", place)
        screen.session.uploads.dismiss(upload)
    if saved:
        screen.tell(f"{upload.name} uploaded. Its link is in {saved}.")


def deliver(screen: Workspace, link: str, place: TextPlace) -> str:
    """Inserts a link into the text for which it was asked. If that is not in compose, saves it there; returns
    which text that is, for a notice.
    """
    writers = [one.writing for one in screen.side.all if one.writing.is_attached]
    writers.sort(key=lambda one: (not one.draft.is_for(place.draft_id), one is not screen.writing))
    for writing in writers:
        if writing.links.is_here(place):
            writing.links.insert(link)
            return ""
    return screen.writing.links.save(link, place)


def cancel_transfer(screen: Workspace) -> None:
    """Cancels the newest upload, as the same key does in compose; else the newest download, or removes it if it has
    failed.
    """
    if not screen.writing.uploads.drop() and not screen.downloads.cancel():
        nothing = "Nothing is uploaded or downloaded. <compose.attach> uploads a file."
        screen.refuse(with_keys(keys_of(screen), nothing))


def retry_transfer(screen: Workspace) -> None:
    """Pauses or resumes the newest upload, as the same key does in compose; else tries the newest download that has
    failed again.
    """
    if not screen.writing.uploads.stop_or_resume() and not screen.downloads.retry():
        screen.refuse("Nothing is uploaded, and no download has failed.")
