"""File names that come from servers and links."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narrowcast_api.files.names import markdown_link, quoted_for_form, response_file_name, safe_name
from support.ledger import proves


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("report.pdf", "report.pdf"),
        ("../../etc/passwd", "passwd"),
        ("..\\..\\windows\\system.ini", "system.ini"),
        ("/absolute", "absolute"),
        (".bashrc", "bashrc"),
        ("...", "download"),
        ("..", "download"),
        ("", "download"),
        ("/", "download"),
        ("-rf", "rf"),
        ("a\x00b\x1b[31m\n.txt", "ab[31m.txt"),
        ("gpj.\u202eexe.txt", "gpj.exe.txt"),
        ("zero\u200bwidth\ufeff.txt", "zerowidth.txt"),
        ("  spaced   out .txt ", "spaced out .txt"),
        ("ünïcödé-文.txt", "ünïcödé-文.txt"),
        ("lone\ud800.txt", "lone.txt"),
    ],
)
def test_a_name_becomes_one_plain_visible_part(name: str, safe: str) -> None:
    assert safe_name(name) == safe


def test_a_long_name_keeps_its_ending() -> None:
    for name in ("n" * 500 + ".tar.gz", "文" * 300 + ".gz"):
        assert safe_name(name).endswith(".gz")
        assert len(safe_name(name).encode()) <= 200
    assert len(safe_name("x." + "y" * 500).encode()) <= 200


@given(st.text())
def test_any_name_is_safe(name: str) -> None:
    safe = safe_name(name)
    assert safe
    assert not set(safe) & {"/", "\\", "\0", "\n"}
    assert safe[0] not in ".-"
    assert len(safe.encode()) <= 200
    assert safe_name(safe) == safe


@pytest.mark.parametrize(
    ("disposition", "url", "name"),
    [
        ('inline; filename="hello.txt"', "/user_uploads/1/x/other.txt", "hello.txt"),
        ("attachment; filename=plain.txt", "/x", "plain.txt"),
        ("attachment; filename*=UTF-8''na%C3%AFve%20%E6%96%87.txt", "/x", "naïve 文.txt"),
        ("attachment; filename*=UTF-8''..%2F..%2Fetc%2Fpasswd", "/x", "passwd"),
        ("attachment; filename*=nosuch''%ff.txt", "/x", None),
        ('inline; filename=""', "/user_uploads/1/x/from%20url.txt?a=/b", "from url.txt"),
        ("inline", "/user_uploads/1/x/a.txt#frag", "a.txt"),
        (None, "https://chat.example.org/user_uploads/1/x/%2e%2e%2fevil", "evil"),
        (None, "", "download"),
    ],
)
def test_the_name_of_a_response_is_its_headers_else_its_addresss(
    disposition: str | None, url: str, name: str | None
) -> None:
    found = response_file_name(disposition, url)
    assert found == safe_name(found)
    assert name is None or found == name


@given(st.text(), st.text())
def test_any_header_gives_a_safe_name(header: str, url: str) -> None:
    found = response_file_name(header, "/user_uploads/" + url.replace("[", "").replace("]", ""))
    assert found == safe_name(found)


@proves("UPL-10", "UPL-11")
def test_a_link_to_an_upload_has_no_brackets_in_its_name() -> None:
    assert markdown_link("a[1].txt", "/user_uploads/1/a.txt") == "[a1.txt](/user_uploads/1/a.txt)"
    assert markdown_link("plain (1).txt", "/u") == "[plain (1).txt](/u)"


def test_a_name_cannot_leave_its_quotes_in_a_form() -> None:
    assert quoted_for_form('a"; name="b\r\nX: y') == "a%22; name=%22b%0D%0AX: y"
