"""Screens are laid out and painted once, and look as they do without the replaced parts of Textual."""

from __future__ import annotations

import asyncio
from random import Random

from rich.console import RenderableType
from textual.app import App, ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.geometry import Region
from textual.screen import Screen
from textual.widgets import Static

from narrowcast.screens.dialogs.dialog import Dialog
from narrowcast.terminal.frames import difference
from narrowcast.terminal.screen_memory import ScreenMemory
from narrowcast.terminal.textual_private import ChopsUpdate, LayoutUpdate


class Frames(App[None]):
    """Records which screens its frames were of."""

    def __init__(self) -> None:
        super().__init__()
        self.frames: list[str] = []

    def compose(self) -> ComposeResult:
        yield Static("below")

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        if renderable is not None:
            self.frames.append(type(screen).__name__)
        super()._display(screen, renderable)


class TwoLines(Dialog[None]):
    """A dialog like any other."""

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static("one")
            yield Static("two")


async def test_added_and_removed_widgets_are_painted_even_if_regions_are_read_before_the_layout() -> None:
    """A notice stayed on the terminal, or never appeared, because Textual no longer found a change."""
    app = Frames()
    async with app.run_test() as pilot:
        await pilot.pause()
        compositor = app.screen._compositor
        below = app.query_one(Static)
        place = below.region

        def ask() -> set[Region]:
            compositor._full_map_invalidated = True  # as an update of a hidden widget does
            assert compositor.full_map
            return set(compositor._dirty_regions)

        with app.batch_update():
            await below.remove()
            assert place in ask()
        await pilot.pause()
        assert not compositor._dirty_regions
        with app.batch_update():
            await app.mount(Static("new"))
            assert place in ask()
        await pilot.pause()
        assert ask() == set()


async def test_a_dialog_that_opens_and_one_that_closes_are_painted_once() -> None:
    app = Frames()
    async with app.run_test() as pilot:
        await pilot.pause()
        app.frames.clear()
        await app.push_screen(TwoLines())
        await pilot.pause()
        assert app.frames == ["TwoLines"]
        assert [str(line.content) for line in app.screen.query(Static) if line.region.height] == [
            "one",
            "two",
        ]
        app.frames.clear()
        await app.pop_screen()
        await pilot.pause()
        assert app.frames == ["Screen"]


class Remembers(Frames):
    """Tracks what a terminal shows after its frames."""

    def __init__(self) -> None:
        super().__init__()
        self.terminal = ScreenMemory()
        self.compared: list[int] = []
        """The number of cells compared in each frame."""

    def knows_terminal(self) -> bool:
        return self.terminal.is_whole(*self.size)

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        if isinstance(renderable, LayoutUpdate):
            self.compared.append(self.size.width * self.size.height)
        elif isinstance(renderable, ChopsUpdate):
            self.compared.append(sum(right - left for _, left, right in renderable.spans))
        difference(self.terminal, renderable, self.console)
        super()._display(screen, renderable)

    def shown(self) -> str:
        return "\n".join("".join(cell[0] for cell in row) for _, row in sorted(self.terminal.rows.items()))


async def test_a_dialog_over_what_is_on_the_terminal_compares_only_its_own_cells() -> None:
    app = Remembers()
    async with app.run_test() as pilot:
        await pilot.pause()
        app.compared.clear()
        dialog = TwoLines()
        await app.push_screen(dialog)
        await pilot.pause()
        assert app.compared == [dialog.query_one(Vertical).region.area]
        assert "below" in app.shown()
        assert "one" in app.shown()
        await app.pop_screen()
        await pilot.pause()
        assert "below" in app.shown()
        assert "one" not in app.shown()


async def test_a_dialog_over_what_has_just_changed_shows_the_change() -> None:
    app = Remembers()
    async with app.run_test() as pilot:
        await pilot.pause()
        for number in range(4):
            app.query_one(Static).update(f"changed {number}")
            for _ in range(number):
                await asyncio.sleep(0)
            await app.push_screen(TwoLines())
            await pilot.pause()
            await pilot.pause()
            assert f"changed {number}" in app.shown()
            await app.pop_screen()
            await pilot.pause()


async def test_what_changes_below_a_dialog_is_painted_once_and_shows() -> None:
    app = Frames()
    async with app.run_test() as pilot:
        below = app.query_one(Static)
        await app.push_screen(TwoLines())
        await pilot.pause()
        app.frames.clear()
        below.update("changed")
        await pilot.pause()
        await pilot.pause()
        assert app.frames == ["TwoLines"]
        assert "changed" in app.export_screenshot()


class Layers(App[None]):
    """Widgets next to, inside and on top of each other."""

    CSS = """
    Screen { layout: horizontal; layers: below above; }
    #left { width: 7; } #middle { width: 1fr; padding: 1; border: round red; }
    #over { layer: above; width: 9; height: 3; offset: 5 2; }
    """

    def compose(self) -> ComposeResult:
        yield Static("left\n" * 8, id="left")
        with Vertical(id="middle"):
            yield Static("middle of the screen\n" * 2)
            yield Static("界界界 wide")
        yield Static("lies over\n" * 3, id="over")


async def test_a_part_of_the_screen_is_painted_as_it_is_in_the_whole() -> None:
    app, chance = Layers(), Random(5)
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
                )
                for _ in range(chance.randrange(1, 4))
            }
            painted = {
                (x, y)
                for region in compositor._dirty_regions
                for x in range(region.x, min(region.right, 30))
                for y in range(region.y, min(region.bottom, 10))
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


async def test_a_wide_letter_above_the_border_of_what_lies_below_is_shown() -> None:
    app = Layers()
    async with app.run_test(size=(30, 10)) as pilot:
        app.query_one("#over", Static).update("a界界界界\n" * 3)  # a border below is in the first of them
        await pilot.pause()
        compositor = app.screen._compositor
        for paint in (compositor.render_full_update, compositor.render_partial_update):
            compositor._dirty_regions = {Region(0, 0, 30, 10)}
            memory = ScreenMemory()
            difference(memory, paint(), app.console)
            for y in (2, 3, 4):
                row = "".join(cell[0] for cell in memory.rows[y])
                assert row.count("界") == 4, row
                assert "left" in row


async def test_a_scroll_bar_still_comes_and_goes_with_what_there_is_to_scroll() -> None:
    class Scrolling(App[None]):
        def compose(self) -> ComposeResult:
            with VerticalScroll():
                yield Static("line")

    app = Scrolling()
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
