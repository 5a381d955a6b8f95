"""Files against the embedded server, over real sockets."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from narrowcast_api.client import Client
from narrowcast_api.errors import NarrowcastError
from narrowcast_api.files.reading import inspect_file
from narrowcast_api.routes.uploads import markdown_link
from narrowcast_api.wire.vocabulary import LARGE_UPLOAD_BYTES
from support.server import running_server


async def test_a_file_goes_up_and_comes_down_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "b[1] ö.txt"
    path.write_bytes(os.urandom(70_000))
    folder = tmp_path / "down"
    folder.mkdir()
    async with running_server(tmp_path / "data") as server, Client.open(server.account("ada")) as client:
        await client.registration.register(fetch_event_types=["realm"])
        result = await client.uploads.upload(path=path)
        got = await client.uploads.download(url=result.url, folder=folder)
        assert got.path.read_bytes() == path.read_bytes()
        assert result.filename is not None
        assert markdown_link(result.filename, result.url).startswith("[b1 ")
        seen: list[tuple[int, int | None]] = []
        content = await client.uploads.fetch(
            url=result.url, max_bytes=10**6, progress=lambda *so_far: seen.append(so_far)
        )
        assert content == path.read_bytes()
        assert seen[-1] == (len(content), len(content))
        listed = await client.uploads.list()
        assert len(listed.attachments) == 1
        async with Client.open(server.account("bruno")) as other:
            with pytest.raises(NarrowcastError):
                await other.uploads.download(url=result.url, folder=folder)
        async with Client.open(server.url) as nobody:
            with pytest.raises(NarrowcastError):
                await nobody.uploads.download(url=result.url, folder=folder)
        await client.uploads.delete(attachment_id=listed.attachments[0].id)
    assert len(list(folder.iterdir())) == 1


async def test_a_name_of_two_lines_goes_up_as_one(tmp_path: Path) -> None:
    (tmp_path / "two\nlines.txt").write_text("x")
    assert (await inspect_file(tmp_path / "two\nlines.txt")).name == "two lines.txt"


async def test_a_large_file_goes_up_resumably(tmp_path: Path) -> None:
    path = tmp_path / "large.bin"
    with path.open("wb") as out:
        out.write(b"begin")
        out.truncate(LARGE_UPLOAD_BYTES)
        out.seek(LARGE_UPLOAD_BYTES - 3)
        out.write(b"end")
    addresses: list[str] = []
    async with running_server(tmp_path / "data") as server, Client.open(server.account("ada")) as client:
        result = await client.uploads.upload(path=path, resumable=addresses.append)
        assert addresses
        assert not result.notices
        got = await client.uploads.download(url=result.url, folder=tmp_path, name="back.bin")
    assert got.size == LARGE_UPLOAD_BYTES
    assert got.path.read_bytes() == path.read_bytes()
