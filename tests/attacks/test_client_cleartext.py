"""No password is sent unencrypted over a network unless the user has confirmed it."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from attacks.hostile_server import Response, hostile_server, success
from narrowcast.app.sign_in import Cleartext, join, sign_in
from narrowcast.cli.main import main
from narrowcast_api.account import is_cleartext
from narrowcast_api.http.secret import Secret
from support.terminal import Terminal, home, narrowcast

REMOTE = [
    "http://chat.example.org",
    "HTTP://chat.example.org:8080/zulip",
    "http://192.0.2.7",
    "http://10.0.0.1",
    "http://[2001:db8::1]:9911",
    "http://localhost.example.org",
    "http://127.0.0.1.example.org",
    "http://0.0.0.0",
    "http://128.0.0.1",
    "http://2130706433",
]
SAFE = [
    "https://chat.example.org",
    "chat.example.org",
    "localhost:9911",
    "http://localhost",
    "http://LOCALHOST.",
    "http://demo.localhost",
    "http://127.0.0.1:9911",
    "http://127.1.2.3",
    "http://[::1]:9911",
    "[::1]:9911",
]


@pytest.mark.parametrize("site", REMOTE)
def test_plain_http_beyond_this_machine_is_cleartext(site: str) -> None:
    assert is_cleartext(site)


@pytest.mark.parametrize("site", SAFE)
def test_https_and_this_machine_are_not(site: str) -> None:
    assert not is_cleartext(site)


@pytest.mark.parametrize("site", REMOTE)
@pytest.mark.parametrize("more", [(), ("--api-key",)], ids=["password", "key"])
def test_a_script_is_refused_before_anything_is_sent(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    site: str,
    more: tuple[str, ...],
) -> None:
    for name, value in home(tmp_path).items():
        monkeypatch.setenv(name, value)
    typed = io.TextIOWrapper(io.BytesIO(b"secret\n"))
    monkeypatch.setattr(sys, "stdin", typed)
    assert main(["login", site, "--email", "me@example.org", *more]) == 2
    assert "--insecure-http" in capsys.readouterr().err
    assert typed.read() == "secret\n"  # the password was not read


async def test_login_and_joining_refuse_plain_http_to_other_machines() -> None:
    for is_key in (False, True):
        with pytest.raises(Cleartext):
            await sign_in("http://192.0.2.7", "me@example.org", Secret("s"), is_key=is_key)
    with pytest.raises(Cleartext):
        await join("http://192.0.2.7", "token", "me@example.org", "Me", Secret("s"))


def respond(method: str, path: str) -> Response | None:
    if path == "/fetch_api_key":
        return success(api_key="k" * 32, email="me@example.org", user_id=1)
    return None


@pytest.mark.parametrize(
    ("response", "code", "asked"),
    [("no\r", 2, False), ("\r", 2, False), ("y\r", 2, False), ("yes\r", 0, True)],
)
def test_in_a_terminal_only_a_typed_yes_continues(
    tmp_path: Path, response: str, code: int, asked: bool
) -> None:
    with hostile_server(respond) as server:
        elsewhere = server.site.replace("127.0.0.1", "0.0.0.0")  # this machine, but looks remote
        command = narrowcast("login", elsewhere, "--email", "me@example.org")
        with Terminal(command, env=home(tmp_path)) as terminal:
            terminal.wait_for("Type yes")
            assert server.seen == []
            terminal.type(response)
            if asked:
                terminal.wait_for("Password:")
                terminal.type("secret\r")
                terminal.wait_for("Logged in")
            assert terminal.wait_end() == code
        assert bool(server.seen) is asked


def test_with_the_flag_no_confirmation_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in home(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"secret\n")))
    with hostile_server(respond) as server:
        site = server.site.replace("127.0.0.1", "0.0.0.0")  # this machine, but looks remote
        assert main(["login", site, "--insecure-http", "--email", "me@example.org"]) == 0
    assert "Logged in" in capsys.readouterr().out


@pytest.mark.parametrize(
    "other",
    [
        Response(b"<html>Welcome</html>"),
        Response(b"<html>Not Found</html>", 404),
        Response({"error": "not found"}, 404),
        Response([1, 2, 3]),
        Response(b""),
        Response({"hello": "world"}),
    ],
    ids=["page", "no such page", "json 404", "list", "nothing", "other json"],
)
def test_a_wrong_url_is_reported_before_the_password_prompt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], other: Response
) -> None:
    for name, value in home(tmp_path).items():
        monkeypatch.setenv(name, value)
    typed = io.TextIOWrapper(io.BytesIO(b"secret\n"))
    monkeypatch.setattr(sys, "stdin", typed)
    with hostile_server(lambda _method, _path: other) as server:
        assert main(["login", server.site, "--email", "me@example.org"]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"narrowcast: No Zulip server found at {server.site}")
    assert said.count("\n") == 1
    assert typed.read() == "secret\n"


@pytest.mark.parametrize("password", ["short", "x" * 101])
def test_the_rule_for_a_new_password_is_shown_and_checked_locally(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], password: str
) -> None:
    for name, value in home(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(f"{password}\n".encode())))
    with hostile_server(respond) as server:
        link = f"{server.site}/join/token"
        assert main(["login", link, "--name", "Me", "--email", "me@example.org"]) == 2
        # One request without name or password, to learn whether the server accepts invitations.
        assert server.seen.count(("POST", "/join/token")) == 1
    assert "8 to 100 characters" in capsys.readouterr().err


@pytest.mark.parametrize(("site", "told"), [("http://192.0.2.7", True), ("http://127.0.0.1:9", False)])
def test_doctor_reports_an_account_that_is_not_encrypted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], site: str, told: bool
) -> None:
    for name, value in home(tmp_path).items():
        monkeypatch.setenv(name, value)
    rc = tmp_path / "zuliprc"
    rc.write_text(f"[api]\nemail=me@example.org\nkey=abcdefgh\nsite={site}\n")
    rc.chmod(0o600)
    main(["--rc", str(rc), "doctor", "--offline"])
    assert ("does not encrypt" in capsys.readouterr().out) is told
