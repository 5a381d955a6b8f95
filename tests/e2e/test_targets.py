"""Compose sends where it says it does, in a real terminal."""

from __future__ import annotations

from .conftest import OpenApp, Served
from .switching import go


def test_compose_follows_from_a_person_to_a_channel(served: Served, open_app: OpenApp) -> None:
    ada = open_app(served.rc("ada"))
    go(ada, "Dario", r"To Dario Vance")
    go(ada, "design", r"#design   How Wren looks")
    ada.wait_for(r"(?m)^.{28,}# design +› ")
    ada.wait_gone("To Dario Vance")


def test_words_after_a_key_that_cannot_act_run_no_command(served: Served, open_app: OpenApp) -> None:
    ada = open_app(served.rc("ada"))
    go(ada, "Dario", r"To Dario Vance")
    ada.press("r")
    ada.type("one more thing")
    ada.press("escape", "escape")
    ada.settle()
    ada.wait_for(r"To Dario Vance")
    ada.wait_for(r"one more thing")
    ada.press("f8")  # no message has failed: the key cannot act
    ada.type("second")
    ada.wait_for(r"No failed messages")
    ada.settle()
    ada.wait_for(r"To Dario Vance")
    ada.wait_for(r"one more thing\s")


def test_a_search_by_a_part_of_a_name_and_one_that_means_nothing(served: Served, open_app: OpenApp) -> None:
    ada = open_app(served.rc("ada"))
    ada.type("/from:nobodyatall")
    ada.press("enter")
    ada.wait_for(r"No user matches 'nobodyatall'")
    ada.press("ctrl+u")
    ada.type("from:gret")
    ada.wait_for("Greta Lindqvist")
    ada.press("enter")
    ada.wait_for(r"Search: sender:")


def test_a_message_sent_elsewhere_says_so_and_a_key_goes_there(served: Served, open_app: OpenApp) -> None:
    ada = open_app(served.rc("ada"))
    go(ada, "design", r"#design   How Wren looks")
    ada.type("x")
    ada.type("Dario Vance")
    ada.press("enter", "tab")
    ada.type("Are you in?")
    ada.press("enter")
    ada.wait_for(r"Sent to Dario Vance\. Alt-g goes there\.")
    ada.wait_for(r"(?m)^.*#design   How Wren looks")
    ada.send(b"\x1bg")
    ada.wait_for(r"(?m)^.{28,} Are you in\?")


def test_the_inbox_lists_what_is_unread_and_t_what_is_recent(served: Served, open_app: OpenApp) -> None:
    ada = open_app(served.rc("ada"), size=(80, 24))
    ada.type("I")
    ada.wait_for("marks as read")
    ada.wait_for("engineering .* [0-9]+ unread")
    ada.send(b"oh, Zara")
    ada.wait_for("c writes to")
    ada.press("home", "down", "Z")
    ada.wait_for("Marked as read: .* u takes it back")
    ada.type("u")
    ada.wait_for("Marked as unread again")
    ada.press("home")
    ada.wait_for("marks as read")
    ada.press("escape")
    ada.wait_gone("marks as read")
    ada.type("t")
    ada.wait_for("Recent conversations")
    ada.wait_for("marks as read")
