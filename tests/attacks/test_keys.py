"""Keys and passwords: what is stored on the disk grants no access, and changed ones no longer work."""

from __future__ import annotations

import base64
import stat
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest

from narrowcast_server.storage.key_vault import FILE, KeyVault, new_key
from support.server import TestServer, running_server
from support.world import PASSWORD

LONG = "a longer battery staple"


async def status_of(server: TestServer, address: str, key: str) -> int:
    async with httpx2.AsyncClient(trust_env=False) as client:
        url = f"{server.url}/api/v1/users/me"
        return (await client.get(url, auth=httpx2.BasicAuth(address, key))).status_code


# --- passwords -----------------------------------------------------------------------------------------------


async def test_a_new_password_revokes_the_key_and_ends_its_queues(server: TestServer) -> None:
    old = server.user("ada").api_key
    listener = await server.listen("ada")
    fields = {"old_password": PASSWORD, "new_password": LONG}
    fresh = (await server.call("ada", "PATCH", "/settings", fields))["api_key"]
    assert await status_of(server, "ada@demo.example", old) == 401
    assert await status_of(server, "ada@demo.example", fresh) == 200
    assert (await server.refusal("ada", "GET", "/events", listener.poll()))["code"] == "BAD_EVENT_QUEUE_ID"
    signed_in = {"username": "ada@demo.example", "password": LONG}
    assert (await server.call(None, "POST", "/fetch_api_key", signed_in))["api_key"] == fresh


@pytest.mark.parametrize(
    "wrong", [{"old_password": "x"}, {"new_password": "short"}, {"new_password": "x" * 101}]
)
async def test_a_rejected_password_change_revokes_nothing(
    server: TestServer, wrong: dict[str, object]
) -> None:
    old = server.user("ada").api_key
    fields = {"old_password": PASSWORD, "new_password": LONG, **wrong}
    await server.refusal("ada", "PATCH", "/settings", fields)
    assert server.user("ada").api_key == old
    signed_in = {"username": "ada@demo.example", "password": PASSWORD}
    await server.call(None, "POST", "/fetch_api_key", signed_in)


async def test_changing_other_settings_keeps_the_key(server: TestServer) -> None:
    old = server.user("ada").api_key
    response = await server.call("ada", "PATCH", "/settings", {"enable_sounds": False})
    assert "api_key" not in response
    assert server.user("ada").api_key == old


@pytest.mark.parametrize("password", ["", "a", "1234567", "x" * 101, "x" * 5_000])
async def test_passwords_that_are_too_short_or_too_long_are_rejected(
    server: TestServer, password: str
) -> None:
    account = {"email": "new@demo.example", "full_name": "New", "password": password}
    await server.refusal("ada", "POST", "/users", account)
    await server.refusal(None, "POST", await server.create_link("ada"), account)
    await server.refusal("elif", "PATCH", "/settings", {"new_password": password})
    assert server.organization.user_by_address("new@demo.example") is None


@pytest.mark.parametrize("address", ["iris-bot@demo.example", "notification-bot@demo.example"])
async def test_a_bot_cannot_log_in_with_a_password(server: TestServer, address: str) -> None:
    bot = server.organization.user_by_address(address)
    assert bot is not None
    hashed = await server.organization.passwords.hashed(LONG)
    with server.organization.transaction():
        server.organization.users.update(bot.id, password_hash=hashed)
    fields = {"username": address, "password": LONG}
    await server.refusal(None, "POST", "/fetch_api_key", fields, status=401)


async def test_a_deactivated_user_cannot_log_in(server: TestServer) -> None:
    await server.call("elif", "PATCH", "/settings", {"new_password": LONG})
    await server.call("ada", "DELETE", f"/users/{server.id('elif')}")
    fields = {"username": "elif@demo.example", "password": LONG}
    refusal = await server.refusal(None, "POST", "/fetch_api_key", fields, status=401)
    assert "api_key" not in refusal


# --- the header ----------------------------------------------------------------------------------------------

ADDRESS = "ada@demo.example"
HEADERS = {
    "nothing": "",
    "scheme alone": "Basic",
    "bearer": "Bearer {key}",
    "address and key of another scheme": "Bearer {both}",
    "not base64": "Basic %%%%",
    "no colon": "Basic " + base64.b64encode(b"ada@demo.example").decode(),
    "no key": "Basic " + base64.b64encode(b"ada@demo.example:").decode(),
    "null bytes": "Basic " + base64.b64encode(b"ada@demo.example:" + b"\x00" * 32).decode(),
    "other key": "Basic " + base64.b64encode(b"ada@demo.example:" + b"x" * 32).decode(),
    "not utf-8": "Basic " + base64.b64encode(b"\xff\xfe:" + b"x" * 32).decode(),
    "sealed form": "Basic " + base64.b64encode(b"ada@demo.example:s1:00:00:00").decode(),
    "very long": "Basic " + base64.b64encode(b"ada@demo.example:" + b"x" * 5000).decode(),
}


@pytest.mark.parametrize("header", HEADERS.values(), ids=HEADERS.keys())
async def test_no_malformed_header_grants_access(server: TestServer, header: str) -> None:
    key = server.user("ada").api_key
    both = base64.b64encode(f"{ADDRESS}:{key}".encode()).decode()
    header = header.replace("{key}", key).replace("{both}", both)
    async with httpx2.AsyncClient(trust_env=False) as client:
        response = await client.get(f"{server.url}/api/v1/users/me", headers={"Authorization": header})
    assert response.status_code == 401
    assert response.json()["code"] == "UNAUTHORIZED"


@pytest.mark.parametrize(
    "change", [str.lower, str.upper, str.swapcase, lambda key: key[:-1], lambda key: key + "a"]
)
async def test_a_changed_key_is_rejected(server: TestServer, change: Callable[[str], str]) -> None:
    key = server.user("ada").api_key
    assert change(key) != key
    assert await status_of(server, ADDRESS, change(key)) == 401


async def test_a_key_is_rejected_for_another_account(server: TestServer) -> None:
    assert await status_of(server, "bruno@demo.example", server.user("ada").api_key) == 401
    assert await status_of(server, "nobody@demo.example", server.user("ada").api_key) == 401


@pytest.mark.parametrize("where", ["query", "form"])
async def test_a_key_in_a_parameter_is_rejected(server: TestServer, where: str) -> None:
    fields = {"api_key": server.user("ada").api_key}
    async with httpx2.AsyncClient(trust_env=False) as client:
        url = f"{server.url}/api/v1/users/me"
        response = await (
            client.get(url, params=fields) if where == "query" else client.post(url, data=fields)
        )
    assert response.status_code in (401, 405)


# --- the disk ------------------------------------------------------------------------------------------------


def bytes_of(folder: Path) -> bytes:
    """All bytes of the database: file, write-ahead log and index."""
    return b"".join(path.read_bytes() for path in folder.glob("narrowcast.db*"))


async def test_the_database_contains_no_key_in_plain_text(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    async with running_server(folder) as server:
        made = await server.create_bot("dario")
        fresh = (await server.call("dario", "POST", "/users/me/api_key/regenerate"))["api_key"]
        keys = {user.api_key for user in server.organization.users.all()} | {made["api_key"], fresh}
        assert all(len(key) == 32 for key in keys)
        assert not [key for key in keys if key.encode() in bytes_of(folder)]
    assert not [key for key in keys if key.encode() in bytes_of(folder)]
    assert stat.S_IMODE((folder / FILE).stat().st_mode) == 0o600


async def test_keys_survive_a_restart(tmp_path: Path) -> None:
    async with running_server(tmp_path / "data") as server:
        before = {user.id: user.api_key for user in server.organization.users.all()}
    async with running_server(tmp_path / "data") as server:
        assert {user.id: user.api_key for user in server.organization.users.all()} == before
        await server.call("ada", "GET", "/users/me")


async def test_keys_stored_by_an_older_server_are_encrypted_at_the_next_start(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    plain = new_key()
    async with running_server(folder) as server:
        with server.organization.transaction():
            server.organization.store.execute(
                "UPDATE users SET api_key = ? WHERE full_name LIKE 'Dario%'", plain
            )
    assert plain.encode() in bytes_of(folder)
    async with running_server(folder) as server:
        assert await status_of(server, "dario@demo.example", plain) == 200
        assert plain.encode() not in bytes_of(folder)
    assert plain.encode() not in bytes_of(folder)


@pytest.mark.parametrize("secret", [None, b"", b"x" * 31, bytes(32), b"\xff" * 32])
async def test_a_database_without_its_secret_grants_no_access(tmp_path: Path, secret: bytes | None) -> None:
    folder = tmp_path / "data"
    async with running_server(folder) as server:
        old = {user.delivery_email: user.api_key for user in server.organization.users.all()}
    if secret is None:
        (folder / FILE).unlink()
    else:
        (folder / FILE).write_bytes(secret)
    async with running_server(folder) as server:
        new = {user.delivery_email: user.api_key for user in server.organization.users.all()}
        assert all(len(key) == 32 and key != old[address] for address, key in new.items())
        assert await status_of(server, ADDRESS, old[ADDRESS]) == 401
        fields = {"username": ADDRESS, "password": PASSWORD}
        fetched = (await server.call(None, "POST", "/fetch_api_key", fields))["api_key"]
        assert await status_of(server, ADDRESS, fetched) == 200


def test_an_encrypted_key_reveals_nothing_of_another(tmp_path: Path) -> None:
    vault = KeyVault(tmp_path)
    key = new_key()
    assert vault.seal(key) != vault.seal(key)
    assert vault.open(vault.seal(key)) == key
    assert KeyVault(tmp_path).open(vault.seal(key)) == key


@pytest.mark.parametrize("part", [1, 2, 3])
def test_an_encrypted_key_that_was_tampered_with_is_rejected(tmp_path: Path, part: int) -> None:
    vault = KeyVault(tmp_path)
    pieces = vault.seal(new_key()).split(":")
    pieces[part] = ("0" if pieces[part][0] != "0" else "1") + pieces[part][1:]
    assert vault.open(":".join(pieces)) is None


@pytest.mark.parametrize(
    "text", ["", ":", "s1", "s1:::", "s1:00:00:00", "s2:00:00:00", "a:b:c:d", "s1:00:00", "é:é:é:é"]
)
def test_an_invalid_encrypted_key_is_rejected(tmp_path: Path, text: str) -> None:
    assert KeyVault(tmp_path).open(text) is None
