"""``narrowcast open LINK``: the app starts at the message that a link refers to."""

from __future__ import annotations

from pathlib import Path

import pytest

from narrowcast_api.account import Account
from support.terminal import PATIENCE, Terminal, home, narrowcast

from .calling import call
from .conftest import Served


def link_to(account: Account, text: str) -> str:
    """Sends a message to a topic and returns a link to it, in the form that other apps write."""
    sent = call(account, "POST", "/messages", type="channel", to="engineering", topic="a link", content=text)
    channel = call(account, "GET", "/get_stream_id", stream="engineering")["stream_id"]
    return f"{account.site}/#narrow/channel/{channel}-engineering/topic/a.20link/near/{sent['id']}"


def test_a_link_opens_its_conversation_the_first_time_and_again(served: Served, tmp_path: Path) -> None:
    rc = served.rc("ada")
    link = link_to(Account.from_zuliprc(rc), "The linked message")
    for _ in range(2):
        with Terminal(narrowcast("open", link, "--rc", str(rc)), env=home(tmp_path / "home")) as terminal:
            terminal.wait_for(r"#engineering › a link", PATIENCE)
            terminal.wait_for("The linked message")
            terminal.press("ctrl+q")
            assert terminal.wait_end() == 0


def test_a_link_leads_to_where_its_message_is_now(served: Served, tmp_path: Path) -> None:
    rc = served.rc("ada")
    account = Account.from_zuliprc(rc)
    before, _, number = link_to(account, "The linked message").rpartition("/near/")
    old_form = f"{account.site}/#narrow/stream/long-ago/subject/a.20link/near/{number}"
    moves = [
        ("two%2Fparts", f"{before}/near/{number}"),
        ("third", f"{before}/with/{number}"),
        ("last", old_form),
    ]
    for topic, link in moves:
        with Terminal(narrowcast("open", link, "--rc", str(rc)), env=home(tmp_path / "home")) as terminal:
            terminal.wait_for("The linked message", PATIENCE)
            terminal.press("ctrl+q")
            assert terminal.wait_end() == 0
        moved = call(account, "PATCH", f"/messages/{number}", topic=topic, propagate_mode="change_all")
        assert moved["result"] == "success"
        call(
            account,
            "POST",
            "/messages",
            type="channel",
            to="engineering",
            topic="a link",
            content="Another one",
        )
        with Terminal(narrowcast("open", link, "--rc", str(rc)), env=home(tmp_path / "home")) as terminal:
            terminal.wait_for(rf"(?m)^.*#engineering › {topic} ", PATIENCE)
            terminal.wait_for("The linked message")
            terminal.press("ctrl+q")
            assert terminal.wait_end() == 0


def test_a_link_opens_in_the_stored_account_of_its_organization(served: Served, tmp_path: Path) -> None:
    link = link_to(Account.from_zuliprc(served.rc("ada")), "The linked message")
    folder = tmp_path / "home" / "config" / "narrowcast" / "accounts"
    folder.mkdir(parents=True)
    other = folder / "a-first.zuliprc"
    other.write_text("[api]\nemail=a@b\nkey=k\nsite=https://other.example\n")
    other.chmod(0o600)
    Account.from_zuliprc(served.rc("ada")).write_zuliprc(folder / "z-last.zuliprc")
    with Terminal(narrowcast("open", link), env=home(tmp_path / "home")) as terminal:
        terminal.wait_for("The linked message", PATIENCE)
        terminal.press("ctrl+q")
        assert terminal.wait_end() == 0


@pytest.mark.parametrize("is_named", [True, False])
def test_an_account_file_that_cannot_be_read_is_the_reason_that_is_reported(
    tmp_path: Path, is_named: bool
) -> None:
    folder = tmp_path / "config" / "narrowcast" / "accounts"
    folder.mkdir(parents=True)
    (rc := folder / "z.zuliprc").write_text("[api]\nemail=a@b\nkey=k\nsite=https://other.example\n")
    rc.chmod(0o644)
    arguments = ["--rc", str(rc)] if is_named else []
    link = "https://other.example/#narrow/channel/1"
    with Terminal(narrowcast("open", link, *arguments), env=home(tmp_path)) as terminal:
        assert terminal.wait_end() == (2 if is_named else 3)
        shown = terminal.text.replace("\n", "")
        assert f"chmod 600 {rc}" in shown
        assert "another organization" not in shown


@pytest.mark.parametrize(
    ("link", "code", "words"),
    [
        ("engineering", 2, "is not a link"),
        ("https://elsewhere.example/#narrow/channel/1", 3, "narrowcast login https://elsewhere.example"),
    ],
)
def test_a_link_that_cannot_be_opened_is_reported_without_a_full_screen(
    tmp_path: Path, link: str, code: int, words: str
) -> None:
    with Terminal(narrowcast("open", link), env=home(tmp_path)) as terminal:
        assert terminal.wait_end() == code
        assert words in terminal.text.replace("\n", "")
        assert b"\x1b[?1049h" not in terminal.output
