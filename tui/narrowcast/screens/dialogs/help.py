"""Help: the keys active in the current context, then every command by heading, and a legend of the signs. /
searches.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import islice
from textwrap import wrap
from typing import ClassVar

from msgspec import Struct
from rich.style import Style
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.strip import Strip

from narrowcast.keys.hints import Keys, key_of, with_keys
from narrowcast.keys.keymap import key_label
from narrowcast.keys.registry import Context, bindings_for, by_id, groups
from narrowcast.screens.dialogs.dialog import LARGE, Dialog
from narrowcast.widgets.empty import Empty
from narrowcast.widgets.find_field import FindField
from narrowcast.widgets.looks import Look
from narrowcast.widgets.strips import compose_line
from narrowcast.widgets.virtual_list import MEASURED, VirtualList

FIRST_STEPS = (
    ("pane.next", "Move between panes: channels, messages, compose box, people"),
    ("message.down", "Next message; <message.enter> opens what is selected"),
    (
        "message.newest",
        "Last message; marks nothing. <message.mark-read> marks all messages of the view as read",
    ),
    ("message.reply", "Reply to the selected message"),
    ("write.channel", "New channel message"),
    ("write.direct", "New direct message"),
    ("go.switcher", "Go anywhere: type part of a channel, topic or name"),
    ("app.palette", "Find any command by name"),
    ("compose.leave", "Close the compose box; the draft is kept"),
)
LEGEND = (
    ("●", "Active"),
    ("◐", "Idle"),
    ("○", "Offline"),
    ("×", "Deactivated"),
    ("#", "Channel"),
    ("◈", "Private channel"),
    ("3", "Group direct message, with the number of its members"),
    ("⚙", "Bot"),
    ("★", "Starred message; in the channels pane a followed topic"),
    ("◦", "Unmuted topic in a muted channel"),
    ("▸ ▾", "Collapsed, expanded"),
    ("◷", "Scheduled message or reminder"),
)

"""The name of the installed help screen."""
MARGIN = 2
"""Columns of the list that are not text."""
KEYS_WIDE, KEYS_NARROW = 24, 16
"""Width of the key column: on terminals of at least `ROOMY` columns, and on narrower ones."""
ROOMY = 90
"""Minimum columns for the wide key column."""
IDS = 26
"""Width of the column of command ids."""


class Entry(Struct, frozen=True):
    """One entry of help before layout: a sign or keys, the meaning, and the command's id."""

    group: str
    keys: str
    title: str
    command_id: str = ""

    def matches(self, words: Sequence[str]) -> bool:
        """Whether the entry contains each of the words."""
        text = f"{self.group} {self.keys} {self.title} {self.command_id}".casefold()
        return all(word in text for word in words)


class HelpRow(Struct, frozen=True):
    """One row on the screen. A heading has neither keys nor ``goes_on``."""

    keys: str = ""
    title: str = ""
    detail: str = ""
    goes_on: bool = False
    """Whether the row continues the one above."""
    number: int = 0


class HelpList(VirtualList[HelpRow]):
    """The rows of help, wrapped to the available width."""

    DEFAULT_CSS = """
    HelpList { background: $surface; }
    """
    LOOKS: ClassVar[Mapping[str, Look]] = {
        "help--heading": Look("text-accent", letters=Style(bold=True)),
        "help--keys": Look("text-primary", letters=Style(bold=True)),
    }

    def __init__(self, entries: Sequence[Entry]) -> None:
        super().__init__(
            empty=Empty("Nothing matches", "A key, a command or a word of its title can be searched.")
        )
        self._entries = entries
        self._words: list[str] = []

    def search(self, text: str) -> None:
        """Shows only the entries that contain every word of ``text``."""
        self._words = text.casefold().split()
        self._lay_out()

    def looks_changed(self, resized: bool) -> None:
        """Wraps the rows to the new width."""
        super().looks_changed(resized)
        if resized:
            self._lay_out()

    def rows_at(self, width: int) -> int:
        return sum(1 for _ in islice(_rows(self._entries, max(20, width - MARGIN)), MEASURED))

    def _lay_out(self) -> None:
        shown = [entry for entry in self._entries if entry.matches(self._words)]
        self.set_items(list(_rows(shown, max(20, self.room.width - MARGIN))))

    def render_item(self, item: HelpRow, width: int, selected: bool) -> Sequence[Strip]:
        if not item.keys and not item.goes_on:
            return [compose_line(width, [(item.title, self.part_style("help--heading"))], base=Style.null())]
        column = _column(width)
        left = [(f" {item.keys:<{column}}", self.part_style("help--keys")), (item.title, Style.null())]
        right = [(item.detail, self.part_style("virtual-list--dim"))] if item.detail else []
        return [compose_line(width, left, right, base=Style.null())]

    def selectable(self, item: HelpRow) -> bool:
        return bool(item.keys)

    def key_of(self, item: HelpRow) -> Hashable:
        return item.number


class HelpScreen(Dialog[None], inherit_bindings=False):
    """Help on ``active``, the ids of the commands whose keys are active where it was opened, or on everything if there
    are none.
    """

    WIDTH = LARGE
    TITLE_TEXT = "Keyboard shortcuts"
    KEYS = (("list.down", "scrolls"), ("help.find", "searches"), ("help.close", "closes"))
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.HELP)]
    AUTO_FOCUS = "HelpList"

    def __init__(self, keys: Keys, active: Sequence[str] = ()) -> None:
        super().__init__()
        self.list = HelpList(list(_entries(keys, active)))
        self._search = FindField("command, key or id", self.list, self.list.search)

    def body(self) -> ComposeResult:
        yield self._search
        yield self.list

    def rows_beside(self) -> int:
        return int(self._search.is_finding)

    def action_find(self) -> None:
        self._search.begin()
        self.fit()

    def action_down(self) -> None:
        self._search.step(1)

    def action_up(self) -> None:
        self._search.step(-1)

    def on_virtual_list_selected(self, event: VirtualList.Selected) -> None:
        event.stop()
        self.dismiss(None)

    def action_leave(self) -> None:
        if self._search.end():
            self.fit()
        else:
            self.dismiss(None)


def _entries(keys: Keys, active: Sequence[str]) -> Iterator[Entry]:
    commands = by_id()
    if active:
        for command_id in dict.fromkeys(active):
            if (command := commands.get(command_id)) is not None:
                yield Entry("Keys here", _keys(keys, command_id), command.title, command_id)
    else:
        for command_id, title in FIRST_STEPS:
            yield Entry("First steps", key_of(keys, command_id), with_keys(keys, title))
    for sign, meaning in LEGEND:
        yield Entry("Signs", sign, meaning)
    for group, listed in groups().items():
        for command in listed:
            yield Entry(group, _keys(keys, command.id) or "–", command.title, command.id)


def _keys(keys: Keys, command_id: str) -> str:
    return "  ".join(key_label(key) for key in keys.get(command_id, ()))


def _column(width: int) -> int:
    return KEYS_WIDE if width >= ROOMY else KEYS_NARROW


def _rows(entries: Sequence[Entry], width: int) -> Iterator[HelpRow]:
    column = _column(width)
    group = ""
    for number, entry in enumerate(entries):
        if entry.group != group:
            if group:
                yield HelpRow(number=-number)
            group = entry.group
            yield HelpRow(title=group, number=-number - len(entries))
        room = width - column - 3 - (IDS if entry.command_id else 0)
        keys = _folded(entry.keys, column - 2) or [" "]
        titles = _folded(entry.title, max(12, room)) or [""]
        for line in range(max(len(keys), len(titles))):
            yield HelpRow(
                keys[line] if line < len(keys) else "",
                titles[line] if line < len(titles) else "",
                entry.command_id if line == 0 else "",
                goes_on=line > 0,
                number=number,
            )


def _folded(text: str, width: int) -> list[str]:
    """Wraps a text. Most texts fit, and `wrap` takes a hundred times as long to find that out."""
    return [text] if 0 < len(text) <= width else wrap(text, width)
