"""How the tests read a terminal's screen."""

from __future__ import annotations

from support.terminal import Terminal


def test_wide_characters_are_read_while_they_are_overwritten() -> None:
    with Terminal(["printf", "\\346\\227\\245\\346\\234\\254 soup\\rX"], env={}, size=(40, 4)) as terminal:
        terminal.wait_end()
        assert terminal.lines == ["X 本 soup", "", "", ""]
