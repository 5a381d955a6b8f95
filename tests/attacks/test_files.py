"""The data folder: private; damage is reported in plain words, never served, never a traceback."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from narrowcast_server.checking import check
from narrowcast_server.organization.config import ServerConfig
from narrowcast_server.organization.organization import Organization
from narrowcast_server.serve import Options, ServeError, running, warnings_of
from narrowcast_server.storage.store import StoreError
from support import world
from support.server import running_server


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def open_umask() -> object:
    """The default umask of most machines: new files are world-readable."""
    before = os.umask(0o022)
    yield
    os.umask(before)


async def test_every_file_of_a_server_is_private(tmp_path: Path, open_umask: None) -> None:
    folder = tmp_path / "data"
    async with running_server(folder) as server:
        await server.raw("ada", "POST", "/user_uploads", files={"f": ("a.txt", b"hello")})
        await server.send("ada", "general", "t")
        assert mode(folder) == 0o700
        names = {path.name for path in folder.iterdir()}
        assert {"narrowcast.db", "narrowcast.db-wal", "narrowcast.db-shm"} <= names
        for path in folder.iterdir():
            assert mode(path) & 0o077 == 0, path


async def test_the_files_of_an_older_server_become_private(tmp_path: Path, open_umask: None) -> None:
    world.lay_out(tmp_path)
    (tmp_path / "narrowcast.db").chmod(0o644)
    async with running_server(tmp_path):
        for name in ("narrowcast.db", "narrowcast.db-wal", "narrowcast.db-shm"):
            assert mode(tmp_path / name) == 0o600


@pytest.mark.parametrize("given", [0o755, 0o750, 0o700, 0o777])
async def test_an_existing_folder_keeps_its_mode(tmp_path: Path, given: int) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(given)
    async with running_server(folder):
        assert mode(folder) == given
    assert bool(warnings_of(Options(data=folder))) is (given != 0o700)


@pytest.mark.parametrize(
    ("host", "warned"),
    [
        ("127.0.0.1", False),
        ("::1", False),
        ("localhost", False),
        ("0.0.0.0", True),
        ("192.0.2.1", True),
        ("::", True),
    ],
)
def test_plain_http_on_a_public_address_logs_a_warning(tmp_path: Path, host: str, warned: bool) -> None:
    warnings = warnings_of(Options(data=tmp_path / "new", host=host))
    assert any("unencrypted" in warning for warning in warnings) is warned
    certificate = tmp_path / "certificate.pem"
    assert warnings_of(Options(data=tmp_path / "new", host=host, tls_cert=certificate)) == []


# --- damage -----------------------------------------------------------------------------------------------------


def changed(sql: str) -> Callable[[Path], None]:
    """Damages a database with an SQL statement."""

    def apply(path: Path) -> None:
        with closing(sqlite3.connect(path)) as database:
            database.execute("PRAGMA foreign_keys = OFF")
            database.execute(sql)
            database.commit()

    return apply


def overwritten(offset: int, length: int = 4_096) -> Callable[[Path], None]:
    """Overwrites a part of a file, as a failing disk would."""

    def apply(path: Path) -> None:
        with path.open("r+b") as file:
            file.seek(offset)
            file.write(b"\xa5" * length)

    return apply


def cut(length: int) -> Callable[[Path], None]:
    """Truncates a file, as an incomplete copy would."""

    def apply(path: Path) -> None:
        with path.open("r+b") as file:
            file.truncate(length)

    return apply


STRANGE = {
    "role": changed("UPDATE users SET role = 777 WHERE id = 3"),
    "role as text": changed("UPDATE users SET role = 'owner' WHERE id = 3"),
    "bot type": changed("UPDATE users SET bot_type = 9 WHERE id = 3"),
    "active": changed("UPDATE users SET is_active = 7 WHERE id = 3"),
    "settings of a person": changed("UPDATE users SET settings = '{' WHERE id = 3"),
    "settings of a person as a list": changed("UPDATE users SET settings = '[]' WHERE id = 3"),
    "settings of a channel": changed("UPDATE channels SET settings = 'x' WHERE id = 1"),
    "settings of a group": changed("UPDATE groups SET settings = '' WHERE id = 1"),
    "setting of the organization": changed("UPDATE settings SET value = '{' WHERE name = 'name'"),
    "setting of another type": changed("UPDATE settings SET value = '[1]' WHERE name = 'name'"),
    "permission of another type": changed(
        "UPDATE settings SET value = 'true' WHERE name = 'can_invite_users_group'"
    ),
    "no owner": changed("UPDATE users SET is_active = 0 WHERE role = 100"),
    "table": changed("DROP TABLE channels"),
    "column": changed("ALTER TABLE users RENAME COLUMN role TO position"),
    "version": changed("PRAGMA user_version = 999"),
    "version below": changed("PRAGMA user_version = -3"),
    "no database": overwritten(0, 100),
    "first page": overwritten(100, 3_000),
    "pages of the tables": overwritten(8_192, 32_768),
    "empty header": cut(50),
    "half of it": cut(40_000),
}


@pytest.mark.parametrize("damage", STRANGE.values(), ids=list(STRANGE))
async def test_damaged_data_are_found_by_the_check_and_prevent_the_start(
    folder: Path, damage: Callable[[Path], None]
) -> None:
    assert check(folder) == []
    damage(folder / "narrowcast.db")
    faults = check(folder)
    assert faults
    assert all("\n" not in fault for fault in faults)
    with pytest.raises(ServeError) as caught:
        async with running(Options(port=0, data=folder)):
            raise AssertionError
    assert str(folder) in str(caught.value)


async def test_a_rejected_data_folder_can_be_used_after_repair(folder: Path) -> None:
    path = folder / "narrowcast.db"
    sound = path.read_bytes()
    overwritten(8_192, 32_768)(path)
    with pytest.raises(StoreError, match="not a usable database"):
        Organization(folder, ServerConfig(durable=False))
    for file in folder.glob("narrowcast.db-*"):
        file.unlink()
    path.write_bytes(sound)
    Organization(folder, ServerConfig(durable=False)).close()


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO messages (sender_id, content, rendered, timestamp, client, history)"
        " VALUES (2, 'x', 'x', 0, 'x', '{')",
        "INSERT INTO drafts (user_id, type, recipients, topic, content, timestamp)"
        " VALUES (2, '', 'x', '', '', 0)",
    ],
)
def test_the_check_includes_the_large_tables(folder: Path, sql: str) -> None:
    changed(sql)(folder / "narrowcast.db")
    assert any("damaged" in fault for fault in check(folder))


@pytest.mark.parametrize("name", ["uploads", "narrowcast.db", "narrowcast.lock"])
async def test_a_file_of_the_wrong_type_is_reported_in_plain_words(folder: Path, name: str) -> None:
    path = folder / name
    if path.is_file():
        path.unlink()
        path.mkdir()
    else:
        path.touch()
        path.chmod(0o600)
    with pytest.raises(ServeError):
        async with running(Options(port=0, data=folder)):
            raise AssertionError
    check(folder)


async def test_a_folder_with_only_stray_files_starts_as_new(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    async with running_server(tmp_path) as server:
        await server.call("ada", "GET", "/users/me")
    assert (tmp_path / "notes.txt").read_text() == "mine"
