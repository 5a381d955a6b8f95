"""The rows of one message in the list: headings, sender, content, reactions.

Making rows never fails: a message that cannot be shown is replaced by a placeholder that says so.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from narrowcast.content.blocks import CardBlock, CardKind, Document, Paragraph, TextRun
from narrowcast.content.code_rows import exact_text
from narrowcast.content.inlines import Inliner, Target, TargetKind
from narrowcast.content.layout import Layout, Rendered
from narrowcast.content.palette import Palette
from narrowcast.content.polls import read_widget
from narrowcast.content.reader import parse
from narrowcast.content.wrapping import Line, Run, with_words_lit, wrap
from narrowcast.keys.hints import Keys, default_keys, key_of, with_keys
from narrowcast.panes.messages.echoes import echo_note
from narrowcast.panes.messages.row_values import (
    FIRST_ROWS,
    Cards,
    Expansion,
    MessageRow,
    RowContext,
    Rows,
    StateNames,
    Tints,
)
from narrowcast.text import names
from narrowcast.text.safe_text import safe_block, safe_line
from narrowcast.widgets.strips import Part, compose_line, lean_strip
from narrowcast_api.model.messages import Message, grouped
from narrowcast_api.narrow.destinations import ChannelDestination, Destination
from narrowcast_api.wire.vocabulary import MessageFlag
from narrowcast_assets.emoji import character_of

if TYPE_CHECKING:
    from narrowcast_api.protocols.outbox_item import OutboxEntry

__all__ = ["RowMaker", "reaction_text"]

log = logging.getLogger(__name__)

INDENT = 2
"""Cells by which the content is indented below its sender's name."""

TILE, TILED_INDENT = 4, 7
"""Cells of a tile with initials, which begins one cell from the left, and the indent of everything beside it."""

WIDEST_TEXT = 100
"""Maximum cells of a line of text: longer ones are hard to read."""

NOTE_GAP = 2
"""Cells between the text of a row and a note behind it."""

NAMED_REACTIONS = 3
"""The number of reactions to a message up to which names are shown, as in the web app."""

MUTED = "(This message was sent by a muted user: <message.enter> shows it)"
COLLAPSED = "(collapsed; <message.enter> shows it)"
OLDER_GAP = "┄┄ older messages may be missing here: <message.enter> on the next one loads them ┄┄"


OPENS = Style(meta={"conversation": True})
"""Marks the heading of a conversation for clicks; it does not change the look."""


class RowMaker:
    """Makes rows for one width, palette and set of names. ``cards`` inserts those of extensions into a message."""

    def __init__(
        self,
        names: StateNames,
        palette: Palette,
        base: Style,
        width: int,
        cards: Cards | None = None,
        keys: Keys | None = None,
        tints: Tints | None = None,
        air: bool = False,
    ) -> None:
        """``air``: blank rows between messages, and tiles beside them where there are colours for them."""
        self.names = names
        self.cards = cards
        self.keys = keys if keys is not None else default_keys()
        self.tints = tints if tints is not None else Tints()
        self.palette = palette
        self.base = base
        self.width = max(16, width)
        self.air = air
        self.has_tiles = air and self.tints.has_tiles
        self.indent = TILED_INDENT if self.has_tiles else INDENT
        self.text_width = max(12, min(self.width - self.indent, WIDEST_TEXT))

    # Parts.

    def line(self, left: Sequence[Part], right: Sequence[Part] = ()) -> MessageRow:
        """A row of the list itself, without text to copy."""
        return MessageRow(compose_line(self.width, left, right, base=self.base))

    def content_row(self, line: Line, mark: Part | None = None) -> MessageRow:
        """A line of content behind the indent, which may contain a mark."""
        text, style = mark if mark is not None else ("", self.palette.dim)
        start = len(text) - len(text.lstrip(" "))
        if style.bgcolor is not None:  # a tile
            start, text = 1, " " + text
        segments = [
            Segment(" " * start, self.base),
            Segment(text[start:], self.base + style),
            Segment(" " * (self.indent - cell_len(text)), self.base),
        ]
        segments += [Segment(run.text, self.base + run.style) for run in line.runs if run.text]
        cells = sum(segment.cell_length for segment in segments)
        if cells < self.width:
            segments.append(Segment(" " * (self.width - cells), self.base))
        strip = lean_strip(segments, max(cells, self.width))
        if cells > self.width:
            strip = strip.crop(0, self.width)
        bars = 0
        while bars < line.prefix and (line.glue is not None or line.runs[bars].bar):
            bars += 1
        start = self.indent + sum(cell_len(run.text) for run in line.runs[:bars])
        runs = line.runs[bars : len(line.runs) - line.tail]
        text = "".join(run.text for run in runs)
        return MessageRow(strip, text, start, line.glue, is_text=True, exact=exact_text(runs))

    def lead_rows(self, message: Message, lead: RowContext) -> list[MessageRow]:
        """Gap, date, unread line and conversation, as needed."""
        palette = self.palette
        rows: list[MessageRow] = []
        if lead.gap:
            rows.append(self.line([(with_keys(self.keys, OLDER_GAP), palette.error)]))
        if lead.date:
            rows += [*self._air(), self.rule(self.names.date(message.timestamp), palette.dim)]
        if lead.unread:
            rows += [*self._air(), self.rule("unread from here", palette.error)]
        if lead.conversation:
            rows += [*self._air(), self.conversation_row(message)]
        return rows

    def _air(self) -> list[MessageRow]:
        """A blank row, if there is to be air."""
        return [self.line([])] if self.air else []

    def rule(self, text: str, style: Style) -> MessageRow:
        """A line across the text, with a word in its middle."""
        left = TILED_INDENT - TILE - 2 if self.has_tiles else 0
        width = self.indent + self.text_width - left
        rest = max(4, width - cell_len(text) - 2)
        line = f"{'─' * (rest // 2)} {text} {'─' * (rest - rest // 2)}"
        return self.line([(" " * left, self.palette.text), (line, style)])

    def conversation_row(self, message: Message, with_date: bool = False) -> MessageRow:
        """The heading of a conversation."""
        date = [(self.names.date(message.timestamp), self.palette.dim)] if with_date else []
        return self.line(self.conversation_parts(message), date)

    def conversation_parts(self, message: Message) -> list[Part]:
        """The name of the conversation that a message is in."""
        return self.place_parts(message.destination(self.names.state.me))

    def place_parts(self, where: Destination) -> list[Part]:
        """The name of a conversation, which a click opens."""
        return [(text, style + OPENS) for text, style in self._place_parts(where)]

    def _place_parts(self, where: Destination) -> list[Part]:
        palette, state = self.palette, self.names.state
        knows_people = state.users.get(state.me) is not None
        if isinstance(where, ChannelDestination):
            channel = state.channels.get(where.channel_id)
            own = channel.subscription if channel is not None else None
            tint = self.tints.channel(own.color) if own is not None else Style.null()
            name = self.names.channel(where.channel_id) or ""
            name = name or (f"channel {where.channel_id}" if knows_people else "…")
            topic = where.topic or state.limits.empty_topic_name
            style = palette.heading + (Style() if where.topic else Style(italic=True))
            return [
                ("#" + safe_line(name, max(16, self.width // 2 - 4)), palette.place + tint),
                (" › ", palette.dim),
                (safe_line(topic, 200), style),
            ]
        if where.user_ids and not knows_people:
            return [("@ …", palette.place)]
        people = sorted(safe_line(names.person(state, user_id), 60) for user_id in where.user_ids)
        return [("@ " + (", ".join(people[:20]) or "Notes to yourself"), palette.place)]

    def _sender_name(self, message: Message) -> str:
        """The sender's current name; the one in the message until the users are loaded."""
        user = self.names.state.users.get(message.sender_id)
        return safe_line(user.full_name if user is not None else message.sender_name, 60) or "(no name)"

    def _sender_style(self, user_id: int) -> Style:
        return self.palette.sender + self.tints.person(user_id)

    def _sender_row(self, message: Message) -> MessageRow:
        user = self.names.state.users.get(message.sender_id)
        name = self._sender_name(message)
        notes = []
        if message.sender_id == self.names.state.me:
            notes.append("you")
        if user is not None and user.is_bot:
            notes.append("bot")
        if names.is_marked_guest(self.names.state, message.sender_id):
            notes.append("(guest)")
        if user is not None and not user.is_active:
            notes.append(names.gone(user))
        return self._heading(message.sender_id, name, " ".join(notes), self._status(message))

    def _heading(self, user_id: int, name: str, notes: str, status: str) -> MessageRow:
        """The row above a message: its sender, and when it was sent."""
        dim = self.palette.dim
        left: list[Part] = [*self._tile(user_id, name), (name, self._sender_style(user_id))]
        left += [(f" {notes}", dim)] if notes else []
        left += [(f"  {status}", dim)]
        return MessageRow(self.line(left).strip, name, self.indent if self.has_tiles else 0)

    def _tile(self, user_id: int, name: str) -> list[Part]:
        """The middle of a person's tile, with the blanks around it."""
        if not self.has_tiles:
            return []
        blank = self.palette.text
        letters = names.initials(name).center(2)
        around = " " * ((TILE - cell_len(letters)) // 2)
        gap = TILED_INDENT - TILE - 1
        return [(" ", blank), (f"{around}{letters}{around}", self.tints.tile(user_id)), (" " * gap, blank)]

    def _lower_tile(self, user_id: int) -> Part | None:
        """The second row of a person's tile. Tiles are whole cells, because half blocks are one pixel short of the
        edges of a cell in many fonts.
        """
        return (" " * TILE, Style(bgcolor=self.tints.tile(user_id).bgcolor)) if self.has_tiles else None

    def _status(self, message: Message) -> str:
        marks = [self.names.clock(message.timestamp)]
        if message.edited_at is not None:
            marks.append("edited")
        if message.moved_at is not None:
            marks.append("moved")
        if "historical" in message.flags:
            marks.append("from before you subscribed")
        return "  ".join(marks)

    def _reaction_lines(self, message: Message, inliner: Inliner) -> list[Line]:
        if not message.reactions:
            return []
        runs: list[Run] = []
        palette, state = self.palette, self.names.state
        me = state.me
        is_few = len(message.reactions) <= NAMED_REACTIONS
        is_named = is_few and state.settings.flag("display_emoji_reaction_users")
        for group in grouped(message.reactions)[:60]:
            own = me in group.user_ids
            value = f"{group.reaction_type}:{group.emoji_code}:{group.emoji_name}"
            label = reaction_text(group.reaction_type, group.emoji_code, group.emoji_name)
            target = inliner.target(Target(TargetKind.REACTION, value, label))
            chip = palette.own_chip if own else palette.chip
            left, right = (" ", " ") if _has_ground(chip) else ("[", "]") if own else ("(", ")")
            who = self._reacting(group.user_ids) if is_named else str(len(group.user_ids))
            shown = f"{left}{label} {who}{right}"
            runs += [Run(shown.replace(" ", "\u00a0"), chip + target), Run(" ", palette.text)]
        return list(wrap(runs, self.text_width))

    def _reacting(self, user_ids: Collection[int]) -> str:
        """The names of users, the current one first."""
        state = self.names.state
        others = [safe_line(state.users.name(one), 60) for one in user_ids if one != state.me]
        return ", ".join(["You", *others] if state.me in user_ids else others)

    # Items.

    def message(
        self, message: Message, lead: RowContext, shape: Expansion, content: str | None = None
    ) -> Rows:
        """The rows of a message, with `content` instead of its own if given."""
        rows = self.lead_rows(message, lead)
        has_heading = lead.sender and not message.is_me_message
        if self.air and (has_heading or message.is_me_message):
            rows.append(self.line([]))
        count = len(rows)
        try:
            html = message.content if content is None else content
            body, rendered = self._body(message, lead, shape, html)
        except Exception:
            log.exception("message %s cannot be shown", message.id)
            text = with_keys(
                self.keys, "This message cannot be shown here. Press <message.info> for its source."
            )
            return Rows([*rows, self.line([("  " + text, self.palette.error)])], count, [])
        below = 0
        if lead.editors:
            text = names.activity(self.names.state, lead.editors, "editing this message")
            body.append(self.line([(" " * self.indent + safe_line(text, 200), self.palette.dim)]))
            below += 1
        if lead.gap_below:
            below += 1
            text = f"┄┄ newer messages may be missing here{safe_line(lead.gap_below, 300)} ┄┄"
            body.append(self.line([(text, self.palette.error)]))
        clock = "" if lead.sender or message.is_me_message else self.names.clock(message.timestamp)
        return Rows(
            rows + body,
            count,
            rendered.targets,
            rendered.cut,
            tail=below,
            clock=clock,
            has_code=rendered.has_code,
            hidden_columns=rendered.hidden_columns,
        )

    def _body(
        self, message: Message, lead: RowContext, shape: Expansion, content: str
    ) -> tuple[list[MessageRow], Rendered]:
        state = self.names.state
        inliner = Inliner(self.palette, self.names)
        rows = [] if message.is_me_message or not lead.sender else [self._sender_row(message)]
        mark: Part | None = None
        hidden = "collapsed" in message.flags or message.sender_id in state.users.muted
        if hidden and not shape.revealed:
            text = with_keys(self.keys, MUTED if message.sender_id in state.users.muted else COLLAPSED)
            target = inliner.target(Target(TargetKind.MORE, "reveal", "show"))
            mark = self._lower_tile(message.sender_id) if rows else None
            rows.append(self.content_row(Line([Run(text, self.palette.dim + target)]), mark))
            return rows, Rendered([], inliner.targets, True)
        lead_in: tuple[Run, ...] = ()
        if message.is_me_message:
            lead_in = (Run(self._sender_name(message) + " ", self._sender_style(message.sender_id)),)
        layout = Layout(
            inliner,
            state.me,
            shape.opened,
            shape.pan,
            opens=key_of(self.keys, "message.enter"),
            copies=key_of(self.keys, "message.copy"),
        )
        widget = read_widget(message.submessages) if message.submessages else None
        document = parse(content, shape.rows)
        if message.is_me_message:
            document = _without_command(document)
        if MessageFlag.HIDE_LINK_PREVIEWS in message.flags:
            document = _without_previews(document)
        if self.cards is not None:
            document = self.cards(document)
        rendered = layout.render(document, widget, self.text_width, shape.rows, lead_in)
        lines = rendered.lines or [Line([Run("(nothing)", self.palette.dim)])]
        if "has_alert_word" in message.flags:
            words = tuple(filter(None, state.users.alert_words))
            lines = [with_words_lit(line, words, self.palette.found) for line in lines]
        if rows:
            mark = self._lower_tile(message.sender_id)
        elif not message.is_me_message:
            mark = (" " * (self.indent - INDENT) + "·", self.palette.dim)
        rows.append(self.content_row(lines[0], mark))
        rows += [self.content_row(line) for line in (*lines[1:], *self._reaction_lines(message, inliner))]
        if message.is_me_message:
            status = self._status(message)
            place = next((row for row in range(len(lines)) if self._has_room(rows[row].strip, status)), None)
            if place is not None:
                rows[place] = replace(rows[place], strip=self.with_note(rows[place].strip, status))
        return rows, rendered

    def with_clock(self, strip: Strip, rows: Rows, number: int) -> Strip:
        """A row of a message without a heading, with its time where there is room for it: in place of the tile, or
        behind the first row that leaves room.
        """
        if self.has_tiles:
            if number != rows.lead:
                return strip
            clock = rows.clock.split()[0].rjust(TILED_INDENT - 1).ljust(TILED_INDENT)
            return lean_strip(
                [Segment(clock, self.base + self.palette.dim), *strip.crop(TILED_INDENT)], self.width
            )
        own = range(rows.lead, len(rows.rows) - rows.tail)
        place = next((row for row in own if self._has_room(rows.rows[row].strip, rows.clock)), None)
        return self.with_note(strip, rows.clock) if place == number else strip

    def with_note(self, strip: Strip, note: str) -> Strip:
        """A row of content with a note behind it, as times stand beside names."""
        start = self._end(strip) + NOTE_GAP
        rest = strip.crop(min(start + len(note), strip.cell_length))
        segments = [*strip.crop(0, start), Segment(note, self.base + self.palette.dim), *rest]
        return lean_strip(segments, self.width)

    def _has_room(self, strip: Strip, note: str) -> bool:
        return 0 < self._end(strip) <= strip.cell_length - NOTE_GAP - len(note)

    def _end(self, strip: Strip) -> int:
        """Where the text or ground of a row ends, and only blanks follow."""
        end = at = 0
        for text, style, _ in strip:
            has_ground = style is not None and style.bgcolor != self.base.bgcolor
            if shown := text if has_ground else text.rstrip():
                end = at + cell_len(shown)
            at += cell_len(text)
        return end

    def echo(self, entry: OutboxEntry, now: float, lead: RowContext) -> Rows:
        """An own message that the server has not confirmed yet."""
        palette = self.palette
        note, style = echo_note(entry, now, self.keys)
        rows = [self.line(self.place_parts(entry.destination))] if lead.conversation else []
        above = len(rows)
        me = self.names.state.me
        mark = None
        if lead.sender:
            name = safe_line(self.names.state.users.name(me), 60)
            if self.air:
                rows.append(self.line([]))
                above += 1
            rows.append(self._heading(me, name, "you", self.names.clock(entry.created)))
            mark = self._lower_tile(me)
        lines = 0
        for text in safe_block(entry.content[:20_000]).split("\n"):
            for line in wrap([Run(text, palette.text)], self.text_width):
                rows.append(self.content_row(line, mark))
                mark = None
                lines += 1
            if lines >= FIRST_ROWS:
                break
        if note:
            part = palette.error if style == "error" else palette.dim
            rows += [self.content_row(line) for line in wrap([Run(note, part)], self.text_width)]
        return Rows(rows, above, [])


def _has_ground(style: Style) -> bool:
    return style.bgcolor is not None and not style.bgcolor.is_default


def _without_previews(document: Document) -> Document:
    """The content without cards of websites, whose links are in the text."""
    blocks = document.blocks
    kept = tuple(one for one in blocks if not (isinstance(one, CardBlock) and one.kind is CardKind.WEBSITE))
    return replace(document, blocks=kept)


def _without_command(document: Document) -> Document:
    """A me-message without the `/me ` at its beginning."""
    first = document.blocks[0] if document.blocks else None
    if not isinstance(first, Paragraph) or not first.inlines:
        return document
    head, *rest = first.inlines
    if not isinstance(head, TextRun) or not head.text.startswith("/me"):
        return document
    shorter = replace(head, text=safe_line(head.text.removeprefix("/me").lstrip(" ")))
    return Document((Paragraph((shorter, *rest)), *document.blocks[1:]), document.cut)


def reaction_text(reaction_type: str, code: str, name: str) -> str:
    """An emoji as terminal text: its characters, or its name between colons."""
    if reaction_type == "unicode_emoji" and (text := safe_line(character_of(code) or "")).strip():
        return text
    return f":{safe_line(name, 40)}:"
