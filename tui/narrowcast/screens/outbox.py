"""What is not sent yet, of every conversation: why, and what one can do about it."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.style import Style
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.strip import Strip

from narrowcast import names
from narrowcast.owner import in_app
from narrowcast.safe_text import safe_line
from narrowcast.widgets.line_view import compose_line
from narrowcast.widgets.looks import Look
from narrowcast.widgets.one_line import OneLine
from narrowcast.widgets.virtual_list import VirtualList
from narrowcast_api.protocols.outbox_entry import OutboxEntry, OutboxState
from narrowcast_api.state.changes import Change, OutboxChanged

if TYPE_CHECKING:
    from narrowcast_api.session import Session


def unsent(session: Session) -> list[OutboxEntry]:
    """What is not on the server, as far as one knows, oldest first."""
    return [entry for entry in session.outbox.entries() if entry.state is not OutboxState.SENT]


def reason(entry: OutboxEntry, live: bool) -> tuple[str, bool]:
    """Why a message is not sent yet, and whether that is for the user to settle."""
    if entry.state is OutboxState.FAILED:
        return f"not sent: {entry.error or 'the server refused it'}", True
    if entry.state is OutboxState.UNCONFIRMED:
        return entry.error or "It may have arrived. Looking for it.", True
    if entry.waits_for is not None:
        return "waits for the message before it; goes on without it if that one fails", False
    if entry.state is OutboxState.WAITING and not live:
        return "waits for the connection", False
    return "being sent", False


class OutboxList(VirtualList[OutboxEntry]):
    """Three rows a message: where to and when, its beginning, why it is here."""

    DEFAULT_CSS = """
    OutboxList { background: $surface; height: 1fr; }
    """
    LOOKS: ClassVar[Mapping[str, Look]] = {
        "outbox--where": Look("primary"),
        "outbox--bad": Look("error", letters=Style(bold=True)),
    }

    def __init__(self, session: Session) -> None:
        super().__init__(unsent(session), item_rows=3, empty_text="Everything you wrote has been sent.")
        self.session = session

    def render_item(self, item: OutboxEntry, width: int, selected: bool) -> Sequence[Strip]:
        """Where to, the text, why it waits."""
        base, dim = Style.null(), self.part_style("virtual-list--dim")
        where = safe_line(names.destination(self.session.state, item.destination), width)
        when = time.strftime("%d %b %H:%M ", time.localtime(item.created))
        why, bad = reason(item, self.session.is_live)
        look = self.part_style("outbox--bad") if bad else dim
        return [
            compose_line(width, [(where, self.part_style("outbox--where"))], [(when, dim)], base=base),
            compose_line(width, [("  " + safe_line(item.content, width), base)], base=base),
            compose_line(width, [("  " + safe_line(why, width), look)], base=base),
        ]

    def key_of(self, item: OutboxEntry) -> Hashable:
        """The message, however it fares."""
        return item.local_id


class OutboxScreen(ModalScreen[tuple[str, OutboxEntry] | None]):
    """The list, kept true while it is open. Gives back what to do elsewhere: `go` or `take-back`."""

    DEFAULT_CSS = """
    OutboxScreen { align: center middle; background: $background 40%; }
    OutboxScreen > Vertical {
        width: 90; max-width: 96%; height: 80%; background: $surface; border: round $primary; padding: 0 1;
    }
    OutboxScreen OneLine { background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,B", "leave", "Leave", show=False),
        Binding("s,f8", "again", "Send again", show=False),
        Binding("x,f9,delete", "take_back", "Take back", show=False),
    ]

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.list = OutboxList(session)
        self._unsubscribe: Callable[[], None] | None = None

    def compose(self) -> ComposeResult:
        with Vertical():
            title = OneLine()
            title.show_pieces(
                [("Not sent yet", "strong")],
                [("Enter goes there · s sends again · x takes back · Esc closes", "dim")],
            )
            yield title
            yield self.list

    def on_mount(self) -> None:
        """Follow the outbox."""
        self._unsubscribe = self.session.subscribe(in_app(self._on_changes))

    def on_unmount(self) -> None:
        """No longer."""
        if self._unsubscribe is not None:
            self._unsubscribe()

    def _on_changes(self, changes: Sequence[Change]) -> None:
        if any(isinstance(change, OutboxChanged) for change in changes):
            self.list.set_items(unsent(self.session))

    def on_virtual_list_selected(self, event: VirtualList.Selected) -> None:
        """Go to the conversation."""
        event.stop()
        if (entry := self.list.selected_item) is not None:
            self.dismiss(("go", entry))

    def action_again(self) -> None:
        """Send the selected message again."""
        entry = self.list.selected_item
        if entry is not None and entry.state is OutboxState.FAILED:
            self.session.outbox.retry(entry.local_id)
        elif entry is not None:
            self.app.notify("This one has not failed: it goes out by itself.", markup=False)

    def action_take_back(self) -> None:
        """Put the words of the selected message back into compose."""
        if (entry := self.list.selected_item) is not None:
            self.dismiss(("take-back", entry))

    def action_leave(self) -> None:
        """Close."""
        self.dismiss(None)
