"""Uploads one file in one request: POST /user_uploads (UPL-01, UPL-02, CONV-05)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from secrets import token_hex

from narrowcast_api.files.names import quoted_for_form
from narrowcast_api.files.reading import LocalFile, Progress, read_part
from narrowcast_api.http.connection import Connection

_STEP_SECONDS = 180.0
"""Long, because the server may copy the file to another storage before it responds."""


async def send_multipart(
    connection: Connection, file: LocalFile, progress: Progress | None
) -> dict[str, object]:
    """Streams the file as the only part of a form, in a field named 'file' (UPL-16); returns the response's object."""
    boundary = token_hex(16)
    name = quoted_for_form(file.name)
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
        f"Content-Type: {file.content_type}\r\n\r\n"
    ).encode()
    tail = f"\r\n--{boundary}--\r\n".encode()

    async def body(content: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        yield head
        async for chunk in content:
            yield chunk
        yield tail

    headers = {
        "Content-Type": f"multipart/form-data; boundary={boundary}",
        "Content-Length": str(len(head) + file.size + len(tail)),
    }
    url = connection.url("/user_uploads")
    # Closed here, because an interrupted request does not close its body, which keeps the file open.
    async with (
        aclosing(read_part(file, 0, file.size, progress)) as content,
        connection.stream(
            "POST", url, headers=headers, content=body(content), timeout=_STEP_SECONDS
        ) as response,
    ):
        return await connection.finish(response)
