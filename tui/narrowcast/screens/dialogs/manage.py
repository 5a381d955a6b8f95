"""A list of things to manage: open, create, delete, filter. Each kind of thing is a subclass.

A subclass provides ``rows``, and what the keys do: ``open``, ``new``, ``question`` and ``delete``. More keys are
commands of a context of its own; ``KEYS`` lists those shown below the list. The list reads its rows again at the
changes of the state given in ``FOLLOWS``; what is not in the state is fetched by ``load``. Of a list that can be
reordered, `shift` moves a thing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.binding import BindingType

from narrowcast.keys.hints import KeyHint
from narrowcast.keys.registry import Context, bindings_for
from narrowcast.runtime.context import app_of, in_app
from narrowcast.screens.dialogs.confirm import Question, ask_first
from narrowcast.screens.dialogs.dialog import LARGE, Dialog
from narrowcast.screens.dialogs.form import FormScreen, read_only_form
from narrowcast.screens.dialogs.form_fields import Field, Values
from narrowcast.screens.dialogs.manage_list import ListRow, ManageList
from narrowcast.screens.workspace import workspace_of
from narrowcast.widgets.empty import Empty
from narrowcast.widgets.find_field import FindField
from narrowcast.widgets.virtual_list import VirtualList
from narrowcast_api.errors import NarrowcastError
from narrowcast_api.state.changes import Change, StateReplaced

if TYPE_CHECKING:
    from narrowcast_api.state.state import State
    from narrowcast_api.sync.session import Session

__all__ = ["ORDERED_KEYS", "ManageScreen", "moved", "shift"]

T = TypeVar("T")

ORDERED_KEYS: tuple[KeyHint, ...] = (
    ("list.select", "edits"),
    ("manage.new", "adds"),
    ("manage.delete", "deletes"),
    ("ordered.up", "moves up"),
    ("ordered.down", "moves down"),
)
"""The keys of a list whose things can be edited and reordered."""


WAITING = "Please wait…"
NEED_NO_ROW = (
    "conversations.show",
    "drafts.removed",
    "drafts.restore",
    "group-members.add-group",
    "invitations.link",
    "manage.new",
)
"""The commands whose keys work on an empty list, too."""


class ManageScreen(Dialog[object], Generic[T]):
    """See the module's description. Dismissed with None, or with what a subclass passes to ``dismiss``."""

    WIDTH = LARGE
    KEYS: ClassVar[tuple[KeyHint, ...]] = (
        ("list.select", "opens"),
        ("manage.new", "creates"),
        ("manage.delete", "deletes"),
    )
    """The keys shown below the list."""
    READ_KEYS: ClassVar[tuple[KeyHint, ...]] = (("list.select", "shows details"),)
    """The same for a user who may not change the things."""
    EMPTY: ClassVar[Empty] = Empty("Nothing here yet")
    """What is shown if there are no rows; the key that creates one is added."""
    LINES: ClassVar[int] = 1
    FOLLOWS: ClassVar[tuple[type[Change], ...]] = ()
    VIEW: ClassVar[str] = ""
    """The command that opens it, if the channel list has a row for it, which is then marked."""
    COUNTS: ClassVar[bool] = True
    """Whether the title shows the number of things."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.MANAGE)]
    AUTO_FOCUS = "ManageList"

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.list: ManageList[T] = self.new_list()
        self._find = FindField("type to filter", self.list, self._filter, choose=self._choose_found)
        self.undo: Callable[[], None] | None = None
        """Takes the last change back, on the lists that have a key for it."""
        self._unfollow: list[Callable[[], None]] = []
        self._turn = asyncio.Lock()
        self._wanted = self._loaded = 0
        """How often `load` was asked for, and how many of these the last response serves."""
        self._first_row: Hashable | None = None
        self._is_waiting = type(self).load is not ManageScreen.load
        """Whether nothing was loaded yet."""
        self._load_error = ""
        """Why the last load failed."""
        self._is_outdated = False
        """Whether the state has changed since the rows were read."""
        self._before: frozenset[Hashable] | None = None
        """The keys of the rows before something was created: a new row is selected when it appears, until the next
        key press."""

    # overridden by subclasses

    def new_list(self) -> ManageList[T]:
        """The list, without rows."""
        return ManageList(item_rows=self.LINES)

    def rows(self) -> Sequence[ListRow[T]]:
        """The rows to list, read from the state each time."""
        raise NotImplementedError

    async def load(self) -> None:
        """Fetches what is not in the state; ``rows`` is read again afterwards."""

    def followed(self) -> Sequence[Session]:
        """The accounts, besides the one on screen, whose changes make the list read its rows again."""
        return ()

    def open(self, item: T) -> None:
        """Called when a thing is chosen by Enter or a click."""

    def new(self) -> None:
        """Called for the key that creates or adds."""

    def question(self, item: T) -> Question | None:
        """The question before a thing is deleted; None if it cannot be deleted."""
        return None

    async def delete(self, item: T) -> None:
        """Deletes a thing, after confirmation. A NarrowcastError is shown below the list."""

    def refusal(self) -> str:
        """Why the current user may not change these things, as a sentence; empty if allowed."""
        return ""

    # for subclasses

    async def reload(self) -> None:
        """Loads again, after a load that is under way: its response may be older than the change that caused this."""
        self._wanted += 1
        mine = self._wanted
        async with self._turn:
            if self._loaded < mine:
                wanted = self._wanted
                try:
                    await self.load()
                except NarrowcastError as error:
                    self._load_error = error.user_message
                    raise
                finally:
                    self._is_waiting = False
                self._load_error = ""
                self._loaded = wanted

    @property
    def state(self) -> State:
        """The live account's state: read it again after each await."""
        return self.session.state

    @property
    def selected(self) -> T | None:
        """The value of the selected row; None without one."""
        row = self.list.selected_item
        return row.value if row is not None else None

    def refresh_rows(self, *, select: Hashable | None = None) -> None:
        """Reads the rows again, and selects one by its key if given."""
        rows = self.rows()
        if select is None and self._before is not None:
            select = next((row.key for row in rows if row.key not in self._before and not row.heading), None)
        had_rows = bool(self.list.items)
        self.list.empty = self._empty()
        self.list.set_items(rows, select=select)
        self.show_title()
        if bool(rows) != had_rows:
            self.show_keys(keep_said=True)

    def about(self) -> str:
        return self.list.counted if self.COUNTS else ""

    def _empty(self) -> Empty:
        """What is shown if there are no rows."""
        if self._is_waiting:
            return Empty(WAITING)
        if self._load_error:
            return Empty("Could not be loaded", self._load_error, (("manage.reload", "tries again"),))
        creates = [] if self.refusal() else [hint for hint in self.key_hints() if hint[0] == "manage.new"]
        return replace(self.empty, hints=(*self.empty.hints, *creates))

    def _filter(self, text: str) -> None:
        self.list.set_filter(text)
        self.show_keys(keep_said=True)
        self.show_title()

    def show_row(self, key: Hashable) -> None:
        """Selects a row by its key, also before the screen is mounted."""
        self._first_row = key
        self.list.select_key(key)

    @property
    def empty(self) -> Empty:
        """What is shown if there are no rows: `EMPTY` unless it depends on something."""
        return self.EMPTY

    def key_hints(self) -> Sequence[KeyHint]:
        """The keys shown below the list for a user who may change the things."""
        return self.KEYS

    def say(self, text: str, *, bad: bool = False) -> None:
        """Shows a line above the keys, until the next key press."""
        self.key_line.say(text, bad=bad)
        self.fit()

    def refused(self, refusal: str | None = None) -> bool:
        """Shows ``refusal``, or by default the screen's own; returns whether there is one."""
        reason = self.refusal() if refusal is None else refusal
        if reason:
            self.say(reason, bad=True)
        return bool(reason)

    def form(
        self,
        title: str,
        fields: Sequence[Field],
        submit: Callable[[Values], Awaitable[object]],
        *,
        verb: str = "saves",
        note: str = "",
        done: str = "",
        refusal: str | None = None,
        then: Callable[[object], None] | None = None,
    ) -> None:
        """Opens a form. A user who may not change the values sees them, and the reason.

        When the server has accepted the values, ``done`` is shown, or ``then`` called with the result of
        ``submit``.
        """

        def closed(result: object) -> None:
            if result is None:
                self._before = None
            self.refresh_rows()
            if result is not None and then is not None:
                then(result)
            elif result is not None and done:
                self.say(done)

        reason = self.refusal() if refusal is None else refusal
        form = read_only_form if reason else FormScreen
        self.app.push_screen(
            form(title, fields, state=self.state, submit=submit, verb=verb, note=reason or note), closed
        )

    def copy(self, text: str, said: str = "Copied.") -> None:
        """Copies a text to the clipboard, and says so."""
        app_of(self).copy(text, lambda: self.say(said) if self.is_attached else None)

    def work(self, work: Awaitable[object], *, done: str = "") -> None:
        """Runs a request to the server; an error is shown below the list."""
        app_of(self).spawn(self._work(work, done), self.title_text().lower())

    async def _work(self, work: Awaitable[object], done: str) -> None:
        try:
            await work
        except NarrowcastError as error:
            if not self.is_attached:
                raise
            self.refresh_rows()
            if self.list.items or not self._load_error:
                self.say(error.user_message, bad=True)
            return
        if self.is_attached:
            self.refresh_rows()
            if done:
                self.say(done)

    # the screen itself

    def body(self) -> ComposeResult:
        yield self._find
        yield self.with_preview(self.list)

    @property
    def is_typed_in(self) -> bool:
        """Whether the user types in the filter."""
        return self._find.is_typed_in

    def rows_beside(self) -> int:
        return int(self._find.is_finding)

    def on_mount(self) -> None:
        """Shows the current things, fetches the rest, and subscribes to the state."""
        self.refresh_rows(select=self._first_row)
        if self._is_waiting:
            self.work(self.reload())
        self._unfollow = [self.session.subscribe(in_app(self._on_changes))]
        if (workspace := workspace_of(self)) is not None:
            frames = workspace.frames
            self._unfollow.append(
                frames.subscribe((StateReplaced, *self.FOLLOWS), lambda _: self._on_new_state())
            )
            self._unfollow += [frames.follow(session) for session in self.followed()]
            if self.VIEW:
                workspace.navigation.show_above(self.VIEW, self)

    def on_unmount(self) -> None:
        for unfollow in self._unfollow:
            unfollow()
        if self.VIEW and (workspace := workspace_of(self)) is not None:
            workspace.navigation.hide_above(self)

    def _on_new_state(self) -> None:
        # behind another dialog, which reads keys, the rows can wait: an inbox of thousands takes longer than a key may
        self._is_outdated = not self.is_active
        if self.is_active:
            self.refresh_rows()

    def on_screen_resume(self) -> None:
        """Reads the rows again if the state has changed behind another dialog."""
        if self._is_outdated:
            self._on_new_state()

    def _on_changes(self, changes: Sequence[Change]) -> None:
        """Called with each batch of changes, for effects beyond the rows."""

    def show_keys(self, *, keep_said: bool = False) -> None:
        """Shows the keys that work now: without rows, or if none matches the filter, only those that need none."""
        if not self.is_attached:
            return
        refusal = self.refusal()
        close = (("dialog.close", "closes"),) if self.FRAMED else ()
        if self.is_typed_in:
            first = self.key_hints() or self.READ_KEYS
            does = next((does for command_id, does in first if command_id == "list.select"), "selects")
            keys = [("editor.submit", does), ("manage.down", "list")] if self.list.shown else []
            keys.append(("dialog.close", "clears the filter"))
            refusal = ""
        else:
            usual = self.READ_KEYS if refusal else self.key_hints()
            keys = [*usual, ("manage.find", "filters")]
            if not self.list.shown:
                keys = [hint for hint in keys if hint[0] in NEED_NO_ROW]
            keys += close
        self.key_line.show_keys(keys, refusal, keep_said=keep_said)
        self.fit()

    def on_key(self) -> None:
        """Any key removes a shown message."""
        self._before = None
        self.show_keys()

    def on_virtual_list_selected(self, event: VirtualList.Selected) -> None:
        """Enter or a click opens the selected thing."""
        event.stop()
        if (row := self.list.selected_item) is not None:
            self.open(row.value)

    def action_reload(self) -> None:
        """Loads what is not in the state again."""
        self._is_waiting = type(self).load is not ManageScreen.load
        self.refresh_rows()
        self.work(self.reload())

    def action_new(self) -> None:
        self._before = frozenset(row.key for row in self.list.items)
        self.new()

    def action_delete(self) -> None:
        if (item := self.selected) is not None:
            self.ask_to_delete(item)

    def ask_to_delete(self, item: T) -> None:
        """Deletes a thing once the user has confirmed it."""
        if (question := self.question(item)) is not None:
            ask_first(self, question, lambda: self.work(self.delete(item)))

    def action_undo(self) -> None:
        undo, self.undo = self.undo, None
        if undo is None:
            self.say("There is no change to take back.", bad=True)
        else:
            undo()

    # filtering

    def action_find(self) -> None:
        self._find.begin()
        self.show_keys()

    def _choose_found(self) -> None:
        """Enter in the filter acts on the selected row, at first the best match."""
        self._find.go_on()
        self.show_keys()
        self.list.action_select()

    def action_down(self) -> None:
        self._find.step(1)
        self.show_keys()

    def action_up(self) -> None:
        self._find.step(-1)
        self.show_keys()

    def action_leave(self) -> None:
        """Clears the filter, or closes the screen if there is none."""
        if self._find.end():
            self.show_keys()
        else:
            self.leave()

    def leave(self) -> None:
        """Closes the screen."""
        self.dismiss(None)


def shift(screen: ManageScreen[Any], by: int, save: Callable[[list[Hashable]], Awaitable[object]]) -> None:
    """Moves the selected thing by ``by`` places; ``save`` sends the keys of all rows in their new order to
    the server.
    """
    row = screen.list.selected_item
    if row is None or screen.refused():
        return
    order = moved([item.key for item in screen.list.items], row.key, by)
    if order is not None:
        screen.work(save(order))


def moved(order: list[Hashable], key: Hashable, by: int) -> list[Hashable] | None:
    """The order with one thing moved; None if it cannot be moved further."""
    place = order.index(key)
    target = place + by
    if not 0 <= target < len(order):
        return None
    order = list(order)
    order.insert(target, order.pop(place))
    return order
