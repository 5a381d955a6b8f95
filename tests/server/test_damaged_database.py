"""A database with damaged bytes: the server says so, changes nothing more, and names the way out."""

from __future__ import annotations

import logging
import shutil
from pathlib import Path

import pytest

from narrowcast_server.checking import check
from narrowcast_server.organization.config import ServerConfig
from narrowcast_server.organization.organization import Organization
from narrowcast_server.serve import Options, ServeError, running
from narrowcast_server.storage.store import StoreError
from support.command_line import run
from support.server import running_server

PAGE = 4096
NOT_TEXT = 0x9E


def changed(path: Path, offset: int, content: bytes) -> None:
    """Replaces bytes of a file."""
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(content)


def schema_places(raw: bytes) -> list[int]:
    """Offsets in the texts of the schema."""
    first = raw.index(b"CREATE TABLE")
    spread = range(first, len(raw), 97)
    return [place for place in spread if min(raw[place - 8 : place + 8]) >= ord("\n") and raw[place] < 0x80]


@pytest.fixture
def organization(tmp_path: Path) -> Path:
    """The data folder of a new organization, not in use."""
    folder = tmp_path / "data"
    Organization(folder, ServerConfig()).close()
    return folder


def test_a_changed_byte_is_reported_by_the_check_and_at_the_start(organization: Path, tmp_path: Path) -> None:
    raw = (organization / "narrowcast.db").read_bytes()
    places = [*range(100), *schema_places(raw)[::3]]
    assert len(places) > 140
    refused = 0
    for offset in places:
        folder = tmp_path / f"{offset}"
        shutil.copytree(organization, folder)
        changed(folder / "narrowcast.db", offset, bytes([raw[offset] ^ NOT_TEXT]))
        faults = check(folder)
        try:
            Organization(folder, ServerConfig()).close()
        except StoreError:
            refused += 1
            assert faults, offset
        shutil.rmtree(folder)
    assert refused > 50


async def test_a_damaged_schema_ends_the_start_and_the_check_with_one_line(
    organization: Path, tmp_path: Path
) -> None:
    path = organization / "narrowcast.db"
    changed(path, path.read_bytes().index(b"CREATE TABLE") + 15, bytes([NOT_TEXT]))
    started = await run(tmp_path, "serve", "--port", "0", "--data", str(organization))
    checked = await run(tmp_path, "serve", "--check", "--data", str(organization))
    for result in (started, checked):
        assert result.code == 1
        assert "Traceback" not in result.err
        assert "--restore" in result.out + result.err


def test_an_empty_database_of_an_organization_is_not_taken_for_a_new_one(organization: Path) -> None:
    path = organization / "narrowcast.db"
    path.write_bytes(b"")
    with pytest.raises(StoreError, match="--restore"):
        Organization(organization, ServerConfig())
    assert path.read_bytes() == b""


async def test_the_start_names_the_way_to_restore_a_damaged_organization(organization: Path) -> None:
    path = organization / "narrowcast.db"
    raw = path.read_bytes()
    changed(path, PAGE * (len(raw) // PAGE // 2), b"\xa5" * (len(raw) // 2))
    with pytest.raises(ServeError, match="--restore"):
        async with running(Options(port=0, data=organization)):
            raise AssertionError


async def test_at_the_first_damaged_page_changes_are_refused_and_the_operator_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with running_server(tmp_path) as server:
        first = await server.send("ada", "general", "damage", "x" * 3000)
        for number in range(20):
            await server.send("ada", "general", "damage", f"{number} " + "y" * 3000)
        store = server.organization.store
        store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (root,) = store.connection.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'messages'"
        ).fetchone()
        changed(store.path, PAGE * (root - 1), b"\xa5" * PAGE)
        store.connection.execute("PRAGMA shrink_memory")
        with caplog.at_level(logging.CRITICAL, "narrowcast.server"):
            read = await server.raw("ada", "GET", f"/messages/{first}")
            fields = {"type": "stream", "to": "general", "topic": "t", "content": "lost?"}
            sent = await server.raw("ada", "POST", "/messages", data=fields)
            snippet = await server.raw("ada", "POST", "/saved_snippets", data={"title": "a", "content": "b"})
            people = await server.raw("ada", "GET", "/users")
        for refused in (read, sent, snippet):
            assert refused.status_code == 507
            assert refused.json()["code"] == "DATABASE_DAMAGED"
        assert people.json()["result"] == "success"
        assert "malformed" in (store.damage or "")
        (told,) = caplog.records
        assert "--restore" in told.getMessage()
        assert store.integer("SELECT count(*) FROM saved_snippets WHERE title = 'a'") == 0


async def test_text_that_cannot_be_read_is_damage_too(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        message = await server.send("ada", "general", "damage", "a text to find")
        with server.organization.transaction():
            server.organization.store.execute(
                "UPDATE messages SET content = CAST(x'9e9e' AS TEXT) WHERE id = ?", message
            )
        read = await server.raw("ada", "GET", f"/messages/{message}")
        assert (read.status_code, read.json()["code"]) == (507, "DATABASE_DAMAGED")
