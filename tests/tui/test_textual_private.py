"""The private parts of Textual that the app uses behave as expected in the installed version."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from functools import partial, wraps
from importlib.metadata import version
from inspect import signature
from pathlib import Path
from typing import ClassVar, cast

import pytest
from rich.segment import Segment
from textual import _callback, on
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.events import Click, MouseDown, MouseUp
from textual.message import Message
from textual.strip import Strip
from textual.widgets import Static

import narrowcast
from narrowcast.screens.dialogs.dialog import Dialog
from narrowcast.terminal import textual_lean, textual_version
from support.mouse import mouse_event


def test_the_installed_textual_is_the_one_whose_source_was_read() -> None:
    assert version("textual") == textual_version.READ_FROM, (
        "read the files textual_*.py in narrowcast/terminal beside it"
    )


def test_nobody_else_uses_private_modules_or_members_of_textual() -> None:
    root = Path(narrowcast.__file__).parent
    private = re.compile(
        r"^\s*(?:from|import) textual(?:\.\w+)*\._|\b_?(?:app|screen|widget|host)\._[a-z]", re.MULTILINE
    )
    found = {path.name for path in root.rglob("*.py") if private.search(path.read_text())}
    assert found == {"textual_compositor.py", "textual_lean.py", "textual_private.py"}


def test_the_app_starts_without_the_palette_of_textual_and_its_widgets() -> None:
    program = (
        "import sys; from narrowcast.terminal import without_palette; without_palette.install()\n"
        "from textual.theme import ThemeProvider; from narrowcast.app.app import NarrowcastApp\n"
        "from textual.command import CommandPalette, Provider\n"
        "assert CommandPalette is without_palette.CommandPalette and issubclass(ThemeProvider, Provider)\n"
        "assert not NarrowcastApp.ENABLE_COMMAND_PALETTE\n"
        "print(*(name for name in sys.modules if name.startswith('textual.widgets._')))"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert set(result.stdout.split()) <= {f"textual.widgets._{one}" for one in ("static", "toast", "tooltip")}


def test_a_strip_makes_each_cache_when_it_is_used_and_keeps_what_it_made() -> None:
    strip = Strip([Segment("one "), Segment("two")])
    assert not any(textual_lean.has_cache(strip, name) for name in textual_lean.CACHES_OF_A_STRIP)
    assert strip.crop(1, 5) is strip.crop(1, 5)
    assert [part.text for part in strip.divide([3, 7])] == ["one", " two"]
    assert strip.adjust_cell_length(9).text == "one two  "
    assert textual_lean.has_cache(strip, "_crop_cache")
    assert not textual_lean.has_cache(strip, "_filter_cache")
    assert not hasattr(strip, "_unheard_of")


class HeldUp:
    """The clock of a process that is suspended for a second right after it is first read."""

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


class Heard(Message):
    """A message that nothing else posts."""


class Inner(Static):
    def on_heard(self, message: Heard) -> None:
        cast("Keys", self.app).heard.append("inner")


class Outer(Inner):
    def _on_heard(self, message: Heard) -> None:
        cast("Keys", self.app).heard.append("outer")
        if self.id == "only":
            message.prevent_default()

    @on(Click)
    def clicked(self) -> None:
        cast("Keys", self.app).heard.append("clicked")


class Keys(App[None]):
    BINDINGS: ClassVar = [
        Binding("a", "note('app a')"),
        Binding("ctrl+x", "note('app x')"),
        Binding("f5", "note('app first')", priority=True),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[str] = []

    def compose(self) -> ComposeResult:
        yield Outer("one")
        yield Outer("two", id="only")
        yield Field()

    def action_note(self, text: str) -> None:
        self.heard.append(text)


class Field(Static, can_focus=True):
    BINDINGS: ClassVar = [
        Binding("ctrl+x", "app.note('field x')"),
        Binding("f5", "app.note('field f5')"),
        Binding("b", "app.note('field b')"),
    ]

    def check_consume_key(self, key: str, character: str | None) -> bool:
        return character is not None and character.isprintable()


async def test_keys_reach_the_widget_that_they_belong_to() -> None:
    app = Keys()
    async with app.run_test() as pilot:
        app.query_one(Field).focus()
        await pilot.press("a", "b", "ctrl+x", "f5")
        assert app.heard == ["field b", "field x", "app first"]
        app.heard.clear()
        app.screen.set_focus(None)
        await pilot.press("a", "b", "ctrl+x")
        assert app.heard == ["app a", "app x"]
        app.heard.clear()
        app.set_keymap({})
        await app.push_screen(Dialog[None]())
        await pilot.press("a", "f5")
        assert app.heard == ["app first"]


async def test_messages_are_heard_by_all_classes_of_a_widget_unless_one_prevents_it() -> None:
    app = Keys()
    async with app.run_test() as pilot:
        for widget in app.query(Outer):
            widget.post_message(Heard())
        await pilot.pause()
        await pilot.click(Outer)
        assert app.heard == ["outer", "inner", "outer", "clicked"]


async def test_a_click_on_a_notice_that_was_removed_and_is_still_painted_does_nothing() -> None:
    app = Keys()
    async with app.run_test(notifications=True) as pilot:
        app.notify("done")
        await pilot.pause()
        notice = app.screen.query_one("Toast")
        place = notice.region.x + 3, notice.region.y + 1
        await notice.remove()
        assert app.screen.get_widget_at(*place)[0] is notice
        await app.on_event(mouse_event(MouseDown, place))
        await app.on_event(mouse_event(MouseUp, place))


async def test_a_notice_that_is_removed_before_it_expires_takes_no_more_room() -> None:
    app = Keys()
    async with app.run_test(notifications=True) as pilot:
        for _ in range(3):
            app.clear_notifications()
            app.notify("done")
            await pilot.pause()
        assert len(app.screen.query("ToastHolder")) == len(app.screen.query("Toast")) == 1


def test_parameters_are_counted_as_textual_counts_them() -> None:
    def plain(one: int, two: int = 2, *more: int, three: int = 3, **others: int) -> None: ...

    @wraps(plain)
    def wrapped(*_: object) -> None: ...

    app = Keys()
    for function in (
        plain,
        wrapped,
        app.action_note,
        lambda: None,
        partial(plain, 1),
        print,
        Keys.compose,
        Heard,
    ):
        assert _callback._count_parameters(function) == len(signature(function).parameters)
