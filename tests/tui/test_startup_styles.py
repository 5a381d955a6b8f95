"""Style sheets that one start has parsed are not parsed by the next, as long as nothing has changed."""

from __future__ import annotations

import json
import marshal
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode

from narrowcast.cli import startup_cache_writer
from narrowcast.cli.startup_cache import Modules, Sheet, StartupCache, Styles
from narrowcast.cli.startup_styles import StartupStyles
from narrowcast.screens.main.screen import MainScreen
from narrowcast.terminal import last_screen

START = """
import json, os, sys
from narrowcast.cli import startup_cache_writer, startup_cache
startup_cache.use()
startup_cache.use_sources()
from narrowcast.cli import startup_styles
parse, parsed = startup_styles._parse, []
def count(stylesheet, css, *sheet):
    parsed.append(css)
    return parse(stylesheet, css, *sheet)
startup_styles._parse = count
startup_styles.use(startup_cache.of_this_start())
is_used = startup_styles.Stylesheet._parse_rules is not parse
shown = startup_styles.Stylesheet(variables={"edge": EDGE})
shown.add_source("Thing { color: $edge; }", ("thing.py", "Thing.CSS"))
colour = shown.rules[0].styles.color.hex
startup_cache.end()
startup_cache_writer.save()
print(json.dumps([colour, is_used, len(parsed)]))
"""


@pytest.fixture
def start(tmp_path: Path) -> Any:
    def run(edge: str) -> object:
        env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        program = START.replace("EDGE", repr(edge))
        result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=env)
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)

    return run


def test_a_style_sheet_is_not_parsed_again_once_textual_itself_is_loaded_from_the_cache(start: Any) -> None:
    assert start("red") == ["#FF0000", False, 0]
    assert start("red") == ["#FF0000", True, 1]
    assert start("red") == ["#FF0000", True, 0]
    assert start("red") == ["#FF0000", True, 0]


def test_with_another_theme_style_sheets_are_parsed_and_kept_anew(start: Any) -> None:
    for _ in range(3):
        start("red")
    assert start("blue") == ["#0000FF", True, 1]
    assert start("blue") == ["#0000FF", True, 0]
    assert start("red") == ["#FF0000", True, 1]


def _nodes(base: type[DOMNode]) -> Iterator[type[DOMNode]]:
    for one in base.__subclasses__():
        yield one
        yield from _nodes(one)


def _cache(styles: Styles = ({}, {}), modules: Modules | None = None) -> StartupCache:
    return StartupCache(modules or {}, {}, {}, styles)


def test_kept_rules_are_those_that_were_parsed() -> None:
    variables = App[None]().get_css_variables()
    parsed: dict[Sheet, tuple[str, list[Any]]] = {}
    made = StartupStyles(_cache())
    nodes = set(_nodes(DOMNode))
    assert MainScreen in nodes
    for number, node in enumerate(nodes):
        css: str = node.DEFAULT_CSS
        sheet: Sheet = (f"{node.__module__}.py", node.__qualname__), True, -number, node.__name__
        parsed[sheet] = css, Stylesheet(variables=variables)._parse_rules(css, *sheet)
        made.add(variables, css, sheet, parsed[sheet][1])
    styles = made.all()
    assert styles is not None
    kept = StartupStyles(_cache(marshal.loads(marshal.dumps(styles))))
    assert kept.all() is None
    for sheet, (css, rules) in parsed.items():
        found = kept.rules(variables, css, sheet)
        assert found is not None
        assert list(map(_values, found)) == list(map(_values, rules))


def _values(rule: RuleSet) -> list[object]:
    """Everything that it consists of; layouts have no equality of their own."""
    styles = {name: repr(value) for name, value in rule.styles.get_rules().items()}
    others = rule.selector_set, rule.is_default_rules, rule.tie_breaker, rule.selector_names
    return [*others, rule.pseudo_classes, styles, rule.styles.important]


SHEET: Sheet = ("thing.py", "Thing.CSS"), False, 0, ""
CSS = "Thing { width: 1; }"


def _kept() -> Styles:
    made = StartupStyles(_cache())
    made.add({"a": "b"}, CSS, SHEET, Stylesheet()._parse_rules(CSS, *SHEET))
    styles = made.all()
    assert styles is not None
    return styles


def test_rules_of_another_source_theme_or_place_and_damaged_ones_are_not_used() -> None:
    styles = StartupStyles(_cache(_kept()))
    assert styles.rules({"a": "b"}, CSS, SHEET) is not None
    assert styles.rules({"a": "c"}, CSS, SHEET) is None
    assert styles.rules({"a": "b"}, CSS.replace("1", "2"), SHEET) is None
    assert styles.rules({"a": "b"}, CSS, (("other.py", "Thing.CSS"), False, 0, "")) is None
    damaged = StartupStyles(_cache(({"a": "b"}, {SHEET: (CSS, b"nonsense")})))
    assert damaged.rules({"a": "b"}, CSS, SHEET) is None


def test_what_is_parsed_after_the_start_and_invalid_rules_are_not_kept() -> None:
    cache = _cache()
    made = StartupStyles(cache)
    wrong = "Thing { width: red; }"
    made.add({}, wrong, SHEET, Stylesheet()._parse_rules(wrong, *SHEET))
    cache.loaded = []
    made.add({}, CSS, SHEET, Stylesheet()._parse_rules(CSS, *SHEET))
    assert made.all() is None


@pytest.mark.parametrize("change", ["", "changed", "loaded anew"])
def test_a_change_of_textual_discards_what_it_has_parsed(tmp_path: Path, change: str) -> None:
    file = tmp_path / "parse.py"
    file.write_text("")
    modules: Modules = {
        "textual.css.parse": (str(file), "", False, last_screen.state_of(str(file)), (0, 0, 0))
    }
    cache = _cache(_kept(), modules)
    if change == "changed":
        file.write_text("pass")
    found = {"rich.style" if change == "loaded anew" else "json": (str(file), "", False)}
    styles = startup_cache_writer._styles(cache, found)
    assert styles == (({}, {}) if change else cache.styles)
