"""What the operator does on the command line: admin commands, backups, restores."""

from __future__ import annotations

import asyncio
import io
import json
import re
import stat
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from narrowcast_api.wire.vocabulary import Role
from narrowcast_server.checking import check
from narrowcast_server.operator.arguments import Fault
from narrowcast_server.operator.backup import BackupError, backup, restore
from narrowcast_server.operator.control import NAME, ask
from narrowcast_server.organization.config import ServerConfig
from narrowcast_server.organization.organization import Organization
from support import world
from support.command_line import Outcome, run
from support.server import TestServer, join_path, running_server


def quiet(line: str) -> None:
    """Discards the line."""


def data_of(server: TestServer) -> Path:
    return server.organization.folder


# --- admin ------------------------------------------------------------------------------------------------------


async def test_commands_reach_a_running_server(server: TestServer) -> None:
    listener = await server.listen("ada")
    lines = await ask(data_of(server), "role", {"who": "greta@demo.example", "role": "moderator"})
    assert lines == ["Greta Lindqvist is now moderator"]
    assert server.user("greta").role is Role.MODERATOR
    assert any(event["person"].get("role") == 300 for event in await listener.events("realm_user"))


async def test_commands_work_without_a_server(folder: Path) -> None:
    await ask(folder, "role", {"who": "greta@demo.example", "role": "guest"})
    assert any(
        re.match(r"\d+ +guest +active +greta@demo.example +Greta Lindqvist", line)
        for line in await ask(folder, "people", {})
    )
    assert check(folder) == []


@pytest.mark.parametrize("served", [True, False])
async def test_a_new_password_can_be_used_and_revokes_the_old_key(folder: Path, served: bool) -> None:
    if not served:
        [line] = await ask(folder, "password", {"who": "elif@demo.example"})
    async with running_server(folder) as server:
        key, listener = server.user("elif").api_key, await server.listen("elif")
        if served:
            assert [queue.id for queue in server.organization.hub.of(server.id("elif"))] == [
                listener.queue_id
            ]
            [line] = await ask(folder, "password", {"who": "elif@demo.example"})
            assert server.user("elif").api_key != key
            assert server.organization.hub.of(server.id("elif")) == ()
        password = line.rpartition(": ")[2]
        fields = {"username": "elif@demo.example", "password": password}
        response = await server.call(None, "POST", "/fetch_api_key", fields)
        assert response["api_key"] == server.user("elif").api_key


async def test_accounts_are_deactivated_and_reactivated(server: TestServer) -> None:
    data = data_of(server)
    await ask(data, "deactivate", {"who": str(server.id("greta"))})
    await server.refusal("greta", "GET", "/users/me", status=401)
    await ask(data, "reactivate", {"who": "greta@demo.example"})
    await server.call("greta", "GET", "/users/me")


async def test_an_invitation_link_can_be_used_to_create_an_account(server: TestServer) -> None:
    [link] = await ask(data_of(server), "invite", {"role": "moderator", "days": "1"})
    assert link.startswith(server.url)
    fields = {"email": "new@demo.example", "full_name": "New", "password": "a long enough password"}
    await server.call(None, "POST", join_path(link), fields)
    assert server.user("new").role is Role.MODERATOR


async def test_sessions_are_listed_and_ended(server: TestServer) -> None:
    data = data_of(server)
    assert await ask(data, "sessions", {"who": "elif@demo.example"}) == ["none"]
    await server.listen("elif")
    [line] = await ask(data, "sessions", {"who": "elif@demo.example"})
    assert "python-httpx2" in line
    key = server.user("elif").api_key
    await ask(data, "end-sessions", {"who": "elif@demo.example"})
    assert server.user("elif").api_key != key
    assert await ask(data, "sessions", {"who": "elif@demo.example"}) == ["none"]


async def test_actions_of_the_operator_are_in_the_audit_log(server: TestServer) -> None:
    data = data_of(server)
    await ask(data, "role", {"who": "greta@demo.example", "role": "guest"})
    await ask(data, "password", {"who": "greta@demo.example"})
    lines = await ask(data, "log", {"limit": "10"})
    greta = f"Greta Lindqvist ({server.id('greta')})"
    assert [line.split("  ", 1)[1] for line in lines] == [
        f"operator  role  role='guest' who='{greta}'",
        f"operator  password  who='{greta}'",
    ]


async def test_statistics_count_users_and_messages(server: TestServer) -> None:
    await server.send("ada", "general", "t")
    lines = await ask(data_of(server), "statistics", {})
    assert {line.rsplit(None, 1)[0]: line.rsplit(None, 1)[1] for line in lines}["messages"] == "1"


@pytest.mark.parametrize(
    ("command", "arguments", "words"),
    [
        ("role", {"who": "nobody@demo.example", "role": "guest"}, "nobody has the id or address"),
        ("role", {"who": "99999999999999999999", "role": "guest"}, "nobody has"),
        ("role", {"who": "greta@demo.example", "role": "king"}, "there is no role"),
        ("role", {"who": "ada@demo.example", "role": "guest"}, "only owner"),
        ("deactivate", {"who": "ada@demo.example"}, "only owner"),
        ("password", {}, "nobody has"),
        ("log", {"limit": "-1"}, "limit must be a whole number from 0 to 999,999, not '-1'"),
        ("log", {"limit": "9" * 30}, "must be a whole number"),
        ("log", {"limit": "2.5"}, "must be a whole number"),
        ("conquer", {}, "there is no command"),
    ],
)
@pytest.mark.parametrize("served", [True, False])
async def test_a_command_that_fails_explains_why(
    folder: Path, command: str, arguments: dict[str, str], words: str, served: bool
) -> None:
    async def refused() -> None:
        with pytest.raises(Fault, match=words):
            await ask(folder, command, arguments)

    if not served:
        await refused()
        return
    async with running_server(folder):
        await refused()


async def test_an_invitation_link_needs_a_running_server(folder: Path) -> None:
    with pytest.raises(Fault, match="is not running"):
        await ask(folder, "invite", {"role": "member", "days": "1"})


async def test_a_folder_without_an_organization_is_reported_in_plain_words(tmp_path: Path) -> None:
    with pytest.raises(Fault, match="no organization"):
        await ask(tmp_path, "people", {})


async def test_only_the_user_who_runs_the_server_can_send_it_commands(server: TestServer) -> None:
    path = data_of(server) / NAME
    assert stat.S_ISSOCK(path.stat().st_mode)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("line", [b"", b"\n", b"{\n", b"[]\n", b'{"command": 1}\n', b"x" * 100_000 + b"\n"])
async def test_invalid_data_on_the_socket_is_ignored(server: TestServer, line: bytes) -> None:
    reader, writer = await asyncio.open_unix_connection(data_of(server) / NAME)
    writer.write(line)
    writer.write_eof()
    response = await reader.read()
    assert response == b"" or "fault" in json.loads(response)
    writer.close()
    assert await ask(data_of(server), "people", {})


async def test_a_leftover_socket_file_is_not_mistaken_for_a_running_server(folder: Path) -> None:
    (folder / NAME).touch()
    assert await ask(folder, "people", {})
    async with running_server(folder):
        assert await ask(folder, "people", {})


async def test_a_path_too_long_for_a_socket_does_not_prevent_serving(tmp_path: Path) -> None:
    data = tmp_path / ("long " * 20) / ("path " * 10)
    data.parent.mkdir()
    async with running_server(data) as server:
        await server.call("ada", "GET", "/users/me")
        assert not (data / NAME).exists()


# --- backups ----------------------------------------------------------------------------------------------------


async def test_a_backup_of_a_running_server_can_be_restored(tmp_path: Path) -> None:
    data, file, back = tmp_path / "data", tmp_path / "backup.tar", tmp_path / "back"
    async with running_server(data) as server:
        uploaded = (await server.raw("ada", "POST", "/user_uploads", files={"f": ("a.txt", b"hello")})).json()
        message = await server.send("ada", "general", "t", f"[a]({uploaded['url']})")
        await asyncio.to_thread(backup, data, file, with_keys=True, say=quiet)
        await server.send("ada", "general", "t", "after the backup")
        key = server.user("ada").api_key
    await asyncio.to_thread(restore, file, back, say=quiet)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(back.stat().st_mode) == 0o700
    async with running_server(back) as server:
        assert server.user("ada").api_key == key
        page = await server.call("ada", "GET", "/messages", {"anchor": "newest", "num_before": 10})
        assert [each["id"] for each in page["messages"]][-1] == message
        file_response = await server.raw("ada", "GET", server.url + uploaded["url"])
        assert file_response.content == b"hello"


async def test_without_the_keys_users_must_log_in_again(folder: Path, tmp_path: Path) -> None:
    file, back = tmp_path / "backup.tar", tmp_path / "back"
    said: list[str] = []
    backup(folder, file, say=said.append)
    assert "keys.secret is not included" in said[-1]
    with tarfile.open(file) as archive:
        assert "keys.secret" not in archive.getnames()
    await asyncio.to_thread(restore, file, back, say=quiet)
    async with running_server(back) as server:
        fields = {"username": "ada@demo.example", "password": world.PASSWORD}
        response = await server.call(None, "POST", "/fetch_api_key", fields)
        assert response["api_key"] == server.user("ada").api_key


def changed(change: Callable[[bytearray], None]) -> Callable[[Path], None]:
    def apply(path: Path) -> None:
        content = bytearray(path.read_bytes())
        change(content)
        path.write_bytes(content)

    return apply


def flip(content: bytearray) -> None:
    content[100_000] ^= 0xFF


def with_member(name: str, kind: bytes = tarfile.REGTYPE) -> Callable[[Path], None]:
    """Adds one member to a backup."""

    def apply(path: Path) -> None:
        with tarfile.open(path, "a") as archive:
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname, entry.size = kind, "/etc/passwd", 1 if kind == tarfile.REGTYPE else 0
            archive.addfile(entry, io.BytesIO(b"x"))

    return apply


HURT = {
    "a flipped bit": changed(flip),
    "an end that is missing": changed(lambda content: content.__delitem__(slice(200_000, None))),
    "nothing": changed(lambda content: content.clear()),
    "no archive": changed(lambda content: content.__setitem__(slice(0, 600), b"x" * 600)),
    "one file more": with_member("uploads/more"),
    "a path out of the folder": with_member("uploads/../../evil"),
    "an absolute path": with_member("/tmp/evil"),
    "a link": with_member("uploads/link", tarfile.SYMTYPE),
    "a device": with_member("uploads/device", tarfile.CHRTYPE),
    "a second database": with_member("narrowcast.db"),
}


@pytest.mark.parametrize("hurt", HURT.values(), ids=list(HURT))
def test_a_damaged_backup_is_rejected_completely(
    folder: Path, tmp_path: Path, hurt: Callable[[Path], None]
) -> None:
    file, back = tmp_path / "backup.tar", tmp_path / "back"
    backup(folder, file, say=quiet)
    hurt(file)
    with pytest.raises(BackupError):
        restore(file, back, say=quiet)
    assert not back.exists()
    assert not (tmp_path / "evil").exists()
    assert {path.name for path in tmp_path.iterdir()} == {"data", "backup.tar"}


def test_a_sparse_file_in_a_backup_is_not_unpacked(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "backup.tar"
    backup(folder, file, say=quiet)
    entry = tarfile.TarInfo("uploads/zeros")
    entry.size, entry.pax_headers = 1, {"GNU.sparse.map": "0,1", "GNU.sparse.size": f"{1 << 20}"}
    with tarfile.open(file, "a") as archive:
        archive.addfile(entry, io.BytesIO(b"x"))
    with pytest.raises(BackupError, match="it holds 'uploads/zeros'"):
        restore(file, tmp_path / "back", say=quiet)


def test_a_backup_is_not_restored_over_other_data(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "backup.tar"
    backup(folder, file, say=quiet)
    with pytest.raises(BackupError, match="not empty"):
        restore(file, folder, say=quiet)
    empty = tmp_path / "empty"
    empty.mkdir()
    restore(file, empty, say=quiet)
    assert check(empty) == []


def test_a_backup_of_damaged_data_fails_and_keeps_the_last_one(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "backup.tar"
    backup(folder, file, say=quiet)
    before = file.read_bytes()
    organization = Organization(folder, ServerConfig(durable=False))
    organization.store.execute("UPDATE users SET role = 777 WHERE id = 3")
    organization.close()
    with pytest.raises(BackupError, match="777"):
        backup(folder, file, say=quiet)
    assert file.read_bytes() == before


@pytest.mark.task("Check its data")
async def test_the_command_line_runs_admin_commands_and_backups(folder: Path, tmp_path: Path) -> None:
    async def serve(*arguments: str) -> Outcome:
        return await run(tmp_path, "serve", *arguments)

    done = await serve("admin", "people", "--data", str(folder))
    assert done.code == 0
    assert "ada@demo.example" in done.out
    done = await serve("--data", str(folder), "admin", "role", "greta@demo.example", "guest")
    assert (done.code, done.out) == (0, "Greta Lindqvist is now guest\n")
    done = await serve("admin", "role", "nobody", "guest", "--data", str(folder))
    assert (done.code, "Traceback" in done.err) == (1, False)
    assert "nobody has the id or address" in done.err
    file, back = str(tmp_path / "copy.tar"), str(tmp_path / "back")
    assert (await serve("--backup", file, "--data", str(folder))).code == 0
    assert (await serve("--restore", file, "--data", back)).code == 0
    assert (await serve("--restore", file, "--data", back)).code == 1
    assert (await serve("--check", "--data", back)).out.endswith(": OK\n")


@pytest.mark.parametrize(
    "url",
    [
        "chat.example",
        "ftp://chat.example",
        "https://",
        "https://chat.example/a/b",
        "https://chat.example/?x=1",
        "https://chat.example#x",
        "https://me@chat.example",
        "https://chat example",
    ],
)
def test_an_invalid_url_is_rejected(folder: Path, url: str) -> None:
    command = [sys.executable, "-m", "narrowcast", "serve", "--url", url, "--data", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "is not an address" in done.stderr


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--check", "--backup", "copy.tar"], "--check and --backup cannot be combined"),
        (["--backup", "a.tar", "--restore", "b.tar"], "--backup and --restore cannot be combined"),
        (["--with-keys"], "--with-keys works only with --backup"),
        (["--check", "--with-keys"], "--with-keys works only with --backup"),
        (["--zulip-level", "421"], "--zulip-level works only with --export-zulip"),
    ],
)
def test_options_that_would_have_no_effect_are_rejected(
    tmp_path: Path, options: list[str], error: str
) -> None:
    command = [sys.executable, "-m", "narrowcast", "serve", *options, "--data", str(tmp_path / "data")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, f"narrowcast: {error}\n")
    assert list(tmp_path.iterdir()) == []


def test_a_backup_in_a_missing_folder_and_a_missing_backup_are_reported_in_plain_words(
    folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(BackupError, match=f"^there is no folder {tmp_path}/missing$"):
        backup(folder, tmp_path / "missing" / "copy.tar", say=quiet)
    with pytest.raises(BackupError, match=f"^there is no file {tmp_path}/missing.tar$"):
        restore(tmp_path / "missing.tar", tmp_path / "new", say=quiet)


async def test_behind_a_proxy_the_configured_url_is_used(folder: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "narrowcast", "serve", "--port", "0", "--data", str(folder)),
        *("--url", "https://chat.example/"),
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    line = await asyncio.wait_for(process.stdout.readline(), 60)
    [link] = await ask(folder, "invite", {"role": "member", "days": "1"})
    process.terminate()
    await process.wait()
    assert line == b"listening on https://chat.example\n"
    assert link.startswith("https://chat.example/join/")


def test_something_in_place_of_the_socket_is_reported_in_plain_words(folder: Path) -> None:
    (folder / NAME).mkdir()
    command = [sys.executable, "-m", "narrowcast", "serve", "--port", "0", "--data", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "is in the way" in done.stderr
    assert "Traceback" not in done.stderr
