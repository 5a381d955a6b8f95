"""The terminal's own cursor is at the caret of the field with the focus: there input methods open."""

from __future__ import annotations

from rich.cells import set_cell_size

from support.terminal import Terminal

from .conftest import OpenApp, Served


def caret(terminal: Terminal) -> tuple[int, int] | None:
    """The cell of the terminal's cursor; None if it is hidden."""
    cursor = terminal.screen.cursor
    return None if cursor.hidden else (cursor.x, cursor.y)


def wait_for_caret_after(terminal: Terminal, text: str) -> None:
    """Waits until the cursor is behind the last letter of a text on the screen."""

    def is_there() -> bool:
        place = caret(terminal)
        return place is not None and set_cell_size(terminal.lines[place[1]], place[0]).endswith(text)

    terminal.wait_until(is_there, f"the cursor is behind {text!r}")


FIELDS = {
    "the compose box": ("r", "ctrl+e", "ctrl+u"),
    "the channel field": ("c", "ctrl+u"),
    "the topic field": ("c", "tab", "ctrl+u"),
    "the recipients field": ("x",),
    "Go to": ("ctrl+k",),
    "search": ("/",),
    "the palette": ("ctrl+p",),
    "a question": ("T", "ctrl+u"),
    "the filter of channels": ("q",),
}


def test_the_cursor_follows_the_caret_in_every_field(served: Served, open_app: OpenApp) -> None:
    ada = open_app(served.rc("ada"))
    for what, keys in FIELDS.items():
        ada.wait_until(lambda: caret(ada) is None, f"there is no cursor before {what} is opened")
        ada.press(*keys)
        ada.wait_until(lambda: caret(ada) is not None, f"the cursor is in {what}")
        ada.type("日本")
        wait_for_caret_after(ada, "日本")
        ada.press("left")
        wait_for_caret_after(ada, "日")
        ada.press("backspace")
        wait_for_caret_after(ada, " ")
        ada.press("ctrl+e", "ctrl+u", "escape")
        ada.settle()
        if caret(ada) is not None:  # the first Esc closed the completions
            ada.press("escape")
