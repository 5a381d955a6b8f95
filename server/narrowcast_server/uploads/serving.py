"""Serves files: safe media types, ranges, and temporary addresses that open a file without credentials."""

from __future__ import annotations

import hashlib
import hmac
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from starlette.responses import Response

from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.storage.store import Row
from narrowcast_server.uploads.attachments import row_by_path
from narrowcast_server.uploads.files import INLINE_TYPES, Folder
from narrowcast_server.uploads.ranges import RangedFile

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

TEMPORARY_SECONDS: Final = 60
_SAFETY: Final = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; sandbox",
    "Referrer-Policy": "no-referrer",
}


def missing_file() -> ServiceError:
    """The file does not exist, or no longer does."""
    return ServiceError("This file does not exist or has been deleted.", status=404)


def forbidden_file() -> ServiceError:
    """A file of another user that was not shared with the caller (UPL-08)."""
    return ServiceError("You are not authorized to view this file.", status=403)


def attachment_row(organization: Organization, path_id: str) -> Row:
    """The upload with a path id; raises 404."""
    row = row_by_path(organization, path_id)
    if row is None:
        raise missing_file()
    return row


def upload_response(
    organization: Organization, row: Row, *, private: bool, download: bool = False
) -> Response:
    """The response with an upload's bytes, supporting ranges; displayed inline only if that is safe."""
    path = Folder(organization).file(row["path_id"])
    if path is None:
        raise missing_file()
    return file_response(path, row["content_type"], row["name"], private=private, download=download)


def file_response(
    path: Path, media_type: str, name: str, *, private: bool, download: bool = False
) -> Response:
    """The response with a file and headers that keep browsers from running it; raises 404 if it is missing."""
    try:
        status = path.stat()
    except OSError as error:
        raise missing_file() from error
    if not stat.S_ISREG(status.st_mode):
        raise missing_file()
    inline = media_type in INLINE_TYPES and not download
    caching = "private, max-age=86400" if private else "public, max-age=86400"
    return RangedFile(
        path,
        stat_result=status,
        media_type=media_type,
        filename=name,
        content_disposition_type="inline" if inline else "attachment",
        headers={**_SAFETY, "Cache-Control": f"{caching}, immutable"},
    )


def temporary_path(organization: Organization, row: Row) -> str:
    """An address that opens an upload for a minute, for programs that cannot send credentials."""
    expiry = int(organization.clock.now()) + TEMPORARY_SECONDS
    text = f"{row['path_id']}:{expiry}"
    token = f"{text}:{signature(organization, text)}".encode().hex().upper()
    name = str(row["path_id"]).rpartition("/")[2]
    return f"/user_uploads/temporary/{token}/{quote(name)}"


def signature(organization: Organization, text: str) -> str:
    """An HMAC of the text with this server's secret."""
    return hmac.new(Folder(organization).secret(), text.encode(), hashlib.sha256).hexdigest()


def row_of_token(organization: Organization, token: str) -> Row:
    """The upload for a temporary address; raises BAD_REQUEST for a forged or expired one."""
    try:
        text, _, signed = bytes.fromhex(token).decode().rpartition(":")
        path_id, _, expiry = text.rpartition(":")
        valid = hmac.compare_digest(signature(organization, text).encode(), signed.encode())
        valid = valid and int(expiry) >= organization.clock.now()
    except ValueError:
        valid = False
    if not valid:
        raise ServiceError("Invalid token")
    return attachment_row(organization, path_id)
