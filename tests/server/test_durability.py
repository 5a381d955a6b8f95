"""The server as a process: start, stop, and what survives `kill -9`."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import ssl
import stat
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import httpx2
import pytest

from narrowcast_api.account import Account
from narrowcast_server.checking import check
from narrowcast_server.first_run import how_to_open
from narrowcast_server.organization.config import ServerConfig
from narrowcast_server.organization.organization import Organization
from narrowcast_server.serve import Options, ServeError, running
from narrowcast_server.storage.schema import MIGRATIONS
from narrowcast_server.storage.store import Store, StoreError
from support import world
from support.server import running_server
from support.sessions import until
from support.sockets import make_certificates


@asynccontextmanager
async def served(folder: Path, *options: str) -> AsyncIterator[tuple[asyncio.subprocess.Process, str]]:
    """`narrowcast serve` on a free port; killed at the end if it is still running."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "narrowcast", "serve", "--port", "0", "--data", str(folder), *options,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "HOME": str(folder.parent)},
    )  # fmt: skip
    assert process.stdout is not None
    try:
        line = (await asyncio.wait_for(process.stdout.readline(), 30)).decode()
        assert line.startswith("listening on http"), (line, process.stderr)
        yield process, line.removeprefix("listening on ").strip()
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


def owner(folder: Path, url: str) -> httpx2.AsyncClient:
    """A client authenticated as the first owner."""
    account = Account.from_zuliprc(folder / "owner.zuliprc")
    return httpx2.AsyncClient(
        base_url=f"{url}/api/v1", auth=(account.email, account.key.reveal()), trust_env=False, timeout=30
    )


def open_files(process: asyncio.subprocess.Process) -> str:
    """The paths of a process's open files."""
    return subprocess.run(
        ["ls", "-l", f"/proc/{process.pid}/fd"], capture_output=True, text=True, check=False
    ).stdout


@pytest.mark.skipif(sys.platform != "linux", reason="/proc lists the open files")
async def test_a_file_that_is_arriving_is_kept_in_the_data_folder(tmp_path: Path) -> None:
    folder, complete = tmp_path / "data", asyncio.Event()
    head = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'

    async def content() -> AsyncIterator[bytes]:
        yield head + b"x" * 2_000_000
        await complete.wait()
        yield b"\r\n--b--\r\n"

    async with served(folder) as (process, url), owner(folder, url) as client:
        form = {"Content-Type": "multipart/form-data; boundary=b"}
        upload = asyncio.create_task(client.post("/user_uploads", content=content(), headers=form))
        await until(lambda: f"-> {folder}/uploads/partial/" in open_files(process), 30)
        complete.set()
        assert (await upload).status_code == 200


async def test_the_first_run_creates_an_owner_with_private_files(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    async with served(folder) as (process, url):
        async with owner(folder, url) as client:
            me = (await client.get("/users/me")).json()
            assert me["is_owner"] is True
            password = (folder / "owner.password").read_text().strip()
            fields = {"username": "owner@localhost", "password": password}
            assert (await client.post("/fetch_api_key", data=fields)).json()["result"] == "success"
        for name in ("owner.zuliprc", "owner.password", "narrowcast.db"):
            assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), 10) == 0


async def test_the_account_file_of_the_owner_is_updated_with_the_url_of_the_server(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    for _ in range(2):
        async with served(folder) as (_process, url):
            assert Account.from_zuliprc(folder / "owner.zuliprc").site.rstrip("/") == url
    assert "--rc" in how_to_open(folder, url, demo=False, speaks_zulip=True)
    assert url in how_to_open(tmp_path, url, demo=False, speaks_zulip=True)


async def test_no_acknowledged_message_is_lost_when_the_server_is_killed(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    acknowledged: dict[int, str] = {}
    for round_ in range(3):
        async with served(folder) as (process, url), owner(folder, url) as client:
            for message_id, text in acknowledged.items():
                response = (await client.get(f"/messages/{message_id}")).json()
                assert response["raw_content"] == text

            async def send(number: int, client: httpx2.AsyncClient = client, round_: int = round_) -> None:
                text = f"round {round_} number {number}"
                fields = {"type": "stream", "to": "general", "topic": "t", "content": text}
                try:
                    response = (await client.post("/messages", data=fields)).json()
                except httpx2.TransportError:
                    return
                acknowledged[response["id"]] = text

            sending = [asyncio.create_task(send(number)) for number in range(60)]
            while len(acknowledged) < 20 * (round_ + 1):
                await asyncio.wait(sending, return_when=asyncio.FIRST_COMPLETED)
                sending = [task for task in sending if not task.done()]
            process.kill()
            await asyncio.gather(*sending)
    assert check(folder) == []
    store = Store(folder / "narrowcast.db")
    for message_id, text in acknowledged.items():
        row = store.one("SELECT content FROM messages WHERE id = ?", message_id)
        assert row is not None
        assert row["content"] == text
    store.close()


async def test_only_one_server_can_use_a_folder(tmp_path: Path) -> None:
    organization = Organization(tmp_path, ServerConfig())
    with pytest.raises(StoreError, match="another server uses"):
        Organization(tmp_path, ServerConfig())
    organization.close()
    Organization(tmp_path, ServerConfig()).close()


@pytest.mark.parametrize("host", ["a..b", ".", "a" * 70 + ".example"])
async def test_a_host_that_cannot_be_a_name_is_reported_in_plain_words(tmp_path: Path, host: str) -> None:
    with pytest.raises(ServeError, match="cannot listen on "):
        async with running(Options(host=host, data=tmp_path)):
            pass


async def test_a_port_in_use_is_reported_in_plain_words(tmp_path: Path) -> None:
    async with served(tmp_path / "one") as (_, url):
        port = url.rsplit(":", 1)[1]
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "narrowcast", "serve", "--port", port, "--data", str(tmp_path / "two"),
            stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        _, errors = await process.communicate()
        assert process.returncode == 1
        assert b"cannot listen on 127.0.0.1 port" in errors
        assert b"choose another port with --port" in errors
        assert b"Traceback" not in errors


async def test_tls_is_served_with_the_operators_certificate(tmp_path: Path) -> None:
    made = make_certificates(tmp_path)
    options = ("--tls-cert", str(made.certificate), "--tls-key", str(made.key))
    async with served(tmp_path / "data", *options) as (_, url):
        assert url.startswith("https://")
        context = ssl.create_default_context(cafile=str(made.authority))
        async with httpx2.AsyncClient(verify=context, trust_env=False) as client:
            response = (await client.get(f"{url}/api/v1/server_settings")).json()
        assert response["realm_url"] == url


@pytest.mark.parametrize("swapped", [False, True])
async def test_certificates_that_cannot_be_used_are_named(tmp_path: Path, swapped: bool) -> None:
    certificate, key = tmp_path / "nothing.pem", tmp_path / "nothing.key"
    if swapped:
        made = make_certificates(tmp_path)
        certificate, key = made.key, made.certificate
    options = Options(port=0, data=tmp_path / "data", tls_cert=certificate, tls_key=key)
    with pytest.raises(ServeError, match=certificate.name):
        async with running(options):
            raise AssertionError
    assert not (tmp_path / "data").exists()


async def test_a_path_that_is_not_a_data_folder_is_named_in_the_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ServeError, match="cannot use the folder"):
        async with running(Options(port=0, data=tmp_path / "file")):
            raise AssertionError


def test_the_check_finds_damaged_data(tmp_path: Path) -> None:
    assert check(tmp_path) == [f"{tmp_path} holds no organization"]
    path = tmp_path / "narrowcast.db"
    path.write_bytes(b"this is no database" * 100)
    assert "is not a usable database" in check(tmp_path)[0]
    path.unlink()
    Organization(tmp_path, ServerConfig()).close()
    assert check(tmp_path) == []
    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO muted_users VALUES (98, 99, 0)")
    connection.commit()
    connection.close()
    assert "points to a missing row" in check(tmp_path)[0]


async def test_the_check_reports_missing_files_and_search_words_and_changes_nothing(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        response = (await server.raw("ada", "POST", "/user_uploads", files={"f": ("a.txt", b"hello")})).json()
        message_id = await server.send("ada", "general", "t", response["url"])
        assert check(tmp_path) == []
        next((tmp_path / "uploads" / "files").glob("*/*")).unlink()
    connection = sqlite3.connect(tmp_path / "narrowcast.db")
    connection.execute("DELETE FROM message_words")
    connection.commit()
    for number in range(len(MIGRATIONS), 1, -1):
        connection.executescript(_UNDONE[number])
    connection.executescript("PRAGMA user_version = 1")
    connection.close()
    before = (tmp_path / "narrowcast.db").read_bytes()
    words, file = check(tmp_path)
    assert words == f"message {message_id} is missing in the search index"
    assert file.startswith("the file of the upload 'a.txt' (1/")
    assert (tmp_path / "narrowcast.db").read_bytes() == before


def test_a_data_folder_of_a_newer_server_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "narrowcast.db"
    Store(path).close()
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    connection.commit()
    connection.close()
    with pytest.raises(StoreError, match="newer server"):
        Store(path)


_UNDONE = {
    2: "DROP TABLE navigation_views; DROP TABLE onboarding_steps; DROP INDEX messages_by_age",
    3: "",
    4: "DROP TABLE bot_services",
    5: "DROP TABLE acts",
    6: "DROP TABLE extra_keys",
    7: "DROP INDEX emails_by_due; DROP INDEX emails_by_sender; DROP TABLE mail_marks; DROP TABLE sign_in_links;"
    + "".join(
        f"ALTER TABLE sent_emails DROP COLUMN {column};"
        for column in ("sender_id", "due", "tries", "sent", "error")
    ),
    8: "DROP TABLE second_factors; ALTER TABLE invites DROP COLUMN uses_left",
    9: "DROP TABLE exports",
    10: "ALTER TABLE invites DROP COLUMN welcome",
    11: "ALTER TABLE users DROP COLUMN can_create_users",
    12: "DROP INDEX acts_by_user; DROP INDEX acts_by_time",
    13: "ALTER TABLE statuses DROP COLUMN away",
}
"""Reverts each migration, by its number, since the current version cannot create a folder of an older one."""


@pytest.mark.parametrize("version", range(1, len(MIGRATIONS)))
async def test_an_older_data_folder_is_migrated_with_all_data(tmp_path: Path, version: int) -> None:
    world.lay_out(tmp_path)
    with closing(sqlite3.connect(tmp_path / "narrowcast.db")) as database:
        for number in range(len(MIGRATIONS), version, -1):
            database.executescript(_UNDONE[number])
        database.executescript(f"PRAGMA user_version = {version}")
    async with running_server(tmp_path) as server:
        assert server.organization.store.integer("PRAGMA user_version") == len(MIGRATIONS)
        listener = await server.listen("dario")
        assert {"general", "engineering"} <= {row["name"] for row in listener.snapshot["subscriptions"]}
        assert await server.send("dario", "general", "t")
    assert check(tmp_path) == []


def test_a_transaction_is_atomic(tmp_path: Path) -> None:
    store = Store(tmp_path / "narrowcast.db")
    rows = [("a", "1"), ("a", "2")]
    with pytest.raises(sqlite3.IntegrityError), store.transaction():
        store.execute_many("INSERT INTO settings VALUES (?, ?)", rows)
    assert store.all("SELECT * FROM settings") == []
    store.close()
