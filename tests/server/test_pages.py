"""What people see who open a URL of the server in a browser."""

from __future__ import annotations

import asyncio
import html
import os
import re
import shlex
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import httpx2
import pytest

from narrowcast_server.serve import address_for_others
from support.server import TestServer, running_server

BROWSER_ACCEPTS = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
HOSTILE = "</title><script>alert(1)</script><img src=x onerror=alert(2)>\u202e& \"quoted\" 'x'"
INSTALL = "pipx install ."
BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-headless-shell", "google-chrome"))), None
)
_QUIET = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


class Page(HTMLParser):
    """The texts of a page; asserts that it has only harmless tags and attributes."""

    TAGS = frozenset(
        ["html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "pre", "code", "bdi"]
    )

    def __init__(self, source: str) -> None:
        super().__init__()
        self.commands: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self._open: list[str] = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in self.TAGS
        assert {name for name, _ in attrs} <= {"lang", "charset", "name", "content"}
        if tag != "meta":
            self._open.append(tag)
            self.texts.setdefault(tag, []).append("")

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open:
            self.texts[self._open[-1]][-1] += data
            if self._open[-1] == "code":
                self.commands.append(data)


async def opened(server: TestServer, path: str, status: int = 200) -> Page:
    """A page; asserts its status and required headers."""
    url = path if path.startswith("http") else server.url + path
    response = await server.client.get(url, headers=BROWSER_ACCEPTS)
    assert response.status_code == status
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    check_headers(response)
    return Page(response.text)


def check_headers(response: httpx2.Response) -> None:
    policy = response.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    for directive in ("base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"):
        assert directive in policy
    assert response.headers["referrer-policy"] == "no-referrer"
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["cache-control"] == "no-store"


async def link(server: TestServer) -> str:
    response = await server.call("ada", "POST", "/invites/multiuse", {"invite_expires_in_minutes": 10})
    return str(response["invite_link"])


async def test_the_home_page_explains_what_this_is_and_how_to_log_in(server: TestServer) -> None:
    page = await opened(server, "/")
    assert page.texts["bdi"] == ["Demo"]
    assert page.commands == [INSTALL, f"narrowcast login {server.url}", "narrowcast open 'ADDRESS'"]
    assert "Narrowcast server" in " ".join(page.texts["p"])


@pytest.mark.parametrize("slash", ["/", ""])
async def test_the_invitation_page_names_the_organization_and_the_two_commands(
    server: TestServer, slash: str
) -> None:
    address = await link(server)
    page = await opened(server, address.rstrip("/") + slash)
    assert page.texts["bdi"] == ["Demo"]
    assert page.commands == [INSTALL, f"narrowcast login {address}"]


async def test_the_invitation_page_reveals_nothing_else_about_the_organization(server: TestServer) -> None:
    response = await server.client.get(await link(server), headers=BROWSER_ACCEPTS)
    private = [user.full_name for user in server.organization.users.all()]
    private += [user.delivery_email for user in server.organization.users.all()]
    private += [channel.name for channel in server.organization.channels.all() if channel.name != "support"]
    assert [word for word in private if word in response.text] == []


async def test_the_page_of_an_invalid_invitation_does_not_offer_to_join(
    server: TestServer,
) -> None:
    page = await opened(server, "/join/made-up/", 410)
    assert page.commands == []
    assert "Ask for a new one." in " ".join(page.texts["p"])
    invited = await link(server)
    (row,) = (await server.call("ada", "GET", "/invites"))["invites"]
    await server.call("ada", "DELETE", f"/invites/multiuse/{row['id']}")
    assert (await opened(server, invited, 410)).commands == []


async def test_a_hostile_name_is_escaped_everywhere(server: TestServer) -> None:
    with server.organization.transaction():
        server.organization.set_settings(name=HOSTILE)
    shown = HOSTILE.replace("\u202e", "\ufffd")
    for path, status in (("/", 200), (await link(server), 200), ("/join/made-up/", 410), ("/nothing", 404)):
        page = await opened(server, path, status)
        assert page.texts["bdi"] == [shown]
        assert page.texts["title"][0].endswith(shown)


@pytest.mark.parametrize("token", ["%3Cscript%3E", "%22%3E%3Cb%3E", "..%2f", "a'b", "\u202e"])
async def test_a_hostile_token_is_not_shown(server: TestServer, token: str) -> None:
    response = await server.client.get(f"{server.url}/join/{token}", headers=BROWSER_ACCEPTS)
    assert response.status_code in (404, 410)
    check_headers(response)
    assert not re.search(r"<script|<b>|a'b|\u202e", html.unescape(response.text))


async def test_a_wrong_url_shows_a_help_page_to_browsers_and_json_to_programs(server: TestServer) -> None:
    page = await opened(server, "/login/", 404)
    assert "This page does not exist." in page.texts["p"]
    for path, accept in (("/login/", "*/*"), ("/api/v1/nothing", BROWSER_ACCEPTS["Accept"])):
        response = await server.client.get(server.url + path, headers={"Accept": accept})
        assert (response.status_code, response.json()["result"]) == (404, "error")
    response = await server.client.post(f"{server.url}/login/", headers=BROWSER_ACCEPTS)
    assert response.json()["result"] == "error"


async def test_the_pages_say_how_to_install_as_the_operator_does(server: TestServer) -> None:
    own = "pipx install /srv/<narrowcast>.whl"
    server.organization.config = replace(server.organization.config, install=own)
    for path in ("/", await link(server)):
        page = await opened(server, path)
        assert page.commands[0] == own
        assert INSTALL not in page.commands


async def test_the_url_in_commands_is_quoted_for_the_shell(server: TestServer) -> None:
    server.organization.config = replace(server.organization.config, url="https://chat.example/$(true)")
    command = (await opened(server, "/")).commands[1]
    assert shlex.split(command) == ["narrowcast", "login", "https://chat.example/$(true)"]
    assert "'" in command


async def test_links_of_a_server_that_listens_on_all_addresses_work_on_other_machines(tmp_path: Path) -> None:
    async with running_server(tmp_path / "data", host="0.0.0.0") as server:
        expected = address_for_others("0.0.0.0", server.url)
        address = await link(server)
        assert address.startswith(f"{expected}/join/")
        (row,) = (await server.call("ada", "GET", "/invites"))["invites"]
        assert row["link_url"] == address
        assert (await opened(server, address)).commands[1] == f"narrowcast login {address}"
        assert f"narrowcast login {expected}" in (await opened(server, "/")).commands
        settings = await server.call(None, "GET", "/server_settings")
        assert settings["realm_url"] == expected


@pytest.mark.skipif(BROWSER is None, reason="there is no Chromium on this machine")
async def test_a_browser_shows_the_styled_page_and_runs_no_script(server: TestServer, tmp_path: Path) -> None:
    with server.organization.transaction():
        server.organization.set_settings(name="<script>document.title='ran'</script>Acme")
    address = await link(server)
    shown = Page(re.sub(r"<!--.*?-->", "", await dom(address, tmp_path)))
    assert shown.texts["bdi"] == ["<script>document.title='ran'</script>Acme"]
    assert shown.texts["title"] == ["Join <script>document.title='ran'</script>Acme"]
    assert shown.commands[1] == f"narrowcast login {address}"
    picture = tmp_path / "page.png"
    said = await chromium(tmp_path, f"--screenshot={picture}", "--enable-logging=stderr", address)
    assert picture.stat().st_size > 5_000
    assert "Content Security Policy" not in said[1]


async def dom(url: str, folder: Path) -> str:
    return (await chromium(folder, "--dump-dom", url))[0]


async def chromium(folder: Path, *arguments: str) -> tuple[str, str]:
    """Standard output and error of a browser with a fresh profile."""
    assert BROWSER is not None
    process = await asyncio.create_subprocess_exec(
        BROWSER,
        *_QUIET,
        f"--user-data-dir={folder / 'profile'}",
        *arguments,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "HOME": str(folder)},
    )
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    return out.decode(), err.decode()
