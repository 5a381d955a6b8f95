"""Resumable uploads at /api/v1/tus (UPL-14, UPL-15): tus 1.0.0 with creation, creation-with-upload,
expiration and termination. The response that completes an upload has the body of POST /user_uploads.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping
from email.utils import formatdate
from typing import Final
from weakref import WeakKeyDictionary

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from narrowcast_api.wire.levels import Gate
from narrowcast_server.http.routing import Call, Routes
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.organization import Organization
from narrowcast_server.resources.uploads.operations import upload_body
from narrowcast_server.resources.uploads.resumable import PartialUpload, Resumable, parse_metadata, unfinished
from narrowcast_server.uploads.receiving import MEBIBYTE, int_header, keep, too_large

routes = Routes()

VERSION: Final = "1.0.0"
EXTENSIONS: Final = "creation,creation-with-upload,expiration,termination"
PART_TYPE: Final = "application/offset+octet-stream"
PATH: Final = "/api/v1/tus"

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
