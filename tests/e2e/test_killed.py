"""The app is killed while a message is being edited: the next start restores what was typed."""

from __future__ import annotations

import signal
from pathlib import Path

from support.journals import holds
from support.terminal import Terminal

from .conftest import OpenApp, Served
from .switching import go


def killed(terminal: Terminal) -> None:
    terminal.signal(signal.SIGKILL)
    terminal.wait_end()


def open_notes(terminal: Terminal) -> None:
    """Opens a conversation in which nobody replies."""
    go(terminal, "Notes to", r" Notes to yourself[^│]*$")


def test_an_edit_that_was_not_saved_comes_back_with_its_message(
    served: Served, open_app: OpenApp, tmp_path: Path
) -> None:
    rc = served.rc("ada")
    with open_app(rc) as terminal:
        open_notes(terminal)
        terminal.press("r", "ctrl+e", "ctrl+u")
        terminal.type("The **mast** is up.")
        terminal.press("enter")
        terminal.wait_for(r"(?m)^.{28,}\s The mast is up\.")  # rendered by the server
        terminal.press("escape")
        terminal.wait_gone("Esc back")
        terminal.press("G", "e")
        terminal.wait_for("Editing message")
        terminal.press("ctrl+e")
        terminal.type(" And warm.")
        terminal.wait_for(r"The \*\*mast\*\* is up\. And warm\.")
        text = "The **mast** is up. And warm."
        terminal.wait_until(lambda: holds(tmp_path / "home-ada", text), "the edit in the journal")
        killed(terminal)
    with open_app(rc) as terminal:
        # the notice, which may go on in the next row behind the bar at its left
        terminal.wait_for(r"unsaved edit of a message in (?s:.*)Notes to(?: |\s*\n.*▌ )yourself")
        terminal.wait_for(r"(?m)^.{28,}\s The mast is up\.$")
        terminal.press("G", "e")
        terminal.wait_for("Editing message")
        terminal.wait_for(r"The \*\*mast\*\* is up\. And warm\.")
