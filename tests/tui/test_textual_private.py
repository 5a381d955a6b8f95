"""The private parts of Textual are those of the version that is installed."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import pytest
from rich.console import RenderableType
from rich.segment import Segment
from textual.app import App, ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.screen import Screen
from textual.strip import Strip
from textual.widgets import Static

import narrowcast
from narrowcast.screens.dialogs.dialog import Dialog
from narrowcast.terminal import textual_private
from narrowcast.terminal.screen_memory import ScreenMemory
from narrowcast.terminal.textual_private import ChopsUpdate, LayoutUpdate


def test_the_installed_textual_is_the_one_whose_source_was_read() -> None:
    assert version("textual") == textual_private.READ_FROM, (
        "read narrowcast/terminal/textual_private.py beside it"
    )


def test_nobody_else_uses_private_modules_or_members_of_textual() -> None:
    root = Path(narrowcast.__file__).parent
    private = re.compile(
        r"^\s*(?:from|import) textual(?:\.\w+)*\._|\b_?(?:app|screen|widget|host)\._[a-z]", re.MULTILINE
    )
    found = [path.name for path in root.rglob("*.py") if private.search(path.read_text())]
    assert found == ["textual_private.py"]


def test_the_app_starts_without_the_palette_of_textual_and_its_widgets() -> None:
    program = (
        "import sys; from narrowcast.terminal import without_palette; without_palette.install()\n"
        "from textual.theme import ThemeProvider; from narrowcast.app.app import NarrowcastApp\n"
        "from textual.command import CommandPalette, Provider\n"
        "assert CommandPalette is without_palette.CommandPalette and issubclass(ThemeProvider, Provider)\n"
        "assert not NarrowcastApp.ENABLE_COMMAND_PALETTE\n"
        "print(*(name for name in sys.modules if name.startswith('textual.widgets._')))"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert set(answer.stdout.split()) <= {f"textual.widgets._{one}" for one in ("static", "toast", "tooltip")}


def test_a_strip_makes_each_cache_when_it_is_used_and_keeps_what_it_made() -> None:
    strip = Strip([Segment("one "), Segment("two")])
    assert not any(textual_private.has_cache(strip, name) for name in textual_private.CACHES_OF_A_STRIP)
    assert strip.crop(1, 5) is strip.crop(1, 5)
    assert [part.text for part in strip.divide([3, 7])] == ["one", " two"]
    assert strip.adjust_cell_length(9).text == "one two  "
    assert textual_private.has_cache(strip, "_crop_cache")
    assert not textual_private.has_cache(strip, "_filter_cache")
    assert not hasattr(strip, "_unheard_of")


class HeldUp:
    """The clock of a process that is held up for a second as soon as somebody has looked at it."""

    def __init__(self) -> None:
        self._looked = False

    def get_time(self) -> float:
        late, self._looked = self._looked, True
        return time.monotonic() + late


async def test_a_timer_that_is_late_before_it_begins_to_wait_calls_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app, calls = App[None](), []
    async with app.run_test() as pilot:
        monkeypatch.setattr("textual.timer._time", HeldUp())
        timer = app.set_timer(0.001, lambda: calls.append("called"))
        assert timer._task is not None
        await timer._task
        await pilot.pause()
    assert calls == ["called"]


class Frames(App[None]):
    """Notes the screens of the frames that it is given."""

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
    """As every dialog."""

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static("one")
            yield Static("two")


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
    """Knows what a terminal shows after the frames that it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.terminal = ScreenMemory()
        self.compared: list[int] = []
        """Cells of each frame."""

    def knows_terminal(self) -> bool:
        return self.terminal.is_whole(*self.size)

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        if isinstance(renderable, LayoutUpdate):
            self.compared.append(self.size.width * self.size.height)
        elif isinstance(renderable, ChopsUpdate):
            self.compared.append(sum(right - left for _, left, right in renderable.spans))
        self.terminal.difference(renderable, self.console)
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
            await asyncio.sleep(0.003 * number)
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
