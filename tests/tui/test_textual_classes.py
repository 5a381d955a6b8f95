"""What Textual collects for each class of widgets is the same when it is taken over from the base class."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from types import new_class
from typing import Any

import pytest
from textual.dom import DOMNode
from textual.reactive import reactive
from textual.widget import Widget

from narrowcast.app.app import NarrowcastApp
from narrowcast.screens.main.screen import MainScreen
from narrowcast.terminal import textual_classes

COLLECTED = ("_reactives", "_computes", "_css_type_name", "_css_type_names")


def _below(base: type[DOMNode]) -> Iterator[type[DOMNode]]:
    for one in base.__subclasses__():
        yield one
        yield from _below(one)


def _collected(one: Any) -> list[object]:
    orders = list(one._reactives), one._merged_bindings.key_to_bindings
    return [*orders, *(getattr(one, name) for name in COLLECTED)]


def _both(one: Any) -> tuple[list[object], list[object]]:
    flags = one._inherit_css, one._inherit_bindings, one._inherit_component_classes
    found = []
    for prepare in (textual_classes._prepare_class, textual_classes._prepare):
        prepare(one, *flags)
        found.append(_collected(one))
        assert flags == (one._inherit_css, one._inherit_bindings, one._inherit_component_classes)
    return found[0], found[1]


def test_every_class_of_the_app_gets_what_textual_would_collect_for_it() -> None:
    classes = set(_below(DOMNode))
    assert {MainScreen, NarrowcastApp} <= classes
    for one in classes:
        ours, theirs = _both(one)
        assert ours == theirs, one


class _Mixed:
    def compute_width(self) -> int:
        return 1


class Base(Widget):
    BINDINGS = [("a", "one", "One"), ("b", "two", "Two")]  # noqa: RUF012
    width = reactive(0)
    height = reactive(0)

    def _compute_height(self) -> int:
        return 2


@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("inherits", [False, True])
def test_classes_with_bindings_reactives_and_mixins_get_it_too(mixed: bool, inherits: bool) -> None:
    bases: tuple[type, ...] = (_Mixed, Base) if mixed else (Base,)
    own = {
        "BINDINGS": [("b", "three", "Three"), ("c", "four", "Four")],
        "height": reactive(3),
        "depth": reactive(4),
    }
    flags = {"inherit_css": inherits, "inherit_bindings": inherits}
    made: Any = new_class("Made", bases, flags, lambda names: names.update(own))
    ours, theirs = _both(made)
    assert ours == theirs
    assert list(made._merged_bindings.key_to_bindings) == (["a", "b", "c"] if inherits else ["b", "c"])
    assert made._computes == ({"width", "height"} if mixed else {"height"})


def test_a_binding_added_to_a_class_does_not_reach_its_base() -> None:
    made: Any = new_class("Made", (Base,))
    made._merged_bindings.key_to_bindings["a"].clear()
    base: Any = Base
    assert base._merged_bindings.key_to_bindings["a"]


def test_the_app_creates_its_classes_this_way() -> None:
    program = (
        "import sys; from narrowcast.cli import open_app; open_app._load(); names = list(sys.modules)\n"
        "assert names.index('narrowcast.terminal.textual_classes') < names.index('textual.widget')"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
