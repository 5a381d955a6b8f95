"""Signing in on the server's own page, for a program on any machine: both flows, end to end over real sockets."""

from __future__ import annotations

import dataclasses
import html
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest
from msgspec.structs import replace

from narrowcast_api.client import Client
from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.connection import Connection
from narrowcast_api.routes.auth import get_server_settings
from narrowcast_api.routes.external_sign_in import (
    BrowserSignIn,
    Flow,
    begin_sign_in,
    finish_sign_in,
    is_complete,
    usual_flow,
)
from narrowcast_server.organization.browser_sign_ins import TOKEN_SECONDS, BrowserSignIns
from narrowcast_server.organization.config import ServerConfig
from narrowcast_server.organization.totp import STEP_SECONDS, code_at
from narrowcast_server.routes.browser_sign_in import METHOD, PATH
from support import world
from support.clock import VirtualClock
from support.server import TestServer, running_server

KEY = "a" * 64
BROWSER = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "navigate"}


@dataclass
class Bench:
    """A server, a connection of the program, and a browser."""

    server: TestServer
    connection: Connection
    browser: httpx2.AsyncClient

    async def begin(self, flow: Flow) -> BrowserSignIn:
        settings = await get_server_settings(self.connection)
        return begin_sign_in(self.connection, settings.external_authentication_methods[0], flow)

    async def post(self, attempt: BrowserSignIn, **fields: str) -> httpx2.Response:
        typed = {"username": "ada@demo.example", "password": world.PASSWORD, **fields}
        headers = {**BROWSER, "Origin": self.server.url}
        return await self.browser.post(attempt.address, data=typed, headers=headers)

    async def shown(self, attempt: BrowserSignIn, **fields: str) -> str:
        """What the page shows to be copied after the person has signed in."""
        response = await self.post(attempt, **fields)
        assert response.status_code == 200, response.text
        found = re.search(r"<code>(.*?)</code>", response.text)
        assert found is not None
        return html.unescape(found[1])


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    async with (
        running_server(tmp_path, config=ServerConfig(external_logins=(METHOD,))) as server,
        Connection(server.url) as connection,
        httpx2.AsyncClient(trust_env=False) as browser,
    ):
        yield Bench(server, connection, browser)


@pytest.mark.parametrize("flow", [Flow.DESKTOP, Flow.MOBILE])
async def test_who_signs_in_on_the_page_gets_an_account(bench: Bench, flow: Flow) -> None:
    attempt = await bench.begin(flow)
    assert (await bench.browser.get(attempt.address, headers=BROWSER)).status_code == 200
    pasted = await bench.shown(attempt)
    ada = bench.server.account("ada")
    assert ada.key.reveal() not in pasted
    assert is_complete(attempt, pasted)
    assert not any(is_complete(attempt, pasted[:end]) for end in range(len(pasted) - len("&user_id=1")))
    broken = f"  {pasted[:40]}\n{pasted[40:]} "  # as a terminal wraps it
    account = await finish_sign_in(bench.connection, attempt, broken)
    assert (account.site, account.email, account.key) == (ada.site, ada.email, ada.key)
    async with Client.open(account) as client:
        assert (await client.users.me()).user_id == bench.server.id("ada")


async def test_an_organization_with_passwords_is_entered_by_the_link(bench: Bench) -> None:
    settings = await get_server_settings(bench.connection)
    assert usual_flow(settings) is Flow.MOBILE
    settings.authentication_methods["password"] = False
    assert usual_flow(settings) is Flow.DESKTOP


async def test_a_token_works_once(bench: Bench) -> None:
    attempt = await bench.begin(Flow.DESKTOP)
    pasted = await bench.shown(attempt)
    await finish_sign_in(bench.connection, attempt, pasted)
    async with Connection(bench.server.url) as another:
        with pytest.raises(InvalidInput, match="it works once, within 15 seconds"):
            await finish_sign_in(another, attempt, pasted)


async def test_a_token_works_where_the_server_takes_another_address_for_its_own(bench: Bench) -> None:
    attempt = await bench.begin(Flow.DESKTOP)
    pasted = await bench.shown(attempt)
    organization = bench.server.organization
    organization.config = dataclasses.replace(organization.config, url="http://elsewhere.example")
    assert (await finish_sign_in(bench.connection, attempt, pasted)).email == "ada@demo.example"


async def test_a_token_and_a_session_end_after_their_time() -> None:
    clock = VirtualClock()
    kept = BrowserSignIns(clock)
    token = kept.make_token(7)
    await clock.advance(TOKEN_SECONDS)
    assert kept.open_session(token) is None
    opened = kept.open_session(kept.make_token(7))
    assert opened is not None
    name, session = opened
    assert kept.use_session(name, "made up") is None, "and the session has ended"
    assert kept.use_session(name, session.csrf) is None


async def test_the_page_wants_the_second_factor_and_limits_attempts(bench: Bench) -> None:
    factor, typed = "/server/second_factor", {"password": world.PASSWORD}
    secret = (await bench.server.call("ada", "POST", factor, typed))["secret"]
    now = int(bench.server.now()) // STEP_SECONDS
    await bench.server.call("ada", "POST", f"{factor}/confirm", {"code": code_at(secret, now)})
    attempt = await bench.begin(Flow.MOBILE)
    refused = await bench.post(attempt)
    assert (refused.status_code, "authenticator app as well" in refused.text) == (401, True)
    assert "zulip://" not in refused.text
    assert (await bench.shown(attempt, second_factor=code_at(secret, now + 1))).startswith("zulip://")
    for _ in range(6):
        refused = await bench.post(attempt, password="wrong")
    assert refused.status_code == 429
    assert "<form" in refused.text


@pytest.mark.parametrize(
    "query",
    ["", "?desktop_flow_otp=12", f"?desktop_flow_otp={KEY}&mobile_flow_otp={KEY}", "?mobile_flow_otp=%22"],
)
async def test_without_one_valid_one_time_key_there_is_no_form(bench: Bench, query: str) -> None:
    url = bench.server.url + PATH + query
    for request in (bench.browser.get(url), bench.browser.post(url, data={"username": "a", "password": "b"})):
        response = await request
        assert response.status_code == 400
        assert "<form" not in response.text


async def test_pages_of_other_sites_cannot_sign_anybody_in(bench: Bench) -> None:
    attempt = await bench.begin(Flow.MOBILE)
    foreign = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"}
    typed = {"username": "ada@demo.example", "password": world.PASSWORD}
    assert (await bench.browser.post(attempt.address, data=typed, headers=foreign)).status_code == 403


async def test_a_session_without_its_second_token_gets_no_key(bench: Bench) -> None:
    token = bench.server.organization.browser_sign_ins.make_token(bench.server.id("ada"))
    opened = await bench.browser.get(f"{bench.server.url}/accounts/login/subdomain/{token}")
    assert opened.status_code == 302
    refused = await bench.browser.post(f"{bench.server.url}/json/fetch_api_key")
    assert refused.status_code == 401
    assert "api_key" not in refused.json()


async def test_what_is_pasted_by_mistake_is_told_apart(bench: Bench) -> None:
    attempt, other = await bench.begin(Flow.MOBILE), await bench.begin(Flow.MOBILE)
    link = await bench.shown(attempt)
    elsewhere = re.sub(r"realm=[^&]*", "realm=https%3A%2F%2Fother.example", link)
    token = await bench.shown(await bench.begin(Flow.DESKTOP))
    for pasted, words in (
        ("", "not what the page shows"),
        ("hello", "not what the page shows"),
        (token, "not what the page shows"),
        (elsewhere, "another organization: https://other.example"),
        (link[: link.index("otp_") + 40], "not all of the link"),
        (link[:20], "another organization: it names none"),
    ):
        with pytest.raises(InvalidInput, match=words):
            await finish_sign_in(bench.connection, attempt, pasted)
    with pytest.raises(InvalidInput, match="not one of this attempt"):
        await finish_sign_in(bench.connection, other, link)


async def test_a_method_of_another_server_never_gets_the_one_time_key(bench: Bench) -> None:
    settings = await get_server_settings(bench.connection)
    (method,) = settings.external_authentication_methods
    for url in ("https://evil.example/login", "//evil.example/login", ""):
        with pytest.raises(InvalidInput, match="its page is not at"):
            begin_sign_in(bench.connection, replace(method, login_url=url), Flow.MOBILE)
