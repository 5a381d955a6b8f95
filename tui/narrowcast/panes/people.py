"""The people pane, with everyone's presence, and what the open conversation shares: on the right if the terminal is
wide enough.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.style import Style
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message as TextualMessage
from textual.strip import Strip

from narrowcast.panes.messages.requests import LinkRequested
from narrowcast.panes.people_rows import PeopleRows, PersonRow, Slices
from narrowcast.panes.shared import SharedItem, SharedList, shared_in
from narrowcast.runtime.context import app_of
from narrowcast.text.safe_text import safe_line
from narrowcast.widgets.empty import Empty
from narrowcast.widgets.find_field import FilterField
from narrowcast.widgets.looks import PRESENCE_LOOKS, Look
from narrowcast.widgets.strips import compose_line
from narrowcast.widgets.virtual_list import VirtualList
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.state import changes as change

if TYPE_CHECKING:
    from narrowcast_api.model.messages import Message
    from narrowcast_api.sync.session import Session


FIELD_ROWS = 1
"""Rows of the field above the people."""


class PeopleList(VirtualList[PersonRow]):
    LOOKS: ClassVar[Mapping[str, Look]] = {**PRESENCE_LOOKS, "people--typing": Look("text-success")}
    DEFAULT_CSS = """
    PeopleList { background: $surface; height: auto; }
    """

    def render_item(self, item: PersonRow, width: int, selected: bool) -> Sequence[Strip]:
        dim = self.part_style("virtual-list--dim")
        mark = item.presence.mark
        left = [(f" {mark} ", self.part_style(mark) if mark in PRESENCE_LOOKS else dim)]
        left.append((safe_line(item.name, width), Style.null() if item.presence.is_present else dim))
        if item.is_me:
            left.append((" you", dim))
        if item.is_typing:
            left.append((" is typing…", self.part_style("people--typing")))
        rows = [compose_line(width, left, base=Style.null())]
        if item.status:
            rows.append(
                compose_line(width, [("   " + safe_line(item.status, width), dim)], base=Style.null())
            )
        return rows

    def rows_of(self, item: PersonRow) -> int:
        """A status has a row of its own, and so as much room as there is."""
        return 2 if item.status else 1

    def key_of(self, item: PersonRow) -> Hashable:
        return item.user_id

    def text_of(self, item: PersonRow) -> str:
        return item.name


class PeoplePane(Vertical):
    """The list, with a filter field."""

    DEFAULT_CSS = """
    PeoplePane { background: $surface; }
    """

    class Opened(TextualMessage):
        """Show the direct conversation with a person."""

        def __init__(self, narrow: Narrow) -> None:
            super().__init__()
            self.narrow = narrow

    def __init__(self, session: Session) -> None:
        super().__init__(id="people")
        self.session = session
        self.list = PeopleList(empty=Empty("Loading people…"), id="people-list")
        self._find = FilterField("Filter people", self.list, choose=self._choose, always=True)
        self._rows = PeopleRows()
        self._outdated: set[int] = set()
        self._all_outdated = True
        """Whether all people are outdated: a flag, because a pane that is never shown would collect 20,000 ids."""
        self._is_working = False
        self._here: tuple[int, ...] = ()
        self._typing: tuple[int, ...] = ()
        self._unsubscribe: Callable[[], None] | None = None
        self.shared = SharedList(id="shared-list")
        self._messages: Sequence[Message] = ()

    def compose(self) -> ComposeResult:
        yield self._find
        yield self.list
        yield self.shared

    def on_mount(self) -> None:
        self._unsubscribe = self.session.subscribe(self._note)
        self.refresh_people()

    def on_unmount(self) -> None:
        if self._unsubscribe is not None:
            self._unsubscribe()

    def on_resize(self) -> None:
        self._fit()

    def _fit(self) -> None:
        """Lets the people take what files and links leave, which stand right below them."""
        self.list.styles.max_height = max(
            1, self.size.height - FIELD_ROWS - self.shared.rows_shown(self.size.height)
        )

    def on_show(self) -> None:
        self._show_rows()
        self._show_shared()
        self.refresh_people()

    def _note(self, changes: Sequence[change.Change]) -> None:
        for item in changes:
            if isinstance(item, change.StateReplaced):
                self._all_outdated = True
                self._outdated.clear()
            elif isinstance(item, change.UsersChanged | change.PresenceChanged) and not self._all_outdated:
                self._outdated.update(item.ids)

    def show_conversation(self, here: Sequence[int], typing: Sequence[int]) -> None:
        """Puts the people of the open conversation first, ``here``, and says who of them is typing."""
        if (now := (tuple(here), tuple(typing))) != (self._here, self._typing):
            self._here, self._typing = now
            if self.display:
                self._show_rows()

    def show_shared(self, messages: Sequence[Message]) -> None:
        """Lists what is shared in these messages of the open conversation, newest first."""
        self._messages = messages
        if self.display:
            self._show_shared()

    def _show_shared(self) -> None:
        self.shared.show(shared_in(self._messages, self.session.state))
        self._fit()

    def _show_rows(self) -> None:
        self.list.set_items(self._rows.in_order(self._here, self._typing))

    def refresh_people(self) -> None:
        """Updates the rows of people who changed; deferred while the pane is hidden."""
        if not self.display or self._is_working:
            return
        work = self._refresh()
        if next(work, False):
            self._is_working = True
            app_of(self).spawn(self._go_on(work), "show the people")

    async def _go_on(self, work: Slices[None]) -> None:
        try:
            for _ in work:
                await asyncio.sleep(0)  # lets keys be handled
                if not self.is_attached:
                    return
        finally:
            self._is_working = False

    def _refresh(self) -> Slices[None]:
        """Updates until nobody is outdated, including people who change meanwhile."""
        while True:
            outdated = self._take_outdated()
            if (yield from self._rows.update(lambda: self.session.state, outdated, time.time())):
                self._show_rows()
            if not (self._outdated or self._all_outdated):
                return

    def _take_outdated(self) -> set[int]:
        outdated = self._rows.everybody(self.session.state) if self._all_outdated else self._outdated
        self._outdated, self._all_outdated = set(), False
        return outdated

    def find(self) -> None:
        self._find.begin()

    def leave_find(self) -> bool:
        """Clears the filter; False if it was empty."""
        return self._find.end()

    def on_virtual_list_selected(self, event: VirtualList.Selected) -> None:
        event.stop()
        if isinstance(event.item, SharedItem):
            self.post_message(LinkRequested(event.item.url, event.item.text))
        else:
            self._choose()

    def _choose(self) -> None:
        self._open(self.list.selected_item)

    def _open(self, person: PersonRow | None) -> None:
        if person is None:
            return
        self.leave_find()
        others = frozenset({person.user_id}) - {self.session.state.me}
        self.post_message(self.Opened(Narrow.direct(others)))
