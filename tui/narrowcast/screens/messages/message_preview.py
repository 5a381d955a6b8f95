"""Messages shown beside a list: the last ones of a conversation, or those around a message that was found."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, ClassVar, Protocol

from msgspec import Struct
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from narrowcast.content.palette import Palette
from narrowcast.content.wrapping import Run, wrap
from narrowcast.panes.messages.message_list import MessageList
from narrowcast.panes.messages.row_values import Expansion, MessageRow, RowContext, StateNames, Tints
from narrowcast.panes.messages.rows import RowMaker
from narrowcast.runtime.background import Latest
from narrowcast.runtime.context import app_of
from narrowcast.screens.dialogs.dialog import PreviewPane
from narrowcast.text.safe_text import safe_line
from narrowcast.widgets.looks import Look
from narrowcast.widgets.strips import bar_cell, compose_line
from narrowcast.widgets.tints import ground_of

if TYPE_CHECKING:
    from narrowcast_api.model.messages import Message
    from narrowcast_api.sync.session import Session

__all__ = ["MessagePreview", "MessageSource", "ShownMessages"]

FEW_ROWS = 4
"""Rows of the text of a message; one that was found has as many as there are."""
EDGE = 3
"""Columns of the line at the left, with a blank on each side."""


class ShownMessages(Struct, frozen=True):
    """Messages in order. ``found``: the id of the one that the others surround, else the newest counts most; ``note``:
    what is said if there are none. Texts may come from the server.
    """

    messages: Sequence[Message] = ()
    found: int | None = None
    has_places: bool = False
    """Whether they are from several conversations, which are named."""
    note: str = ""


class MessageSource(Protocol):
    """Where the messages come from."""

    def read(self, about: object) -> AsyncIterator[ShownMessages]:
        """Reads the messages about an item of the list, again when there is more to show."""


class MessagePreview(PreviewPane):
    """As many of the messages as fit, as in the list of messages. It reads them by itself, the latest wish only."""

    DEFAULT_CSS = """
    MessagePreview { background: $surface; }
    """
    LOOKS: ClassVar[Mapping[str, Look]] = {
        **MessageList.LOOKS,
        "messages--block": Look(ground="panel"),
        "preview--line": Look("line", ansi=Style(dim=True)),
    }

    def __init__(self, session: Session, source: MessageSource) -> None:
        super().__init__()
        self._session = session
        self._source = source
        self._reading = Latest(self)
        self._about: object = None
        self._shown = ShownMessages()
        self._rows: list[tuple[Strip, bool]] | None = None
        """The rows as they are laid out, and whether each belongs to the message that was found."""

    @property
    def shown(self) -> ShownMessages:
        """What is shown."""
        return self._shown

    def show(self, about: object) -> None:
        if about != self._about:
            self._about = about
            self._reading.begin(self._read(about), "show a preview")

    async def _read(self, about: object) -> None:
        async for shown in self._source.read(about):
            self._shown, self._rows = shown, None
            self.changed()

    def on_unmount(self) -> None:
        self._reading.cancel()

    def looks_changed(self, resized: bool) -> None:
        super().looks_changed(resized)
        self._rows = None

    def compose_row(self, y: int) -> Strip:
        if self._rows is None:
            self._rows = self._laid_out()
        strip, is_found = self._rows[y] if y < len(self._rows) else (Strip([]), False)
        look = self.part_style("messages--focused" if is_found else "preview--line")
        edge = bar_cell(look) if is_found else Segment("│", look)
        segments = [Segment(" "), edge, Segment(" "), *strip]
        parts = [(text, style or Style.null()) for text, style, _ in segments]
        return compose_line(self.room.width, parts, base=self.base_style)

    def _laid_out(self) -> list[tuple[Strip, bool]]:
        """The rows: the message that counts most, and its neighbours as far as all of them fits."""
        width, height = self.room.width - EDGE, self.room.height
        shown, maker = self._shown, self._maker(width)
        if not shown.messages:
            dim = self.part_style("messages--dim")
            lines = wrap([Run(safe_line(shown.note), dim)], max(1, width)) if shown.note else ()
            return [(maker.line([(run.text, run.style) for run in line.runs]).strip, False) for line in lines]
        ids = [message.id for message in shown.messages]
        middle = ids.index(shown.found) if shown.found in ids else len(ids) - 1
        parts = {middle: self._part(maker, middle)}
        room = height - 1 - int(shown.has_places) - len(parts[middle])
        for around in zip_longest(range(middle - 1, -1, -1), range(middle + 1, len(ids))):
            for number in around:
                nearer = None if number is None else number + (1 if number < middle else -1)
                if number is None or nearer not in parts:
                    continue
                part = self._part(maker, number)
                if len(part) + 1 <= room:
                    parts[number] = part
                    room -= len(part) + 1
        first = min(parts)
        parts[first] = self._part(maker, first, is_first=True)
        rows: list[tuple[Strip, bool]] = []
        for number in sorted(parts):
            blank = [maker.line([])] if rows else []
            is_found = number == middle and shown.found is not None
            rows += [(row.strip, is_found and row.is_text) for row in (*blank, *parts[number])]
        return rows

    def _part(self, maker: RowMaker, number: int, *, is_first: bool = False) -> list[MessageRow]:
        """The rows of a message, with its date and conversation where they differ from those of the one above."""
        messages, me = self._shown.messages, self._session.state.me
        message, before = messages[number], messages[max(0, number - 1)]
        date = maker.names.date
        lead = RowContext(
            date=is_first or date(before.timestamp) != date(message.timestamp),
            conversation=self._shown.has_places
            and (is_first or before.destination(me) != message.destination(me)),
        )
        rows = max(FEW_ROWS, self.room.height - 3) if message.id == self._shown.found else FEW_ROWS
        return maker.message(message, lead, Expansion(rows=rows)).rows

    def _maker(self, width: int) -> RowMaker:
        app = app_of(self)
        palette = Palette.read(lambda part: self.part_style(f"messages--{part}"), self.app.no_color)
        tints = Tints.on(ground_of(self), people=app.config.appearance.sender_colors)
        names = StateNames(self._session.state)
        return RowMaker(names, palette, self.base_style, width, keys={}, tints=tints)
