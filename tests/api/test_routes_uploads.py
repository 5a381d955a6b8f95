"""How a file is uploaded, and what its link is."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import httpx2
import pytest

from narrowcast_api.errors import BadRequest, FileTooLarge, InvalidInput, OutcomeUnknown
from narrowcast_api.http.connection import Connection
from narrowcast_api.routes.uploads import markdown_link, upload_file
from narrowcast_api.server_info import RequestLimits, ServerInfo
from support.api import ACCOUNT, at_levels, boundary_levels, scripted_client
from support.ledger import proves
from support.uploads import TusServer

PATH = "/api/v1/user_uploads"
LARGE = 25_000_000
RESPONSE: dict[str, object] = {
    "url": "/user_uploads/1/ab/a-1.txt",
    "uri": "/user_uploads/old",
    "filename": "a [1].txt",
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / 'local "ö".txt'
    path.write_bytes(b"hello\r\n--upload")
    return path


def sparse(tmp_path: Path, size: int) -> Path:
    path = tmp_path / "large.bin"
    with path.open("wb") as out:
        out.truncate(size)
    return path


@proves("CONV-05", "UPL-01", "UPL-02", "UPL-16")
async def test_a_file_is_the_only_part_of_a_multipart_form(file: Path) -> None:
    seen: list[tuple[int, int]] = []
    async with scripted_client() as (client, transport):
        transport.prepare("POST", PATH, json=RESPONSE)
        result = await client.uploads.upload(path=file, progress=lambda *step: seen.append(step))
        sent = transport.last
    kind = sent.headers["content-type"]
    boundary = re.fullmatch(r"multipart/form-data; boundary=(\S+)", kind)
    assert boundary is not None
    mark = boundary.group(1).encode()
    head, _, rest = sent.body.partition(b"\r\n\r\n")
    assert head == (
        b"--" + mark + b"\r\n"
        b'Content-Disposition: form-data; name="file"; filename="local %22\xc3\xb6%22.txt"\r\n'
        b"Content-Type: text/plain"
    )
    assert rest == b"hello\r\n--upload\r\n--" + mark + b"--\r\n"
    assert sent.headers["content-length"] == str(len(sent.body))
    assert "transfer-encoding" not in sent.headers
    assert seen == [(15, 15)]
    assert (result.url, result.filename) == ("/user_uploads/1/ab/a-1.txt", "a [1].txt")
    assert markdown_link(result.filename or "", result.url) == "[a 1.txt](/user_uploads/1/ab/a-1.txt)"


async def test_a_name_that_the_server_kept_escaped_is_the_local_one(file: Path) -> None:
    async with scripted_client() as (client, transport):
        name = file.name.replace('"', "%22")
        transport.prepare("POST", PATH, json={**RESPONSE, "filename": name})
        assert (await client.uploads.upload(path=file)).filename == file.name


@proves("UPL-03", "UPL-04", "UPL-05", "UPL-06", "UPL-07")
async def test_the_result_is_read_as_each_level_gives_it(file: Path) -> None:
    async with scripted_client() as (client, transport):
        for level in at_levels(client, boundary_levels()):
            response = dict(RESPONSE)
            if level < 272:
                del response["url"]
            if level < 285:
                del response["filename"]
            transport.prepare("POST", PATH, json=response)
            result = await client.uploads.upload(path=file)
            assert result.url == ("/user_uploads/1/ab/a-1.txt" if level >= 272 else "/user_uploads/old")
            assert result.filename == ("a [1].txt" if level >= 285 else file.name)


@proves("UPL-12")
async def test_a_file_over_the_limit_is_refused_before_a_byte_is_sent(tmp_path: Path) -> None:
    async with scripted_client(limits=RequestLimits(max_file_upload_size_mib=1)) as (client, transport):
        with pytest.raises(InvalidInput, match="up to 1 MiB"):
            await client.uploads.upload(path=sparse(tmp_path, 2**20 + 1))
        transport.prepare("POST", PATH, json=RESPONSE)
        await client.uploads.upload(path=sparse(tmp_path, 2**20))


async def test_no_file_is_sent_where_the_server_takes_none(tmp_path: Path) -> None:
    limits = RequestLimits.from_response({"max_file_upload_size_mib": 0})
    async with scripted_client(limits=limits) as (client, _):
        with pytest.raises(InvalidInput, match="uploads have been disabled"):
            await client.uploads.upload(path=sparse(tmp_path, 0))


@proves("UPL-13", "UPL-14")
async def test_large_files_are_resumable_from_296(tmp_path: Path) -> None:
    for level, size, resumable in (
        (296, LARGE, True),
        (296, LARGE - 1, False),
        (295, LARGE, False),
        (442, LARGE, True),
    ):
        path = sparse(tmp_path, size)
        async with scripted_client(level) as (client, transport):
            if resumable:
                server = TusServer(faults=["ok", 12345])
                async with Connection(
                    ACCOUNT, transport=server, server=ServerInfo(level=level, known=True)
                ) as connection:
                    result = await upload_file(connection, path=path)
                assert len(server.content) == size
                assert result.url == "/user_uploads/1/ab/x.bin"
                assert not result.notices
            else:
                transport.prepare("POST", PATH, json=RESPONSE)
                result = await client.uploads.upload(path=path)
                assert bool(result.notices) is (size >= LARGE)
                assert not result.notices or "may time out" in result.notices[0]


async def test_a_server_without_the_endpoint_gets_one_request_and_a_notice(tmp_path: Path) -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("POST", "/api/v1/tus", status=404, content=b"<html>")
        transport.prepare("POST", PATH, json=RESPONSE)
        result = await client.uploads.upload(path=sparse(tmp_path, LARGE))
        assert "no resumable uploads" in result.notices[0]


async def test_a_file_that_the_server_calls_too_large_goes_the_other_way(file: Path) -> None:
    html = b"<html>413 Request Entity Too Large</html>"
    async with scripted_client() as (client, transport):
        transport.prepare("POST", PATH, status=413, content=html)
        transport.prepare(
            "POST", "/api/v1/tus", status=201, headers={"location": "/api/v1/tus/1"}, content=b""
        )
        transport.prepare(
            "PATCH",
            "/api/v1/tus/1",
            content=b'{"url": "/user_uploads/1/x", "filename": "x"}',
            headers={"upload-offset": "15"},
        )
        assert (await client.uploads.upload(path=file)).url == "/user_uploads/1/x"
        transport.prepare("POST", PATH, status=413, content=html)
        transport.prepare("POST", "/api/v1/tus", status=404, content=html)
        with pytest.raises(FileTooLarge):
            await client.uploads.upload(path=file)
        for _ in at_levels(client, [295]):
            transport.prepare("POST", PATH, status=413, content=html)
            with pytest.raises(FileTooLarge) as caught:
                await client.uploads.upload(path=file)
            assert "larger than the server accepts" in caught.value.user_message


@pytest.mark.parametrize("name", ["nosuch.txt", "folder", "bad\0name"])
async def test_an_unreadable_file_is_rejected_before_sending(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    async with scripted_client() as (client, transport):
        with pytest.raises(InvalidInput):
            await client.uploads.upload(path=tmp_path / name)
        assert not transport.requests


async def test_errors_of_the_server_and_of_the_line_are_typed(file: Path) -> None:
    async with scripted_client() as (client, transport):
        transport.prepare_error("POST", PATH, code="BAD_REQUEST", msg="You must specify a file to upload")
        with pytest.raises(BadRequest):
            await client.uploads.upload(path=file)
        transport.prepare("POST", PATH, error=httpx2.WriteError("cut"))
        with pytest.raises(OutcomeUnknown):
            await client.uploads.upload(path=file)


async def test_an_upload_is_cancelled_with_its_task(file: Path) -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("POST", PATH, json=RESPONSE, gate=asyncio.Event())
        task = asyncio.create_task(client.uploads.upload(path=file))
        while transport.pending:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


async def test_the_users_own_files_are_listed_and_deleted() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("GET", "/api/v1/attachments", json={"attachments": [], "upload_space_used": 5})
        assert (await client.uploads.list()).upload_space_used == 5
        transport.prepare("DELETE", "/api/v1/attachments/7")
        await client.uploads.delete(attachment_id=7)
