"""The styles for drawing content, taken once from a theme."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct
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
"""Classes of the code highlighter, by their longest known prefix, with the part of the palette for each."""


class Palette(Struct, frozen=True):
    """One style per part. Each is laid over the background of the widget.

    `title` is a heading within a message, `literal` code within a line, `block` the ground of a block of code: without
    a colour for it, the block gets a bar. `chip` and `own_chip` are reactions.

    `plain` is set if there are no colours: meaning that only colours would carry is then also expressed by
    characters.
    """

    text: Style = Style()
    dim: Style = Style(dim=True)
    link: Style = Style(underline=True)
    code: Style = Style()
    quote: Style = Style()
    heading: Style = Style(bold=True)
    title: Style = Style(bold=True)
    literal: Style = Style()
    block: Style = Style()
    mention: Style = Style(bold=True)
    own: Style = Style(bold=True, reverse=True)
    sender: Style = Style(bold=True)
    place: Style = Style(bold=True)
    mark: Style = Style(bold=True)
    chip: Style = Style(dim=True)
    own_chip: Style = Style(bold=True)
    bar: Style = Style(dim=True)
    error: Style = Style(bold=True)
    found: Style = Style(reverse=True)
    keyword: Style = Style(bold=True)
    operator: Style = Style()
    string: Style = Style()
    number: Style = Style()
    comment: Style = Style(italic=True)
    name: Style = Style()
    builtin: Style = Style()
    deleted: Style = Style()
    inserted: Style = Style()
    plain: bool = False

    @classmethod
    def parts(cls) -> tuple[str, ...]:
        """The names of all parts."""
        return tuple(part for part in cls.__struct_fields__ if part != "plain")

    @classmethod
    def read(cls, style_of: Callable[[str], Style], plain: bool) -> Palette:
        """A palette from a function that returns the style of a part."""
        return cls(**{part: style_of(part) for part in cls.parts()}, plain=plain)

    def token(self, name: str) -> Style:
        """The style of a class of the code highlighter; that of plain code if unknown."""
        for length in range(min(3, len(name)), 0, -1):
            part = TOKEN_PARTS.get(name[:length])
            if part is not None:
                style: Style = getattr(self, part)
                return style
        return self.text
