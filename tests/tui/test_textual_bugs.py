"""Each bug of Textual that the app mends: it is there in Textual alone, and not with what mends it.

Where a test of Textual alone fails after an update, what mends that bug in `narrowcast.terminal.textual_fixes` can go.
"""

from __future__ import annotations

import re
import signal
import sys
import time
from inspect import getsource
from pathlib import Path
from typing import Any

import pytest
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.events import Key, MouseDown
from textual.geometry import Region
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from narrowcast.keys.keymap import normalize
from narrowcast.terminal import textual_fixes
from narrowcast.terminal.output import difference
from narrowcast.terminal.screen_memory import ScreenMemory
from narrowcast.terminal.textual_fixes import FixedApp, FixedScreen, KeyParser, end_notice
from support.screens import mouse_event
from support.small_apps import Layers, OnScreen
from support.terminal import Terminal, home

REPORTS = Path(__file__).parents[2] / "docs" / "upstream"


def test_each_report_that_is_ready_to_be_filed_is_named_where_its_bug_is_mended_and_watched() -> None:
    """And each bug that is watched here is mended there, and stands in the table of the architecture."""
    ready = {f"docs/upstream/{path.name}" for path in REPORTS.iterdir() if path.name != "README.md"}
    table = (REPORTS.parents[1] / "ARCHITECTURE.md").read_text(encoding="utf-8")
    for source in (getsource(textual_fixes), Path(__file__).read_text(encoding="utf-8")):
        assert set(re.findall(r"docs/upstream/[\w-]+\.md", source)) == ready
    numbers = set(re.findall(r'"""(#\d+)', Path(__file__).read_text(encoding="utf-8")))
    assert numbers == set(re.findall(r"\(?(#\d+)\)?", getsource(textual_fixes)))
    assert numbers == set(re.findall(r"\| (#\d+) \|", table))
    assert table.count("| docs/upstream |") == len(ready)


SCREENS = pytest.mark.parametrize(
    ("screen", "is_mended"), [(Screen, False), (FixedScreen, True)], ids=["Textual", "mended"]
)


@SCREENS
async def test_wide_letters_above_an_edge_of_what_lies_below(
    screen: type[Screen[Any]], is_mended: bool
) -> None:
    """#6357"""
    app = Layers(screen)
    async with app.run_test(size=(30, 10)) as pilot:
        app.query_one("#over", Static).update("a界界界界\n" * 3)  # an edge below is in the first of them
        await pilot.pause()
        compositor = app.screen._compositor
        for paint in (compositor.render_full_update, compositor.render_partial_update):
            compositor._dirty_regions = {Region(0, 0, 30, 10)}
            memory = ScreenMemory()
            difference(memory, paint(), app.console)
            rows = ["".join(cell[0] for cell in memory.rows[y]) for y in (2, 3, 4)]
            assert all("left" in row for row in rows)
            assert all(row.count("界") == 4 for row in rows) is is_mended


@SCREENS
async def test_changes_of_which_the_places_are_asked_before_the_layout(
    screen: type[Screen[Any]], is_mended: bool
) -> None:
    """docs/upstream/places-asked-before-the-layout.md"""
    app = OnScreen(screen)
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
            assert (place in ask()) is is_mended
        await pilot.pause()
        assert not compositor._dirty_regions
        with app.batch_update():
            await app.mount(Static("new"))
            assert (place in ask()) is is_mended
        await pilot.pause()
        assert ask() == set()


@SCREENS
async def test_a_click_on_a_notice_that_was_removed_and_is_still_painted(
    screen: type[Screen[Any]], is_mended: bool
) -> None:
    """#5629"""
    app = OnScreen(screen)
    async with app.run_test(notifications=True) as pilot:
        app.notify("done")
        await pilot.pause()
        notice = app.screen.query_one("Toast")
        place = notice.region.x + 3, notice.region.y + 1
        await notice.remove()
        assert app.screen.get_widget_at(*place)[0] is notice
        if is_mended:
            await app.on_event(mouse_event(MouseDown, place))
        else:
            with pytest.raises(Exception, match=r"no screen|region"):
                await app.on_event(mouse_event(MouseDown, place))


class Over(ModalScreen[None]):
    """Shows what lies below it."""

    CSS = "Over { background: transparent; } Over Static { width: 9; }"

    def compose(self) -> Any:
        yield Static("own")


class FixedOver(FixedScreen[None], Over):
    """The same, mended."""


@pytest.mark.parametrize(("over", "is_mended"), [(Over, False), (FixedOver, True)], ids=["Textual", "mended"])
async def test_simultaneous_changes_of_a_screen_and_of_the_one_below(
    over: type[Over], is_mended: bool
) -> None:
    """docs/upstream/changes-behind-a-screen.md"""
    app = OnScreen()
    async with app.run_test() as pilot:
        await app.push_screen(over())
        await pilot.pause()
        app.screen.query_one(Static).update("new")
        app.screen._dirty_widgets.add(app.screen.query_one(Static))
        app.screen.refresh(Region(20, 5, 3, 1))  # as the screen below does for what it has changed
        app.screen._on_timer_update()
        assert ("new" in app.shown) is is_mended


class HeldUp:
    """The clock of a process that is suspended for a second right after it is first read."""

    def __init__(self) -> None:
        self._looked = False

    def get_time(self) -> float:
        late, self._looked = self._looked, True
        return time.monotonic() + late


@pytest.mark.parametrize("kind", [App, FixedApp], ids=["Textual", "mended"])
async def test_a_one_shot_timer_that_is_late_before_it_begins_to_wait(
    kind: type[App[None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """docs/upstream/one-shot-timers-that-are-late.md"""
    app, calls = kind(), list[str]()
    async with app.run_test() as pilot:
        monkeypatch.setattr("textual.timer._time", HeldUp())
        timer = app.set_timer(0.001, lambda: calls.append("called"))
        assert timer._task is not None
        await timer._task
        await pilot.pause()
    assert calls == (["called"] if kind is FixedApp else [])


@pytest.mark.parametrize("is_mended", [False, True], ids=["Textual", "mended"])
async def test_notices_that_are_removed_before_they_expire(is_mended: bool) -> None:
    """docs/upstream/frames-of-replaced-notices.md"""
    app = OnScreen()
    async with app.run_test(notifications=True) as pilot:
        for number in range(3):
            for notice in list(app._notifications):
                if is_mended:
                    end_notice(app, notice)
                else:
                    app._unnotify(notice)
            app.notify(f"done {number}")
            await pilot.pause()
        assert len(app.screen.query("Toast")) == 1
        assert len(app.screen.query("ToastHolder")) == (1 if is_mended else 3)


@pytest.mark.parametrize("parser", [XTermParser, KeyParser], ids=["Textual", "mended"])
def test_alt_with_keys_that_have_names_of_several_letters(parser: type[XTermParser]) -> None:
    """#6663"""
    for sent, key in (("\x1b.", "full_stop"), ("\x1b\r", "enter")):
        reader = parser()
        keys = [message.key for message in [*reader.feed(sent), *reader.feed("")] if isinstance(message, Key)]
        assert keys == [f"alt+{key}" if parser is KeyParser else key]


@pytest.mark.parametrize("parser", [XTermParser, KeyParser], ids=["Textual", "mended"])
def test_keys_that_are_taken_for_others(parser: type[XTermParser]) -> None:
    """docs/upstream/keys-of-alt-that-are-others.md"""
    for sent, pressed, taken_for in (
        ("\x1bb", "alt+b", "ctrl+left"),
        ("\x1bf", "alt+f", "ctrl+right"),
        ("\x1b\x7f", "alt+backspace", "ctrl+w"),
        ("\x1b1", "alt+1", "inverted_exclamation_mark"),
        ("\x1b-", "alt+minus", "en_dash"),
        ("\x1b=", "alt+equals_sign", "not_equal_to"),
        ("\x00", "ctrl+space", "ctrl+@"),
    ):
        (key,) = (message for message in parser().feed(sent) if isinstance(message, Key))
        assert key.key == (pressed if parser is KeyParser else taken_for)
        assert not (parser is KeyParser and key.is_printable)


def test_alt_with_every_sign_of_a_keyboard_is_the_key_that_the_configuration_means() -> None:
    for sign in map(chr, range(ord("!"), ord("~") + 1)):
        reader = KeyParser()
        sent = [*reader.feed(f"\x1b{sign}"), *reader.feed("")]
        written = f"alt+shift+{sign.lower()}" if sign.isupper() else f"alt+{sign}"
        assert [message.key for message in sent if isinstance(message, Key)] == [normalize(written)]


READERS = """
import threading
from textual.app import App
from textual.widgets import Static
from {module} import {driver}

class Shows(App):
    def compose(self):
        yield Static()

    def on_mount(self):
        self.set_interval(0.02, self.count)

    def count(self):
        names = [thread.name for thread in threading.enumerate()]
        self.query_one(Static).update("readers: %d" % names.count("textual-input"))

Shows(driver_class={driver}).run()
"""


@pytest.mark.parametrize(
    ("module", "driver", "readers"),
    [
        ("textual.drivers.linux_driver", "LinuxDriver", 2),
        ("narrowcast.terminal.driver", "TerminalDriver", 1),
    ],
    ids=["Textual", "mended"],
)
def test_sigcont_without_a_suspension(tmp_path: Path, module: str, driver: str, readers: int) -> None:
    """docs/upstream/sigcont-without-a-suspension.md"""
    program = READERS.format(module=module, driver=driver)
    with Terminal([sys.executable, "-c", program], env=home(tmp_path), size=(40, 10)) as terminal:
        terminal.wait_for("readers: 1")
        terminal.output.clear()
        terminal.signal(signal.SIGCONT)
        terminal.wait_until(lambda: b"\x1b[?1049h" in terminal.output, "the terminal is taken again")
        terminal.wait_for(f"readers: {readers}")


PROGRAM = """
from textual.app import App
from textual.widgets import Static

class Shows(App):
    def compose(self):
        yield Static("shown")

Shows().run()
"""


def test_a_resumed_app_of_textual_alone_stays_empty(tmp_path: Path) -> None:
    """#6298; `FixedDriver` draws everything again: tests/e2e/test_suspending.py"""
    with Terminal([sys.executable, "-c", PROGRAM], env=home(tmp_path), size=(40, 10)) as terminal:
        terminal.wait_for("shown")
        terminal.settle(quiet=0.5)
        terminal.signal(signal.SIGTSTP)
        terminal.wait_stopped()
        terminal.output.clear()
        terminal.signal(signal.SIGCONT)
        terminal.wait_until(
            lambda: b"\x1b[?1049h" in terminal.output, "the alternate screen is entered again"
        )
        terminal.settle(quiet=1.0)
        assert not terminal.text.strip()
