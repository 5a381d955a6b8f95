"""Byte ranges of files as RFC 9110 has them: what is no range is ignored, what lies outside is answered 416."""

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
    """The ranges of a header that a file of `size` bytes has, as such a header.

    None for a header that is no set of ranges; empty when there are ranges and the file has none of them.
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
    """A file whose size is known when the answer is made."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends the file, or the parts of it that were asked for and exist."""
        header = Headers(scope=scope).get("range")
        if header is None or not self._still_the_same(scope):
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

    def _still_the_same(self, scope: Scope) -> bool:
        """Whether the client's ranges are of this version of the file, as far as it says so."""
        version = Headers(scope=scope).get("if-range")
        return version is None or version in (self.headers["etag"], self.headers["last-modified"])


def unsatisfiable(size: int) -> Response:
    """The refusal of ranges beyond the end."""
    error = ServiceError("The file has no such range", status=416)
    return Response(
        json.dumps(error.body()),
        error.status,
        headers={"Content-Range": f"bytes */{size}"},
        media_type="application/json",
    )
