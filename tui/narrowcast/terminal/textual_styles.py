"""Textual's replacement of the style rules of a widget, faster where nothing is animated.

For each widget whose classes or focus change, Textual computes all 150 rules before and after the change, to animate
those with a transition. None of the app's style sheets has one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.css.stylesheet import Stylesheet

if TYPE_CHECKING:
    from textual.css.styles import RulesMap
    from textual.dom import DOMNode

__all__ = ["make_styles_lean"]

_replace = Stylesheet.replace_rules


def _replace_rules(node: DOMNode, rules: RulesMap, animate: bool = False) -> None:
    """Sets the rules that differ; a rule that is the same object needs no setting."""
    if animate and "transitions" in rules:
        _replace(node, rules, animate)
        return
    styles = node.styles.base
    set_now = styles._rules
    for name in set_now.keys() | rules.keys():
        value = rules.get(name)
        if value is None or set_now.get(name) is not value:
            setattr(styles, name, value)


def make_styles_lean() -> None:
    """Makes changes of the styles of a widget faster."""
    setattr(Stylesheet, "replace_rules", staticmethod(_replace_rules))  # noqa: B010
