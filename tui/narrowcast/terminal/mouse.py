"""Whether the terminal can report the mouse without harm."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["takes_mouse"]


def takes_mouse(environment: Mapping[str, str]) -> bool:
    """False for GNU screen: while it reports the mouse, it delays Escape until the next key and joins the two."""
    return bool(environment.get("TMUX")) or not environment.get("STY")
