"""Rules of style sheets are replaced as Textual does it, only faster."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.css.styles import RULE_NAMES
from textual.css.stylesheet import Stylesheet
from textual.widget import Widget
from textual.widgets import Input, Static

import narrowcast.terminal.textual_lean  # noqa: F401 - puts the replacement in place
from narrowcast.terminal import textual_styles
from narrowcast.terminal.textual_version import is_as_read
from support.sessions import until

CLASSES = ("wide", "red", "framed", "hidden", "aside", "faint")


class Styled(App[None]):
    """Widgets whose rules depend on their classes and focus."""

    CSS = """
    Vertical { height: 10; }
    Static { padding: 1; color: green; }
    .wide { width: 80%; height: 3; margin: 1 2; }
    .red { background: red 50%; color: auto; }
    .framed { border: round blue; border-title-align: right; }
    .hidden { display: none; padding: 0 0 2 0; }
    .aside { dock: right; layout: horizontal; align: center middle; offset: 2 1; }
    .faint { opacity: 40%; text-style: italic bold; tint: red 10%; }
    Input:focus { border: heavy white; max-width: 40; }
    .moving { transition: opacity 500ms; }
    .moved { opacity: 20%; }
    """

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static("one", id="one")
            yield Static("two", id="two")
            yield Input(id="three")


def rules(app: Styled) -> dict[str, dict[str, object]]:
    """The value of every rule of each widget, by its id."""
    return {
        str(widget.id): {name: getattr(widget.styles, name) for name in RULE_NAMES}
        for widget in app.query("Static, Input").results(Widget)
    }


def steps(seed: int) -> Iterator[tuple[str, str]]:
    random = Random(seed)
    for _ in range(12):
        yield random.choice(["#one", "#two", "#three"]), random.choice([*CLASSES, "focus"])


async def after(seed: int) -> list[dict[str, dict[str, object]]]:
    """The rules after each of some random changes."""
    app, found = Styled(), []
    async with app.run_test() as pilot:
        for widget, change in steps(seed):
            if change == "focus":
                app.query_one(widget, Widget).focus()
            else:
                app.query_one(widget).toggle_class(change)
            await pilot.pause()
            found.append(rules(app))
    return found


@pytest.mark.parametrize("seed", range(6))
async def test_after_any_changes_all_rules_are_as_textual_sets_them(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    assert is_as_read()
    assert Stylesheet.replace_rules is textual_styles._replace_rules
    ours = await after(seed)
    monkeypatch.setattr(Stylesheet, "replace_rules", staticmethod(textual_styles._replace))
    theirs = await after(seed)
    assert [str(each) for each in ours] == [str(each) for each in theirs]
    assert len({str(each) for each in ours}) > 6


async def test_a_rule_with_a_transition_is_animated() -> None:
    app = Styled()
    async with app.run_test() as pilot:
        moved = app.query_one("#one", Static)
        moved.add_class("moving")
        await pilot.pause()
        moved.add_class("moved")
        await until(lambda: 0.2 < moved.styles.opacity < 1)
        await until(lambda: moved.styles.opacity == 0.2)
