"""Links whose text shows one URL and whose address is another, and files on other servers."""

from __future__ import annotations

from pathlib import Path

import pytest

from narrowcast.content.addresses import External, resolve
from narrowcast.terminal.programs import checked
from narrowcast.text.link_claims import host_of, link_warning
from narrowcast_api.errors import FileElsewhere, InvalidInput, RedirectRefused
from narrowcast_api.files.downloads import download_file, fetch_bytes
from narrowcast_api.state.state import State
from support import live
from support.api import make_connection
from support.scripted import ScriptedTransport

EVIL = "https://evil.example/"


@pytest.mark.parametrize(
    "label",
    [
        "bank.com",
        "https://bank.com",
        "HTTPS://BANK.COM/login",
        "www.bank.com",
        "see bank.com for more",
        "https://bank.com@evil.example/",
        "https://bank.com\\@evil.example/",
        "bank\u3002com",
        "bank\uff0ecom",
        "bank\uff61com",
        "ｂａｎｋ．ｃｏｍ",
        "https：//ｂａｎｋ.com",
        "ba\u200bnk.com",
        "ba\u00adnk\u2060.com",
        "bank.com\u2044login",
        "bank.com\u2215login",
        "bank.com／login",
        "https://bank%2ecom",
        "https://192.0.2.7/x",
        "http://[2001:db8::1]/",
        "bücher.example",
        "банк.рф",
        "bank.com.",
        "evil.example is not bank.com",
        "xn--bcher-kva.example",
    ],
)
def test_a_link_text_that_names_another_host_is_suspicious(label: str) -> None:
    assert link_warning(label, EVIL).startswith("The text says ")


@pytest.mark.parametrize(
    ("label", "url"),
    [
        ("evil.example", EVIL),
        ("the report", EVIL),
        ("https://evil.example/a?b=c.d#e", EVIL),
        ("www.evil.example", EVIL),
        ("evil.example", "https://www.evil.example/x"),
        ("EVIL.example.", "https://evil.example:8443/"),
        ("bücher.example", "https://xn--bcher-kva.example/"),
        ("bücher.example", "https://b\u00fccher.example/"),
        ("ｅｖｉｌ．example", EVIL),
        ("http://[2001:db8::1]:80/", "http://[2001:db8::1]/"),
        ("https://192.0.2.7/x", "https://192.0.2.7/y"),
        ("10.5 percent, v2.1", EVIL),
        ("例え.テスト", "https://xn--r8jz45g.xn--zckzah/"),
    ],
)
def test_a_link_text_that_matches_its_url_is_not_suspicious(label: str, url: str) -> None:
    assert link_warning(label, url) == ""


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://bank.com@evil.example/", "evil.example"),
        ("https://bank.com:pw@evil.example/", "evil.example"),
        ("https://evil.example\\@bank.com/", "evil.example"),
        ("https:\\\\evil.example/", "evil.example"),
        ("https://evil\u3002example/", "evil.example"),
        ("https://evil%2eexample/", "evil.example"),
        ("https://evil%E3%80%82example/", "evil.example"),
        ("https://ｅｖｉｌ.example/", "evil.example"),
        ("https://EVIL.example.:443/", "evil.example"),
        ("https://[::1]:80/", "::1"),
        ("https://[broken/", ""),
        ("https:///", ""),
    ],
)
def test_a_url_is_parsed_like_in_a_browser(url: str, host: str) -> None:
    assert host_of(url) == host


@pytest.mark.parametrize(
    "url",
    [
        "https://bank.com@evil.example/",
        "https://bank.com%2f@evil.example/",
        "https://evil.example\\@bank.com/",
        "https://evil.example\\.bank.com/",
        "https://xn--80ak6aa92e.com/",  # all Cyrillic, but looks like apple.com
        "https://\u0430\u0440\u0440\u04cf\u0435.com/",
        "https://b\u0430nk.com/",  # one Cyrillic letter among Latin ones
        "https://xn--bnk-9cd.com/",
        "https://bank.com\u2044x.evil.example/",
        "https://bank_com!.evil.example/",
        "https://xn--a.com/",
    ],
)
def test_a_url_that_hides_its_target_is_suspicious_whatever_the_link_text(url: str) -> None:
    assert link_warning("the report", url) != ""


@pytest.mark.parametrize(
    "href",
    [
        "https://evil.example\\@chat.example.org/",
        "\\\\evil.example\\@chat.example.org/x",
        "/\\evil.example/user_uploads/1/a",
        "https:\\\\evil.example/user_uploads/1/a",
    ],
)
def test_a_url_with_a_backslash_is_not_mistaken_for_the_own_server(href: str) -> None:
    state = State.from_snapshot(live.snapshot(realm_url="https://chat.example.org"))
    target = resolve(href, state)
    assert isinstance(target, External)
    assert not target.own
    assert host_of(target.url) == "evil.example"


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example\\@bank.com/",
        "https://a.example/\u202ea",
        "https://a.example/\x9b",
        "javascript:x",
    ],
)
def test_an_ambiguous_url_is_not_passed_to_the_browser(url: str) -> None:
    with pytest.raises(InvalidInput):
        checked(url)


ELSEWHERE = [
    "https://files.example.net/a?signature=s",
    "http://intranet/a",
    "http://router.lan/reboot",
    "https://chat.example.org.evil.example/",
    "https://chat.example.org:8443/a",
    "http://chat.example.org/a",
    "https://127.0.0.1/",
    "https://10.0.0.1/",
    "https://169.254.169.254/latest/meta-data",
    "https://[::1]/",
    "https://[::ffff:10.0.0.1]/",
    "https://localhost/",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://8.8.8.8/",
    "file:///etc/passwd",
    "ftp://files.example.net/a",
    "//evil.example/a",
]


@pytest.mark.parametrize("status", [301, 302, 307])
@pytest.mark.parametrize("location", ELSEWHERE)
async def test_no_download_follows_a_redirect_to_another_host(
    tmp_path: Path, location: str, status: int
) -> None:
    with ScriptedTransport() as transport:
        for name in ("a", "b"):
            path = f"/user_uploads/1/{name}.txt"
            transport.prepare("GET", path, status=status, headers={"location": location}, content=b"")
        async with make_connection(transport) as connection:
            with pytest.raises(RedirectRefused) as refused:
                await download_file(connection, url="/user_uploads/1/a.txt", folder=tmp_path)
            with pytest.raises(RedirectRefused):
                await fetch_bytes(connection, url="/user_uploads/1/b.txt", max_bytes=1000)
        assert {str(sent.url.host) for sent in transport.requests} == {"chat.example.org"}
        assert len(transport.requests) == 2
    assert isinstance(refused.value, FileElsewhere)
    assert "signature" not in refused.value.user_message
    assert list(tmp_path.iterdir()) == []
