"""Range requests: RFC 9110, section 14."""

from __future__ import annotations

import pytest

from support.server import TestServer

CONTENT = b"0123456789"


async def uploaded(server: TestServer, content: bytes = CONTENT) -> str:
    """Uploads a file and returns its URL."""
    response = await server.raw("ada", "POST", "/user_uploads", files={"file": ("digits.txt", content)})
    return f"{server.url}{response.json()['url']}"


@pytest.mark.parametrize(
    ("header", "part"),
    [
        ("bytes=0-0", b"0"),
        ("bytes=2-4", b"234"),
        ("bytes=7-", b"789"),
        ("bytes=-3", b"789"),
        ("bytes=-30", CONTENT),
        ("bytes=8-99999999999999", b"89"),
        ("Bytes=2-4", b"234"),
        ("bytes= 2-4", b"234"),
        ("bytes=2-4, 100-200", b"234"),
    ],
)
async def test_a_range_is_returned_with_its_position(server: TestServer, header: str, part: bytes) -> None:
    response = await server.raw("ada", "GET", await uploaded(server), headers={"Range": header})
    assert (response.status_code, response.content) == (206, part)
    start = CONTENT.index(part)
    assert response.headers["content-range"] == f"bytes {start}-{start + len(part) - 1}/10"


async def test_several_ranges_are_returned_in_one_response(server: TestServer) -> None:
    url = await uploaded(server)
    response = await server.raw("ada", "GET", url, headers={"Range": "bytes=0-1,8-"})
    assert response.status_code == 206
    assert response.headers["content-type"].startswith("multipart/byteranges")
    assert b"bytes 0-1/10" in response.content
    assert b"bytes 8-9/10" in response.content


@pytest.mark.parametrize(
    "header",
    [
        "bytes",
        "bytes=",
        "bytes=,",
        "bytes=-",
        "bytes=x-y",
        "bytes=5-2",
        "bytes=1-2-3",
        "bytes=--5",
        "bytes=+1-2",
        "bytes=1_0-",
        "bytes=1-2;x",
        "lines=1-2",
        "0-5",
        "bytes=1-2,x",
        "bytes=" + "9" * 5000 + "-",
    ],
)
async def test_an_invalid_range_is_ignored(server: TestServer, header: str) -> None:
    response = await server.raw("ada", "GET", await uploaded(server), headers={"Range": header})
    assert (response.status_code, response.content) == (200, CONTENT)


@pytest.mark.parametrize("header", ["bytes=10-", "bytes=10-20,30-40", "bytes=-0"])
async def test_ranges_beyond_the_end_are_rejected_with_the_length(server: TestServer, header: str) -> None:
    response = await server.raw("ada", "GET", await uploaded(server), headers={"Range": header})
    assert response.status_code == 416
    assert response.headers["content-range"] == "bytes */10"
    assert response.headers["content-type"] == "application/json"
    assert (response.json()["result"], response.json()["code"]) == ("error", "BAD_REQUEST")


@pytest.mark.parametrize("header", ["bytes=0-", "bytes=-5"])
async def test_ranges_of_an_empty_file_are_rejected(server: TestServer, header: str) -> None:
    response = await server.raw("ada", "GET", await uploaded(server, b""), headers={"Range": header})
    assert (response.status_code, response.headers["content-range"]) == (416, "bytes */0")
    assert response.json()["result"] == "error"


async def test_a_range_of_an_outdated_version_returns_the_whole_file(server: TestServer) -> None:
    url = await uploaded(server)
    tag = (await server.raw("ada", "GET", url)).headers["etag"]
    for version, status in ((tag, 206), ('"other"', 200)):
        headers = {"Range": "bytes=20-" if status == 200 else "bytes=2-4", "If-Range": version}
        assert (await server.raw("ada", "GET", url, headers=headers)).status_code == status


async def test_images_of_the_server_support_ranges_too(server: TestServer) -> None:
    url = f"{server.url}/static/images/logo.png"
    whole = await server.raw(None, "GET", url)
    part = await server.raw(None, "GET", url, headers={"Range": "bytes=1-3"})
    assert (part.status_code, part.content) == (206, whole.content[1:4])
    assert (await server.raw(None, "GET", url, headers={"Range": "nonsense"})).content == whole.content
