"""Codes of an authenticator app and links for a new password, by the command line and in the app."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from narrowcast.app.app import NarrowcastApp
from narrowcast.screens.start.login import LoginScreen
from narrowcast.screens.start.welcome import WelcomeScreen
from narrowcast.terminal.paths import Paths
from narrowcast.widgets.editor import Editor
from narrowcast_server.operator.control import ask
from narrowcast_server.organization.totp import STEP_SECONDS, code_at
from support import world
from support.server import TestServer, running_server
from support.sessions import until
from support.terminal import home

from .test_commands import rc_of, run


def recovery_code(server: TestServer) -> str:
    """Switches codes on for Ada; gives one that is good at any time."""
    factors, ada = server.core.second_factors, server.id("ada")
    with server.core.transaction():
        factors.begin(ada)
        return factors.confirm(ada)[0]


async def test_it_is_switched_on_with_the_password_and_the_first_code(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "narrowcast", "--rc", rc_of(server, tmp_path), "authenticator"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", **home(tmp_path)},
        )
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{world.PASSWORD}\n".encode())
        said = [(await process.stdout.readline()).decode().strip() for _ in range(3)]
        assert said[1].startswith("otpauth://totp/Demo:ada@demo.example?secret=")
        code = code_at(said[2], int(server.core.clock.now()) // STEP_SECONDS)
        rest, _ = await process.communicate(f"{code}\n".encode())
        assert process.returncode == 0
        codes = [line.strip() for line in rest.decode().splitlines()[1:]]
        assert len(codes) == 10
        login = ("login", server.url, "--email", "ada@demo.example")
        answer = await run(tmp_path, *login, stdin=f"{world.PASSWORD}\n{codes[0]}\n")
        assert answer.code == 0, answer.err
        typed = f"{world.PASSWORD}\n{codes[1]}\n"
        off = await run(tmp_path, "authenticator", "--rc", rc_of(server, tmp_path), "--off", stdin=typed)
        assert off.code == 0, off.err
        assert (await run(tmp_path, *login, stdin=f"{world.PASSWORD}\n")).code == 0


async def test_a_wrong_code_stores_nothing_and_says_so(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        recovery_code(server)
        login = ("login", server.url, "--email", "ada@demo.example")
        answer = await run(tmp_path, *login, stdin=f"{world.PASSWORD}\n123456\n")
        assert (answer.code, answer.out) == (3, "")
        assert "This code is wrong" in answer.err
        assert not list((tmp_path / "config").rglob("*.zuliprc"))


async def test_a_link_for_a_new_password_signs_in(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        (_, line) = await ask(server.core.folder, "link", {"who": "dario@demo.example"})
        link = line.rpartition(" ")[2]
        answer = await run(tmp_path, "login", link, stdin="a long new passphrase\n")
        assert answer.code == 0, answer.err
        assert "The password of dario@demo.example" in answer.out
        sent = await run(tmp_path, "send", "--channel", "general", "--topic", "hello", "I am back")
        assert sent.code == 0, sent.err
        again = await run(tmp_path, "login", link, stdin="a long new passphrase\n")
        assert again.code != 0
        assert "Ask for a new one." in again.err
        forgot = await run(tmp_path, "login", server.url, "--email", "dario@demo.example", "--forgot")
        assert forgot.code == 1
        assert "This server sends no mail." in forgot.err


async def test_the_app_asks_for_the_code_once_it_is_needed(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        code = recovery_code(server)
        app = NarrowcastApp("welcome", paths=Paths.under(tmp_path / "home"))
        async with app.run_test(size=(80, 24)) as pilot:
            await until(lambda: isinstance(app.screen, WelcomeScreen))
            await pilot.press("s")
            await until(lambda: isinstance(app.screen, LoginScreen))
            field = app.screen.query_one("#code", Editor)
            assert not field.display
            app.screen.query_one("#site", Editor).text = server.url
            app.screen.query_one("#email", Editor).text = "ada@demo.example"
            app.screen.query_one("#secret", Editor).text = world.PASSWORD
            app.screen.query_one("#secret", Editor).focus()
            await pilot.press("enter")
            await until(lambda: field.display and field.has_focus)
            field.text = code
            await pilot.press("enter")
            await until(lambda: app.accounts.session is not None and app.accounts.session.is_live)
            await app.accounts.close()
