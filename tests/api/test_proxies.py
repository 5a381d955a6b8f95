"""Proxies that the environment names: chosen as other programs do, used for requests and events alike."""

from __future__ import annotations

import asyncio
import sys
import urllib.request
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from narrowcast_api.account import Account
from narrowcast_api.errors import NotConnected, UnusableProxy
from narrowcast_api.events.status import ConnectionKind
from narrowcast_api.events.websocket import open_socket
from narrowcast_api.http import proxies
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.proxies import proxy_for
from narrowcast_api.http.secret import Secret
from support.server import running_server
from support.sessions import session_of, until
from support.sockets import Socks, Speaking, http, proxy_server

SITE = "https://chat.example.org"


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for scheme in ("http", "https", "all", "no"):
        monkeypatch.delenv(f"{scheme}_proxy", raising=False)
        monkeypatch.delenv(f"{scheme}_PROXY".upper(), raising=False)


@pytest.mark.parametrize(
    ("site", "environment", "address"),
    [
        (SITE, {}, None),
        (SITE, {"HTTPS_PROXY": "http://one:8080"}, "http://one:8080"),
        (SITE, {"https_proxy": "http://one", "HTTPS_PROXY": "http://two"}, "http://one:80"),
        (SITE, {"HTTP_PROXY": "http://one", "ALL_PROXY": "https://two"}, "https://two:443"),
        (SITE, {"HTTP_PROXY": "http://one", "HTTPS_PROXY": " "}, None),
        (SITE, {"ALL_PROXY": "one:3128"}, "http://one:3128"),
        (SITE, {"ALL_PROXY": "http://[::2]:3128/"}, "http://[::2]:3128"),
        (SITE, {"ALL_PROXY": "http://ada:p%40ss@one"}, "http://ada:p%40ss@one:80"),
        (SITE, {"ALL_PROXY": "http://ada@one"}, "http://ada:@one:80"),
        (SITE, {"ALL_PROXY": "socks5://one"}, "socks5h://one:1080"),
        (SITE, {"ALL_PROXY": "SOCKS5H://one:9"}, "socks5h://one:9"),
        (SITE, {"all_proxy": "socks://one:9/"}, "socks5h://one:9"),
        ("wss://chat.example.org", {"HTTPS_PROXY": "http://one"}, "http://one:80"),
        ("http://chat.example.org", {"HTTPS_PROXY": "http://one"}, None),
        ("http://localhost:9911", {"ALL_PROXY": "http://one"}, None),
        ("http://127.3.2.1", {"ALL_PROXY": "http://one"}, None),
        ("http://[::1]:80", {"ALL_PROXY": "http://one"}, None),
    ],
)
def test_the_variable_of_the_scheme_names_the_proxy_else_the_one_for_all(
    site: str, environment: dict[str, str], address: str | None
) -> None:
    proxy = proxy_for(site, environment)
    assert (None if proxy is None else proxy.url) == address


@pytest.mark.parametrize(
    ("listed", "site", "is_direct"),
    [
        ("*", SITE, True),
        ("other.org, example.org", SITE, True),
        ("other.org example.org", SITE, True),
        (".example.org", SITE, True),
        ("*.example.org", SITE, True),
        ("Chat.Example.Org.", SITE, True),
        ("xample.org", SITE, False),
        ("chat.example.org.uk", SITE, False),
        ("example.org:443", SITE, True),
        ("example.org:8443", SITE, False),
        ("bücher.example", "https://xn--bcher-kva.example", True),
        ("10.0.0.0/8", "https://10.1.2.3", True),
        ("10.0.0.0/8", "https://11.1.2.3", False),
        ("10.0.0.0/8", SITE, False),
        ("10.1.2.3:8443", "https://10.1.2.3:8443", True),
        ("10.1.2.3:8443", "https://10.1.2.3", False),
        ("fe80::/10", "https://[fe80::1]", True),
        ("[fe80::]/10", "https://[fe80::1]", True),
        ("fe80::/10", "https://[fd00::1]", False),
        ("fd00::1", "https://[fd00:0::1]", True),
        ("[fd00::1]", "https://[fd00::1]", True),
        ("[fd00::1]:443", "https://[fd00::1]", True),
        ("[fd00::1]:444", "https://[fd00::1]", False),
        ("localhost,127.0.0.0/8,fe80::/10", SITE, False),
        ("[::1]", SITE, False),
    ],
)
def test_servers_that_no_proxy_lists_are_reached_directly(listed: str, site: str, is_direct: bool) -> None:
    assert (proxy_for(site, {"ALL_PROXY": "http://one", "NO_PROXY": listed}) is None) is is_direct
    assert proxy_for(site, {"NO_PROXY": listed}) is None


@pytest.mark.parametrize(
    ("variable", "value", "reason"),
    [
        (
            "ALL_PROXY",
            "ftp://one",
            "a proxy of the kind 'ftp' is not supported; http, https, socks5 and socks5h are",
        ),
        ("https_proxy", "socks4://one", "a proxy of the kind 'socks4' is not supported"),
        ("HTTPS_PROXY", "http://", "'http://' is not the address of a proxy, such as http://"),
        ("HTTPS_PROXY", "one:port", "'one:port' is not the address of a proxy"),
        ("HTTPS_PROXY", "http://one:99999", "is not the address of a proxy"),
        ("HTTPS_PROXY", "http://one:0", "is not the address of a proxy"),
        ("HTTPS_PROXY", "http://one two", "is not the address of a proxy"),
        ("HTTPS_PROXY", "http://[::1", "is not the address of a proxy"),
        ("HTTPS_PROXY", "http://one/path", "is not the address of a proxy"),
        ("HTTPS_PROXY", "http://ada:hidden@one:port", "'http://…@one:port' is not the address"),
        ("HTTPS_PROXY", "ada:hidden@one:port", "'one:port' is not the address"),
        (
            "NO_PROXY",
            "10.0.0.0/99",
            "'10.0.0.0/99' is not a name, an address or a network such as 10.0.0.0/8",
        ),
        ("no_proxy", "*,https://example.org", "'https://example.org' is not a name"),
        ("NO_PROXY", "[::1", "'[::1' is not a name"),
        ("NO_PROXY", "one:port", "'one:port' is not a name"),
        ("NO_PROXY", ".", "'.' is not a name"),
    ],
)
def test_what_is_invalid_is_named_with_its_variable(variable: str, value: str, reason: str) -> None:
    with pytest.raises(UnusableProxy) as caught:
        proxy_for(SITE, {"ALL_PROXY": "http://one", variable: value})
    assert caught.value.user_message.startswith(f"{variable}: ")
    assert reason in caught.value.user_message
    assert "hidden" not in caught.value.user_message
    assert "\n" not in caught.value.user_message


def test_an_invalid_proxy_does_not_matter_to_a_server_that_is_reached_directly() -> None:
    assert proxy_for(SITE, {"ALL_PROXY": "ftp://one", "NO_PROXY": "example.org"}) is None
    assert proxy_for("http://localhost", {"ALL_PROXY": "ftp://one", "NO_PROXY": "10.0.0.0/99"}) is None


def test_no_text_of_a_proxy_holds_its_password() -> None:
    assert "hidden" not in repr(proxy_for(SITE, {"ALL_PROXY": "http://ada:hidden@one"}))


@pytest.mark.parametrize("missing", ["socksio", "python_socks"])
async def test_a_socks_proxy_names_the_extra_that_is_missing(
    monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    monkeypatch.setattr(proxies, "find_spec", lambda name: None if name == missing else object())
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    async with Connection(SITE) as connection:
        for _ in range(2):
            with pytest.raises(
                UnusableProxy, match="ALL_PROXY: a SOCKS proxy needs the extra 'socks'"
            ) as caught:
                await connection.identify()
            assert caught.value.extra == "socks"
        with pytest.raises(UnusableProxy):
            async with connection.stream("GET", f"{SITE}/file"):
                pass


@pytest.mark.parametrize(
    ("platform", "bypassed", "address"),
    [("darwin", False, "http://system:80"), ("darwin", True, None), ("linux", False, None)],
)
def test_the_settings_of_the_system_count_where_no_variable_names_a_proxy(
    monkeypatch: pytest.MonkeyPatch, platform: str, bypassed: bool, address: str | None
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(urllib.request, "proxy_bypass", lambda _: bypassed)
    monkeypatch.setattr(urllib.request, "getproxies", lambda: {"https": "http://system"})
    proxy = proxy_for(SITE, {})
    assert (None if proxy is None else proxy.url) == address
    named = proxy_for(SITE, {"HTTPS_PROXY": "http://one"})
    assert named is not None
    assert named.host == "one"


@pytest.mark.parametrize(
    ("speak", "address"),
    [
        (http, "http://127.0.0.1:{}"),
        (Socks(), "socks5://127.0.0.1:{}"),
        (Socks((b"ada", b"p@ss")), "socks5h://ada:p%40ss@127.0.0.1:{}"),
    ],
    ids=["http", "SOCKS", "SOCKS with a password"],
)
async def test_requests_and_the_event_stream_go_through_the_proxy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, speak: Speaking, address: str
) -> None:
    async with running_server(tmp_path / "server") as server:
        port = urlsplit(server.url).port
        assert port is not None
        async with proxy_server(speak, port) as proxy:
            monkeypatch.setenv("ALL_PROXY", address.format(proxy.port))
            account = replace(server.account("ada"), site="http://chat.example:8080")
            async with session_of(account, tmp_path) as session:
                await until(lambda: proxy.upgrades, what="the event stream")
                sent = await server.send("bruno", "general", "soup", "through the proxy")
                await until(lambda: sent in session.state.messages)
            assert set(proxy.asked) == {"chat.example:8080"}


@pytest.mark.parametrize("wrong", ["socks5://ada:wrong@127.0.0.1:{}", "socks5://127.0.0.1:{}"])
async def test_a_socks_proxy_that_refuses_means_that_nothing_was_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    async with proxy_server(Socks((b"ada", b"right")), 9) as proxy:
        monkeypatch.setenv("ALL_PROXY", wrong.format(proxy.port))
        async with Connection(SITE) as connection:
            with pytest.raises(NotConnected, match="through the proxy of ALL_PROXY"):
                await connection.identify()


async def test_what_is_no_socks_proxy_is_reported_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    async def speak(reader: object, writer: object) -> tuple[str, bytes]:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")  # type: ignore[attr-defined]
        return "", b""

    async with proxy_server(speak, 9) as proxy:
        monkeypatch.setenv("ALL_PROXY", f"socks5://127.0.0.1:{proxy.port}")
        async with Connection(SITE) as connection:
            with pytest.raises(NotConnected, match=r"no SOCKS proxy responds at 127\.0\.0\.1"):
                await connection.identify()


async def test_a_proxy_that_cannot_be_reached_is_named_with_the_system_s_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    async with Connection(SITE) as connection:
        with pytest.raises(NotConnected) as caught:
            await connection.identify()
    assert "connection refused" in str(caught.value)
    assert "through the proxy of HTTPS_PROXY" in caught.value.user_message


async def test_an_invalid_proxy_is_reported_by_the_event_stream_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "ftp://one")
    account = Account(SITE, "ada@example.org", Secret("canary-key"))
    async with Connection(account) as connection:
        with pytest.raises(UnusableProxy, match="ALL_PROXY"):
            await open_socket(connection, "/events", "queue", 0)


@pytest.mark.parametrize("value", ["ftp://one", "socks4://one", "one:port"])
async def test_a_session_is_offline_at_once_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("ALL_PROXY", value)
    account = Account("http://chat.example", "ada@example.org", Secret("canary-key"))
    async with session_of(account, tmp_path, run=False) as session:
        running = asyncio.ensure_future(session.run())
        await until(lambda: session.status.kind is ConnectionKind.OFFLINE)
        assert session.status.detail.startswith("ALL_PROXY: ")
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
