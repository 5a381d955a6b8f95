"""Backups of a data folder, which may be in use by a server: written, verified, and restored.

A backup is a tar file: `manifest.json` (the list of files with checksums), `narrowcast.db`, and the uploads.
The secret that opens the sealed keys is only included on request: without it everybody logs in again after a
restore.
"""

from __future__ import annotations

import asyncio
import hashlib
import io
import json
import os
import shutil
import sqlite3
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import IO, Final

from narrowcast_server.checking import check
from narrowcast_server.operator.rerendering import rerender
from narrowcast_server.organization.organization import DATABASE
from narrowcast_server.storage import key_vault
from narrowcast_server.storage.store import StoreError
from narrowcast_server.uploads.files import UPLOADS

_MANIFEST: Final = "manifest.json"
_FORMAT: Final = "narrowcast backup 1"
_CHUNK: Final = 1 << 20
_MAX_MANIFEST: Final = 1 << 28
_LEFT_OUT: Final = frozenset({"partial", "resumable"})
"""Folders of unfinished uploads."""


class BackupError(Exception):
    """Why a backup or a restore failed; shown to the operator."""


def backup(data: Path, target: Path, *, with_keys: bool = False, say: Callable[[str], None] = print) -> None:
    """Writes and verifies a backup; an existing `target` is replaced only at the end. Raises BackupError."""
    if not (data / DATABASE).is_file():
        raise BackupError(f"{data} holds no organization")
    target = target.absolute()
    if not target.parent.is_dir():
        raise BackupError(f"there is no folder {target.parent}")
    try:
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".backup-") as name:
            made = Path(name) / "backup.tar"
            _write(data, Path(name), made, with_keys=with_keys)
            files = _verified(made, Path(name) / "again")
            made.replace(target)
    except (OSError, sqlite3.Error, tarfile.TarError) as error:
        raise BackupError(f"the backup could not be written: {error}") from error
    say(f"{target}: {files} files, verified")
    if not with_keys:
        say(
            f"{key_vault.FILE} is not included: keep a copy elsewhere,"
            " or everybody must log in again after a restore"
        )


def restore(source: Path, data: Path, *, say: Callable[[str], None] = print) -> None:
    """Restores a backup completely into a new or empty folder, or leaves no trace. Raises BackupError."""
    if data.exists() and (not data.is_dir() or any(data.iterdir())):
        raise BackupError(f"{data} is not empty: a backup is restored into a new or empty folder")
    if not source.is_file():
        raise BackupError(f"there is no file {source}")
    data = data.absolute()
    try:
        data.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=data.parent, prefix=".restore-") as name:
            files = _verified(source, Path(name) / "data")
            replaced = asyncio.run(rerender(Path(name) / "data"))
            if data.exists():
                data.rmdir()
            (Path(name) / "data").replace(data)
    except (OSError, sqlite3.Error, tarfile.TarError, StoreError) as error:
        raise BackupError(f"{source} cannot be restored: {error}") from error
    say(f"{data}: {files} files, verified")
    if replaced:
        say(f"{replaced:,} texts were stored with HTML that is not theirs: it was replaced")


def _write(data: Path, scratch: Path, made: Path, *, with_keys: bool) -> None:
    # The database is copied first: the files that it names exist by then, and remain until they are deleted.
    copy = scratch / DATABASE
    os.close(os.open(copy, os.O_WRONLY | os.O_CREAT, 0o600))
    uri = f"{(data / DATABASE).absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target, pages=1024)
        target.execute("PRAGMA journal_mode = DELETE")
    sums: dict[str, str] = {}
    descriptor = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as stream, tarfile.open(fileobj=stream, mode="w") as archive:
        for name, path in _files(data, copy, with_keys=with_keys):
            # Files may be deleted meanwhile: verification reports those that are missing.
            if (content := _opened(path)) is not None:
                with content:
                    sums[name] = _add(archive, name, content)
        manifest = json.dumps({"format": _FORMAT, "files": sums}).encode()
        _add(archive, _MANIFEST, io.BytesIO(manifest))
        stream.flush()
        os.fsync(stream.fileno())


def _files(data: Path, database: Path, *, with_keys: bool) -> Iterator[tuple[str, Path]]:
    yield DATABASE, database
    if with_keys:
        yield key_vault.FILE, data / key_vault.FILE
    uploads = data / UPLOADS
    for folder, folders, names in os.walk(uploads):
        folders[:] = sorted(name for name in folders if name not in _LEFT_OUT)
        for name in sorted(names):
            path = Path(folder) / name
            yield path.relative_to(data).as_posix(), path


def _opened(path: Path) -> IO[bytes] | None:
    try:
        return path.open("rb")
    except FileNotFoundError:
        return None


def _add(archive: tarfile.TarFile, name: str, content: IO[bytes]) -> str:
    """Adds the current content of a file; returns its checksum."""
    entry = tarfile.TarInfo(name)
    entry.size = content.seek(0, os.SEEK_END)
    content.seek(0)
    entry.mode = 0o600
    summed = _Summed(content)
    archive.addfile(entry, summed)
    return summed.checksum


class _Summed(io.RawIOBase):
    """A file whose checksum is computed while it is read."""

    def __init__(self, content: IO[bytes]) -> None:
        self._content = content
        self._sum = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        part = self._content.read(size)
        self._sum.update(part)
        return part

    @property
    def checksum(self) -> str:
        return self._sum.hexdigest()


def _verified(source: Path, folder: Path) -> int:
    """Unpacks a backup into a new folder and verifies it; returns the number of files."""
    folder.mkdir(mode=0o700)
    sums: dict[str, str] = {}
    manifest: dict[str, str] | None = None
    with tarfile.open(source, "r:") as archive:
        for entry in archive:
            content = archive.extractfile(entry) if entry.isreg() and not entry.issparse() else None
            if content is None or not _is_ours(entry.name):
                raise BackupError(f"{source} is not a backup: it holds {entry.name!r}")
            if entry.name == _MANIFEST:
                manifest = _manifest(source, content.read(_MAX_MANIFEST))
            else:
                sums[entry.name] = _unpacked(content, folder / entry.name)
    if manifest is None or manifest != sums:
        wrong = sorted(set(manifest or {}).symmetric_difference(sums)) or ["a checksum"]
        raise BackupError(f"{source} is damaged: {wrong[0]} does not match")
    if faults := check(folder):
        raise BackupError(f"{source} holds damaged data: {faults[0]}")
    return len(sums)


def _is_ours(name: str) -> bool:
    parts = name.split("/")
    if any(part in ("", ".", "..") or "\\" in part or "\0" in part for part in parts):
        return False
    return name in (_MANIFEST, DATABASE, key_vault.FILE) or parts[0] == UPLOADS


def _manifest(source: Path, content: bytes) -> dict[str, str]:
    try:
        manifest = json.loads(content)
        if manifest["format"] != _FORMAT:
            raise ValueError(manifest["format"])
        return {str(name): str(checksum) for name, checksum in manifest["files"].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BackupError(f"{source} is not a backup of this server") from error


def _unpacked(content: IO[bytes], target: Path) -> str:
    for parent in reversed(target.parents):
        if not parent.exists():
            parent.mkdir(mode=0o700)
    summed = _Summed(content)
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        shutil.copyfileobj(summed, file, _CHUNK)
        file.flush()
        os.fsync(file.fileno())
    return summed.checksum
