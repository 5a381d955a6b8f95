"""The styles that content is drawn with, taken from a theme once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields

from rich.style import Style

__all__ = ["TOKEN_PARTS", "Palette"]

TOKEN_PARTS: Mapping[str, str] = {
    "k": "keyword",
    "o": "operator",
    "s": "string",
    "m": "number",
    "c": "comment",
    "nf": "name",
    "nc": "name",
    "nd": "name",
    "nt": "name",
    "nb": "builtin",
    "na": "builtin",
    "bp": "builtin",
    "l": "string",
    "gd": "deleted",
    "gi": "inserted",
    "gh": "keyword",
    "gu": "keyword",
    "err": "deleted",
    "kc": "number",
    "sd": "comment",
}
"""Classes of the code highlighter, by their longest known prefix, to the parts of a palette."""


@dataclass(frozen=True, slots=True)
class Palette:
    """One style a part. Each is laid over the background of the widget.

    `plain` is set where there are no colours: what colour alone would tell is then told by characters too.
    """

    text: Style = field(default_factory=Style)
    dim: Style = field(default_factory=lambda: Style(dim=True))
    link: Style = field(default_factory=lambda: Style(underline=True))
    code: Style = field(default_factory=Style)
    quote: Style = field(default_factory=Style)
    heading: Style = field(default_factory=lambda: Style(bold=True))
    mention: Style = field(default_factory=lambda: Style(bold=True))
    own: Style = field(default_factory=lambda: Style(bold=True, reverse=True))
    sender: Style = field(default_factory=lambda: Style(bold=True))
    place: Style = field(default_factory=lambda: Style(bold=True))
    mark: Style = field(default_factory=lambda: Style(bold=True))
    bar: Style = field(default_factory=lambda: Style(dim=True))
    error: Style = field(default_factory=lambda: Style(bold=True))
    found: Style = field(default_factory=lambda: Style(reverse=True))
    keyword: Style = field(default_factory=lambda: Style(bold=True))
    operator: Style = field(default_factory=Style)
    string: Style = field(default_factory=Style)
    number: Style = field(default_factory=Style)
    comment: Style = field(default_factory=lambda: Style(italic=True))
    name: Style = field(default_factory=Style)
    builtin: Style = field(default_factory=Style)
    deleted: Style = field(default_factory=Style)
    inserted: Style = field(default_factory=Style)
    plain: bool = False

    @classmethod
    def parts(cls) -> tuple[str, ...]:
        """The names of all parts."""
        return tuple(part.name for part in fields(cls) if part.name != "plain")

    @classmethod
    def read(cls, style_of: Callable[[str], Style], plain: bool) -> Palette:
        """A palette from a function that gives the style of a part."""
        return cls(**{part: style_of(part) for part in cls.parts()}, plain=plain)

    def token(self, name: str) -> Style:
        """The style of a class of the code highlighter; plain code for those not known."""
        for length in range(min(3, len(name)), 0, -1):
            part = TOKEN_PARTS.get(name[:length])
            if part is not None:
                style: Style = getattr(self, part)
                return style
        return self.text
