"""A widget that gains or loses the focus repaints itself: no row keeps its old look."""

from __future__ import annotations

from pathlib import Path

from rich.style import Style
from textual.strip import Strip

from narrowcast.widgets.line_view import LineView
from support.server import running_server
from support.stage import Stage, on_stage

KEYS = (
    "escape",
    "a",
    "G",
    "tab",
    "shift+tab",
    "escape",
    "r",
    "escape",
    "x",
    "escape",
    "q",
    "escape",
    "w",
    "c",
)


def look(strip: Strip) -> list[tuple[str, Style]]:
    """Each character with the visible part of its style."""
    return [
        (letter, (style or Style.null()).clear_meta_and_links())
        for text, style, _ in strip
        for letter in text
    ]


def stale(stage: Stage) -> list[str]:
    """Rows of lists whose painted look differs from their current one."""
    lists = [view for view in stage.screen.query(LineView) if view.region and view.display]
    return [
        f"{view!r} row {y}: {painted.text!r}"
        for view in lists
        for y in range(view.content_size.height)
        if look(painted := view.render_line(y)) != look(view.row_at(y))
    ]


async def test_moving_the_focus_leaves_no_row_with_its_old_look(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server", demo=True) as server:
        # the inbox, to which Esc would go, covers the lists
        await server.call("ada", "PATCH", "/settings", {"web_home_view": "all_messages"})
        async with on_stage(tmp_path, server=server, size=(140, 44)) as stage:
            for key in KEYS:
                for view in stage.screen.query(LineView):
                    view.changed()  # a change that is not visible anywhere
                await stage.pilot.pause()
                await stage.press(key)
                await stage.pilot.pause()
                assert stage.app.screen is stage.screen, key
                assert stale(stage) == [], key
