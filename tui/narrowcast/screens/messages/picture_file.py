"""Which picture to send: a path, completed with Tab, and the bytes of it."""

from __future__ import annotations

import asyncio

from narrowcast.screens.dialogs.ask import AskScreen
from narrowcast.screens.dialogs.file_question import file_question
from narrowcast.screens.dialogs.form_fields import Refused
from narrowcast_api.storage.folders import expanded

_KINDS = (
    (b"\x89PNG\r\n", "image/png", ".png"),
    (b"\xff\xd8\xff", "image/jpeg", ".jpg"),
    (b"GIF8", "image/gif", ".gif"),
    (b"RIFF", "image/webp", ".webp"),
)


def picture_question(title: str) -> AskScreen:
    """A question that gives back the path of a file that exists, or an empty text."""
    return file_question(
        title, does="selects", note="PNG, JPEG, GIF or WebP", placeholder="path, for example ~/picture.png"
    )


async def read_picture(path: str, max_mib: int) -> tuple[bytes, str, str]:
    """The bytes of a picture, a plain name for it and its kind. Raises Refused for what is none, and above a limit in
    MiB, which is the server's.
    """
    most = max_mib * 2**20
    try:
        data = await asyncio.to_thread(_read, path, most + 1)
    except OSError as error:
        raise Refused("path", f"The file cannot be read: {error.strerror or error}.") from None
    if len(data) > most:
        raise Refused("path", f"The image is larger than {max_mib} MiB.")
    for start, kind, ending in _KINDS:
        if data.startswith(start):
            return data, f"picture{ending}", kind
    raise Refused("path", "Not a PNG, JPEG, GIF or WebP image.")


def _read(path: str, size: int) -> bytes:
    with expanded(path).open("rb") as opened:
        return opened.read(size)
