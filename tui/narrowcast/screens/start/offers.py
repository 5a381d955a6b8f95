"""What the welcome screen offers: one row each, with the key that does it."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import ClassVar

from msgspec import Struct
from rich.cells import cell_len
from rich.style import Style
from textual.strip import Strip

from narrowcast.keys.hints import key_of, keys_of
from narrowcast.widgets.looks import Look
from narrowcast.widgets.strips import Part, compose_line
from narrowcast.widgets.virtual_list import VirtualList

__all__ = ["OfferList", "WelcomeOffer"]

GAP = 3
"""Columns between the two texts, and before the key."""


class WelcomeOffer(Struct, frozen=True):
    """Something to do; a blank row if it has no ``text``. ``about``: more about it, where there is room. ``what``: the
    value for the action, and the end of the id of the command.
    """

    what: str
    text: str = ""
    about: str = ""


class OfferList(VirtualList[WelcomeOffer]):
    """Texts, what is to be known about them, and keys: each in a column of its own."""

    LOOKS: ClassVar[Mapping[str, Look]] = {
        "offer--text": Look(letters=Style(bold=True)),
        "offer--key": Look("text-primary", ground="panel", letters=Style(bold=True)),
    }

    def __init__(self, offers: Sequence[WelcomeOffer]) -> None:
        super().__init__(offers)
        self._offers = offers

    def show_air(self, has_air: bool) -> None:
        """Divides the offers by blank rows, or no longer."""
        self.set_items([*_with_air(self._offers)] if has_air else self._offers)

    def render_item(self, item: WelcomeOffer, width: int, selected: bool) -> Sequence[Strip]:
        if not item.text:
            return []
        column = max(cell_len(offer.text) for offer in self._offers)
        left: list[Part] = [(" " + item.text, self.part_style("offer--text"))]
        key: Part = (f" {key_of(keys_of(self), f'welcome.{item.what}')} ", self.part_style("offer--key"))
        gap = " " * (column - cell_len(item.text) + GAP)
        if cell_len(f" {item.text}{gap}{item.about}{key[0]} ") + GAP <= width:
            left.append((gap + item.about, self.part_style("virtual-list--dim")))
        return [compose_line(width, left, [key, (" ", Style.null())], base=Style.null())]

    def selectable(self, item: WelcomeOffer) -> bool:
        return bool(item.text)

    def key_of(self, item: WelcomeOffer) -> Hashable:
        return item.what

    def text_of(self, item: WelcomeOffer) -> str:
        return item.text


def _with_air(offers: Sequence[WelcomeOffer]) -> Iterator[WelcomeOffer]:
    for number, offer in enumerate(offers):
        if number:
            yield WelcomeOffer(f"above {offer.what}")
        yield offer
