"""One request to a server and its response, independent of how they are transported."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple

FileParts = Mapping[str, tuple[str, bytes, str]]
"""Small files of a multipart form: field -> (file name, content, content type)."""


class PreparedRequest(NamedTuple):
    """A request ready to be sent: `path` is below /api/v1, `fields` are encoded (`encoding`)."""

    method: str
    path: str
    fields: Mapping[str, str]
    files: FileParts | None
    authenticated: bool
    timeout: float | None
    """Seconds for the whole request; the connection itself enforces it."""
    max_bytes: int

    def __repr__(self) -> str:
        """Without the fields, which may contain a password."""
        return f"<PreparedRequest {self.method} {self.path}>"


class RawResponse(NamedTuple):
    """The response before it is interpreted; `raw` is already decoded."""

    status: int
    headers: Mapping[str, str]
    raw: bytes

    def __repr__(self) -> str:
        """Without the body, which may contain a key."""
        return f"<RawResponse {self.status}>"


Exchange = Callable[[PreparedRequest], Awaitable[RawResponse]]
"""Raises httpx2.HTTPError if the network fails."""
