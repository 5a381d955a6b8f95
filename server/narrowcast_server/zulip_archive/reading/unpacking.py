"""Safely opens archives from untrusted sources: no path traversal, no links, no decompression bombs."""

from __future__ import annotations

import gzip
import io
import os
import shutil
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Final, cast

import msgspec

from narrowcast_server.zulip_archive import layout
from narrowcast_server.zulip_archive.layout import ArchiveError

_CHUNK: Final = 1 << 20
_MAGIC: Final = b"\x1f\x8b"
_TABLES: Final = frozenset({layout.REALM_FILE, layout.ATTACHMENTS_FILE, layout.OWN_FILE})


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """Size limits of an archive, in bytes unless noted."""

    unpacked: int = 64 << 30
    file: int = 4 << 30
    tables: int = 1 << 30
    """A file of tables, which is read into memory."""
    ratio: int = 400
    """Unpacked to packed size; anything above is considered a decompression bomb."""
    free_of_ratio: int = 64 << 20
    files: int = 1_000_000
    header: int = 1 << 20
    """The tar header of one entry."""


LIMITS: Final = ArchiveLimits()


class Archive:
    """The files of an unpacked archive."""

    def __init__(self, folder: Path, limits: ArchiveLimits = LIMITS) -> None:
        self._folder = folder.resolve()
        self._limits = limits

    def tables(self, name: str) -> dict[str, object]:
        """A file of tables; raises ArchiveError if it is missing or not a JSON object."""
        value = self._json(name)
        if not isinstance(value, dict):
            raise ArchiveError(f"{name} holds no tables")
        return value

    def has(self, name: str) -> bool:
        """Whether the archive has this file."""
        return (self._folder / name).is_file()

    def records(self, folder: str) -> list[object]:
        """The list of files of one kind; empty if there is none."""
        name = f"{folder}/{layout.RECORDS}"
        if not self.has(name):
            return []
        value = self._json(name)
        if not isinstance(value, list):
            raise ArchiveError(f"{name} is not a list")
        return value

    def message_files(self) -> Iterator[str]:
        """The names of the message files in order, up to the first gap."""
        number = 1
        while self.has(layout.messages_file(number)):
            yield layout.messages_file(number)
            number += 1

    def file(self, folder: str, relative: str) -> Path | None:
        """The path of a file in one of the folders; None if it does not exist. Raises ArchiveError for an
        unsafe path or a link.
        """
        if not _is_safe(relative):
            raise ArchiveError(f"{folder} lists the file {relative!r}, which is not a path in an archive")
        path = self._folder / folder / relative
        if not path.is_file():
            return None
        if path.resolve() != path:
            raise ArchiveError(f"{folder}/{relative} is a link")
        return path

    def _json(self, name: str) -> object:
        path = self.file("", name)
        if path is None:
            raise ArchiveError(f"the archive has no {name}")
        if path.stat().st_size > self._limits.tables:
            raise ArchiveError(f"{name} is larger than {self._limits.tables >> 20} MiB")
        try:
            return msgspec.json.decode(path.read_bytes())
        except (ValueError, RecursionError) as error:
            raise ArchiveError(f"{name} is not JSON: {error}") from error


@contextmanager
def opened(source: Path, scratch: Path, limits: ArchiveLimits = LIMITS) -> Iterator[Archive]:
    """Opens an archive: a tar file (compressed or not) or a folder. Raises ArchiveError."""
    if source.is_dir():
        yield Archive(_top(source), limits)
        return
    if not source.is_file():
        raise ArchiveError(f"there is no {source}")
    plain = _plain(source, scratch / "archive.tar", limits)
    folder = scratch / "unpacked"
    folder.mkdir(mode=0o700)
    try:
        _unpack(plain, folder, limits)
    except (tarfile.TarError, ValueError, EOFError) as error:
        raise ArchiveError(f"{source} is not an archive: {error}") from error
    yield Archive(_top(folder), limits)


def _top(folder: Path) -> Path:
    """The folder with the tables, which archives unpack to."""
    if (folder / layout.REALM_FILE).is_file():
        return folder
    inside = [path for path in folder.iterdir() if path.is_dir() and not path.is_symlink()]
    tops = [path for path in inside if (path / layout.REALM_FILE).is_file()]
    if len(tops) != 1:
        raise ArchiveError(f"the archive has no {layout.REALM_FILE}")
    return tops[0]


def _plain(source: Path, target: Path, limits: ArchiveLimits) -> Path:
    """The uncompressed tar file; raises ArchiveError if it would be too large."""
    with source.open("rb") as packed:
        if packed.read(2) != _MAGIC:
            return source
        packed.seek(0)
        allowed = min(limits.unpacked, limits.free_of_ratio + limits.ratio * source.stat().st_size)
        try:
            with gzip.GzipFile(fileobj=packed) as content, target.open("xb") as plain:
                _copy(
                    cast("IO[bytes]", content),
                    plain,
                    allowed,
                    f"{source} unpacks to more than any archive that Zulip makes",
                )
        except (gzip.BadGzipFile, EOFError, OSError) as error:
            raise ArchiveError(f"{source} is damaged: {error}") from error
    return target


def _unpack(source: Path, folder: Path, limits: ArchiveLimits) -> None:
    room = min(limits.unpacked, shutil.disk_usage(folder).free)
    with (
        source.open("rb") as stream,
        tarfile.open(fileobj=_Bounded(stream, limits.header), mode="r:") as archive,
    ):
        for number, entry in enumerate(archive):
            if number >= limits.files:
                raise ArchiveError(f"the archive has more than {limits.files:,} files")
            if entry.isdir():
                continue
            if not entry.isreg() or entry.issparse() or not _is_safe(entry.name):
                raise ArchiveError(
                    f"the archive holds {entry.name!r}, which is not a plain file in a folder of its own"
                )
            if not _is_wanted(entry.name):
                continue
            content = archive.extractfile(entry)
            assert content is not None, "it is a plain file"
            target = folder / entry.name
            target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            allowed = min(limits.file, room)
            try:
                with content, target.open("xb") as file:
                    room -= _copy(content, file, allowed, f"{entry.name} is too large")
            except (FileExistsError, NotADirectoryError) as error:
                raise ArchiveError(f"the archive holds {entry.name!r} twice") from error


def _is_safe(name: str) -> bool:
    parts = name.split("/")
    return not any(part in ("", ".", "..") or "\\" in part or not part.isprintable() for part in parts)


def _is_wanted(name: str) -> bool:
    """Whether the entry is one of the format's files, at the top or inside one folder."""
    parts = PurePosixPath(name).parts
    for at in (0, 1):
        rest = parts[at:]
        if len(rest) == 1 and (rest[0] in _TABLES or layout.MESSAGES_FILE.fullmatch(rest[0])):
            return True
        if len(rest) > 1 and rest[0] in layout.FILE_FOLDERS:
            return True
    return False


def _copy(source: IO[bytes], target: IO[bytes], allowed: int, words: str) -> int:
    copied = 0
    while part := source.read(_CHUNK):
        copied += len(part)
        if copied > allowed:
            raise ArchiveError(words)
        target.write(part)
    return copied


class _Bounded(io.RawIOBase):
    """A file that limits the size of reads: tarfile reads a header at once, whatever size it claims."""

    def __init__(self, stream: IO[bytes], most: int) -> None:
        self._stream = stream
        self._most = max(most, _CHUNK)

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= self._most:
            raise ArchiveError("the archive has an entry with an endless header")
        return self._stream.read(size)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        return self._stream.tell()
