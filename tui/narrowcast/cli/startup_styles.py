"""Keeps parsed style sheets in the startup cache: parsing those of the first screen takes 6 ms of a start.

They are kept only if all modules of Textual and Rich were loaded from the cache, so that they were certainly
made by the code that uses them; and for one theme, the last one. This replaces a private method of Textual, in
the version in `textual_version`; others parse as usual.
"""

from __future__ import annotations

import pickle
import sys
from typing import Any

from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet

from narrowcast.cli.startup_cache import CachedLoader, Sheet, StartupCache, Styles, parses_styles
from narrowcast.terminal.textual_version import is_as_read

__all__ = ["StartupStyles", "use"]

_parse: Any = Stylesheet._parse_rules


class StartupStyles:
    """The kept style sheets; until startup is over, also collects those that were parsed."""

    def __init__(self, cache: StartupCache) -> None:
        self._cache = cache
        self._variables, self._kept = cache.styles
        self._new_variables: dict[str, str] = {}
        self._new: dict[Sheet, tuple[str, list[RuleSet]]] = {}

    def rules(self, variables: dict[str, str], css: str, sheet: Sheet) -> list[RuleSet] | None:
        """The parsed rules of a style sheet, if they are kept."""
        source, pickled = self._kept.get(sheet, ("", b""))
        if source != css or variables != self._variables:
            return None
        try:
            rules: list[RuleSet] = pickle.loads(pickled)  # noqa: S301 - see `startup_cache.use`
        except Exception:  # whatever is wrong with it, it can be parsed
            return None
        return rules

    def add(self, variables: dict[str, str], css: str, sheet: Sheet, rules: list[RuleSet]) -> None:
        """Collects rules that were parsed during startup."""
        if self._cache.loaded is not None or any(rule.errors for rule in rules):
            return
        if variables != self._new_variables:
            self._new_variables, self._new = dict(variables), {}
        self._new[sheet] = css, rules

    def all(self) -> Styles | None:
        """What to keep for the next start; None if that is what was kept for this one."""
        if not self._new:
            return None
        new = {sheet: (css, pickle.dumps(rules)) for sheet, (css, rules) in self._new.items()}
        return self._new_variables, self._kept | new if self._new_variables == self._variables else new


def use(cache: StartupCache) -> None:
    """Makes Textual use the style sheets kept in ``cache``. Call it once the app is imported."""
    if not (is_as_read() and _is_from_cache()):
        return
    styles = StartupStyles(cache)
    cache.new_styles = styles.all

    def parse_rules(
        stylesheet: Stylesheet,
        css: str,
        read_from: tuple[str, str],
        is_default_rules: bool = False,
        tie_breaker: int = 0,
        scope: str = "",
    ) -> list[RuleSet]:
        sheet = read_from, is_default_rules, tie_breaker, scope
        if (css, *sheet) in stylesheet._parse_cache:
            known: list[RuleSet] = _parse(stylesheet, css, *sheet)
            return known
        rules = styles.rules(stylesheet._variables, css, sheet)
        if rules is not None:
            stylesheet._parse_cache[css, *sheet] = rules
            return rules
        parsed: list[RuleSet] = _parse(stylesheet, css, *sheet)
        styles.add(stylesheet._variables, css, sheet, parsed)
        return parsed

    setattr(Stylesheet, "_parse_rules", parse_rules)  # noqa: B010


def _is_from_cache() -> bool:
    specs = (module.__spec__ for name, module in list(sys.modules.items()) if parses_styles(name))
    return all(spec is not None and isinstance(spec.loader, CachedLoader) for spec in specs)
