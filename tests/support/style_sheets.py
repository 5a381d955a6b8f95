"""Shares parsed style sheets between apps: a test process reads them once for all its apps."""

from __future__ import annotations

from typing import Any

from textual.cache import LRUCache
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet

_Read = LRUCache[tuple[Any, ...], list[RuleSet]]
_read: dict[frozenset[tuple[str, str]], _Read] = {}
"""By the colours and other variables that the style sheets use."""


def install() -> None:
    """From now on a style sheet reuses the rules that another with the same variables has parsed."""
    assert hasattr(Stylesheet(), "_parse_cache"), "Textual keeps what it has read in another way"
    begin, set_variables = Stylesheet.__init__, Stylesheet.set_variables

    def begin_shared(sheet: Stylesheet, *, variables: dict[str, str] | None = None) -> None:
        begin(sheet, variables=variables)
        _share(sheet, variables or {})

    def set_and_share(sheet: Stylesheet, variables: dict[str, str]) -> None:
        sheet._parse_cache = LRUCache(1)  # the shared one would be emptied
        set_variables(sheet, variables)
        _share(sheet, variables)

    for name, method in (("__init__", begin_shared), ("set_variables", set_and_share)):
        setattr(Stylesheet, name, method)


def _share(sheet: Stylesheet, variables: dict[str, str]) -> None:
    sheet._parse_cache = _read.setdefault(frozenset(variables.items()), LRUCache(1_000))
