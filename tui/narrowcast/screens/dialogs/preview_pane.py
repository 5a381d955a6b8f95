"""What dialogs show beside a list about the selected item."""

from __future__ import annotations

from typing import Any

from textual.containers import Horizontal

from narrowcast.widgets.line_view import LineView
from narrowcast.widgets.virtual_list import VirtualList

__all__ = ["BesidePreview", "PreviewPane"]


class PreviewPane(LineView, can_focus=False):
    """Shows something about an item. It does not scroll."""

    def show(self, about: object) -> None:
        """Shows what there is to see of it; called again for the same one after each change of the layout."""
        raise NotImplementedError

    def scroll_rows(self, delta: int) -> None:
        """It does not scroll."""

    def scroll_to_share(self, share: float) -> None:
        """It does not scroll."""


class BesidePreview(Horizontal):
    """A list, and a preview of its selected item at the right."""

    DEFAULT_CSS = """
    BesidePreview { height: auto; }
    """

    def __init__(self, listing: VirtualList[Any], preview: PreviewPane) -> None:
        super().__init__(listing, preview)
