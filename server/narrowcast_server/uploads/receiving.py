"""Writes files from request bodies to disk, within the size limit, whatever length the request claims."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from anyio import to_thread
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException
from starlette.requests import Request
from starlette.types import Message

from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import User
from narrowcast_server.rules.quotas import check_bytes, check_disk, check_room
from narrowcast_server.uploads.attachments import add_attachment
from narrowcast_server.uploads.files import Folder, flush, kind_of, stored_name

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

MEBIBYTE: Final = 1 << 20
_ROOM_FOR_FORM: Final = 64 * 1024
_MAX_FIELDS: Final = 20
_MAX_FILES: Final = 4


def too_large(limit_mib: int) -> ServiceError:
    """The error for a file beyond the limit (UPL-12)."""
    return ServiceError(f"File is larger than the configured maximum upload size of {limit_mib} MiB.")


@asynccontextmanager
async def single_file(request: Request, limit_mib: int, none: str, several: str) -> AsyncIterator[UploadFile]:
    """The only file of a multipart request, in any field (UPL-16); `none` and `several` are the error
    messages otherwise.
    """
    async with file_and_fields(request, limit_mib, none, several) as (upload, _):
        yield upload


@asynccontextmanager
async def file_and_fields(
    request: Request, limit_mib: int, none: str, several: str
) -> AsyncIterator[tuple[UploadFile, dict[str, str]]]:
    """The only file of a multipart request and the other fields of the form; errors as for `single_file`."""
    if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        raise ServiceError(none)
    limit = limit_mib * MEBIBYTE + _ROOM_FOR_FORM
    if int_header(request, "content-length") > limit:
        raise too_large(limit_mib)
    bounded = Request(request.scope, counted(request, limit, limit_mib))
    try:
        form = await bounded.form(max_files=_MAX_FILES, max_fields=_MAX_FIELDS)
    except MultiPartException as error:
        raise ServiceError(several if "files" in error.message else "The form is malformed") from error
    try:
        files = [value for _, value in form.multi_items() if isinstance(value, UploadFile)]
        if not files:
            raise ServiceError(none)
        if len(files) > 1:
            raise ServiceError(several)
        if (files[0].size or 0) > limit_mib * MEBIBYTE:
            raise too_large(limit_mib)
        yield files[0], {name: value for name, value in form.multi_items() if isinstance(value, str)}
    finally:
        await form.close()


def int_header(request: Request, name: str) -> int:
    """A header as a number; 0 if it is not one."""
    text = request.headers.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else 0


class counted:  # noqa: N801  a function with memory
    """The body of a request; raises an error once it is longer than the limit."""

    def __init__(self, request: Request, limit: int, limit_mib: int) -> None:
        self._receive = request.receive
        self._left = limit
        self._limit_mib = limit_mib

    async def __call__(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise too_large(self._limit_mib)
        return message


@asynccontextmanager
async def copied(organization: Organization, upload: UploadFile) -> AsyncIterator[Path]:
    """A copy of a form's file on disk, flushed; deleted at the end unless it was kept."""
    partial = Folder(organization).partial()
    try:
        await to_thread.run_sync(copy_to, upload, partial)
        # Flushed first in a thread, so that the later flush on the event loop is fast.
        await to_thread.run_sync(flush, partial)
        yield partial
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def room_reserved(organization: Organization, user: User, size: int) -> Iterator[None]:
    """Reserves room for a form that is being received; raises BAD_REQUEST as `check_upload`, counting all such
    forms of the user for the quota, and everybody's for the free disk space.
    """
    check_upload(organization, user, size + organization.arriving_bytes[user.id])
    check_disk(organization, size + organization.arriving_bytes.total())
    organization.arriving_bytes[user.id] += size
    try:
        yield
    finally:
        organization.arriving_bytes[user.id] -= size


def check_upload(organization: Organization, user: User, size: int) -> None:
    """Raises BAD_REQUEST if a file exceeds the quota of the user or the organization, or the free disk space."""
    check_room(organization, user, "attachments")
    check_bytes(organization, user, size)
    check_disk(organization, size)


def copy_to(upload: UploadFile, target: Path) -> None:
    """Copies the bytes of a form's file to `target`."""
    upload.file.seek(0)
    with target.open("wb") as file:
        shutil.copyfileobj(upload.file, file, MEBIBYTE)


def keep(
    organization: Organization, user: User, partial: Path, filename: str, claimed_type: str
) -> tuple[str, str]:
    """Makes a finished file on disk an upload of the user; returns its path id and its name."""
    folder = Folder(organization)
    name = stored_name(filename)
    path_id = folder.new_path_id(name)
    with partial.open("rb") as content:
        kind = kind_of(name, claimed_type, content)
    size = partial.stat().st_size
    check_upload(organization, user, size)
    folder.take(partial, path_id)
    try:
        with organization.transaction():
            add_attachment(organization, user, path_id, name, size, kind)
    except BaseException:  # nothing names the file unless the transaction is committed
        folder.remove(path_id)
        raise
    return path_id, name


def place_file(organization: Organization, user: User, filename: str, content: bytes) -> str:
    """Stores bytes as an upload of the user, inside the caller's transaction; returns its path id."""
    folder = Folder(organization)
    partial = folder.partial()
    partial.write_bytes(content)
    name = stored_name(filename)
    path_id = folder.new_path_id(name)
    with partial.open("rb") as file:
        kind = kind_of(name, "", file)
    folder.take(partial, path_id)
    add_attachment(organization, user, path_id, name, len(content), kind)
    return path_id
