"""POST /user_uploads (UPL rows), the uploaded files, and the list of the caller's own uploads."""

from __future__ import annotations

from starlette.responses import Response

from narrowcast_api.wire.levels import Gate
from narrowcast_server.http import auth
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.errors import not_for_webhooks, unauthorized
from narrowcast_server.organization.models import User
from narrowcast_server.rules.uploads import may_open
from narrowcast_server.storage.store import Row
from narrowcast_server.uploads.attachments import attachments_of, remove_attachment, space_used
from narrowcast_server.uploads.receiving import (
    MEBIBYTE,
    copied,
    int_header,
    keep,
    room_reserved,
    single_file,
)
from narrowcast_server.uploads.serving import (
    attachment_row,
    forbidden_file,
    row_of_token,
    temporary_path,
    upload_response,
)

routes = Routes()


@routes.add("POST", "/user_uploads", streaming=True)
async def upload_file(call: Call) -> ResponseBody:
    """Stores the one file of a form. Only its uploader can open it until a message links to it."""
    limit = call.organization.config.limits.max_file_upload_mib
    length = int_header(call.request, "content-length") or limit * MEBIBYTE
    none, several = "You must specify a file to upload", "You may only upload one file at a time"
    with room_reserved(call.organization, call.user, length):
        async with (
            single_file(call.request, limit, none, several) as upload,
            copied(call.organization, upload) as partial,
        ):
            call.confirm()
            path_id, name = keep(
                call.organization, call.user, partial, upload.filename or "", upload.content_type or ""
            )
    return upload_body(call, path_id, name)


def upload_body(call: Call, path_id: str, name: str) -> ResponseBody:
    """The response for an upload: `uri`, also `url` from level 272 and `filename` from 285 (UPL-03..07)."""
    url = f"/user_uploads/{path_id}"
    body: ResponseBody = {"uri": url}
    if call.level >= Gate.UPLOAD_URL.level:
        body["url"] = url
    if call.level >= Gate.UPLOAD_FILENAME.level:
        body["filename"] = name
    return body


@routes.get("/user_uploads/{path_id:path}")
def temporary_url(call: Call) -> ResponseBody:
    """A URL that opens a file without credentials for a minute."""
    return {"url": temporary_path(call.organization, openable_upload(call, call.user))}


@routes.add("GET", "/user_uploads/temporary/{token}/{filename}", absolute=True, public=True)
def open_temporary(call: Call) -> Response:
    """Serves a file by its temporary URL."""
    row = row_of_token(call.organization, call.path["token"])
    return upload_response(call.organization, row, private=True)


@routes.add(
    "GET", "/user_uploads/thumbnail/{path_id:path}", absolute=True, public=True, accepts_anything=True
)
def open_thumbnail(call: Call) -> Response:
    """Serves the thumbnail of an image: the original, since this server does not scale images."""
    path_id = call.path["path_id"].rpartition("/")[0]
    return serve_upload(call, path_id)


@routes.add("GET", "/user_uploads/{path_id:path}", absolute=True, public=True, accepts_anything=True)
def open_file(call: Call) -> Response:
    """Serves a file, with range requests, to users who may open it."""
    return serve_upload(call, call.path["path_id"])


@routes.add("GET", "/user_uploads/download/{path_id:path}", absolute=True, public=True, accepts_anything=True)
def download_file(call: Call) -> Response:
    """Serves a file as a download."""
    return serve_upload(call, call.path["path_id"], download=True)


def serve_upload(call: Call, path_id: str, *, download: bool = False) -> Response:
    """The response with an upload's bytes; raises ServiceError if the caller may not open it."""
    row = attachment_row(call.organization, path_id)
    user = optional_caller(call)
    if not may_open(call.organization, user, row):
        raise forbidden_file() if user is not None else unauthorized("Not logged in")
    return upload_response(call.organization, row, private=True, download=download)


def openable_upload(call: Call, user: User) -> Row:
    """The upload in the path; raises ServiceError if the user may not open it."""
    row = attachment_row(call.organization, call.path["path_id"])
    if not may_open(call.organization, user, row):
        raise forbidden_file()
    return row


def optional_caller(call: Call) -> User | None:
    """The caller by credentials, or by `api_key` for clients that can only open URLs; None without either."""
    header = call.request.headers.get("authorization")
    key = call.fields.get("api_key")
    if not header and key is None:
        return None
    user = (
        auth.caller(call.organization, header) if header else auth.caller_by_key(call.organization, key or "")
    )
    if user.is_webhook:
        raise not_for_webhooks()
    return user


@routes.get("/attachments")
def list_attachments(call: Call) -> ResponseBody:
    """The caller's own uploads and the messages that link to them."""
    return {
        "attachments": attachments_of(call.organization, call.user),
        "upload_space_used": space_used(call.organization),
    }


@routes.delete("/attachments/{attachment_id}")
def delete_attachment(call: Call) -> ResponseBody:
    """Deletes an own upload and its file."""
    remove_attachment(call.organization, call.user, call.path_id("attachment_id"))
    return {}
