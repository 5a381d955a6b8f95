"""How far long work is: a bar, or a count where nobody knows how much there is; and the row of a file on its way, with
its name, its bar, and the keys that act on it. Uploads, downloads, pictures and work in batches look the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from narrowcast.keys.hints import SEPARATOR
from narrowcast.text.formats import size
from narrowcast.text.safe_text import safe_line
from narrowcast.widgets.one_line import Piece

__all__ = ["arrived", "bar", "done", "transfer_row"]

BAR_CELLS = 16
NAME_CELLS = 28
"""Maximum columns of a name: with the bar and one key, a row fits on 80."""


def bar(share: float, whole: str) -> list[Piece]:
    """A bar for a share from 0 to 1, and how much of the whole that is, such as of "3.4 MB"."""
    filled = round(share * BAR_CELLS)
    return [
        ("━" * filled, "accent"),
        ("─" * (BAR_CELLS - filled), "dim"),
        (f" {share:4.0%} of {whole}", ""),
    ]


def arrived(received: int, total: int | None) -> list[Piece]:
    """The same for bytes that arrive; only their number if the server does not say how many come."""
    if total is None:
        return [(size(received), "")]
    return bar(received / total if total else 1.0, size(total))


def done(count: int, total: int | None, what: str) -> list[Piece]:
    """The same for things that are dealt with one after the other, each a ``what``, such as a "message"; only their
    number if nobody says how many there are.
    """
    if not total:
        return [(_many(count, what), "")]
    return bar(min(1.0, count / total), _many(total, what))


def _many(count: int, what: str) -> str:
    return f"{count:,} {what if count == 1 else f'{what}s'}"


def transfer_row(name: str, about: Sequence[Piece], does: Sequence[str]) -> tuple[list[Piece], list[Piece]]:
    """The left and the right side of a row. ``does``: the keys, as `hint_words` gives them."""
    return [(f" {safe_line(name, NAME_CELLS)} ", ""), *about], [(f"{SEPARATOR.join(does)} ", "dim")]
