"""Choosing a picture to upload: its path, completed with Tab, and its bytes."""

from __future__ import annotations

import asyncio
from pathlib import Path

from narrowcast.screens.dialogs.ask import AskScreen
from narrowcast.screens.dialogs.file_question import file_question, unreadable
from narrowcast.screens.dialogs.form_fields import UnusableValue
from narrowcast_api.storage.folders import expand_home

_KINDS = (
    (b"\x89PNG\r\n", "image/png", ".png"),
    (b"\xff\xd8\xff", "image/jpeg", ".jpg"),
    (b"GIF8", "image/gif", ".gif"),
    (b"RIFF", "image/webp", ".webp"),
)
_BEGINNING = max(len(start) for start, _, _ in _KINDS)


def picture_question(title: str, max_mib: int) -> AskScreen:
    """A question for the path of a picture of at most ``max_mib`` MiB; the answer may be empty."""

    def check(path: Path) -> str:
        try:
            with path.open("rb") as opened:
                _kind(opened.read(_BEGINNING), path.stat().st_size, max_mib)
        except OSError as error:
            return unreadable(error)
        except UnusableValue as problem:
            return problem.text
        return ""

    return file_question(
        title,
        does="selects",
        note="PNG, JPEG, GIF or WebP",
        placeholder="path, for example ~/picture.png",
        check=check,
    )


async def read_picture(path: str, max_mib: int) -> tuple[bytes, str, str]:
    """The bytes of a picture, a plain name for it, and its media type. Raises UnusableValue if the file is not a
    picture or larger than the server's limit in MiB.
    """
    try:
        data = await asyncio.to_thread(_read, path, max_mib * 2**20 + 1)
    except OSError as error:
        raise UnusableValue("path", unreadable(error)) from None
    return data, *_kind(data, len(data), max_mib)


def _kind(beginning: bytes, size: int, max_mib: int) -> tuple[str, str]:
    """A name and the media type of a picture, given the beginning of its file. Raises UnusableValue if it is none."""
    if size > max_mib * 2**20:
        raise UnusableValue("path", f"The image is larger than {max_mib} MiB.")
    for start, kind, ending in _KINDS:
        if beginning.startswith(start):
            return f"picture{ending}", kind
    raise UnusableValue("path", "Not a PNG, JPEG, GIF or WebP image.")


def _read(path: str, size: int) -> bytes:
    with expand_home(path).open("rb") as opened:
        return opened.read(size)
