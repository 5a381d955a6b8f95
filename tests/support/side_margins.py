"""pyte's screen with left and right margins: mode 69 (DECLRMM), CSI left;right s, CSI L and M within them."""

from __future__ import annotations

from typing import Any

import pyte

_MODE = 69


class SideMarginScreen(pyte.Screen):
    """Moves rows only between the margins while the mode is on."""

    columns_moved: range | None = None

    def set_side_margins(self, left: int, right: int) -> None:
        """Both columns count from 1 and are inside the margins."""
        if (_MODE << 5) in self.mode:
            self.columns_moved = range(left - 1, right)
            self.cursor_position()

    def reset_mode(self, *modes: int, **kwargs: Any) -> None:
        super().reset_mode(*modes, **kwargs)
        if _MODE in modes:
            self.columns_moved = None

    def delete_lines(self, count: int | None = None) -> None:
        if self.columns_moved is None:
            super().delete_lines(count)
        else:
            self._move(count or 1)

    def insert_lines(self, count: int | None = None) -> None:
        if self.columns_moved is None:
            super().insert_lines(count)
        else:
            self._move(-(count or 1))

    def _move(self, by: int) -> None:
        assert self.columns_moved is not None
        bottom = self.margins.bottom if self.margins else self.lines - 1
        rows = range(self.cursor.y, bottom + 1)
        before = {y: {x: self.buffer[y][x] for x in self.columns_moved} for y in rows}
        for y in rows:
            for x in self.columns_moved:
                self.buffer[y][x] = before[y + by][x] if y + by in before else self.cursor.attrs


class SideMarginStream(pyte.Stream):
    """Parses the sequence that sets the margins."""

    def __init__(self, screen: pyte.Screen) -> None:
        self.csi = {**self.csi, "s": "set_side_margins"}
        self.events |= {"set_side_margins"}
        super().__init__(screen)


class SideMarginByteStream(SideMarginStream, pyte.ByteStream):
    """The same for bytes."""
