"""The private parts of Textual are those of the version that is installed."""

from __future__ import annotations

import re
from importlib.metadata import version
from pathlib import Path

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
