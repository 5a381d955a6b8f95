"""Going to a conversation as people do."""

from __future__ import annotations

from support.terminal import Terminal


def go(terminal: Terminal, name: str, title: str) -> None:
    """By the switcher, to the first row that has the ``name``, until the regular expression ``title`` is on a line."""
    terminal.press("ctrl+k")
    terminal.wait_for("Go to")
    terminal.type(name)
    terminal.wait_for(rf"▌.*{name}")
    terminal.press("enter")
    terminal.wait_gone("Enter selects")
    terminal.wait_for(rf"(?m)^.*{title}")
