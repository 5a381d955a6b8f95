"""One account on two machines, each with its own home folder, at one server: drafts and edits."""

from __future__ import annotations

from typing import Any

from narrowcast_api.account import Account

from .calling import call
from .conftest import OpenApp, Served
from .switching import go
from .test_everyday import write


def sources(served: Served, topic: str) -> list[str]:
    """The texts of the messages of Ada in a topic of #design, oldest first."""
    account = Account.from_zuliprc(served.rc("ada"))
    query = {"anchor": "newest", "num_before": 20, "num_after": 0, "apply_markdown": "false"}
    messages: Any = call(account, "GET", "/messages", **query)["messages"]
    return [
        message["content"]
        for message in messages
        if message["subject"] == topic and message["sender_full_name"] == "Ada Moreno"
    ]


def test_a_draft_is_one_on_two_machines_and_is_sent_once(served: Served, open_app: OpenApp) -> None:
    write(served, "greta", "paper", "Which paper?")
    laptop = open_app(served.rc("ada"), owner="laptop")
    desktop = open_app(served.rc("ada"), owner="desktop")
    for machine in (laptop, desktop):
        go(machine, "design › paper", r"#design › paper")
    laptop.press("c")
    laptop.wait_for("Enter sends")
    laptop.type("The thick")
    desktop.wait_for("The thick")
    desktop.press("r")
    desktop.settle()
    desktop.type(" paper")
    laptop.wait_for("The thick paper")
    desktop.press("enter")
    desktop.wait_for(r"Ada Moreno[^\n]*\n[^\n]*The thick paper")
    laptop.wait_for(r"This draft was sent or deleted\.")
    laptop.wait_for(r"Ada Moreno[^\n]*\n[^\n]*The thick paper")
    laptop.press("enter")
    laptop.wait_for("You have nothing to send!")
    assert sources(served, "paper") == ["The thick paper"]
    laptop.press("ctrl+z")
    laptop.wait_until(lambda: laptop.text.count("The thick paper") == 2, "undo brings the text back")


def test_texts_of_a_draft_that_are_written_on_two_machines_at_once_are_both_there_to_choose(
    served: Served, open_app: OpenApp
) -> None:
    write(served, "greta", "paper", "Which paper?")
    laptop = open_app(served.rc("ada"), owner="laptop")
    desktop = open_app(served.rc("ada"), owner="desktop")
    for machine in (laptop, desktop):
        go(machine, "design › paper", r"#design › paper")
    laptop.press("c")
    laptop.wait_for("Enter sends")
    laptop.type("Paper")
    desktop.wait_for(r"(?m)│ *Paper|^ *Paper")
    desktop.press("r")
    desktop.settle()
    laptop.type(": thick")
    desktop.type(": thin")
    both = [laptop, desktop]
    laptop.wait_until(
        lambda: (
            any(machine.pump(0.1) or "Alt-e two versions" in machine.text for machine in both)
            and any("Alt-e two versions" in machine.text for machine in both)
        ),
        "one of the machines says that there are two versions",
    )
    chooser = laptop if "Alt-e two versions" in laptop.text else desktop
    chooser.press("alt+e")
    chooser.wait_for(r"(?s)First version.*Paper: thi.*Second version.*Paper: thi")
    chooser.press("1")
    chooser.wait_gone("Second version")
    chooser.wait_gone("Alt-e two versions")


def test_a_message_that_is_changed_on_one_machine_is_not_overwritten_unseen_on_the_other(
    served: Served, open_app: OpenApp
) -> None:
    write(served, "ada", "paper", "Which paper?")
    laptop = open_app(served.rc("ada"), owner="laptop")
    desktop = open_app(served.rc("ada"), owner="desktop")
    for machine in (laptop, desktop):
        go(machine, "design › paper", r"#design › paper")
        machine.wait_for(r"Which paper\?")
        machine.press("G", "e")
        machine.wait_for("Editing message")
        machine.settle()
    laptop.type(" The thin one?")
    desktop.type(" The thick one?")
    desktop.settle()
    desktop.press("enter")
    laptop.wait_for("You changed this message elsewhere")
    laptop.press("alt+e")
    laptop.wait_for(r"(?s)Your edit.*thin.*Changed elsewhere")
    assert sources(served, "paper") == ["Which paper? The thick one?"]
    laptop.press("escape")
    laptop.wait_gone("Changed elsewhere")
    laptop.wait_for("Enter overwrites")
    laptop.press("enter")
    laptop.wait_until(
        lambda: sources(served, "paper") == ["Which paper? The thin one?"],
        "the edit overwrites what was seen",
    )
