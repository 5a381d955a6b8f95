"""The style sheet of compose and of its frame: two edges, between which the sides are borders of what is inside."""

from __future__ import annotations

__all__ = ["COMPOSE_CSS"]

COMPOSE_CSS = """
ComposePane { height: auto; background: $background; padding: 0 1; }
ComposePane #text, ComposePane #banner, ComposePane UploadRows {
    border-left: round $line; border-right: round $line; background: $background;
}
ComposePane #text { height: 1; padding: 0 1; }
ComposePane.-focused FrameEdge { color: $primary; }
ComposePane.-focused #text, ComposePane.-focused #banner, ComposePane:focus-within UploadRows {
    border-left: round $primary; border-right: round $primary;
}
ComposePane.-idle #text, ComposePane.-idle #banner, ComposePane.-idle UploadRows,
ComposePane.-idle #hint { display: none; }
ComposePane > #offers {
    display: none; overlay: screen; constrain: inside inside; width: 46; height: auto;
    background: $surface; border: round $line; offset: 1 0;
}
ComposePane.-offering > #offers { display: block; }
"""
"""The style sheet of compose: with the focus, its frame has the primary color."""
