"""The private parts of Textual are those of the version that is installed."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from rich.segment import Segment
from textual.strip import Strip

import narrowcast
from narrowcast.terminal import textual_private


def test_the_installed_textual_is_the_one_whose_source_was_read() -> None:
    assert version("textual") == textual_private.READ_FROM, (
        "read narrowcast/terminal/textual_private.py beside it"
    )


def test_nobody_else_imports_private_modules_of_textual() -> None:
    root = Path(narrowcast.__file__).parent
    private = re.compile(r"^\s*(?:from|import) textual(?:\.\w+)*\._", re.MULTILINE)
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
