"""Files and the clipboard for the text in compose: chosen or pasted, uploaded, and their links inserted when they
arrive; stopping and repeating uploads and downloads.
"""

from __future__ import annotations

import asyncio
import os
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from narrowcast.keys.hints import keys_of, with_keys
from narrowcast.panes.compose.uploads import TextPlace
from narrowcast.runtime.context import app_of
from narrowcast.screens.dialogs.file_question import file_question
from narrowcast.terminal.desktop_clipboard import IMAGES, image_in, read_image, read_text
from narrowcast_api import permissions
from narrowcast_api.storage.folders import private_folder

if TYPE_CHECKING:
    from narrowcast.screens.workspace import Workspace
    from narrowcast_api.protocols.uploads import Upload

__all__ = ["attach", "cancel_transfer", "deliver", "paste", "retry_transfer", "use_upload"]

FOLDER = "pasted"
"""Where pasted images are kept until they are uploaded, in the folder of the cache."""


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


async def paste(screen: Workspace) -> None:
    """Uploads the image in the clipboard, or inserts its text."""
    writing = screen.writing
    if writing.begin.refused():
        return
    begun = writing.moment
    image, text = await _contents(screen)
    if image is not None:
        if screen.refuse(permissions.upload_refusal(screen.session.state)):
            return
        kind, content = image
        name = f"image-{datetime.now().astimezone():%Y%m%d-%H%M%S}{IMAGES[kind]}"
        path = await asyncio.to_thread(_save, app_of(screen).paths.cache / FOLDER / name, content)
        writing.keep_draft()
        writing.uploads.start(path, writing.links.place)
        return
    if not text:
        screen.refuse("The clipboard cannot be read here, or is empty. Paste with the terminal's own key.")
    elif writing.is_still(begun):
        writing.focus_text()
        writing.text.paste(text)


async def _contents(screen: Workspace) -> tuple[tuple[str, bytes] | None, str]:
    """The image in the clipboard, or its text: as the desktop's programs know it, else as the terminal tells it."""
    if (image := await read_image(os.environ)) is not None:
        return image, ""
    if (text := await read_text(os.environ)) is not None:
        return None, text
    content = await app_of(screen).read_clipboard() or b""
    kind = image_in(content)
    return ((kind, content), "") if kind else (None, content.decode("utf-8", "replace"))


def _save(path: Path, content: bytes) -> Path:
    private_folder(path.parent)
    path.write_bytes(content)
    return path


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
