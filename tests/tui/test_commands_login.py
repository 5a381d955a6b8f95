"""Logging in by any way that a server offers: at a terminal, from a script."""

from __future__ import annotations

import asyncio
import os
import pty
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from narrowcast_api.account import Account
from narrowcast_server.organization.config import ServerConfig
from narrowcast_server.routes import server_settings
from narrowcast_server.routes.browser_sign_in import METHOD
from support import world
from support.altered_servers import development, wanting_the_password
from support.browser import ADDRESS, Desktop, shown_after_signing_in
from support.command_line import run
from support.server import TestServer, running_server
from support.sessions import until
from support.terminal import home, narrowcast


class Typed:
    """A command at a pseudo-terminal."""

    def __init__(self, terminal: int) -> None:
        self._terminal = terminal
        self.shown = ""
        os.set_blocking(terminal, False)

    def type(self, text: str) -> None:
        os.write(self._terminal, text.encode())

    async def wait_for(self, pattern: str) -> str:
        def found() -> re.Match[str] | None:
            with suppress(BlockingIOError, OSError):
                self.shown += os.read(self._terminal, 65536).decode()
            return re.search(pattern, self.shown)

        await until(found, what=pattern)
        match = found()
        assert match is not None
        self.shown = self.shown[match.end() :]
        return match[0]


@asynccontextmanager
async def at_terminal(
    folder: Path, *arguments: str, environment: Mapping[str, str] | None = None, code: int = 0
) -> AsyncIterator[Typed]:
    ours, theirs = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *narrowcast(*arguments),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={
            "PATH": "/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "TERM": "xterm",
            **home(folder),
            **(environment or {}),
        },
        start_new_session=True,
    )
    os.close(theirs)
    try:
        yield Typed(ours)
        assert await process.wait() == code
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        os.close(ours)


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[TestServer]:
    async with running_server(tmp_path / "server", config=ServerConfig(external_logins=(METHOD,))) as running:
        yield running


def stored(folder: Path) -> Account:
    (file,) = (folder / "config").rglob("*.zuliprc")
    return Account.from_zuliprc(file)


@pytest.mark.parametrize("switches", [0, 1], ids=["link", "token"])
async def test_at_a_terminal_what_the_page_shows_is_pasted_without_enter(
    tmp_path: Path, server: TestServer, switches: int
) -> None:
    async with at_terminal(tmp_path, "login", server.url) as typed:
        await typed.wait_for(
            r"1  Browser\r\n  2  Email and password\r\n  3  API key\r\n  4  zuliprc file\r\n"
        )
        await typed.wait_for(r"Number \[2\]: ")
        typed.type("1\n")
        for _ in range(switches):
            await typed.wait_for(r"Paste the link .*: ")
            typed.type("s\n")
        address = await typed.wait_for(ADDRESS.pattern)
        await typed.wait_for(rf"Paste the {'token' if switches else 'link'} .*: ")
        typed.type("zulip://login?of=another\n")
        await typed.wait_for("another organization")
        await typed.wait_for(r"Paste the .*: ")
        pasted = await shown_after_signing_in(address)
        typed.type(f"{pasted[:50]}\n{pasted[50:]}")
        await typed.wait_for("Logged in to .* as ada@demo.example")
    assert stored(tmp_path).key == server.account("ada").key


async def test_at_a_terminal_who_cancels_is_told_that_nothing_was_stored(
    tmp_path: Path, server: TestServer
) -> None:
    async with at_terminal(tmp_path, "login", server.url, "--method", "browser", code=2) as typed:
        typed.type("s\n")  # before it is asked for
        await typed.wait_for(r"Paste the token .*: ")
        typed.type("\x04")
        await typed.wait_for("canceled; nothing was stored")
    assert not list(tmp_path.rglob("*.zuliprc"))


async def test_at_a_terminal_a_password_still_works_and_is_the_usual_way(
    tmp_path: Path, server: TestServer
) -> None:
    async with at_terminal(tmp_path, "login", server.url) as typed:
        await typed.wait_for(r"Number \[2\]: ")
        typed.type("\n")
        await typed.wait_for("Email: ")
        typed.type("ada@demo.example\n")
        await typed.wait_for("Password: ")
        typed.type(f"{world.PASSWORD}\n")
        await typed.wait_for("Logged in to")
    assert stored(tmp_path).key == server.account("ada").key


async def test_a_script_names_the_way_and_is_told_what_there_is(tmp_path: Path, server: TestServer) -> None:
    wrong = await run(tmp_path, "login", server.url, "--method", "github")
    assert (wrong.code, wrong.err.count("\n")) == (2, 1)
    assert "offers no login by 'github'; choose with --method: browser, password, key, zuliprc" in wrong.err
    late = await run(tmp_path, "login", server.url, "--method", "browser", stdin="hello\n")
    assert late.code == 1
    assert "not what the page shows" in late.err
    assert "Traceback" not in late.err


async def test_where_passwords_are_off_nobody_is_asked_for_one(
    tmp_path: Path, server: TestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        server_settings, "_authentication_methods", lambda _: {"password": False, "ldap": False}
    )
    result = await run(tmp_path, "login", server.url, "--email", "ada@demo.example", stdin="a password\n")
    assert (result.code, result.err.count("\n")) == (2, 1)
    assert "has no logins by password; choose with --method: browser, key, zuliprc" in result.err


async def test_at_a_terminal_what_the_browser_copies_on_this_machine_is_taken(
    tmp_path: Path, server: TestServer
) -> None:
    desktop = Desktop(tmp_path)
    async with at_terminal(
        tmp_path, "login", server.url, "--method", "browser", environment=desktop.environment
    ) as typed:
        address = await typed.wait_for(ADDRESS.pattern)
        await typed.wait_for(r"Paste the link .*: ")
        desktop.copy(await shown_after_signing_in(address))
        await typed.wait_for("Logged in to .* as ada@demo.example")
    assert stored(tmp_path).key == server.account("ada").key


async def test_at_a_terminal_the_password_is_asked_for_where_it_is_wanted_with_a_token(
    tmp_path: Path,
) -> None:
    with wanting_the_password():
        async with running_server(
            tmp_path / "server", config=ServerConfig(external_logins=(METHOD,))
        ) as server:
            async with at_terminal(tmp_path, "login", server.url, "--method", "browser") as typed:
                await typed.wait_for(r"Paste the link .*: ")
                typed.type("s\n")
                address = await typed.wait_for(ADDRESS.pattern)
                await typed.wait_for(r"Paste the token .*: ")
                typed.type(await shown_after_signing_in(address))
                await typed.wait_for("it wants yours with a token")
                await typed.wait_for("Password: ")
                typed.type("a wrong one\n")
                await typed.wait_for("Password is incorrect")
                await typed.wait_for("Password: ")
                typed.type(f"{world.PASSWORD}\n")
                await typed.wait_for("Logged in to .* as ada@demo.example")
            assert stored(tmp_path).key == server.account("ada").key


async def test_at_a_terminal_people_of_a_development_server_log_in_without_a_password(tmp_path: Path) -> None:
    running: list[TestServer] = []
    with development(running):
        async with running_server(tmp_path / "server") as server:
            running.append(server)
            async with at_terminal(tmp_path, "login", server.url, "--method", "dev") as typed:
                await typed.wait_for(r"1  ada@demo.example\r\n  2  dario@demo.example\r\n")
                await typed.wait_for("Number or email: ")
                typed.type("7\n")
                await typed.wait_for("type a number from 1 to 2")
                await typed.wait_for("Number or email: ")
                typed.type("2\n")
                await typed.wait_for("Logged in to .* as dario@demo.example")
            wrong = await run(tmp_path, "login", server.url, "--method", "dev", "--email", "x@demo.example")
            assert (wrong.code, wrong.err.count("\n")) == (3, 1)
