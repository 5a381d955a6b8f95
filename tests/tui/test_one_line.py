"""A line with a left and a right part."""

from __future__ import annotations

import pytest
from textual.app import ComposeResult

from narrowcast.widgets.one_line import OneLine
from support.small_apps import ThemedApp

KEYS = "Ctrl-j new line"


class LineApp(ThemedApp):
    def compose(self) -> ComposeResult:
        line = OneLine()
        line.show_pieces([("live", "good")], [(KEYS, "dim")], [("  Ada", "dim"), (" · Larkfield", "dim")])
        yield line


@pytest.mark.parametrize(
    ("width", "left"),
    [(38, "live  Ada · Larkfield"), (37, "live  Ada"), (26, "live  Ada"), (25, "live")],
)
async def test_what_does_not_leave_a_gap_before_the_right_part_is_left_out(width: int, left: str) -> None:
    app = LineApp()
    async with app.run_test(size=(width, 1)) as pilot:
        await pilot.pause()
        row = app.query_one(OneLine).compose_row(0).text
    assert row.endswith(KEYS)
    assert row.removesuffix(KEYS).rstrip() == left
    assert row.removesuffix(KEYS).endswith("  ")
