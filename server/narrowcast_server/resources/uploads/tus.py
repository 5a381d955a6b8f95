"""Resumable uploads at /api/v1/tus (UPL-14, UPL-15): tus 1.0.0 with creation, creation-with-upload,
expiration and termination. The response that completes an upload has the body of POST /user_uploads.

The state of each is stored on disk.

```
created --append--> partial --append--> whole --(becomes an attachment)--> gone
   \\______________ expiry or termination ______________/
```
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import os
import re
import secrets
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import asdict, dataclass
from email.utils import formatdate
from pathlib import Path
from typing import Final
from weakref import WeakKeyDictionary, ref

from anyio import to_thread
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from narrowcast_api.wire.levels import Gate
from narrowcast_server.http.routing import Call, Routes
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import User
from narrowcast_server.organization.organization import Organization
from narrowcast_server.resources.uploads.operations import upload_body
from narrowcast_server.uploads.files import Folder, private_opener
from narrowcast_server.uploads.receiving import MEBIBYTE, check_upload, int_header, keep, too_large

VERSION: Final = "1.0.0"
EXTENSIONS: Final = "creation,creation-with-upload,expiration,termination"
PART_TYPE: Final = "application/offset+octet-stream"
PATH: Final = "/api/v1/tus"
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


routes = Routes()

_locks: WeakKeyDictionary[Organization, defaultdict[str, asyncio.Lock]] = WeakKeyDictionary()
"""Locks of the uploads that are being written."""


@routes.add("OPTIONS", "/tus", since=Gate.RESUMABLE_UPLOAD.level, public=True, accepts_anything=True)
@routes.add("OPTIONS", "/tus/", since=Gate.RESUMABLE_UPLOAD.level, public=True, accepts_anything=True)
def describe(call: Call) -> Response:
    """The version, extensions and size limit that this server supports."""
    limit = call.organization.config.limits.max_file_upload_mib * MEBIBYTE
    return empty_response(
        204, {"Tus-Version": VERSION, "Tus-Extension": EXTENSIONS, "Tus-Max-Size": str(limit)}
    )


@routes.add("POST", "/tus", since=Gate.RESUMABLE_UPLOAD.level, streaming=True, accepts_anything=True)
@routes.add("POST", "/tus/", since=Gate.RESUMABLE_UPLOAD.level, streaming=True, accepts_anything=True)
async def create(call: Call) -> Response:
    """Creates an upload, optionally with its first bytes."""
    check_version(call.request)
    length = declared_length(call)
    metadata = parse_metadata(call.request.headers.get("upload-metadata", ""))
    uploads = unfinished(call.organization)
    upload = uploads.create(call.user, length, metadata)
    headers = {"Location": f"{PATH}/{upload.identity}"}
    if call.request.headers.get("content-type") != PART_TYPE and length > 0:
        return empty_response(201, {**headers, **progress(upload, 0)})
    return await receive(call, uploads, upload, 201, headers)


@routes.add("GET", "/tus/{identity}", since=Gate.RESUMABLE_UPLOAD.level, accepts_anything=True)
def get_offset(call: Call) -> Response:
    """HEAD: how many bytes of an upload have arrived."""
    if call.request.method != "HEAD":
        raise ServiceError("Method Not Allowed", status=405, headers={"Allow": "DELETE, HEAD, PATCH"})
    check_version(call.request)
    uploads = unfinished(call.organization)
    upload = uploads.find(call.user, call.path["identity"])
    headers = {"Upload-Length": str(upload.length), "Cache-Control": "no-store"}
    return empty_response(200, {**headers, **progress(upload, uploads.offset(upload))})


@routes.add(
    "PATCH", "/tus/{identity}", since=Gate.RESUMABLE_UPLOAD.level, streaming=True, accepts_anything=True
)
async def append(call: Call) -> Response:
    """Appends bytes; raises 409 if the client's offset differs from the server's."""
    check_version(call.request)
    if call.request.headers.get("content-type") != PART_TYPE:
        raise ServiceError(f"The content type must be {PART_TYPE}", status=415, headers=tus_headers())
    uploads = unfinished(call.organization)
    upload = uploads.find(call.user, call.path["identity"])
    lock = locks(call.organization)[upload.identity]
    if lock.locked():
        raise ServiceError("Another request is writing to this upload", status=423, headers=tus_headers())
    async with lock:
        if call.request.headers.get("upload-offset") != str(uploads.offset(upload)):
            raise ServiceError("Upload-Offset does not fit", status=409, headers=tus_headers())
        return await receive(call, uploads, upload, 204, {})


@routes.add("DELETE", "/tus/{identity}", since=Gate.RESUMABLE_UPLOAD.level, accepts_anything=True)
def terminate(call: Call) -> Response:
    check_version(call.request)
    uploads = unfinished(call.organization)
    upload = uploads.find(call.user, call.path["identity"])
    uploads.remove(upload)
    locks(call.organization).pop(upload.identity, None)
    return empty_response(204, {})


async def receive(
    call: Call, uploads: PartialUpload, upload: Resumable, status: int, headers: Mapping[str, str]
) -> Response:
    """Appends the bytes of a request; a complete upload becomes an attachment."""
    try:
        offset = await uploads.append(upload, call.request.stream())
    except ClientDisconnect:
        # The bytes received are kept; the client asks with HEAD where to continue.
        return empty_response(status, {**headers, **progress(upload, uploads.offset(upload))})
    if offset < upload.length:
        return empty_response(status, {**headers, **progress(upload, offset)})
    call.confirm()
    path_id, name = keep(
        call.organization, call.user, uploads.part(upload), upload.filename, upload.content_type
    )
    uploads.remove(upload)
    locks(call.organization).pop(upload.identity, None)
    done = {**tus_headers(), **headers, "Upload-Offset": str(offset)}
    body = {"result": "success", "msg": "", **upload_body(call, path_id, name)}
    return JSONResponse(body, 201 if status == 201 else 200, done)


def locks(organization: Organization) -> defaultdict[str, asyncio.Lock]:
    """The locks of a server, by upload id."""
    return _locks.setdefault(organization, defaultdict(asyncio.Lock))


def check_version(request: Request) -> None:
    """Raises 412 if the client uses another version of the protocol."""
    if request.headers.get("tus-resumable") != VERSION:
        raise ServiceError(
            "Unsupported version of tus", status=412, headers={**tus_headers(), "Tus-Version": VERSION}
        )


def declared_length(call: Call) -> int:
    """`Upload-Length`; raises BAD_REQUEST if it is missing or malformed, and 413 if it is above the limit."""
    text = call.request.headers.get("upload-length", "")
    if not text.isascii() or not text.isdigit() or len(text) > 15:
        raise ServiceError("Upload-Length is missing or not a number")
    limit_mib = call.organization.config.limits.max_file_upload_mib
    length = int_header(call.request, "upload-length")
    if length > limit_mib * MEBIBYTE:
        refusal = too_large(limit_mib)
        raise ServiceError(refusal.message, status=413, headers=tus_headers())
    return length


def tus_headers() -> dict[str, str]:
    """The headers of every response of this protocol."""
    return {"Tus-Resumable": VERSION}


def progress(upload: Resumable, offset: int) -> dict[str, str]:
    """Headers with the offset of an upload and the time it expires."""
    return {"Upload-Offset": str(offset), "Upload-Expires": formatdate(upload.expires, usegmt=True)}


def empty_response(status: int, headers: Mapping[str, str]) -> Response:
    """A response without a body."""
    return Response(status_code=status, headers={**tus_headers(), **headers})
