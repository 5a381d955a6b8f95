"""The view behind a dialog stays visible and up to date."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

from textual.app import ComposeResult
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from narrowcast.screens.dialogs.dialog import Dialog
from support.message_stage import staged
from support.screens import screen_rows, screen_text
from support.sessions import until
from support.stage import on_stage, run


async def test_two_dialogs_and_what_lies_behind_them_follow_the_size_of_the_terminal(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "people.muted")
        await stage.press("n")
        await stage.pilot.resize_terminal(120, 40)
        await until(lambda: "live" in screen_rows(stage.app.screen)[-1])
        row = screen_rows(stage.app.screen)[3]
        assert "Mute users" in row
        assert (row.index("╭"), row.rindex("╭")) == ((120 - 88) // 2, (120 - 72) // 2)


async def test_a_dialog_shows_what_changes_behind_it_and_sends_no_tint(tmp_path: Path) -> None:
    async with staged(tmp_path, (100, 30)) as stage:
        await stage.server.send("bruno", "general", "soup", "before")
        await stage.show(stage.topic, "newest")
        await stage.see("before")
        await stage.press("ctrl+f")
        dialog = stage.app.screen
        await stage.pilot.pause()
        assert "before" in screen_text(dialog)
        await stage.server.send("bruno", "general", "soup", "after")
        await stage.see("after")
        await stage.pilot.pause()
        assert "after" in screen_text(dialog)


class Noting(Widget):
    """Counts how often its line is painted."""

    DEFAULT_CSS = "Noting { height: 1; }"
    times = 0

    def render_line(self, y: int) -> Strip:
        self.times += 1
        return Strip.blank(self.size.width)


class Box(Dialog[None]):
    """Counts how often the part of the background in `CHANGES` is painted."""

    CHANGES = Region(70, 20, 5, 1)
    times = 0

    def compose(self) -> ComposeResult:
        yield Noting()

    def render_lines(self, crop: Region) -> list[Strip]:
        self.times += crop.overlaps(self.CHANGES)
        return super().render_lines(crop)

    def painted(self) -> tuple[int, int]:
        """How often the dialog's own line and the background were painted."""
        return self.query_one(Noting).times, self.times


def is_painted_since(box: Box, before: tuple[int, int]) -> bool:
    return all(now > then for now, then in zip(box.painted(), before, strict=True))


async def test_simultaneous_changes_in_a_dialog_and_behind_it_are_both_painted(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        box = Box()
        await stage.app.push_screen(box)
        await until(lambda: all(box.painted()))
        for turns in range(20):  # at each turn between the change and its frame
            await stage.pilot.pause()
            before = box.painted()
            box.query_one(Noting).refresh(Region(0, 0, 1, 1))
            for _ in range(turns):
                await asyncio.sleep(0)
            box.refresh(box.CHANGES)
            await until(partial(is_painted_since, box, before))
