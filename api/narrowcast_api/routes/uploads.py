"""Files: uploads (UPL rows), downloads, and the list of the current user's uploads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from narrowcast_api.errors import FileTooLarge, InvalidInput, MethodNotAllowed, NotFound
from narrowcast_api.files.downloads import download_file, fetch_bytes
from narrowcast_api.files.multipart import send_multipart
from narrowcast_api.files.names import markdown_link, quoted_for_form
from narrowcast_api.files.reading import LocalFile, Progress, inspect_file
from narrowcast_api.files.tus import send_resumable
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.operations import Bound, Operations, read
from narrowcast_api.resources.attachments import delete_attachment, list_attachments
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.messages import UploadResult
from narrowcast_api.wire.vocabulary import LARGE_UPLOAD_BYTES

__all__ = ["UploadOperations", "download_file", "fetch_bytes", "markdown_link", "upload_file"]


async def upload_file(
    connection: Connection,
    *,
    path: Path,
    progress: Progress | None = None,
    resume_from: str | None = None,
    resumable: Callable[[str], None] | None = None,
) -> UploadResult:
    """POST /user_uploads, or a resumable upload at /api/v1/tus: upload one local file (UPL-01).

    `progress(sent, size)` counts bytes. From 25,000,000 bytes on, or if the server rejects a plain request as
    too large, the upload is resumable from level 296; below, one plain request is made, with a notice that it
    may time out (UPL-13, UPL-14). `resumable(address)` is called with the address of a resumable upload; pass
    it as `resume_from` to continue the upload after a restart. To cancel, cancel the task.

    The result's `url` is usually relative to the organization; `filename` is the name under which the file is
    stored, below level 285 the local one; `markdown_link(result.filename, result.url)` returns the link for a
    message. Until a message with it is sent, only the uploader can open the file. Raises InvalidInput before
    anything is sent, if the file is larger than registration allowed or uploads are disabled; FileTooLarge if
    the server rejects its size.
    """
    file = await inspect_file(path)
    limit = connection.limits.max_file_upload_size_mib
    if limit == 0:
        raise InvalidInput("File and image uploads have been disabled for this organization.")
    if limit is not None and file.size > limit * 2**20:
        raise InvalidInput(f"{file.name} is too large: the server accepts files of up to {limit} MiB")
    server = await connection.identified()
    large = file.size >= LARGE_UPLOAD_BYTES
    notices: list[str] = []
    if (large or resume_from is not None) and server.supports(Gate.RESUMABLE_UPLOAD):
        try:
            body = await send_resumable(
                connection, file, progress=progress, resume_from=resume_from, resumable=resumable
            )
            return _result(connection, file, body, notices)
        except (NotFound, MethodNotAllowed):
            notices.append("this server has no resumable uploads: sent in one request, which may time out")
    elif large:
        gate = Gate.RESUMABLE_UPLOAD
        notices.append(
            f"sent in one request, which may time out: {gate.title} need level {gate.level}, "
            f"the server has {server.level}"
        )
    refused: FileTooLarge
    try:
        return _result(connection, file, await send_multipart(connection, file, progress), notices)
    except FileTooLarge as error:
        if large or not server.supports(Gate.RESUMABLE_UPLOAD):
            raise
        refused = error
    try:
        body = await send_resumable(connection, file, progress=progress, resumable=resumable)
    except (NotFound, MethodNotAllowed):
        raise refused from None
    return _result(connection, file, body, notices)


def _result(
    connection: Connection, file: LocalFile, body: dict[str, object], notices: list[str]
) -> UploadResult:
    result = read(UploadResult, body, notices)
    escaped = quoted_for_form(file.name)  # Zulip keeps the escapes of a form
    if connection.server.supports(Gate.UPLOAD_FILENAME) and result.filename not in (None, "", escaped):
        return result
    return replace(result, filename=file.name)


class UploadOperations(Operations):
    """Files: upload, in one request or in parts, and download."""

    upload = Bound(upload_file)
    download = Bound(download_file)
    fetch = Bound(fetch_bytes)
    list = Bound(list_attachments)
    delete = Bound(delete_attachment)
