"""The navigation pane: views, direct conversations, channels and their topics, with unread counts."""

from __future__ import annotations

import time
from collections.abc import Collection, Hashable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from msgspec.structs import replace
from rich.style import Style
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.screen import Screen
from textual.strip import Strip

from narrowcast.keys.registry import Context, bindings_for
from narrowcast.panes.navigation.rows import Folding, Kind, NavigationRow, channel_keys, rows, with_air
from narrowcast.runtime.context import app_of
from narrowcast.text.formats import at_least
from narrowcast.text.presence import PresenceMark, conversation_sign, of_conversation
from narrowcast.text.safe_text import safe_line
from narrowcast.widgets.find_field import FilterField
from narrowcast.widgets.looks import PRESENCE_LOOKS, Look
from narrowcast.widgets.strips import Part, compose_line
from narrowcast.widgets.tints import channel_tint, ground_of
from narrowcast.widgets.virtual_list import VirtualList
from narrowcast_api.narrow.narrow import Narrow

if TYPE_CHECKING:
    from narrowcast_api.state.state import State
    from narrowcast_api.sync.session import Session


COUNTS_END = 3
"""Cells from the end of the numbers to the right edge: for the end of a chip, a gap, and the scroll thumb."""


class NavigationList(VirtualList[NavigationRow], inherit_bindings=False):
    """The list of rows. Its keys come from the registry."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.NAVIGATION)]
    LOOKS: ClassVar[Mapping[str, Look]] = {
        **PRESENCE_LOOKS,
        "navigation--unread": Look("foreground", letters=Style(bold=True)),
        "navigation--section": Look("text-muted", letters=Style(bold=True)),
        "navigation--current": Look("text-primary", letters=Style(bold=True), ansi=Style(underline=True)),
        "navigation--beam": Look("text-primary", letters=Style(bold=True)),
        "navigation--dot": Look("text-error"),
        "navigation--mentions": Look("text-warning", letters=Style(bold=True, reverse=True)),
    }
    DEFAULT_CSS = """
    NavigationList { background: $surface; }
    """

    class Opened(Message):
        """``row`` is to be opened."""

        def __init__(self, row: NavigationRow) -> None:
            super().__init__()
            self.row = row

    class Collapsed(Message):
        """The section or the topics of ``row`` are to be expanded or collapsed."""

        def __init__(self, row: NavigationRow) -> None:
            super().__init__()
            self.row = row

    def __init__(self, state: State) -> None:
        super().__init__(id="navigation-list")
        self.state = state
        self.current: Narrow | None = None
        self.above = ""
        """The command of the view that lies over the messages, such as the inbox; empty if there is none."""

    def render_item(self, item: NavigationRow, width: int, selected: bool) -> Sequence[Strip]:
        if item.kind is Kind.GAP:
            return []
        dim = self.part_style("virtual-list--dim")
        style = Style.null()
        if self._is_open(item):
            style = self.part_style("navigation--current")
        elif item.kind is Kind.SECTION:
            style = self.part_style("navigation--section")
        elif item.kind is Kind.PLACE:
            style = Style(bold=True)
        elif item.unread and not item.muted:
            style = self.part_style("navigation--unread")
        elif item.muted or item.kind in {Kind.TOPIC, Kind.MORE} or self._is_gone(item):
            style = dim
        text = item.text.upper() if item.kind is Kind.SECTION else item.text
        left: list[Part] = [*self._sign(item), (safe_line(text, width), style)]
        if item.muted:
            left.append((" (muted)", dim))
        end = max(1, width + COUNTS_END - self.room.width)
        return [compose_line(width, left, self._count(item, end), base=Style.null())]

    def _is_open(self, item: NavigationRow) -> bool:
        if self.above:
            return item.action == self.above
        return item.narrow is not None and item.narrow == self.current

    def _sign(self, item: NavigationRow) -> Sequence[Part]:
        """What stands before the name, which begins in the same column in all rows of a kind."""
        dim = self.part_style("virtual-list--dim")
        match item.kind:
            case Kind.PLACE:  # the logo
                return [
                    (")", self.part_style("navigation--beam")),
                    ("• ", self.part_style("navigation--dot")),
                ]
            case Kind.SECTION:
                return [(" " if item.open else " ▸ ", dim)]
            case Kind.DIRECT:
                sign = conversation_sign(self.state, _others(item), time.time())
                return [(f"{sign:>2} ", self.part_style(sign) if sign in PRESENCE_LOOKS else dim)]
            case Kind.TOPIC:
                return [(f"   {item.mark or ' '} ", dim)]
            case Kind.MORE:
                return [("   … " if item.channel_id is not None else " … ", dim)]
            case _:
                return [(f" {item.mark} ", channel_tint(ground_of(self), item.color) or dim)]

    def _is_gone(self, item: NavigationRow) -> bool:
        return item.kind is Kind.DIRECT and self._presence_of(item).is_grey

    def _presence_of(self, item: NavigationRow) -> PresenceMark:
        return of_conversation(self.state, _others(item), time.time())

    def _count(self, item: NavigationRow, end: int) -> list[Part]:
        """The number at the right, with ``end`` cells behind it, one of which may be part of a chip."""
        dim = self.part_style("virtual-list--dim")
        if item.mentions:
            chip = self.part_style("navigation--mentions")
            return [(f" @{item.mentions} ", chip), (" " * (end - 1), Style.null())]
        number = at_least(item.unread, more=item.more) if item.unread else str(item.total or "")
        if item.unread and not item.is_counted:
            number = "•"
        look = self.part_style("navigation--unread") if item.unread and not item.muted else dim
        return [(number + " " * end, look)] if number else []

    def selectable(self, item: NavigationRow) -> bool:
        return item.kind not in {Kind.GAP, Kind.PLACE}

    def key_of(self, item: NavigationRow) -> Hashable:
        return item.key

    def text_of(self, item: NavigationRow) -> str:
        return item.text

    def action_select(self) -> None:
        self.action_navigation_open()

    def action_navigation_open(self) -> None:
        if (row := self.selected_item) is not None:
            self.post_message(self.Opened(row))

    def action_navigation_collapse(self) -> None:
        if (row := self.selected_item) is not None:
            self.post_message(self.Collapsed(row))

    def action_navigation_down(self) -> None:
        self.action_cursor_down()

    def action_navigation_up(self) -> None:
        self.action_cursor_up()

    def action_navigation_page_down(self) -> None:
        self.action_page_down()

    def action_navigation_page_up(self) -> None:
        self.action_page_up()

    def action_navigation_first(self) -> None:
        self.action_first()

    def action_navigation_last(self) -> None:
        self.action_last()


class NavigationPane(Vertical):
    """The list, with a filter field that is shown on demand."""

    DEFAULT_CSS = """
    NavigationPane { background: $surface; }
    """

    class Opened(Message):
        """Show ``narrow``; if it is None, run the action ``action``."""

        def __init__(self, narrow: Narrow | None, action: str = "") -> None:
            super().__init__()
            self.narrow = narrow
            self.action = action

    class AccountOpened(Message):
        """Show the account in ``file``."""

        def __init__(self, file: Path) -> None:
            super().__init__()
            self.file = file

    class TopicsWanted(Message):
        """The topics of a channel are shown and may have to be fetched."""

        def __init__(self, channel_id: int) -> None:
            super().__init__()
            self.channel_id = channel_id

    def __init__(self, session: Session) -> None:
        super().__init__(id="navigation")
        self.session = session
        self.folding = Folding()
        self.list = NavigationList(session.state)
        self._above: Screen[Any] | None = None
        """The screen over the messages whose view is marked."""
        self._find = FilterField("Filter channels and people", self.list, choose=self._choose)

    def compose(self) -> ComposeResult:
        yield self._find
        yield self.list

    def on_mount(self) -> None:
        self.refresh_rows()

    def refresh_rows(self) -> None:
        """Computes the rows again; the selection stays."""
        self.list.state = self.session.state
        drafts = len(self.session.drafts.all())
        finding = self._find.is_finding
        others = app_of(self).accounts.others()
        items = rows(self.session.state, self.folding, self.list.current, drafts, finding, others)
        if app_of(self).config.appearance.has_air(self.app.size.height):
            items = list(with_air(items, self.session.state.server.name))
        if items != self.list.items:
            self.list.set_items(items)

    def on_resize(self) -> None:
        """A terminal of another height may have air or not."""
        self.refresh_rows()

    def refresh_marks(self) -> None:
        """Draws the visible rows again after presence changed."""
        self.list.invalidate()

    def show_current(self, narrow: Narrow, *, select: bool = True) -> None:
        """Marks the open view, expands its channel and, if ``select``, selects its row."""
        self.list.current = narrow
        if narrow.channel_id is not None and narrow.channel_id not in self.folding.opened:
            self._open_channel(narrow.channel_id)
        self.refresh_rows()
        self.list.invalidate()
        for row in self.list.shown:
            if select and row.narrow == narrow:
                self.list.select_key(row.key)
                break

    def show_above(self, command_id: str, screen: Screen[Any]) -> None:
        """Marks the view that this command has opened over the messages, as ``screen``, instead of the one below."""
        self.list.above, self._above = command_id, screen
        self.list.invalidate()

    def hide_above(self, screen: Screen[Any]) -> None:
        """Marks the view below again, unless another one than ``screen`` lies over it by now."""
        if self._above is screen:
            self.list.above, self._above = "", None
            self.list.invalidate()

    def find(self) -> None:
        """Starts filtering channels, topics and people."""
        self._find.begin()
        self.refresh_rows()

    def leave_find(self) -> bool:
        """Stops filtering; False if the filter was not in use."""
        was_finding = self._find.end()
        if was_finding:
            self.refresh_rows()
        return was_finding

    def _choose(self) -> None:
        row = self.list.selected_item
        self.leave_find()
        if row is not None:
            self._open(row)

    def on_navigation_list_opened(self, event: NavigationList.Opened) -> None:
        """Opens the row's view, or runs its action."""
        event.stop()
        self._open(event.row)

    def on_navigation_list_collapsed(self, event: NavigationList.Collapsed) -> None:
        event.stop()
        self._collapse(event.row)

    def _open(self, row: NavigationRow) -> None:
        if row.kind is Kind.SECTION:
            self._collapse(row)
        elif row.kind is Kind.MORE and row.channel_id is not None:
            self.folding = replace(self.folding, all_topics=self.folding.all_topics | {row.channel_id})
            self.refresh_rows()
        else:
            self.leave_find()
            opened = self.Opened(row.narrow, row.action)
            self.post_message(opened if row.account is None else self.AccountOpened(row.account))

    def _collapse(self, row: NavigationRow) -> None:
        if row.channel_id is not None:
            self._toggle_channel(row.channel_id)
            return
        if row.kind is Kind.SECTION:
            key = str(row.key[1])
            self.folding = replace(self.folding, closed=self.folding.closed ^ {key})
            self.refresh_rows()

    def _toggle_channel(self, channel_id: int) -> None:
        if channel_id in self.folding.opened:
            opened = self.folding.opened - {channel_id}
            self.folding = replace(
                self.folding, opened=opened, all_topics=self.folding.all_topics - {channel_id}
            )
            self.list.select_key(("channel", channel_id))
        else:
            self._open_channel(channel_id)
        self.refresh_rows()

    def _open_channel(self, channel_id: int) -> None:
        self.folding = replace(self.folding, opened=self.folding.opened | {channel_id})
        self.post_message(self.TopicsWanted(channel_id))

    def channel_after(self, channel_id: int | None, step: int) -> int | None:
        """The channel ``step`` places after ``channel_id`` in the list, wrapping around at the ends."""
        order = channel_keys(self.list.items)
        if not order:
            return None
        if channel_id not in order:
            return order[0 if step > 0 else -1]
        return order[(order.index(channel_id) + step) % len(order)]


def _others(row: NavigationRow) -> Collection[int]:
    """The other people in a direct conversation."""
    return (row.narrow.direct_user_ids if row.narrow is not None else None) or ()
