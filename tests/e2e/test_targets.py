"""What compose says is where it sends, in a real terminal."""

from __future__ import annotations

from support.terminal import Terminal

from .conftest import OpenApp, Served


def go(terminal: Terminal, name: str, title: str) -> None:
    terminal.press("ctrl+k")
    terminal.wait_for("Go to")
    terminal.type(name)
    terminal.wait_for(rf"▌.*{name}")
    terminal.press("enter")
    terminal.wait_for(rf"(?m)^.*{title}")


def test_compose_follows_from_a_person_to_a_channel(served: Served, open_app: OpenApp) -> None:
    ada = open_app(served.rc("ada"))
    go(ada, "Dario", r"To Dario Vance")
    go(ada, "design", r"#design   How Wren looks")
    ada.wait_for(r"(?m)^.{28,}# design +› ")
    ada.wait_gone("To Dario Vance")
