"""Small public pictures: avatars and custom emoji. Stored unchanged; only their headers are checked."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from starlette.datastructures import UploadFile

from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.rules.quotas import check_disk
from narrowcast_server.uploads.files import Folder, image_size

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

MAX_PICTURE_MIB: Final = 5
MAX_PIXELS: Final = 50_000_000
_STORED: Final = re.compile(r"[0-9a-f]{40}\.(?:png|jpg|gif|webp)")
_SUFFIXES: Final = ((b"\x89PNG", ".png"), (b"\xff\xd8\xff", ".jpg"), (b"GIF8", ".gif"), (b"RIFF", ".webp"))


def bad_image() -> ServiceError:
    """A file that is not a picture, or a picture too large to decode safely."""
    return ServiceError("Could not decode image; did you upload an image file?", "BAD_IMAGE")


def keep_picture(organization: Organization, content: bytes) -> str:
    """Stores a picture under an unguessable name; returns the name."""
    suffix = next((suffix for head, suffix in _SUFFIXES if content.startswith(head)), None)
    if suffix is None:
        raise bad_image()
    folder = Folder(organization)
    partial = folder.partial()
    try:
        partial.write_bytes(content)
        with partial.open("rb") as file:
            size = image_size(file)
        if size is None or size[0] * size[1] > MAX_PIXELS:
            raise bad_image()
        name = f"{secrets.token_hex(20)}{suffix}"
        partial.replace(folder.public(name))
    finally:
        partial.unlink(missing_ok=True)
    return name


@contextmanager
def picture_stored(organization: Organization, content: bytes) -> Iterator[str]:
    """A transaction with a new picture, whose name is given; if it fails, the picture is deleted again.

    Raises BAD_REQUEST if there is no room on the disk.
    """
    check_disk(organization, len(content))
    name = keep_picture(organization, content)
    try:
        with organization.transaction():
            yield name
    except BaseException:  # nothing names the picture unless the transaction is committed
        Folder(organization).public(name).unlink(missing_ok=True)
        raise


async def picture_bytes(upload: UploadFile) -> bytes:
    """The content of a picture in a form."""
    return await upload.read()


def forget_picture(organization: Organization, url: object) -> None:
    """Deletes a replaced picture's file after the commit; does nothing if the address is not that of a stored
    picture.
    """
    name = stored_picture(url)
    if name is not None:
        organization.after_commit(lambda: Folder(organization).public(name).unlink(missing_ok=True))


def stored_picture(url: object) -> str | None:
    """The file name for the address of a stored picture; None for any other address."""
    name = url.rpartition("/")[2] if isinstance(url, str) else ""
    return name if _STORED.fullmatch(name) else None
