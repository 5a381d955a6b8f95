"""Switching to a conversation as users do."""

from __future__ import annotations

import re

from support.terminal import Terminal

TIMES = 50
"""How often the switcher is opened again for a topic that the app has not heard of yet."""


def go(terminal: Terminal, name: str, title: str) -> None:
    """Opens the switcher's first match for ``name`` and waits for a line that matches the regex ``title``."""
    for _ in range(TIMES):
        terminal.press("ctrl+k")
        terminal.wait_for("Go to")
        terminal.paste(name)
        terminal.wait_for(rf"▌.*{name}|Nothing matches '{name}'")
        if re.search(rf"▌.*{name}", terminal.text):
            break
        terminal.press("escape")
        terminal.wait_gone("Esc cancels")
    terminal.press("enter")
    terminal.wait_gone("Enter selects")
    terminal.wait_for(rf"(?m)^.*{title}")
