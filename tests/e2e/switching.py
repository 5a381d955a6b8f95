"""Switching to a conversation as users do."""

from __future__ import annotations

from support.terminal import Terminal


def go(terminal: Terminal, name: str, title: str) -> None:
    """Opens the switcher's first match for ``name`` and waits for a line that matches the regex ``title``."""
    terminal.press("ctrl+k")
    terminal.wait_for("Go to")
    terminal.type(name)
    terminal.wait_for(rf"▌.*{name}")
    terminal.press("enter")
    terminal.wait_gone("Enter selects")
    terminal.wait_for(rf"(?m)^.*{title}")
