"""The tasks of getting started of docs/tasks.md: joining, logging in and out, quitting."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from narrowcast_api.account import Account
from narrowcast_server.organization.totp import STEP_SECONDS, code_at
from support.journals import holds
from support.terminal import Terminal, home, narrowcast

from .calling import call
from .conftest import Served

NEWCOMER, PASSWORD = "zoe@demo.example", "correct horse battery staple"


@pytest.fixture
def welcome(tmp_path: Path) -> Iterator[Terminal]:
    """The app without any account."""
    with Terminal(narrowcast(), env=home(tmp_path / "home")) as terminal:
        terminal.wait_for("Log in to an organization")
        yield terminal


def accounts(folder: Path) -> dict[str, Account]:
    """The stored accounts by their addresses."""
    files = (folder / "home" / "config" / "narrowcast" / "accounts").glob("*.zuliprc")
    return {account.email: account for account in map(Account.from_zuliprc, files)}


def invitation(served: Served) -> str:
    """A link that invites people."""
    link = call(Account.from_zuliprc(served.rc("ada")), "POST", "/invites/multiuse")["invite_link"]
    return str(link)


def fill(terminal: Terminal, *texts: str) -> None:
    """Types into one field after another, with Enter after each."""
    for text in texts:
        terminal.paste(text)
        terminal.settle(0.05)
        terminal.press("enter")
        terminal.settle(0.05)


def run(terminal: Terminal, command: str) -> None:
    """Runs a command from the palette."""
    terminal.press("ctrl+p")
    terminal.wait_for("╭─ Commands")
    terminal.settle(0.05)
    terminal.paste(command)
    terminal.wait_for(rf"▌{command}")
    terminal.press("enter")


def turn_on_second_factor(app: Terminal) -> None:
    """Turns on two-factor authentication."""
    run(app, "Two-factor authentication and recovery codes")
    app.wait_for("╭─ Two-factor authentication: off")
    app.settle(0.05)
    app.press("enter")
    app.wait_for("╭─ Set up two-factor authentication")
    app.settle(0.05)
    app.type(PASSWORD)
    app.settle(0.05)
    app.press("ctrl+d")
    app.wait_for("type the code that the app shows")
    app.settle(0.05)
    found = re.search(r"│ *((?:[A-Z2-7]{4} )+[A-Z2-7]{2,4}) *│", app.text)
    assert found is not None, app.text
    app.type(code_at(found[1].replace(" ", ""), int(time.time()) // STEP_SECONDS))
    app.settle(0.05)
    app.press("ctrl+d")
    app.wait_for("╭─ Recovery codes")
    app.press("escape")
    app.wait_for("Have you saved the codes")
    app.settle(0.05)
    app.press("right", "enter")
    app.wait_for("╭─ Two-factor authentication: on")
    app.press("escape")
    app.wait_gone("╭─ Two-factor authentication")


@pytest.mark.task("Accept an invitation")
@pytest.mark.task("Log out")
@pytest.mark.task("Log in")
@pytest.mark.task("Turn on two-factor authentication")
@pytest.mark.task("Quit; drafts are kept")
def test_somebody_joins_by_a_link_logs_out_and_in_again_and_quits(
    served: Served, welcome: Terminal, tmp_path: Path
) -> None:
    app = welcome
    app.press("s")
    app.wait_for("Organization URL")
    app.settle(0.05)
    app.paste(invitation(served))
    app.wait_for("This is an invitation: choose a name and a password to join")
    app.press("enter")
    app.settle(0.05)
    fill(app, "Zoe Marlow", NEWCOMER, PASSWORD)
    app.wait_for("Zoe Marlow")
    app.wait_for("Combined feed")
    app.wait_until(lambda: list(accounts(tmp_path)) == [NEWCOMER], "the account is stored")
    assert call(accounts(tmp_path)[NEWCOMER], "GET", "/users/me")["full_name"] == "Zoe Marlow"

    run(app, "Log out")
    app.wait_for("Log out of")
    app.settle(0.05)
    app.press("right", "enter")
    app.wait_for("Log in to an organization")
    assert accounts(tmp_path) == {}

    app.press("s")
    app.wait_for("Organization URL")
    app.settle(0.05)
    fill(app, served.url, NEWCOMER, PASSWORD)
    app.wait_for("Combined feed")
    app.wait_until(lambda: list(accounts(tmp_path)) == [NEWCOMER], "the account is stored")

    turn_on_second_factor(app)
    app.press("x")
    app.wait_for("Esc back")
    app.type("Greta Lindqvist")
    app.wait_for("Greta Lindqvist")
    app.press("enter")
    app.settle(0.05)
    app.type("Half a thought")
    app.wait_for("Half a thought")
    app.press("ctrl+q")
    assert app.wait_end() == 0
    assert holds(tmp_path / "home", "Half a thought")


@pytest.mark.task("Add another account")
def test_another_account_is_added_by_its_key(served: Served, tmp_path: Path) -> None:
    folder = tmp_path / "home" / "config" / "narrowcast" / "accounts"
    folder.mkdir(parents=True)
    Account.from_zuliprc(served.rc("ada")).write_zuliprc(folder / "ada.zuliprc")
    greta = Account.from_zuliprc(served.rc("greta"))
    with Terminal(narrowcast(), env=home(tmp_path / "home")) as app:
        app.wait_for("● live")
        app.press("alt+s")
        app.wait_for("╭─ Accounts")
        app.settle(0.05)
        app.type("n")
        app.wait_for("Organization URL")
        app.settle(0.05)
        app.type(served.url)
        app.settle(0.05)
        app.press("f4")
        app.wait_for("API key")
        app.press("enter")
        app.settle(0.05)
        fill(app, greta.email, greta.key.reveal())
        app.wait_for("Greta Lindqvist")
        app.wait_until(lambda: greta.email in accounts(tmp_path), "the account is stored")
        assert re.search(r"● live.*Greta Lindqvist", app.text)
