"""Parts of a screen that are painted look as in the whole, with dialogs over it too."""

from __future__ import annotations

import asyncio
from random import Random

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.geometry import Region
from textual.widgets import Static

from narrowcast.screens.dialogs.dialog import Dialog
from narrowcast.terminal.output import difference
from narrowcast.terminal.screen_memory import ScreenMemory
from narrowcast.terminal.textual_fixes import FixedScreen
from narrowcast.terminal.textual_reads import ChopsUpdate
from support.small_apps import Layers, OnScreen


class TwoLines(Dialog[None]):
    """A dialog like any other."""

    def body(self) -> ComposeResult:
        yield Static("one")
        yield Static("two")


async def test_what_a_dialog_covers_is_there_again_when_it_closes() -> None:
    app = OnScreen(FixedScreen)
    async with app.run_test() as pilot:
        await pilot.pause()
        await app.push_screen(TwoLines())
        await pilot.pause()
        assert "below" in app.shown
        assert "one" in app.shown
        await app.pop_screen()
        await pilot.pause()
        assert "below" in app.shown
        assert "one" not in app.shown


async def test_the_mouse_over_a_dialog_does_not_hide_what_is_behind_it() -> None:
    """The mouse asks what is under it at any time, also between a change and its frame."""
    app = OnScreen(FixedScreen)
    async with app.run_test() as pilot:
        await app.push_screen(TwoLines())
        await pilot.pause()
        app.screen.refresh()
        app.screen.get_style_at(2, 0)
        await pilot.pause()
        assert "below" in app.shown


async def test_a_change_behind_two_dialogs_shows() -> None:
    app = OnScreen(FixedScreen)
    async with app.run_test() as pilot:
        below = app.query_one(Static)
        for _ in range(2):
            await app.push_screen(TwoLines())
        await pilot.pause()
        below.update("changed")
        await pilot.pause()
        await pilot.pause()
        assert "changed" in app.shown


async def test_a_dialog_over_what_has_just_changed_shows_the_change() -> None:
    app = OnScreen(FixedScreen)
    async with app.run_test() as pilot:
        await pilot.pause()
        for number in range(4):
            app.query_one(Static).update(f"changed {number}")
            for _ in range(number):
                await asyncio.sleep(0)
            await app.push_screen(TwoLines())
            await pilot.pause()
            await pilot.pause()
            assert f"changed {number}" in app.shown
            await app.pop_screen()
            await pilot.pause()


async def test_a_part_of_the_screen_is_painted_as_it_is_in_the_whole() -> None:
    app, chance = Layers(FixedScreen), Random(5)
    async with app.run_test(size=(30, 10)) as pilot:
        await pilot.pause()
        compositor = app.screen._compositor
        console = app.console
        whole = ScreenMemory()
        difference(whole, compositor.render_full_update(), console)
        for _ in range(60):
            compositor._dirty_regions = {
                Region(
                    chance.randrange(28),
                    chance.randrange(10),
                    chance.randrange(1, 20),
                    chance.randrange(1, 6),
                ).intersection(app.size.region)
                for _ in range(chance.randrange(1, 4))
            }
            painted = {
                (x, y)
                for region in compositor._dirty_regions
                for x in region.column_range
                for y in region.line_range
            }
            update = compositor.render_partial_update()
            assert isinstance(update, ChopsUpdate)
            part = ScreenMemory()
            difference(part, update, console)
            for x, y in painted:
                assert part.rows[y][x] == whole.rows[y][x]
        assert compositor.render_partial_update() is None
        app.query_one("#left", Static).render_lines = lambda crop: []  # type: ignore[method-assign]
        compositor._dirty_regions = {Region(0, 0, 30, 10)}
        assert compositor.render_partial_update() is not None


async def test_a_scroll_bar_still_comes_and_goes_with_what_there_is_to_scroll() -> None:
    class Scrolling(OnScreen):
        def compose(self) -> ComposeResult:
            with VerticalScroll():
                yield Static("line")

    app = Scrolling(FixedScreen)
    async with app.run_test(size=(40, 10)) as pilot:
        box, line = app.query_one(VerticalScroll), app.query_one(Static)
        assert not box.show_vertical_scrollbar
        line.update("\n".join("line" for _ in range(30)))
        await pilot.pause()
        assert box.show_vertical_scrollbar
        assert line.size.width < 40
        await pilot.resize_terminal(40, 40)
        await pilot.pause()
        assert not box.show_vertical_scrollbar
        assert line.size.width == 40
