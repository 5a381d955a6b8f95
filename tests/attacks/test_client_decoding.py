"""Small responses that decompress to large ones, unrequested encodings, and JSON that fills memory."""

from __future__ import annotations

import gzip
import json
import resource
import subprocess
import sys
import tracemalloc
import zlib
from pathlib import Path

import httpx2
import pytest

from narrowcast_api.errors import MalformedResponse, ResponseTooLarge
from narrowcast_api.files.downloads import download_file, fetch_bytes
from narrowcast_api.http import decoding, safe_json
from narrowcast_api.http.safe_json import MOST_PER_BYTE, estimated_memory, parse_json
from support.api import make_connection
from support.scripted import Raw, ScriptedTransport

MEGABYTE = 2**20
GOOD = json.dumps({"result": "success", "msg": "", "text": "x" * 5000}).encode()


def bare(data: bytes) -> bytes:
    """Raw deflate, without a zlib header."""
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


def response(body: bytes, encoding: str, *, pieces: int = 1) -> httpx2.Response:
    length = max(1, -(-len(body) // pieces))
    parts = [body[start : start + length] for start in range(0, len(body), length)]
    return httpx2.Response(200, headers=[("content-encoding", encoding)], stream=Raw(*parts))


async def unpacked(body: bytes, encoding: str, limit: int | None = MEGABYTE, *, pieces: int = 1) -> bytes:
    parts = [part async for part in decoding.decoded(response(body, encoding, pieces=pieces), limit)]
    assert all(len(part) <= decoding.CHUNK_BYTES for part in parts)
    return b"".join(parts)


@pytest.mark.parametrize("pieces", [1, 2, 7, 1000])
@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", gzip.compress(GOOD, mtime=0)),
        ("GZip", gzip.compress(GOOD, mtime=0)),
        ("x-gzip", gzip.compress(GOOD, mtime=0)),
        ("deflate", zlib.compress(GOOD)),
        ("deflate", bare(GOOD)),
        ("identity", GOOD),
        ("", GOOD),
        ("identity, gzip", gzip.compress(GOOD, mtime=0)),
        ("gzip", gzip.compress(GOOD[:100], mtime=0) + gzip.compress(GOOD[100:], mtime=0)),
        ("gzip", gzip.compress(GOOD, mtime=0) + b"what follows the end"),
    ],
)
async def test_requested_encodings_are_decoded_in_chunks_of_any_size(
    encoding: str, body: bytes, pieces: int
) -> None:
    assert await unpacked(body, encoding, pieces=pieces) == GOOD


@pytest.mark.parametrize(
    "encoding",
    [
        "gzip, gzip",
        "gzip,deflate",
        "deflate, gzip, deflate",
        "identity, gzip, gzip",
        "gzip, br",
        "x-gzip, gzip",
    ],
)
async def test_a_response_encoded_more_than_once_is_rejected_before_it_is_read(encoding: str) -> None:
    with pytest.raises(MalformedResponse, match="more than once"):
        await unpacked(gzip.compress(gzip.compress(GOOD, mtime=0)), encoding)


async def test_encodings_in_two_headers_count_as_two() -> None:
    response = httpx2.Response(
        200, headers=[("content-encoding", "gzip"), ("content-encoding", "gzip")], stream=Raw(b"")
    )
    with pytest.raises(MalformedResponse, match="more than once"):
        _ = [part async for part in decoding.decoded(response, MEGABYTE)]


@pytest.mark.parametrize("encoding", ["br", "zstd", "compress", "bzip2", "x-evil", "gzip;q=1", "\x1b[2J"])
async def test_an_encoding_that_was_not_requested_is_rejected(encoding: str) -> None:
    with pytest.raises(MalformedResponse, match="not requested"):
        await unpacked(GOOD, encoding)


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
@pytest.mark.parametrize("size", [2 * MEGABYTE, 50 * MEGABYTE])
async def test_a_decompression_bomb_is_stopped_at_the_limit(encoding: str, size: int) -> None:
    pack = gzip.compress if encoding == "gzip" else zlib.compress
    bomb = pack(bytes(size))
    tracemalloc.start()
    try:
        with pytest.raises(ResponseTooLarge):
            await unpacked(bomb, encoding)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4 * MEGABYTE


async def test_many_small_members_add_up_to_one_limit() -> None:
    member = gzip.compress(bytes(100_000))
    with pytest.raises(ResponseTooLarge):
        await unpacked(member * 20, "gzip")


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
async def test_an_endless_body_that_unpacks_to_nothing_is_counted_as_it_arrives(encoding: str) -> None:
    head = gzip.compress(b"")[:10] if encoding == "gzip" else b"\x78\x9c"
    empty_blocks = b"\x00\x00\x00\xff\xff" * (MEGABYTE // 4)
    with pytest.raises(ResponseTooLarge):
        await unpacked(head + empty_blocks, encoding, pieces=50)


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", GOOD),
        ("gzip", zlib.compress(GOOD)),
        ("deflate", gzip.compress(GOOD, mtime=0)),
        ("gzip", gzip.compress(GOOD, mtime=0)[:-9]),
        ("gzip", gzip.compress(GOOD, mtime=0)[:12]),
        ("deflate", zlib.compress(GOOD)[:-1]),
        ("gzip", gzip.compress(GOOD, mtime=0)[:-8] + bytes(8)),
        ("deflate", zlib.compress(GOOD)[:20] + b"\xff" * 40),
    ],
)
async def test_a_body_that_is_broken_or_cut_short_is_malformed(encoding: str, body: bytes) -> None:
    with pytest.raises(MalformedResponse):
        await unpacked(body, encoding)


async def test_requests_accept_only_supported_encodings() -> None:
    with ScriptedTransport() as transport:
        transport.prepare(
            "GET", "/api/v1/x", content=gzip.compress(GOOD), headers={"content-encoding": "gzip"}
        )
        async with make_connection(transport) as connection:
            assert (await connection.request("GET", "/x"))["text"] == "x" * 5000
            assert transport.last.headers["accept-encoding"] == decoding.ACCEPTED


@pytest.mark.parametrize("encoding", ["gzip, gzip", "br"])
async def test_stacked_encodings_are_rejected_in_requests_and_downloads(
    tmp_path: Path, encoding: str
) -> None:
    stacked = gzip.compress(gzip.compress(bytes(50 * MEGABYTE)))
    with ScriptedTransport() as transport:
        for path in ("/api/v1/x", "/user_uploads/1/a.png", "/user_uploads/1/b.png"):
            transport.prepare("GET", path, content=stacked, headers={"content-encoding": encoding})
        async with make_connection(transport) as connection:
            with pytest.raises(MalformedResponse):
                await connection.request("GET", "/x")
            with pytest.raises(MalformedResponse):
                await fetch_bytes(connection, url="/user_uploads/1/a.png", max_bytes=MEGABYTE)
            with pytest.raises(MalformedResponse):
                await download_file(connection, url="/user_uploads/1/b.png", folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


async def test_a_download_that_unpacks_past_its_limit_leaves_no_file(tmp_path: Path) -> None:
    bomb = gzip.compress(bytes(50 * MEGABYTE))
    with ScriptedTransport() as transport:
        transport.prepare("GET", "/user_uploads/1/a", content=bomb, headers={"content-encoding": "gzip"})
        async with make_connection(transport) as connection:
            with pytest.raises(ResponseTooLarge):
                await download_file(connection, url="/user_uploads/1/a", folder=tmp_path, max_bytes=MEGABYTE)
    assert list(tmp_path.iterdir()) == []


PATTERNS = {
    "empty lists": b"[],",
    "empty objects": b"{},",
    "nested lists": b"[[[[[[]]]]]],",
    "small objects": b'{"a":1},',
    "small numbers": b"1.5,",
    "short texts": b'"ab",',
}


def filled(pattern: bytes, size: int) -> bytes:
    return b"[" + pattern * (size // len(pattern)) + b"0]"


@pytest.mark.parametrize("pattern", PATTERNS.values(), ids=PATTERNS.keys())
def test_json_with_64_mb_of_tiny_values_is_rejected_before_it_is_decoded(pattern: bytes) -> None:
    data = filled(pattern, 63 * MEGABYTE)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(MalformedResponse, match="memory"):
        parse_json(data)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200 * 1024  # ru_maxrss is in KiB


@pytest.mark.parametrize("pattern", PATTERNS.values(), ids=PATTERNS.keys())
def test_accepted_json_takes_no_more_memory_than_estimated(pattern: bytes) -> None:
    data = filled(pattern, 2 * MEGABYTE)
    measured = (
        "import gc, sys; from narrowcast_api.http.safe_json import estimated_memory, parse_json;"
        "import msgspec; data = sys.stdin.buffer.read(); gc.collect();"
        "rss = lambda: int(open('/proc/self/statm').read().split()[1]) * 4096;"
        "before = rss(); value = parse_json(data); print(rss() - before, estimated_memory(data))"
    )
    outcome = subprocess.run(
        [sys.executable, "-c", measured], input=data, capture_output=True, timeout=60, check=True
    )
    taken, estimated = map(int, outcome.stdout.split())
    assert taken < 1.3 * estimated + MEGABYTE


@pytest.mark.parametrize(
    "pattern",
    [*PATTERNS.values(), b'{"":[]},', b'{"":' * 90 + b"0" + b"}" * 90 + b",", b"[" * 90 + b"]" * 90 + b","],
)
def test_no_json_takes_more_per_byte_than_the_most(pattern: bytes) -> None:
    data = filled(pattern, MEGABYTE)
    assert estimated_memory(data) <= MOST_PER_BYTE * len(data)


async def test_a_body_without_encoding_comes_in_small_pieces_too() -> None:
    body = b"ab" * MEGABYTE
    assert await unpacked(body, "identity", None) == body
    assert (
        await unpacked(body[: decoding.CHUNK_BYTES + 1], "identity", None) == body[: decoding.CHUNK_BYTES + 1]
    )


def test_a_page_of_the_longest_messages_full_of_signs_is_read() -> None:
    page = {"messages": [{"id": number, "content": '{"a": [1, 2]},' * 700} for number in range(1000)]}
    assert parse_json(json.dumps(page).encode()) == page


def test_a_large_organization_is_well_within_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(safe_json, "MEMORY_BYTES", safe_json.MEMORY_BYTES // 2)
    people = [
        {
            "user_id": number,
            "email": f"user{number}@example.com",
            "delivery_email": None,
            "full_name": f"Some Person {number}",
            "role": 400,
            "is_active": True,
            "is_bot": False,
            "timezone": "",
            "date_joined": "2024-01-01T00:00:00+00:00",
            "avatar_url": None,
            "avatar_version": 1,
        }
        for number in range(50_000)
    ]
    assert parse_json(json.dumps(people).encode()) == people
