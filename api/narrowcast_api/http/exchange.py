"""One question to a server and its answer, whatever carries them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple

FileParts = Mapping[str, tuple[str, bytes, str]]
"""Small files of a multipart form: field -> (file name, content, content type)."""


class Question(NamedTuple):
    """A request that is about to leave: `path` is below /api/v1, `fields` are encoded (`encoding`)."""

    method: str
    path: str
    fields: Mapping[str, str]
    files: FileParts | None
    authenticated: bool
    timeout: float | None
    """Seconds for the whole; the connection itself ends what takes longer."""
    max_bytes: int

    def __repr__(self) -> str:
        """Without the fields: a password may be among them."""
        return f"<Question {self.method} {self.path}>"


class Answer(NamedTuple):
    """What came back, not interpreted yet; `raw` is decoded as its headers say."""

    status: int
    headers: Mapping[str, str]
    raw: bytes

    def __repr__(self) -> str:
        """Without the body: a key may be in it."""
        return f"<Answer {self.status}>"


Exchange = Callable[[Question], Awaitable[Answer]]
"""Raises httpx.HTTPError where the network fails."""
