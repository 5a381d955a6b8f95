"""The tar file of an archive while it is written."""

from __future__ import annotations

import gzip
import os
import tarfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Final, cast

import msgspec

from narrowcast_server.zulip_archive.layout import FOLDER, ArchiveError

_COMPRESSED: Final = (".gz", ".tgz")
_LEVEL: Final = 5
_NULL: Final = b"\\u0000"
_encode = msgspec.json.Encoder().encode


class Tarball:
    """Adds files one by one; large ones are not read into memory."""

    def __init__(
        self, archive: tarfile.TarFile, scratch: Path, now: int, should_continue: Callable[[], bool]
    ) -> None:
        self._archive = archive
        self._should_continue = should_continue
        self._scratch = scratch
        self._now = now

    def add(self, name: str, content: IO[bytes]) -> int:
        """Adds the current content of a file; returns its size in bytes."""
        if not self._should_continue():
            raise ArchiveError("the archive was not finished")
        entry = tarfile.TarInfo(f"{FOLDER}/{name}")
        entry.size = content.seek(0, os.SEEK_END)
        content.seek(0)
        # The importing user must be able to read it, whoever unpacks the archive.
        entry.mode, entry.mtime = 0o644, self._now
        self._archive.addfile(entry, content)
        return entry.size

    def add_json(self, name: str, value: object) -> None:
        self.add_text(name, encoded(value))

    def add_text(self, name: str, text: bytes) -> None:
        with self._new() as file:
            file.write(text)
            self.add(name, file)

    def add_tables(
        self, name: str, tables: Iterable[tuple[str, Iterable[Mapping[str, object]]]], **also: object
    ) -> dict[str, int]:
        """Adds a JSON object of tables, written row by row, and other fields; returns the number of rows of
        each table.
        """
        counts: dict[str, int] = {}
        with self._new() as file:
            file.write(b"{")
            for table, rows in tables:
                file.write(b"%s:[" % encoded(table))
                counts[table] = 0
                for row in rows:
                    file.write(b"\n" if counts[table] == 0 else b",\n")
                    file.write(encoded(row))
                    counts[table] += 1
                file.write(b"],\n")
            for key, value in also.items():
                file.write(b"%s:%s,\n" % (encoded(key), encoded(value)))
            file.seek(-2, os.SEEK_END)
            file.write(b"}\n")
            file.truncate()
            self.add(name, file)
        return counts

    @contextmanager
    def _new(self) -> Iterator[IO[bytes]]:
        path = self._scratch / "part"
        try:
            with path.open("w+b") as file:
                yield file
        finally:
            path.unlink()


def encoded(value: object) -> bytes:
    """JSON without null characters, which Zulip's database cannot store."""
    text = _encode(value)
    return _encode(_without_nulls(value)) if _NULL in text else text


def _without_nulls(value: object) -> object:
    if isinstance(value, str):
        return value.replace("\0", "")
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_nulls(item) for item in value]
    return value


@contextmanager
def written(
    target: Path, made: Path, scratch: Path, now: int, should_continue: Callable[[], bool]
) -> Iterator[Tarball]:
    """Writes an archive to `made` and flushes it; compressed if the name of `target` says so."""
    descriptor = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        with ExitStack() as stack:
            into: IO[bytes] = stream
            if target.name.endswith(_COMPRESSED):
                packed = gzip.GzipFile(fileobj=stream, mode="wb", compresslevel=_LEVEL, mtime=now)
                into = cast("IO[bytes]", stack.enter_context(packed))
            archive = stack.enter_context(tarfile.open(fileobj=into, mode="w|", format=tarfile.PAX_FORMAT))
            yield Tarball(archive, scratch, now, should_continue)
        stream.flush()
        os.fsync(stream.fileno())
