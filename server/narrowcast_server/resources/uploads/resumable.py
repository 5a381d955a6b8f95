"""Resumable uploads (tus protocol): the state of each is stored on disk.

created --append--> partial --append--> whole --(becomes an attachment)--> gone
   \\______________ expiry or termination ______________/
"""

from __future__ import annotations

import base64
import binascii
import json
import os
import re
import secrets
from collections.abc import AsyncIterator, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary, ref

from anyio import to_thread

from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import User
from narrowcast_server.uploads.files import Folder, private_opener
from narrowcast_server.uploads.receiving import check_upload

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

LIFETIME_SECONDS: Final = 24 * 3600
_MAX_METADATA: Final = 4096
_IDENTITY = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Resumable:
    """An upload in progress. `expires` is in UTC seconds; the offset is the size of its file."""

    identity: str
    owner_id: int
    length: int
    filename: str
    content_type: str
    expires: int


class PartialUpload:
    """The uploads in progress of a server: `DIR/uploads/resumable/<id>.json` and `<id>.part`."""

    def __init__(self, organization: Organization) -> None:
        # A weak reference: the organization owns this object.
        self._of = ref(organization)
        self._folder = Folder(organization)
        self._path = self._folder.path / "resumable"
        self._uploads = {upload.identity: upload for upload in self._stored()}

    @property
    def _organization(self) -> Organization:
        organization = self._of()
        assert organization is not None
        return organization

    def create(self, owner: User, length: int, metadata: dict[str, str]) -> Resumable:
        self.collect()
        self._check_room(owner, length)
        self._folder.make(self._path)
        upload = Resumable(
            identity=secrets.token_hex(16),
            owner_id=owner.id,
            length=length,
            filename=metadata.get("filename") or metadata.get("name") or "",
            content_type=metadata.get("filetype") or metadata.get("type") or "",
            expires=int(self._organization.clock.now()) + LIFETIME_SECONDS,
        )
        with open(self.part(upload), "xb", opener=private_opener):
            pass
        with open(self._note(upload.identity), "x", opener=private_opener) as file:
            json.dump(asdict(upload), file)
        self._uploads[upload.identity] = upload
        return upload

    def _check_room(self, owner: User, length: int) -> None:
        """Raises BAD_REQUEST if the user has too many uploads in progress, or too large ones."""
        own = [upload for upload in self._uploads.values() if upload.owner_id == owner.id]
        limit = self._organization.config.quotas.unfinished_uploads
        if len(own) >= limit:
            raise ServiceError(
                f"You have too many unfinished uploads (limit: {limit}). Finish or delete some."
            )
        check_upload(self._organization, owner, length + sum(upload.length for upload in own))

    def find(self, user: User, identity: str) -> Resumable:
        """The user's upload; raises 404 if it is unknown, expired or another user's."""
        upload = self._uploads.get(identity)
        if upload is None or upload.owner_id != user.id:
            raise missing_upload()
        if upload.expires < self._organization.clock.now():
            self.remove(upload)
            raise missing_upload()
        return upload

    def part(self, upload: Resumable) -> Path:
        """The file that holds the bytes received so far."""
        return self._path / f"{upload.identity}.part"

    def offset(self, upload: Resumable) -> int:
        """The number of bytes received so far; raises 404 if the upload was removed."""
        self._check_kept(upload)
        return self.part(upload).stat().st_size

    async def append(self, upload: Resumable, chunks: AsyncIterator[bytes]) -> int:
        """Appends bytes; returns the new offset. Bytes received before an interruption are kept; raises 413
        if there are too many, and 404 if the upload is removed meanwhile.
        """
        left = upload.length - self.offset(upload)
        with self.part(upload).open("ab") as file:
            try:
                async for chunk in chunks:
                    self._check_kept(upload)
                    if len(chunk) > left:
                        raise ServiceError("The upload is longer than its Upload-Length", status=413)
                    file.write(chunk)
                    left -= len(chunk)
            finally:
                file.flush()
            await to_thread.run_sync(os.fsync, file.fileno())
        self._check_kept(upload)
        return upload.length - left

    def _check_kept(self, upload: Resumable) -> None:
        if upload.identity not in self._uploads:
            raise missing_upload()

    def remove(self, upload: Resumable) -> None:
        """Deletes an upload and its bytes."""
        self._uploads.pop(upload.identity, None)
        self._note(upload.identity).unlink(missing_ok=True)
        self.part(upload).unlink(missing_ok=True)

    def collect(self) -> None:
        """Removes expired uploads."""
        now = self._organization.clock.now()
        for upload in [upload for upload in self._uploads.values() if upload.expires < now]:
            self.remove(upload)

    def _stored(self) -> Iterator[Resumable]:
        """Uploads left by an earlier run of the server; unreadable ones are deleted."""
        for note in self._path.glob("*.json"):
            upload = self._read(note.stem) if _IDENTITY.fullmatch(note.stem) else None
            if upload is not None:
                yield upload
            else:
                note.unlink(missing_ok=True)
                note.with_suffix(".part").unlink(missing_ok=True)

    def _note(self, identity: str) -> Path:
        return self._path / f"{identity}.json"

    def _read(self, identity: str) -> Resumable | None:
        try:
            return Resumable(**json.loads(self._note(identity).read_text()))
        except (OSError, ValueError, TypeError):
            return None


def missing_upload() -> ServiceError:
    """The error for an upload that is unknown, expired, removed, or another user's."""
    return ServiceError("Upload not found", status=404)


_unfinished: Final[WeakKeyDictionary[Organization, PartialUpload]] = WeakKeyDictionary()


def unfinished(organization: Organization) -> PartialUpload:
    """The uploads in progress of a server."""
    return _unfinished.get(organization) or _unfinished.setdefault(organization, PartialUpload(organization))


def parse_metadata(header: str) -> dict[str, str]:
    """`Upload-Metadata`: pairs of a key and a base64 value, separated by commas. Raises ServiceError."""
    if len(header) > _MAX_METADATA:
        raise ServiceError(f"Upload-Metadata is too long (limit: {_MAX_METADATA} bytes)")
    pairs = {}
    for pair in filter(None, (part.strip() for part in header.split(","))):
        key, _, value = pair.partition(" ")
        try:
            pairs[key] = base64.b64decode(value.strip(), validate=True).decode()
        except (binascii.Error, ValueError) as error:
            raise ServiceError("Invalid Upload-Metadata") from error
    return pairs
