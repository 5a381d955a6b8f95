"""The row of a file on its way: its name, a bar, and the keys that act on it. Uploads and downloads look the same."""

from __future__ import annotations

from collections.abc import Sequence

from narrowcast.keys.hints import SEPARATOR
from narrowcast.text.formats import size
from narrowcast.text.safe_text import safe_line
from narrowcast.widgets.one_line import Piece

__all__ = ["arrived", "bar", "transfer_row"]

BAR_CELLS = 16
NAME_CELLS = 28
"""Maximum columns of a name: with the bar and one key, a row fits on 80."""


def bar(share: float, total: int) -> list[Piece]:
    """A bar for a share from 0 to 1, and how much of how many bytes that is."""
    filled = round(share * BAR_CELLS)
    return [
        ("━" * filled, "accent"),
        ("─" * (BAR_CELLS - filled), "dim"),
        (f" {share:4.0%} of {size(total)}", ""),
    ]


def arrived(received: int, total: int | None) -> list[Piece]:
    """The same for bytes that arrive; only their number if the server does not say how many come."""
    if total is None:
        return [(size(received), "")]
    return bar(received / total if total else 1.0, total)


def transfer_row(name: str, about: Sequence[Piece], does: Sequence[str]) -> tuple[list[Piece], list[Piece]]:
    """The left and the right side of a row. ``does``: the keys, as `hint_words` gives them."""
    return [(f" {safe_line(name, NAME_CELLS)} ", ""), *about], [(f"{SEPARATOR.join(does)} ", "dim")]
