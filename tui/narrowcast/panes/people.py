"""The people pane, with everyone's presence, and what the open conversation shares: on the right if the terminal is
wide enough.
"""

from __future__ import annotations

import asyncio
import time
from bisect import insort
from collections.abc import Callable, Collection, Generator, Hashable, Mapping, Sequence
from itertools import islice, takewhile
from typing import TYPE_CHECKING, ClassVar, TypeVar

from msgspec import Struct
from msgspec.structs import replace
from rich.style import Style
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message as TextualMessage
from textual.strip import Strip

from narrowcast.panes.messages.requests import LinkRequested
from narrowcast.panes.shared import SharedItem, SharedList, shared_in
from narrowcast.runtime.context import app_of
from narrowcast.text import names
from narrowcast.text.presence import PresenceMark, of_person
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
    from narrowcast_api.state.state import State
    from narrowcast_api.sync.session import Session

__all__ = ["PeoplePane", "PeopleRows", "PersonRow"]

SLICE = 500
"""Number of people processed without a pause: about a millisecond."""

FEW = 50
"""Maximum number of changed rows that are inserted one by one."""

_ORDER = {
    presence: place
    for place, presence in enumerate(
        (PresenceMark.ACTIVE, PresenceMark.IDLE, PresenceMark.OFFLINE, PresenceMark.BOT)
    )
}
_Key = tuple[int, str, int]

T = TypeVar("T")
Slices = Generator[bool, None, T]
"""Work that can pause where it yields True, so that keys are handled meanwhile."""


class PersonRow(Struct, frozen=True, gc=False):
    """One row: a person and their presence."""

    user_id: int
    name: str
    presence: PresenceMark
    status: str = ""
    is_me: bool = False
    is_here: bool = False
    """Whether they take part in the open conversation."""
    is_typing: bool = False

    @property
    def key(self) -> _Key:
        """Orders the rows, as in Zulip: by presence, then by name."""
        return _ORDER[self.presence], self.name.casefold(), self.user_id


class PeopleRows:
    """All active people, those present first. There may be 20,000, so only rows that changed are computed again."""

    def __init__(self) -> None:
        self._by_id: dict[int, PersonRow] = {}
        self._order: list[int] = []

    def in_order(self, here: Sequence[int] = (), typing: Collection[int] = ()) -> list[PersonRow]:
        """All, first those who take part in the open conversation, ``here``; ``typing``: who writes in it now."""
        first = [self._by_id[user_id] for user_id in dict.fromkeys(here) if user_id in self._by_id]
        rows = [replace(row, is_here=True, is_typing=row.user_id in typing) for row in first]
        taken = {row.user_id for row in rows}
        return [*rows, *(self._by_id[user_id] for user_id in self._order if user_id not in taken)]

    def everybody(self, state: State) -> set[int]:
        """The ids of all people who have a row, or may need one now."""
        return {*self._by_id, *(user.user_id for user in state.users.active())}

    def update(self, state: Callable[[], State], ids: Collection[int], now: float) -> Slices[bool]:
        """Updates these people, and those present, who may no longer be so at the time ``now``; returns
        whether a row changed. The rows stay as they were until the end.
        """
        changed: dict[int, PersonRow | None] = {}
        keys: list[_Key] = []
        present = takewhile(
            lambda user_id: _ORDER[self._by_id[user_id].presence] < _ORDER[PresenceMark.OFFLINE],
            self._order,
        )
        remaining = iter({*ids, *present})
        while part := list(islice(remaining, SLICE)):
            rows = {user_id: _row(state(), user_id, now) for user_id in part}
            rows = {user_id: row for user_id, row in rows.items() if row != self._by_id.get(user_id)}
            changed |= rows
            keys += sorted(row.key for row in rows.values() if row is not None)
            if len(part) == SLICE:
                yield True
        if changed:
            for user_id, row in changed.items():
                if row is not None:
                    self._by_id[user_id] = row
                else:
                    self._by_id.pop(user_id, None)
            self._place(keys, [user_id for user_id in self._order if user_id not in changed])
        return bool(changed)

    def _place(self, keys: list[_Key], kept: list[int]) -> None:
        """Inserts rows between those that stay. Their sort keys are not stored: for 20,000 people they take 3 MB."""
        if len(keys) > FEW:
            merged = sorted(
                [*(self._by_id[user_id].key for user_id in kept), *keys]
            )  # fast, as both parts are sorted
            kept = [user_id for *_, user_id in merged]
        else:
            for *_, user_id in keys:
                insort(kept, user_id, key=lambda other: self._by_id[other].key)
        self._order = kept


def _row(state: State, user_id: int, now: float) -> PersonRow | None:
    """A person's row; None for people without one."""
    user = state.users.get(user_id)
    if user is None or not user.is_active or user.is_system_bot:
        return None
    status = state.statuses.get(user_id)
    said = names.status(status, in_column=True) if status is not None else ""
    return PersonRow(user_id, user.full_name, of_person(state, user_id, now), said, user_id == state.me)


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
