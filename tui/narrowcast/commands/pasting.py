"""Pasting the clipboard of the desktop into compose; an image in it is uploaded."""

from __future__ import annotations

import asyncio
import os
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from narrowcast.runtime.context import app_of
from narrowcast.terminal.desktop_clipboard import IMAGES, image_in, read_image, read_text
from narrowcast_api import permissions
from narrowcast_api.storage.folders import private_folder

if TYPE_CHECKING:
    from narrowcast.screens.workspace import Workspace

FOLDER = "pasted"
"""Where images are kept until they are uploaded, in the folder of the cache."""


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
