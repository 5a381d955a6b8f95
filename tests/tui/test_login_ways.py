"""Logging in by any way that a server offers: in the app."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from narrowcast.app.app import NarrowcastApp
from narrowcast.app.sign_in_ways import has_browser, name_label, takes_password, ways_of
from narrowcast.screens.main.screen import MainScreen
from narrowcast.screens.start.login import LoginScreen
from narrowcast.terminal.desktop_clipboard import read_text
from narrowcast.terminal.paths import Paths
from narrowcast.widgets.editor import Editor
from narrowcast_api.account import Account
from narrowcast_api.routes.external_sign_in import Flow, usual_flow
from narrowcast_api.wire.server import ServerSettings
from narrowcast_server.organization.browser_sign_ins import BrowserSignIns
from narrowcast_server.organization.config import ServerConfig
from narrowcast_server.routes import server_settings
from narrowcast_server.routes.browser_sign_in import METHOD
from support import world
from support.altered_servers import development, wanting_the_password
from support.browser import ADDRESS, Desktop, shown_after_signing_in
from support.screens import screen_text
from support.server import TestServer, running_server
from support.sessions import until

GOOGLE = {"name": "google", "display_name": "Google", "login_url": "/accounts/login/social/google"}
SAML = {"name": "saml:acme", "display_name": "Acme", "login_url": "/accounts/login/social/saml/acme"}


def settings(*external: dict[str, str], email: bool = True, **methods: bool) -> ServerSettings:
    return ServerSettings.from_response(
        {
            "authentication_methods": methods,
            "external_authentication_methods": list(external),
            "require_email_format_usernames": email,
        }
    )


def test_the_ways_are_those_of_the_server_in_its_order() -> None:
    names = [way.title for way in ways_of(settings(SAML, GOOGLE, password=True, ldap=False))]
    assert names == ["Acme", "Google", "Email and password", "API key", "zuliprc file"]
    names = [way.name for way in ways_of(settings(GOOGLE, password=False, dev=True))]
    assert names == ["google", "dev", "key", "zuliprc"]


def test_a_directory_may_have_names_that_are_no_email_addresses() -> None:
    assert name_label(settings(password=False, ldap=True, email=False)) == "User name"
    assert name_label(settings(password=True, ldap=True, email=True)) == "Email"
    assert takes_password(settings(password=False, ldap=True))
    assert takes_password(settings()), "a server that does not say"
    assert not takes_password(settings(password=False, email_=True))


def test_a_browser_is_opened_only_where_the_person_sees_it() -> None:
    assert has_browser({"DISPLAY": ":0"})
    assert not has_browser({"DISPLAY": ":10", "SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22"})


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[TestServer]:
    async with running_server(tmp_path / "server", config=ServerConfig(external_logins=(METHOD,))) as running:
        yield running


@asynccontextmanager
async def login_screen(folder: Path, site: str) -> AsyncIterator[tuple[NarrowcastApp, Pilot[int]]]:
    """The app with the login screen, once the server has said which ways it offers."""
    app = NarrowcastApp("welcome", paths=Paths.under(folder / "home"))
    async with app.run_test(size=(90, 30)) as pilot:
        await app.push_screen(LoginScreen())
        app.screen.query_one("#site", Editor).text = site
        await pilot.press("tab")
        await until(lambda: "F4 chooses a way" in screen_text(app.screen))
        yield app, pilot


async def test_in_the_app_one_joins_by_the_link_of_an_invitation(tmp_path: Path, server: TestServer) -> None:
    made = await server.call("ada", "POST", "/invites/multiuse", {"invite_as": 400})
    async with login_screen(tmp_path, server.url) as (app, pilot):
        screen = app.screen
        screen.query_one("#site", Editor).text = ""
        screen.query_one("#site", Editor).insert(made["invite_link"])
        await until(lambda: "This is an invitation" in screen_text(screen))
        await until(lambda: "Your name" in screen_text(screen))
        for name, text in (
            ("name", "Nora New"),
            ("email", "nora@demo.example"),
            ("secret", "a long passphrase"),
        ):
            screen.query_one(f"#{name}", Editor).text = text
        await pilot.press("enter")
        await until(lambda: any(isinstance(one, MainScreen) for one in app.screen_stack))
        (stored,) = app.paths.accounts.glob("*.zuliprc")
        assert Account.from_zuliprc(stored).email == "nora@demo.example"


@pytest.mark.parametrize("switches", [0, 1], ids=["link", "token"])
async def test_in_the_app_what_the_page_shows_is_pasted_without_enter(
    tmp_path: Path, server: TestServer, switches: int
) -> None:
    async with login_screen(tmp_path, server.url) as (app, pilot):
        assert "Browser · Email and password · API key · zuliprc file" in screen_text(app.screen)
        screen = app.screen
        assert screen.query_one("#secret", Editor).display
        await pilot.press("f4", "f4", "f4", *["f5"] * switches)
        words = "Browser: the token that" if switches else "Browser: the link that"
        await until(lambda: words in screen_text(screen))
        assert not screen.query_one("#secret", Editor).display

        page = screen.query_one("#page", Static)
        await until(lambda: ADDRESS.search(str(page.content)))
        found = ADDRESS.search(str(page.content))
        assert found is not None
        pasted = screen.query_one("#pasted", Editor)
        pasted.insert("zulip://login?of=another")
        await pilot.press("enter")
        await until(lambda: "another organization" in screen_text(screen))
        pasted.text = ""
        pasted.insert(await shown_after_signing_in(found[0]))
        await until(lambda: app.accounts.session is not None and app.accounts.session.is_live)
        await app.accounts.close()


def address_on(page: Static) -> str | None:
    """The address for the browser that the login screen shows."""
    found = ADDRESS.search(str(page.content))
    return None if found is None else found[0]


async def test_in_the_app_the_address_for_the_browser_is_one_link_and_can_be_copied(
    tmp_path: Path, server: TestServer
) -> None:
    async with login_screen(tmp_path, server.url) as (app, pilot):
        page = app.screen.query_one("#page", Static)
        await pilot.press("f7")
        assert app.clipboard == ""
        await pilot.press("f4", "f4", "f4")
        await until(lambda: address_on(page))
        await pilot.pause()
        links = {
            one.style.link
            for row in (1, 2)
            for one in page.render_line(row)
            if one.text.strip() and one.style
        }
        await pilot.press("f7")
        assert links == {app.clipboard} == {address_on(page)}


async def test_in_the_app_who_comes_too_late_is_told_and_signs_in_again(
    tmp_path: Path, server: TestServer
) -> None:
    async with login_screen(tmp_path, server.url) as (app, pilot):
        screen = app.screen
        page, pasted = screen.query_one("#page", Static), screen.query_one("#pasted", Editor)
        await pilot.press("f4", "f4", "f4", "f5")
        await until(lambda: "desktop_flow_otp" in (address_on(page) or ""))
        address = address_on(page)
        assert address is not None
        token = await shown_after_signing_in(address)
        server.organization.browser_sign_ins = BrowserSignIns(
            server.organization.clock
        )  # which has forgotten the token
        pasted.insert(token)
        await until(lambda: "does not accept the token" in screen_text(screen))
        pasted.text = ""
        pasted.insert(await shown_after_signing_in(address))
        await until(lambda: app.accounts.session is not None and app.accounts.session.is_live)
        await app.accounts.close()


async def test_in_the_app_a_connection_that_is_lost_meanwhile_is_named(tmp_path: Path) -> None:
    async with AsyncExitStack() as running:
        config = ServerConfig(external_logins=(METHOD,))
        server = await running.enter_async_context(running_server(tmp_path / "server", config=config))
        async with login_screen(tmp_path, server.url) as (app, pilot):
            screen = app.screen
            page, pasted = screen.query_one("#page", Static), screen.query_one("#pasted", Editor)
            await pilot.press("f4", "f4", "f4", "f5")
            await until(lambda: "desktop_flow_otp" in (address_on(page) or ""))
            token = await shown_after_signing_in(address_on(page) or "")
            await running.aclose()
            pasted.insert(token)
            await until(lambda: "cannot be reached" in screen_text(screen))
            assert pasted.text == token


async def test_in_the_app_another_way_is_typed_for_at_once_and_without_the_last_ones_error(
    tmp_path: Path, server: TestServer
) -> None:
    async with login_screen(tmp_path, server.url) as (app, pilot):
        for way, field in (("key", "email"), ("file", "pasted"), ("browser", "pasted")):
            await pilot.press("f4")
            assert (way, app.focused) == (way, app.screen.query_one(f"#{field}", Editor))
        await until(lambda: address_on(app.screen.query_one("#page", Static)))
        for key in ("f5", "f4"):
            await pilot.press("h", "i", "enter")
            await until(lambda: "not what the page shows" in screen_text(app.screen))
            await pilot.press(key)
            await until(lambda: "not what the page shows" not in screen_text(app.screen))
        app.screen.query_one("#email", Editor).text = "ada@demo.example"
        await pilot.press("f4")
        assert app.focused is app.screen.query_one("#secret", Editor)


def test_a_directory_wants_its_password_with_a_token_too() -> None:
    assert usual_flow(settings(GOOGLE, password=False, ldap=True)) is Flow.MOBILE
    assert usual_flow(settings(GOOGLE, password=False, ldap=False)) is Flow.DESKTOP


async def test_in_the_app_a_server_without_passwords_asks_for_none(
    tmp_path: Path, server: TestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        server_settings, "_authentication_methods", lambda _: {"password": False, "ldap": False}
    )
    async with login_screen(tmp_path, server.url) as (app, _):
        assert "Browser · API key · zuliprc file" in screen_text(app.screen)
        assert "Browser: the token that the page shows" in screen_text(app.screen)
        assert not app.screen.query_one("#secret", Editor).display


async def test_in_the_app_an_account_file_is_stored_and_opened(tmp_path: Path, server: TestServer) -> None:
    file = tmp_path / "given"
    server.account("ada").write_zuliprc(file)
    async with login_screen(tmp_path, server.url) as (app, pilot):
        await pilot.press("f4", "f4")
        await until(lambda: "Path of the zuliprc file" in screen_text(app.screen))
        pasted = app.screen.query_one("#pasted", Editor)
        pasted.insert(str(tmp_path / "none"))
        pasted.focus()
        await pilot.press("enter")
        await until(lambda: "cannot be read" in screen_text(app.screen))
        pasted.text = str(file)
        await pilot.press("enter")
        await until(lambda: app.accounts.session is not None and app.accounts.session.is_live)
        await app.accounts.close()


async def test_in_the_app_what_the_browser_copies_on_this_machine_is_taken(
    tmp_path: Path, server: TestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    desktop = Desktop(tmp_path)
    for name, value in desktop.environment.items():
        monkeypatch.setenv(name, value)
    for name in ("SSH_CONNECTION", "SSH_TTY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    async with login_screen(tmp_path, server.url) as (app, pilot):
        await pilot.press("f4", "f4", "f4")
        page = app.screen.query_one("#page", Static)
        await until(lambda: ADDRESS.search(str(page.content)))
        found = ADDRESS.search(str(page.content))
        assert found is not None
        desktop.copy(await shown_after_signing_in(found[0]))
        await until(lambda: app.accounts.session is not None and app.accounts.session.is_live)
        await app.accounts.close()


async def test_the_clipboard_is_read_only_where_there_is_one() -> None:
    assert await read_text({}) is None
    assert await read_text({"DISPLAY": ":0", "SSH_TTY": "/dev/pts/1"}) is None


async def test_in_the_app_the_password_is_asked_for_where_it_is_wanted_with_a_token(tmp_path: Path) -> None:
    with wanting_the_password():
        async with (
            running_server(tmp_path / "server", config=ServerConfig(external_logins=(METHOD,))) as server,
            login_screen(tmp_path, server.url) as (app, pilot),
        ):
            screen = app.screen
            await pilot.press("f4", "f4", "f4", "f5")
            await until(lambda: "Browser: the token that" in screen_text(screen))
            page = screen.query_one("#page", Static)
            await until(lambda: ADDRESS.search(str(page.content)))
            found = ADDRESS.search(str(page.content))
            assert found is not None
            screen.query_one("#pasted", Editor).insert(await shown_after_signing_in(found[0]))
            await until(lambda: "This organization allows passwords too" in screen_text(screen))
            secret = screen.query_one("#secret", Editor)
            for typed, said in (("a wrong one", "Password is incorrect"), (world.PASSWORD, "")):
                secret.text = typed
                await pilot.press("enter")
                await until(lambda said=said: said in screen_text(screen))  # type: ignore[misc]
            await until(lambda: app.accounts.session is not None and app.accounts.session.is_live)
            await app.accounts.close()


async def test_in_the_app_people_of_a_development_server_log_in_without_a_password(tmp_path: Path) -> None:
    running: list[TestServer] = []
    with development(running):
        async with running_server(tmp_path / "server") as server:
            running.append(server)
            async with login_screen(tmp_path, server.url) as (app, pilot):
                await until(lambda: "ada@demo.example, dario@demo.example" in screen_text(app.screen))
                email = app.screen.query_one("#email", Editor)
                email.insert("ada@demo.example")
                await pilot.press("enter")
                await until(lambda: app.accounts.session is not None and app.accounts.session.is_live)
                await app.accounts.close()
