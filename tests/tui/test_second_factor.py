"""Codes of an authenticator app and password reset links, in the command line and in the app."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest
from textual.widgets import Static

from narrowcast.app import sign_in
from narrowcast.app.app import NarrowcastApp
from narrowcast.screens.account.second_factor import EnrolmentForm, RecoveryCodesScreen, SecondFactorScreen
from narrowcast.screens.start.login import LoginScreen
from narrowcast.screens.start.welcome import WelcomeScreen
from narrowcast.terminal.paths import Paths
from narrowcast.widgets.editor import Editor
from narrowcast_api.errors import ApiError, InvalidInput
from narrowcast_api.http.secret import Secret
from narrowcast_api.routes import auth
from narrowcast_server.operator.control import ask
from narrowcast_server.organization.totp import STEP_SECONDS, code_at
from narrowcast_server.resources import joining, second_factor
from support import world
from support.altered_servers import changed
from support.command_line import rc_of
from support.command_line import run as command
from support.fault_proxy import Fault
from support.screens import confirm, fill, form_of, pick, rows, said
from support.server import TestServer, running_server
from support.sessions import until
from support.stage import Stage, behind_proxy, on_stage, run
from support.terminal import home


def recovery_code(server: TestServer) -> str:
    """Turns on codes for Ada and returns one that is always valid."""
    factors, ada = server.organization.second_factors, server.id("ada")
    with server.organization.transaction():
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
        code = code_at(said[2], int(server.organization.clock.now()) // STEP_SECONDS)
        rest, _ = await process.communicate(f"{code}\n".encode())
        assert process.returncode == 0
        codes = [line.strip() for line in rest.decode().splitlines()[1:]]
        assert len(codes) == 10
        login = ("login", server.url, "--email", "ada@demo.example")
        result = await command(tmp_path, *login, stdin=f"{world.PASSWORD}\n{codes[0]}\n")
        assert result.code == 0, result.err
        typed = f"{world.PASSWORD}\n{codes[1]}\n"
        new = await command(
            tmp_path, "authenticator", "--rc", rc_of(server, tmp_path), "--recovery-codes", stdin=typed
        )
        assert new.code == 0, new.err
        typed = f"{world.PASSWORD}\n{new.out.splitlines()[-1].strip()}\n"
        off = await command(tmp_path, "authenticator", "--rc", rc_of(server, tmp_path), "--off", stdin=typed)
        assert off.code == 0, off.err
        assert (await command(tmp_path, *login, stdin=f"{world.PASSWORD}\n")).code == 0


async def test_a_wrong_code_stores_nothing_and_says_so(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        recovery_code(server)
        login = ("login", server.url, "--email", "ada@demo.example")
        result = await command(tmp_path, *login, stdin=f"{world.PASSWORD}\n123456\n")
        assert (result.code, result.out) == (3, "")
        assert "This code is wrong" in result.err
        assert not list((tmp_path / "config").rglob("*.zuliprc"))


async def test_a_link_for_a_new_password_signs_in(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        (_, line) = await ask(server.organization.folder, "link", {"who": "dario@demo.example"})
        link = line.rpartition(" ")[2]
        result = await command(tmp_path, "login", link, stdin="a long new passphrase\n")
        assert result.code == 0, result.err
        assert "The password of dario@demo.example" in result.out
        sent = await command(tmp_path, "send", "--channel", "general", "--topic", "hello", "I am back")
        assert sent.code == 0, sent.err
        again = await command(tmp_path, "login", link, stdin="a long new passphrase\n")
        assert again.code != 0
        assert "Ask for a new one." in again.err
        forgot = await command(tmp_path, "login", server.url, "--email", "dario@demo.example", "--forgot")
        assert forgot.code == 1
        assert "This server sends no email." in forgot.err


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


def enrolment_of(stage: Stage) -> EnrolmentForm:
    form = stage.app.screen
    assert isinstance(form, EnrolmentForm)
    return form


async def enrol(stage: Stage) -> list[str]:
    """Turns on codes in the personal settings and returns the recovery codes that are shown."""
    await run(stage, "account.settings")
    await pick(stage, "account.two-factor")
    await until(lambda: rows(stage))
    await pick(stage, "set up")
    await fill(stage, password=world.PASSWORD)
    await until(lambda: isinstance(stage.app.screen, EnrolmentForm))
    form = enrolment_of(stage)
    secret = form.enrolment.secret
    shown = str(form.query_one("#note", Static).render())
    assert " ".join(secret[start : start + 4] for start in range(0, len(secret), 4)) in shown
    assert f"otpauth://totp/Demo:ada@demo.example?secret={secret}" in shown
    await stage.press("f2")
    assert stage.app.clipboard == secret
    await stage.press("f3")
    assert stage.app.clipboard == form.enrolment.uri
    await fill(stage, code="000000")
    await until(lambda: "This code is wrong" in form.shown_problems)
    await fill(stage, code=code_at(secret, int(stage.server.organization.clock.now()) // STEP_SECONDS))
    await until(lambda: isinstance(stage.app.screen, RecoveryCodesScreen))
    codes = [text.strip() for text in rows(stage)]
    await stage.press("y")
    assert stage.app.clipboard.split() == codes
    return codes


async def test_the_app_sets_it_up_and_shows_the_recovery_codes_until_they_are_kept(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        factors, ada = stage.server.organization.second_factors, stage.server.id("ada")
        codes = await enrol(stage)
        assert factors.is_on(ada)
        assert len(codes) == 10
        assert factors.fits(ada, codes[0])
        await stage.press("slash", *codes[0][:4], "escape")
        assert isinstance(stage.app.screen, RecoveryCodesScreen)
        assert len(stage.app.screen.list.shown) == 10, "the first key only clears the filter"
        await stage.press("escape", "n")
        assert isinstance(stage.app.screen, RecoveryCodesScreen)
        await stage.press("escape")
        await confirm(stage)
        assert isinstance(stage.app.screen, SecondFactorScreen)
        assert stage.app.screen.title_text().endswith(": on")
        assert "10 left" in rows(stage)[0]


async def test_the_app_gives_new_recovery_codes_and_switches_it_off(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        factors, ada = stage.server.organization.second_factors, stage.server.id("ada")
        old = recovery_code(stage.server)
        await run(stage, "account.two-factor")
        await until(lambda: rows(stage))
        await pick(stage, "renew")
        form = await form_of(stage)
        await fill(stage, password=world.PASSWORD, code="123456")
        await until(lambda: "This code is wrong" in form.shown_problems)
        assert stage.session.is_live
        await fill(stage, code=old)
        await until(lambda: isinstance(stage.app.screen, RecoveryCodesScreen))
        codes = [text.strip() for text in rows(stage)]
        await stage.press("escape")
        await confirm(stage)
        await pick(stage, "end")
        await fill(stage, password="a guess of mine", code=codes[0])
        await until(lambda: "Wrong password" in stage.app.screen.shown_problems)  # type: ignore[attr-defined]
        await fill(stage, password=world.PASSWORD)
        await until(lambda: isinstance(stage.app.screen, SecondFactorScreen))
        assert not factors.is_on(ada)
        assert said(stage) == "Two-factor authentication is off."
        assert "Set up" in rows(stage)[0]


async def test_after_a_lost_response_the_actual_state_is_shown_and_a_code_is_asked_for_again(
    tmp_path: Path,
) -> None:
    async with behind_proxy(tmp_path, size=(80, 24)) as (stage, proxy):
        server = stage.server
        await run(stage, "account.two-factor")
        await until(lambda: rows(stage))
        await pick(stage, "set up")
        await fill(stage, password=world.PASSWORD)
        await until(lambda: isinstance(stage.app.screen, EnrolmentForm))
        form = enrolment_of(stage)
        proxy.fail(Fault.LOST_AFTERWARDS, "POST", "/api/v1/server/second_factor/confirm", times=1)
        step = int(server.organization.clock.now()) // STEP_SECONDS
        await fill(stage, code=code_at(form.enrolment.secret, step))
        await until(lambda: "may have worked" in form.shown_problems)
        await stage.press("escape", "escape")
        await until(lambda: len(rows(stage)) == 2 and "10 left" in rows(stage)[0])


async def test_other_servers_are_reported_as_not_supporting_it(tmp_path: Path) -> None:
    with changed(second_factor.routes, []):
        async with on_stage(tmp_path, size=(80, 24)) as stage:
            await run(stage, "account.two-factor")
            await until(lambda: "Apps cannot set this up" in said(stage))
            assert rows(stage) == []
            rc = rc_of(stage.server, tmp_path)
            result = await command(tmp_path, "authenticator", "--rc", rc, stdin=f"{world.PASSWORD}\n")
            assert result.code == 1
            assert "does not support setting up two-factor authentication" in result.err


async def test_for_a_server_that_resets_passwords_on_its_website_only_the_error_names_the_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def no_such_page(*_: object, **__: object) -> None:
        raise ApiError("", "", 404)

    monkeypatch.setattr(auth, "ask_for_password_link", no_such_page)
    with pytest.raises(InvalidInput) as told:
        await sign_in.ask_for_password_link("https://chat.example", "ada@demo.example")
    assert "Open https://chat.example/accounts/password/reset/ in a browser." in told.value.user_message
    monkeypatch.setattr(auth, "find_invitation", no_such_page)
    with pytest.raises(InvalidInput, match="make your account there; then log in here"):
        await sign_in.check_invitation("https://chat.example", "k")
    monkeypatch.setattr(auth, "accept_invitation", no_such_page)
    with pytest.raises(InvalidInput, match="Open the link of the invitation in a browser"):
        await sign_in.join(
            "https://chat.example", "k", "ada@demo.example", "Ada", Secret("a long passphrase")
        )


async def test_an_invitation_for_a_browser_is_reported_as_one_before_anything_is_asked(
    tmp_path: Path,
) -> None:
    with changed(joining.routes, []):
        async with running_server(tmp_path) as server:
            result = await command(tmp_path, "login", f"{server.url}/join/abc/", "--insecure-http")
            assert result.code != 0
            assert "Open the link of the invitation in a browser" in result.err
            assert "Your name" not in result.err
    async with running_server(tmp_path / "other") as server:
        result = await command(tmp_path, "login", f"{server.url}/join/abc/", "--insecure-http")
        assert "Your name" in result.err, "this server takes it here"
