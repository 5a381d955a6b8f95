"""The paths, names and media types of uploads."""

from __future__ import annotations

import mimetypes
import os
import re
import secrets
import unicodedata
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

import imagesize

from narrowcast_server.storage.private_files import load_or_create_secret

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

UPLOADS: Final = "uploads"
"""The folder of all uploads, in the data folder."""
ORGANIZATION: Final = 1
"""First part of every path id; a server of this kind has only one organization."""
UNNAMED: Final = "uploaded-file"
MAX_NAME: Final = 255
_MAX_HEADER: Final = 256 * 1024
_PATH_ID = re.compile(rf"{ORGANIZATION}/([0-9a-f]{{2}})/([A-Za-z0-9_-]{{24}})/[^/\\]+")
_UNSAFE_IN_PATH = re.compile(r"[^\w\s.-]+")

INLINE_TYPES: Final = frozenset(
    {
        "application/pdf",
        "audio/aac",
        "audio/flac",
        "audio/mp4",
        "audio/mpeg",
        "audio/ogg",
        "audio/wav",
        "audio/webm",
        "image/apng",
        "image/avif",
        "image/gif",
        "image/jpeg",
        "image/png",
        "image/webp",
        "text/plain",
        "video/mp4",
        "video/webm",
    }
)
"""Types that browsers may display inline; all others are offered for download."""
IMAGE_TYPES: Final = frozenset(kind for kind in INLINE_TYPES if kind.startswith("image/"))
_KNOWN_TYPES: Final = {
    ".webp": "image/webp",
    ".avif": "image/avif",
    ".opus": "audio/ogg",
    ".wav": "audio/wav",
    ".flac": "audio/flac",
    ".m4a": "audio/mp4",
}
"""Types that the table of the standard library lacks or lists under an older name."""


@dataclass(frozen=True, slots=True)
class FileKind:
    """A file's media type and, for raster images, the size in pixels."""

    content_type: str
    width: int | None = None
    height: int | None = None


class Folder:
    """`DIR/uploads`: `files/ab/<token>` holds the bytes; user-supplied names are never used on disk."""

    def __init__(self, organization: Organization) -> None:
        self.path = organization.folder / UPLOADS

    def new_path_id(self, filename: str) -> str:
        """A random path id that ends in a URL-safe form of the name."""
        token = secrets.token_urlsafe(18)
        return f"{ORGANIZATION}/{secrets.token_hex(1)}/{token}/{path_name(filename)}"

    def file(self, path_id: str) -> Path | None:
        """The path of the file for a path id; None if it is not a path id."""
        return place(self.path, path_id)

    def take(self, source: Path, path_id: str) -> None:
        """Flushes a finished file and moves it to its place."""
        target = self.file(path_id)
        if target is None:
            raise ValueError(path_id)
        self.make(target.parent)
        flush(source)
        source.replace(target)

    def remove(self, path_id: str) -> None:
        """Deletes the file of a path id, if it exists."""
        target = self.file(path_id)
        if target is not None:
            target.unlink(missing_ok=True)

    def partial(self) -> Path:
        """Creates an empty file for an upload in progress and returns its path."""
        path = self.arriving() / secrets.token_hex(16)
        path.touch(mode=0o600, exist_ok=False)
        return path

    def arriving(self) -> Path:
        """The folder of files that are not complete."""
        return self.make(self.path / "partial")

    def sweep(self) -> None:
        """Removes files that a killed server left unfinished; for the start, when no upload is in progress."""
        self.make(self.path)
        for path in (self.path / "partial").glob("*"):
            path.unlink()

    def public(self, name: str) -> Path:
        """The path of an avatar or custom emoji; `name` must be one that this server generated."""
        return self.make(self.path / "public") / name

    def make(self, folder: Path) -> Path:
        """Creates the folder if needed, accessible to the server's user only."""
        # `parents=True` would create parents with the default mode.
        for missing in [path for path in reversed(folder.parents) if path.is_relative_to(self.path)]:
            missing.mkdir(exist_ok=True, mode=0o700)
        folder.mkdir(exist_ok=True, mode=0o700)
        return folder

    def secret(self) -> bytes:
        """The key that signs temporary addresses; created once per data folder."""
        return load_or_create_secret(self.make(self.path) / "secret")


def flush(path: Path) -> None:
    """Flushes a file to the disk; blocking."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def place(uploads: Path, path_id: str) -> Path | None:
    """The path of the file for a path id; None if it is not a path id."""
    match = _PATH_ID.fullmatch(path_id)
    return None if match is None else uploads / "files" / match[1] / match[2]


def private_opener(path: str, flags: int) -> int:
    """Opens files accessible to the server's user only."""
    return os.open(path, flags, 0o600)


def stored_name(filename: str) -> str:
    """The display name: the last part of the given path, without control characters."""
    name = unicodedata.normalize("NFKC", filename).replace("\\", "/").rpartition("/")[2]
    name = "".join(character for character in name if character.isprintable()).strip()
    return UNNAMED if name in ("", ".", "..") else shortened(name)


def shortened(name: str) -> str:
    """A name cut to 255 characters, keeping its suffix."""
    if len(name) <= MAX_NAME:
        return name
    stem, dot, suffix = name.rpartition(".")
    keep = MAX_NAME - len(dot + suffix)
    return stem[:keep] + dot + suffix if stem and keep > 0 else name[:MAX_NAME]


def path_name(filename: str) -> str:
    """The name in the form that ends a path id."""
    return dashed(stored_name(filename)).lstrip(".") or UNNAMED


def dashed(name: str) -> str:
    """A URL-safe name: single dashes between words, other punctuation removed."""
    plain = _UNSAFE_IN_PATH.sub("", unicodedata.normalize("NFKC", name)).strip()
    return re.sub(r"[-\s]+", "-", plain)


def content_type(filename: str, claimed: str = "") -> str:
    """The media type by the name's suffix, else the claimed type, else application/octet-stream."""
    suffix = Path(filename).suffix.lower()
    media_type = _KNOWN_TYPES.get(suffix) or mimetypes.guess_type(f"x{suffix}", strict=False)[0]
    claim = claimed.partition(";")[0].strip().lower()
    if media_type is None and re.fullmatch(r"[a-z]+/[a-z0-9.+-]{1,80}", claim):
        media_type = claim
    return media_type or "application/octet-stream"


def kind_of(filename: str, claimed: str, content: BinaryIO) -> FileKind:
    """The kind of a file. The size of images comes from their headers: nothing is decoded."""
    media_type = content_type(filename, claimed)
    if media_type not in IMAGE_TYPES:
        return FileKind(media_type)
    size = image_size(content)
    return FileKind(media_type) if size is None else FileKind(media_type, *size)


def image_size(content: BinaryIO) -> tuple[int, int] | None:
    """Width and height of a raster image from its header; None if there is no plausible header."""
    content.seek(0)
    # The size is near the start; without a limit, a file with endless headers would take long to read.
    head = content.read(_MAX_HEADER)
    if not is_raster(head):
        return None
    try:
        width, height = imagesize.get(BytesIO(head))
    except (ValueError, OSError, OverflowError, IndexError, KeyError):
        return None
    return (width, height) if 0 < width < 1 << 20 and 0 < height < 1 << 20 else None


def is_raster(head: bytes) -> bool:
    """Whether a file begins like a PNG, JPEG, GIF, WebP or AVIF."""
    return (
        head.startswith((b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a"))
        or (head[:4] == b"RIFF" and head[8:12] == b"WEBP")
        or head[4:12] in (b"ftypavif", b"ftypavis")
    )
