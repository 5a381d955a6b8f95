"""A request whose body arrives late has no rights that its sender has lost meanwhile; its file takes room at once."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx2
import pytest
from starlette.datastructures import UploadFile

from narrowcast_api.wire.vocabulary import Role
from narrowcast_server.uploads import receiving
from support.server import TestServer, limited
from support.sessions import until
from support.uploads import header, png

FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data; boundary=b"
PICTURE = png(header())


def part(name: str, content: bytes) -> bytes:
    """A form with one field or file, as multipart/form-data."""
    file = b"" if name == "a" else b'; filename="a.png"\r\nContent-Type: image/png'
    head = b'--b\r\nContent-Disposition: form-data; name="' + name.encode() + b'"' + file
    return head + b"\r\n\r\n" + content + b"\r\n--b--\r\n"


@asynccontextmanager
async def held(
    server: TestServer,
    name: str,
    method: str,
    path: str,
    body: bytes,
    kind: str = FORM,
    *,
    chunked: bool = False,
    headers: Mapping[str, str] | None = None,
) -> AsyncIterator[Callable[[], Awaitable[httpx2.Response]]]:
    """A request whose caller has been authenticated and whose last byte is missing; what it yields sends that
    byte and returns the response.
    """
    complete = asyncio.Event()

    async def content() -> AsyncIterator[bytes]:
        yield body[:-1]
        await complete.wait()
        yield body[-1:]

    server.organization.callers.clear()
    length = {} if chunked else {"Content-Length": str(len(body))}
    options: dict[str, Any] = {
        "content": content(),
        "headers": {"Content-Type": kind, **length, **(headers or {})},
    }
    request = asyncio.create_task(server.raw(name, method, path, **options))
    await until(lambda: server.id(name) in server.organization.callers, what="the caller is authenticated")

    async def finish() -> httpx2.Response:
        complete.set()
        return await request

    yield finish
    complete.set()
    await asyncio.gather(request, return_exceptions=True)


async def deactivate(server: TestServer, name: str) -> None:
    await server.call("ada", "DELETE", f"/users/{server.id(name)}")


@pytest.mark.parametrize(
    ("kind", "body"), [(FORM, b"a=b"), (MULTIPART, part("a", b"b"))], ids=["form", "multipart"]
)
async def test_a_replaced_key_does_not_replace_the_new_one(
    server: TestServer, kind: str, body: bytes
) -> None:
    async with held(server, "dario", "POST", "/users/me/api_key/regenerate", body, kind) as finish:
        new = (await server.call("dario", "POST", "/users/me/api_key/regenerate"))["api_key"]
        assert (await finish()).status_code == 401
    assert server.user("dario").api_key == new


async def test_a_deactivated_user_sends_nothing(server: TestServer) -> None:
    message = {"type": "channel", "to": server.channel("general"), "topic": "t", "content": "too late"}
    async with held(server, "elif", "POST", "/messages", urlencode(message).encode()) as finish:
        await deactivate(server, "elif")
        assert (await finish()).status_code == 401
    assert "too late" not in str(await server.newest("ada"))


async def test_a_demoted_administrator_does_not_promote_themselves(server: TestServer) -> None:
    path = f"/users/{server.id('bruno')}"
    async with held(server, "bruno", "PATCH", path, b"role=200") as finish:
        await server.call("ada", "PATCH", path, {"role": int(Role.MEMBER)})
        assert (await finish()).status_code == 400
    assert server.user("bruno").role is Role.MEMBER


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/user_uploads", "elif"),
        ("/users/me/avatar", "elif"),
        ("/realm/emoji/late", "elif"),
        ("/realm/icon", "bruno"),
    ],
)
async def test_a_deactivated_user_uploads_nothing(server: TestServer, path: str, name: str) -> None:
    body = part("file", PICTURE)
    async with held(server, name, "POST", path, body, MULTIPART) as finish:
        await deactivate(server, name)
        assert (await finish()).status_code == 401


async def test_a_user_who_is_deactivated_while_a_file_is_copied_uploads_nothing(
    server: TestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, finish, copy_to = threading.Event(), threading.Event(), receiving.copy_to

    def slow(upload: UploadFile, target: Path) -> None:
        begun.set()
        finish.wait(30)
        copy_to(upload, target)

    monkeypatch.setattr(receiving, "copy_to", slow)
    form: dict[str, Any] = {"content": part("file", PICTURE), "headers": {"Content-Type": MULTIPART}}
    request = asyncio.create_task(server.raw("elif", "POST", "/user_uploads", **form))
    await until(begun.is_set, what="the file is being copied")
    await deactivate(server, "elif")
    finish.set()
    assert (await request).status_code == 401
    assert server.organization.store.integer("SELECT count(*) FROM attachments") == 0


async def test_files_that_are_still_arriving_count_for_the_quota(server: TestServer) -> None:
    server.organization.config = limited(upload_mib_a_person=1)
    body = part("file", b"x" * 600_000)
    whole: dict[str, Any] = {"content": body, "headers": {"Content-Type": MULTIPART}}
    async with held(server, "hugo", "POST", "/user_uploads", body, MULTIPART) as finish:
        refused = await server.raw("hugo", "POST", "/user_uploads", **whole)
        assert refused.json()["code"] == "REALM_UPLOAD_QUOTA"
        assert (await server.raw("dario", "POST", "/user_uploads", **whole)).status_code == 200
        assert (await finish()).status_code == 200
    (mine,) = (await server.call("hugo", "GET", "/attachments"))["attachments"]
    await server.call("hugo", "DELETE", f"/attachments/{mine['id']}")
    assert (await server.raw("hugo", "POST", "/user_uploads", **whole)).status_code == 200


async def test_an_arriving_file_of_unknown_length_counts_as_the_largest_allowed(server: TestServer) -> None:
    server.organization.config = limited(upload_mib_a_person=150)
    body = part("file", b"x")

    async def in_chunks() -> AsyncIterator[bytes]:
        yield body

    second: dict[str, Any] = {"content": in_chunks(), "headers": {"Content-Type": MULTIPART}}
    async with held(server, "hugo", "POST", "/user_uploads", body, MULTIPART, chunked=True) as finish:
        refused = await server.raw("hugo", "POST", "/user_uploads", **second)
        assert refused.json()["code"] == "REALM_UPLOAD_QUOTA"
        assert (await finish()).status_code == 200


async def test_a_deactivated_user_completes_no_resumable_upload(server: TestServer) -> None:
    tus = {"Tus-Resumable": "1.0.0", "Upload-Length": "5"}
    kind = "application/offset+octet-stream"
    async with held(server, "elif", "POST", "/tus", b"12345", kind, headers=tus) as finish:
        await deactivate(server, "elif")
        assert (await finish()).status_code == 401
    assert server.organization.store.integer("SELECT count(*) FROM attachments") == 0


async def test_a_resumable_upload_that_is_removed_stores_no_further_bytes(server: TestServer) -> None:
    tus = {"Tus-Resumable": "1.0.0"}
    created = await server.raw("elif", "POST", "/tus", headers={**tus, "Upload-Length": "5"})
    path = created.headers["location"].removeprefix("/api/v1")
    part_headers = {**tus, "Upload-Offset": "0"}
    kind = "application/offset+octet-stream"
    async with held(server, "elif", "PATCH", path, b"12345", kind, headers=part_headers) as finish:
        assert (await server.raw("elif", "DELETE", path, headers=tus)).status_code == 204
        assert (await finish()).status_code == 404
    assert list((server.organization.folder / "uploads" / "resumable").iterdir()) == []
    assert server.organization.store.integer("SELECT count(*) FROM attachments") == 0
