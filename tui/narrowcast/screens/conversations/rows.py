"""Conversations as a list with one row each: where, who wrote last and what, how many are unread, and when.

Numbers and times end in fixed columns, so that the eye finds them. What has no room is left out: first the text of
the last message, then its sender.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.style import Style
from textual.strip import Strip

from narrowcast.screens.conversations.listing import Conversation
from narrowcast.screens.dialogs.manage_list import ListRow, ManageList
from narrowcast.text.safe_text import safe_line
from narrowcast.widgets.looks import PRESENCE_LOOKS, Look
from narrowcast.widgets.strips import Part, compose_line
from narrowcast.widgets.tints import ground_of, person_tint

__all__ = ["ConversationList", "ConversationRow"]

TIME, COUNT = 12, 6
"""Cells of the columns of times and counts. Times take ten cells at most, so that two are free before them."""
LEAST_NAME, MOST_NAME = 16, 44
LEAST_TEXT = 12
"""Cells below which the text of the last message is left out."""


class ConversationRow(ListRow[Conversation | None], frozen=True):
    """A conversation, or the heading of a group.

    ``sender_id`` and ``sender``: who wrote last, without a name if that of the conversation says it; ``excerpt``: what;
    ``when``: at what time. Of a group, ``unread`` is the sum of its conversations, ``is_folded`` whether they are
    hidden.
    """

    sender_id: int = 0
    sender: str = ""
    excerpt: str = ""
    when: str = ""
    unread: int = 0
    mentions: int = 0
    tint: Style = Style.null()
    is_folded: bool = False
    has_air: bool = False
    """Of a group: whether there is a blank row above it."""
    is_chosen: bool = False
    """Whether it is one of several that the next command is for."""
    colors: bool = True
    """Whether the name of the sender has a color of its own."""


class ConversationList(ManageList[Conversation | None]):
    """One row a conversation; a heading can be selected, to fold its group."""

    DEFAULT_CSS = """
    ConversationList { background: $background; }
    """
    LOOKS: ClassVar[Mapping[str, Look]] = {
        **PRESENCE_LOOKS,
        "conversations--unread": Look(letters=Style(bold=True)),
        "conversations--mention": Look("text-warning", letters=Style(bold=True)),
        "conversations--count": Look("text-primary", letters=Style(bold=True)),
        "conversations--line": Look("line", ansi=Style(dim=True)),
    }

    def rows_of(self, item: ListRow[Conversation | None]) -> int:
        return 2 if isinstance(item, ConversationRow) and item.has_air else 1

    def selectable(self, item: ListRow[Conversation | None]) -> bool:
        return not item.heading or isinstance(item, ConversationRow)

    def render_item(self, item: ListRow[Conversation | None], width: int, selected: bool) -> Sequence[Strip]:
        if not isinstance(item, ConversationRow):
            return super().render_item(item, width, selected)
        if item.heading:
            blank = [Strip.blank(width, self.base_style)] if item.has_air else []
            return [*blank, self._group(item, width)]
        return [self._conversation(item, width)]

    def _group(self, item: ConversationRow, width: int) -> Strip:
        dim, line = self.part_style("virtual-list--dim"), self.part_style("conversations--line")
        about = f" {item.unread} unread " if item.unread else " "
        left: list[Part] = [("▸ " if item.is_folded else "▾ ", dim)]
        left += [(f"{safe_line(item.mark, 3)} ", item.tint)] if item.mark else []
        left += [(safe_line(item.text, max(8, width - 24)) + " ", Style(bold=True))]
        rest = width - sum(cell_len(text) for text, _ in left) - cell_len(about) - 1
        rule = "" if item.is_folded else "─" * max(0, rest)
        return compose_line(width, [*left, (rule, line)], [(about, dim)], base=Style.null())

    def _conversation(self, item: ConversationRow, width: int) -> Strip:
        dim = self.part_style("virtual-list--dim")
        name_look = dim if item.dim else self.part_style("conversations--unread")
        mark = safe_line(item.mark, 2)
        mark_look = self.part_style(mark) if mark in PRESENCE_LOOKS else dim
        chosen = self.part_style("conversations--count")
        left: list[Part] = [("✓" if item.is_chosen else " ", chosen), (f"{mark:>2} ", mark_look)]
        room = width - 4 - TIME - COUNT
        name_room = max(LEAST_NAME, min(MOST_NAME, room * 36 // 100))
        name = safe_line(item.text, name_room)
        gap = " " * max(1, name_room - cell_len(name) + 2)
        left += [(name, name_look), (gap, Style.null())]
        left += self._last(item, room - name_room - 2)
        return compose_line(width, left, self._columns(item), base=Style.null())

    def _last(self, item: ConversationRow, room: int) -> list[Part]:
        """Who wrote last, and as much of what as there is room for."""
        dim = self.part_style("virtual-list--dim")
        parts: list[Part] = []
        if sender := safe_line(item.sender, max(0, min(18, room))):
            tint = person_tint(ground_of(self), item.sender_id) if item.colors else Style.null()
            parts = [(sender, tint), ("  ", Style.null())]
            room -= cell_len(sender) + 2
        return [*parts, (safe_line(item.excerpt, room), dim)] if room >= LEAST_TEXT else parts

    def _columns(self, item: ConversationRow) -> list[Part]:
        """The number of unread messages, with the mention sign if some mention the user, and the time."""
        dim = self.part_style("virtual-list--dim")
        count = f"@{item.unread}" if item.mentions else str(item.unread) if item.unread else ""
        look = self.part_style("conversations--mention" if item.mentions else "conversations--count")
        when = safe_line(item.when, TIME - 2)
        return [
            (" " * max(0, COUNT - cell_len(count)) + count, look),
            (" " * (TIME - cell_len(when)) + when + " ", dim),
        ]
