"""Byte ranges of files (RFC 9110): malformed ranges are ignored, unsatisfiable ones get a 416."""

from __future__ import annotations

import json
import re
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import FileResponse, Response
from starlette.types import Receive, Scope, Send

from narrowcast_server.organization.errors import ServiceError

_RANGES: Final = re.compile(r"bytes=[ \t]*(?P<set>[0-9, \t-]+)", re.IGNORECASE)
_RANGE: Final = re.compile(r"(?P<first>[0-9]{1,18})-(?P<last>[0-9]{0,18})|-(?P<suffix>[0-9]{1,18})")


def satisfiable(header: str, size: int) -> str | None:
    """The satisfiable ranges of a header for a file of `size` bytes, as a header of the same form.

    None if the header is not a valid set of ranges; empty if none of its ranges is satisfiable.
    """
    header_match = _RANGES.fullmatch(header.strip())
    if header_match is None:
        return None
    kept: list[str] = []
    any_satisfiable = False
    for part in header_match["set"].split(","):
        text = part.strip()
        if not text:
            continue
        match = _RANGE.fullmatch(text)
        if match is None or (match["last"] and int(match["first"]) > int(match["last"])):
            return None
        any_satisfiable = True
        if int(match["first"]) < size if match["first"] else size > 0 and int(match["suffix"]) > 0:
            kept.append(text)
    if not any_satisfiable:
        return None
    return f"bytes={','.join(kept)}" if kept else ""


class RangedFile(FileResponse):
    """A file response whose size is known when it is created."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends the file, or the requested parts that exist."""
        header = Headers(scope=scope).get("range")
        if header is None or not self._matches_if_range(scope):
            await super().__call__(scope, receive, send)
            return
        size = int(self.headers["content-length"])
        ranges = satisfiable(header, size)
        if ranges == "":
            await unsatisfiable(size)(scope, receive, send)
            return
        asked = MutableHeaders(raw=list(scope["headers"]))
        del asked["range"]
        if ranges is not None:
            asked["range"] = ranges
        await super().__call__({**scope, "headers": asked.raw}, receive, send)

    def _matches_if_range(self, scope: Scope) -> bool:
        """Whether the client's ranges refer to this version of the file, according to If-Range; true without
        that header.
        """
        version = Headers(scope=scope).get("if-range")
        return version is None or version in (self.headers["etag"], self.headers["last-modified"])


def unsatisfiable(size: int) -> Response:
    """The error response for ranges beyond the end."""
    error = ServiceError("The file has no such range", status=416)
    return Response(
        json.dumps(error.body()),
        error.status,
        headers={"Content-Range": f"bytes */{size}"},
        media_type="application/json",
    )
