"""A day in a terminal: unread messages, clicking a heading, edits, drafts, several accounts, logging out."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from narrowcast_api.account import Account
from support.terminal import PATIENCE, Terminal, home, narrowcast

from .calling import call
from .conftest import OpenApp, Served
from .switching import go

UNREAD = "─ unread from here ─"
GAP = r"[^\n]*\n"
"""The blank row above a message."""


def write(served: Served, person: str, topic: str, text: str) -> None:
    account = Account.from_zuliprc(served.rc(person))
    call(account, "POST", "/messages", type="channel", to="design", topic=topic, content=text)


def all_is_read(served: Served, person: str, topic: str) -> bool:
    """Whether the topic has no unread message on the server."""
    narrow = json.dumps([["channel", "design"], ["topic", topic], ["is", "unread"]])
    query = {"anchor": "newest", "num_before": 1, "num_after": 0, "narrow": narrow}
    return not call(Account.from_zuliprc(served.rc(person)), "GET", "/messages", **query)["messages"]


def click(terminal: Terminal, text: str) -> None:
    """Clicks the last place where a text is shown, with the bytes that a terminal sends."""
    places = [(x.start(), y) for y, line in enumerate(terminal.lines) for x in re.finditer(text, line)]
    column, row = places[-1]
    for end in ("M", "m"):
        terminal.send(f"\x1b[<0;{column + 2};{row + 1}{end}".encode())


def test_the_unread_line_stands_where_the_unread_begins_and_goes_once_it_is_read(
    served: Served, open_app: OpenApp
) -> None:
    before_it = rf"{UNREAD}[^\n]*\n{GAP}[^\n]*Bruno Castell[^\n]*\n[^\n]*The thick one"
    unread = r"(?m)^.{2,8}paper +1\b"
    ada = open_app(served.rc("ada"))
    write(served, "greta", "paper", "Which paper?")
    go(ada, "design › paper", r"#design › paper")
    ada.wait_for(r"Which paper\?")
    ada.wait_until(lambda: all_is_read(served, "ada", "paper"), "what is on the screen is read")
    ada.wait_gone(unread)
    go(ada, "Dario", r"To Dario Vance")
    write(served, "bruno", "paper", "The thick one")
    ada.wait_for(unread)  # Ada is in another conversation, so the message stays unread
    go(ada, "design › paper", r"#design › paper")
    ada.wait_for(before_it)
    ada.wait_until(lambda: all_is_read(served, "ada", "paper"), "what is on the screen is read")
    ada.wait_gone(unread)
    go(ada, "Dario", r"To Dario Vance")
    go(ada, "design › paper", r"#design › paper")
    ada.wait_for("The thick one")
    ada.wait_gone(before_it)
    ada.press("g", "j", "U")
    ada.wait_for("Marked as unread from here")
    ada.wait_for(unread)
    go(ada, "Dario", r"To Dario Vance")
    go(ada, "design › paper", r"#design › paper")
    ada.wait_for(before_it)


def test_a_heading_is_clicked_and_an_edit_is_left_taken_up_and_saved(
    served: Served, open_app: OpenApp
) -> None:
    write(served, "ada", "paper", "Wich paper?")
    ada = open_app(served.rc("ada"))
    ada.press("a")
    ada.wait_for(r"(?s)#design › paper.*Wich paper\?")
    ada.settle()
    click(ada, "› paper")
    ada.wait_for(r"(?m)^.*#design › paper   ")
    ada.wait_for(rf"──+ *\n{GAP}[^\n]*Ada Moreno[^\n]*\n[^\n]*Wich paper\?")  # no more heading between them
    ada.press("e")
    ada.wait_for(r"Enter saves  Esc cancels")
    ada.press("ctrl+a")
    ada.type("Now: ")
    ada.press("escape")
    ada.wait_gone("Enter saves")
    ada.settle()
    ada.press("e")
    ada.wait_for(r"Enter saves")
    ada.wait_for(r"Now: Wich paper\?")
    ada.press("ctrl+e", "ctrl+u")
    ada.type("Which paper?")
    ada.press("enter")
    ada.wait_for(r"(?s)edited.*Which paper\?")
    ada.wait_gone("Wich")


@pytest.mark.task("Switch to another account")
def test_accounts_are_switched_and_logged_out_of(served: Served, tmp_path: Path) -> None:
    folder = tmp_path / "home" / "config" / "narrowcast" / "accounts"
    folder.mkdir(parents=True)
    for person in ("ada", "greta"):
        Account.from_zuliprc(served.rc(person)).write_zuliprc(folder / f"{person}.zuliprc")
    with Terminal(narrowcast("--account", "ada"), env=home(tmp_path / "home")) as terminal:
        terminal.wait_for(r"● live.*Ada Moreno", PATIENCE)
        terminal.press("alt+s")
        terminal.wait_for(r"(?m)greta")
        terminal.type("/greta")
        terminal.press("enter")
        terminal.settle()
        terminal.press("enter")
        terminal.wait_for(r"● live.*Greta Lindqvist")
        terminal.press("ctrl+p")
        terminal.wait_for("Commands")
        terminal.type("log out")
        terminal.wait_for(r"▌Log out")
        terminal.press("enter")
        terminal.wait_for(r"Log out of greta")
        terminal.press("right", "enter")
        terminal.wait_until(lambda: not (folder / "greta.zuliprc").exists(), "greta's account is gone")
        terminal.wait_for(r"Ada Moreno|Log in to an organization")
        assert (folder / "ada.zuliprc").exists()


def test_a_draft_comes_back_a_topic_is_muted_and_an_invitation_has_a_link(
    served: Served, open_app: OpenApp
) -> None:
    ada = open_app(served.rc("ada"), size=(80, 24))
    write(served, "greta", "paper", "Which paper?")
    go(ada, "design › paper", r"#design › paper")
    ada.type("c")
    ada.wait_for("Enter sends")
    ada.type("The thick")
    ada.wait_for("The thick")
    ada.press("escape")
    ada.settle()
    ada.press("ctrl+k")
    ada.wait_for("Go to")
    ada.type("Greta")
    ada.wait_for(r"▌. Greta Lindqvist")
    ada.press("enter")
    ada.wait_for(r"To Greta Lindqvist")
    go(ada, "design › paper", r"#design › paper")
    ada.wait_for("The thick")
    ada.settle()
    draft = next(row for row, line in enumerate(ada.lines) if "The thick" in line)
    assert "# design" in ada.lines[draft - 1]
    assert "●" in ada.lines[draft + 2]  # only the lower edge of the frame lies between
    ada.press("f2")
    ada.wait_for(r"(?m)^▌ +paper")
    ada.press("M")
    ada.wait_for(r"Muted: #design › paper")
    ada.press("escape")
    ada.wait_gone(r"(?m)^▌ +paper")
    ada.press("ctrl+p")
    ada.wait_for("Commands")
    ada.type("invite users")
    ada.wait_for("▌Invite users")
    ada.press("enter")
    ada.wait_for("creates a link")
    ada.type("l")
    ada.wait_for("Create invitation link")
    ada.press("ctrl+d")
    ada.wait_for(r"Copied:[\s│]*http://127\.0\.0\.1:[0-9]+/join/")


@pytest.mark.task("Find out where a key works")
def test_code_is_copied_by_its_letter_a_key_says_where_it_works_and_selected_conversations_are_read(
    served: Served, open_app: OpenApp
) -> None:
    ada = open_app(served.rc("ada"))
    write(served, "greta", "paper", "```make\nall: paper\n```")
    write(served, "bruno", "ink", "Which ink?")
    go(ada, "design › paper", r"#design › paper")
    ada.wait_for("all: paper")
    ada.settle()
    ada.press("o")
    ada.wait_for("type a label to open")
    found = re.search(r"(?<!\w)([a-z]) (?:Makefile|all: paper)", ada.text)
    assert found is not None, ada.text
    ada.type(found[1])
    ada.wait_for("Copied the code")
    ada.press("h", "y")
    ada.wait_for(r"y \(Copy selected text, or a part of the message\)")
    ada.settle(quiet=0.5)  # letters right after one that has no command are dropped
    ada.press("I")
    ada.wait_for(r"Z marks as read")
    ada.type(",")
    ada.wait_for("1 conversation selected")
    ada.wait_for("✓")
    ada.type("Z")
    ada.wait_for("Marked as read")
    ada.wait_gone("✓")
