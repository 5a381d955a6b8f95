"""Textual reports an invalid style sheet as before, and difflib is imported only then."""

from __future__ import annotations

import subprocess
import sys

import pytest
from textual import suggestions as original

from narrowcast.terminal import late_suggestions

PROGRAM = """
import sys
from narrowcast.terminal import late_suggestions, without_palette
without_palette.install()
late_suggestions.install()
from narrowcast.app.app import NarrowcastApp
from textual.color import Color, ColorParseError
print("difflib" in sys.modules)
try:
    Color.parse("gren")
except ColorParseError as error:
    print(error.suggested_color, "difflib" in sys.modules)
"""


def test_difflib_waits_until_a_colour_is_wrong() -> None:
    result = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines() == ["False", "green True"]


@pytest.mark.parametrize("word", ["redu", "yllow", "blue", "x"])
def test_suggestions_are_those_of_textual(word: str) -> None:
    words = ("yellow", "red", "ellow")
    assert late_suggestions.get_suggestion(word, words) == original.get_suggestion(word, words)
    assert late_suggestions.get_suggestions(word, words, 2) == original.get_suggestions(word, words, 2)


def test_it_has_every_function_that_textual_has() -> None:
    functions = {
        name
        for name, value in vars(original).items()
        if callable(value) and value.__module__ == original.__name__
    }
    assert functions == {name for name in late_suggestions.__all__ if name != "install"}
