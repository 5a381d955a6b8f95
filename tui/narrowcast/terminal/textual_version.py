"""The version of Textual whose private parts the app uses and replaces."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

__all__ = ["READ_FROM", "is_as_read"]

READ_FROM = "8.2.8"
"""The version of Textual on which the modules `textual_*` are based."""


@cache
def is_as_read() -> bool:
    """Whether that version is installed; `importlib.metadata` would take ten times as long to find out."""
    found = find_spec("textual")
    return (
        found is not None
        and found.origin is not None
        and (Path(found.origin).parents[1] / f"textual-{READ_FROM}.dist-info").is_dir()
    )
