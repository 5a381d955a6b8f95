"""Blocks as lines of the terminal, limited in cells and rows, and therefore in work.

Lines are produced one at a time and only as many as requested, so that a message of two hundred thousand
lines costs no more than its first screen. Anything that can be followed, opened or voted for is a `Target`:
its number is in the meta of the style ("target"), for clicks, and hints assign a key to each.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace
from rich.cells import cell_len
from rich.style import Style

from narrowcast.content.blocks import (
    Block,
    Blocks,
    CardBlock,
    CardKind,
    CodeBlock,
    Document,
    Heading,
    ListBlock,
    MathBlock,
    Paragraph,
    Quote,
    Rule,
    Spoiler,
    Table,
)
from narrowcast.content.code_rows import code_rows
from narrowcast.content.inlines import Inliner, MessageNames, Target, TargetKind, host_of, link_style
from narrowcast.content.palette import Palette
from narrowcast.content.polls import Poll, TodoList
from narrowcast.content.tables import FittedTable
from narrowcast.content.tex import readable
from narrowcast.content.widget_rows import poll_rows, todo_rows
from narrowcast.content.wrapping import Line, Run, clip, columns_of, wrap
from narrowcast.text.formats import counted
from narrowcast.text.safe_text import safe_line

__all__ = ["Layout", "MessageNames", "Rendered", "Target", "TargetKind"]

MIN_WIDTH = 12
"""Minimum cells for the content of nested blocks; below this they are not indented further."""

MAX_TABLE_ROWS = 2_000
"""Maximum number of rows of a table that are shown."""

MAX_HEADER_ROWS = 50
"""Maximum number of rows of a spoiler's header: it is laid out whole."""

_BULLETS = "•◦▪"
_CARD_GLYPHS = {
    CardKind.IMAGE: "▣",
    CardKind.VIDEO: "▶",
    CardKind.AUDIO: "♪",
    CardKind.WEBSITE: "↗",
    CardKind.EXTENSION: "◆",
}


class Rendered(Struct):
    """One message's content as lines, with its targets.

    `cut`: there is more than was requested. `has_code`: some lines are code. `hidden_columns`: the number of
    tables' columns hidden at the right.
    """

    lines: list[Line]
    targets: list[Target]
    cut: bool = False
    has_code: bool = False
    hidden_columns: int = 0


class Layout(Struct):
    """Lays out one message.

    `opened` are the indexes of its open spoilers, `pan` the columns skipped in tables, `opens` is the key
    that opens what is closed, `copies` the one that copies the source; an empty key is not mentioned.
    """

    inliner: Inliner
    me: int
    opened: frozenset[int] = frozenset()
    pan: int = 0
    opens: str = "Enter"
    copies: str = "y"
    has_code: bool = False
    hidden_columns: int = 0

    @property
    def palette(self) -> Palette:
        """The styles for drawing."""
        return self.inliner.palette

    def render(
        self,
        document: Document,
        widget: Poll | TodoList | None,
        width: int,
        rows: int,
        lead: tuple[Run, ...] = (),
    ) -> Rendered:
        """At most `rows` lines of `document`; a `widget` replaces the document. `lead` begins the first line."""
        source = self._widget(widget, width) if widget else self._document(document, width, lead)
        lines = list(islice(source, rows + 1))
        cut = len(lines) > rows or document.more
        if cut or document.cut:
            del lines[max(0, rows - 1) :]
            more = self.inliner.target(Target(TargetKind.MORE, "", "more"))
            text = f"… more{self._by_key('shows')}" if cut else "… longer than can be shown here"
            lines.append(Line(clip([Run(text, self.palette.dim + more)], width)))
        return Rendered(lines, self.inliner.targets, cut, self.has_code, self.hidden_columns)

    def _by_copying(self) -> str:
        return f": {self.copies} copies the source" if self.copies else ""

    def _by_key(self, does: str) -> str:
        return f"; {self.opens} {does} it" if self.opens else ""

    def _document(self, document: Document, width: int, lead: tuple[Run, ...]) -> Iterator[Line]:
        blocks = document.blocks
        if lead:
            first = blocks[0] if blocks and isinstance(blocks[0], Paragraph) else None
            runs = [*lead, *self.inliner.runs(first.inlines if first else ())]
            yield from self._wrapped(runs, width)
            blocks = blocks[1:] if first else blocks
        yield from self.lines(blocks, width)

    # Blocks.

    def lines(self, blocks: Blocks, width: int, depth: int = 0) -> Iterator[Line]:
        """The lines of consecutive blocks; a blank line divides a paragraph from a paragraph or a list above it."""
        before: Block | None = None
        for block in blocks:
            if before is not None and (
                isinstance(block, Heading)
                or (isinstance(block, Paragraph) and isinstance(before, Paragraph | ListBlock))
            ):
                yield Line([])
            yield from self._block(block, max(MIN_WIDTH // 2, width), depth)
            before = block

    def _block(self, block: Block, width: int, depth: int) -> Iterator[Line]:
        palette = self.palette
        match block:
            case Paragraph():
                yield from self._wrapped(self.inliner.runs(block.inlines), width)
            case Heading():
                runs = [Run(run.text, palette.title + run.style) for run in self.inliner.runs(block.inlines)]
                yield from wrap(runs, width)
            case Rule():
                yield Line([Run("─" * width, palette.bar)])
            case ListBlock():
                yield from self._list(block, width, depth)
            case Quote():
                yield from self._quote(block, width, depth)
            case CodeBlock():
                yield from self._code(block, width)
            case MathBlock():
                yield from self._math(block, width)
            case Spoiler():
                yield from self._spoiler(block, width, depth)
            case Table():
                yield from self._table(block, width)
            case CardBlock():
                yield from self._card(block, width)

    @staticmethod
    def _inner(width: int, cells: int = 2) -> int:
        return width - cells if width - cells >= MIN_WIDTH else width

    def _quote(self, quote: Quote, width: int, depth: int) -> Iterator[Line]:
        """A quote behind a bar, in muted text, below its author's name, or beside it if both fit on one row."""
        muted = replace(self.inliner, palette=replace(self.palette, text=self.palette.dim))
        layout = replace(self, inliner=muted)
        author = self._author(quote)
        lines = layout.lines(quote.blocks, self._inner(width), depth)
        yield from self._barred(_headed(author, lines, self._inner(width)), "▎", width)
        self.has_code |= layout.has_code
        self.hidden_columns = max(self.hidden_columns, layout.hidden_columns)

    def _author(self, quote: Quote) -> list[Run]:
        if quote.author is None:
            return []
        name = self.inliner.runs((quote.author,))
        arrow = self.inliner.target(Target(TargetKind.LINK, quote.href, "quoted message"))
        return [
            *name,
            Run("  ", self.palette.text),
            Run("↗", self.palette.dim + arrow),
        ]

    def _barred(self, lines: Iterator[Line], bar: str, width: int) -> Iterator[Line]:
        if self._inner(width) == width:
            yield from lines
            return
        prefix = Run(bar + " ", self.palette.bar, bar=True)
        for line in lines:
            yield line.indented(prefix)

    def _marked(self, lines: Iterator[Line], mark: Run, width: int) -> Iterator[Line]:
        """Lines indented behind a mark, or below it if there is no room; the mark alone if there are none."""
        cells = cell_len(mark.text)
        beside = self._inner(width, cells) != width
        first = True
        for line in lines:
            if first and not beside:
                yield Line([mark])
            yield line.indented(mark if first else Run(" " * cells, self.palette.text)) if beside else line
            first = False
        if first:
            yield Line([mark])

    def _list(self, block: ListBlock, width: int, depth: int) -> Iterator[Line]:
        last = (block.start or 0) + len(block.items) - 1
        marks = len(str(last)) + 2 if block.start is not None else 2
        inner = self._inner(width, marks)
        for index, item in enumerate(block.items):
            mark = _BULLETS[min(depth, 2)] + " "
            if block.start is not None:
                mark = f"{block.start + index}. ".rjust(marks)
            lines = self.lines(item, inner, depth + 1)
            yield from self._marked(lines, Run(mark, self.palette.text), width)

    def _code(self, block: CodeBlock, width: int) -> Iterator[Line]:
        self.has_code = True
        target = self.inliner.target(Target(TargetKind.CODE, block.source, "code"))
        yield from code_rows(block, width, self.palette, self.copies, target)

    def _math(self, block: MathBlock, width: int) -> Iterator[Line]:
        for line in readable(block.tex).split("\n"):
            wrapped = wrap([Run(line, self.palette.code)], self._inner(width))
            yield from self._marked(wrapped, Run("  ", self.palette.text), width)

    def _spoiler(self, block: Spoiler, width: int, depth: int) -> Iterator[Line]:
        is_open = block.index in self.opened
        target = self.inliner.target(Target(TargetKind.SPOILER, str(block.index), "spoiler"))
        mark = Run("▾ " if is_open else "▸ ", self.palette.mark + target)
        if block.header:
            header = self.lines(block.header, self._inner(width), depth)
        else:
            header = iter([Line([Run("Spoiler", self.palette.mark + target)])])
        header = islice(header, MAX_HEADER_ROWS)
        if is_open:
            yield from self._marked(header, mark, width)
            yield from self._barred(self.lines(block.blocks, self._inner(width), depth), "┆", width)
            return
        closed = [Run(f"(hidden{self._by_key('shows')})", self.palette.dim + target)]
        *above, last = list(header) or [Line([])]
        if columns_of(last.runs) + 2 + columns_of(closed) <= self._inner(width):
            both = Line(
                [*last.runs, Run("  ", self.palette.text), *closed], last.glue, last.prefix, last.tail
            )
            yield from self._marked(iter([*above, both]), mark, width)
            return
        yield from self._marked(iter([*above, last]), mark, width)
        yield from self._marked(wrap(closed, self._inner(width)), Run("  ", self.palette.text), width)

    def _table(self, block: Table, width: int) -> Iterator[Line]:
        head = [self.inliner.runs(cell) for cell in block.head]
        bold = [[Run(run.text, self.palette.heading + run.style) for run in cell] for cell in head]
        rows = [[self.inliner.runs(cell) for cell in row] for row in block.rows[:MAX_TABLE_ROWS]]
        table = FittedTable(bold, rows, block.aligns, width, self.pan, self.palette)
        self.hidden_columns = max(self.hidden_columns, table.hidden)
        yield from table.lines()
        if (left := len(block.rows) - MAX_TABLE_ROWS) > 0:
            yield Line(
                clip([Run(f"… {counted(left, 'more row')}{self._by_copying()}", self.palette.dim)], width)
            )

    def _card(self, card: CardBlock, width: int) -> Iterator[Line]:
        palette = self.palette
        is_link = card.kind in (CardKind.WEBSITE, CardKind.EXTENSION)
        kind = TargetKind.LINK if is_link else TargetKind.MEDIA
        leads = bool(card.href) or not is_link
        target = Style()
        if leads:
            target = self.inliner.target(Target(kind, card.href, card.title or card.kind.value, card.src))
            target += link_style(card.href)
        detail = "" if is_link else f"  {card.kind.value}"
        if card.size is not None:
            detail += f" {card.size[0]}×{card.size[1]}"
        if card.loading:
            detail += ", being prepared"
        if card.kind is CardKind.WEBSITE and (host := host_of(card.href)):
            detail = f"  {host}"
        if card.origin:
            detail = f"  {card.origin}"
        title = card.title or card.kind.value
        runs = [
            Run(title, (palette.link if leads else palette.text) + target),
            Run(safe_line(detail, 80), palette.dim),
        ]
        mark = Run(_CARD_GLYPHS[card.kind] + " ", palette.mark + target)
        yield from self._marked(wrap(runs, self._inner(width)), mark, width)
        if card.description:
            lines = islice(wrap([Run(card.description, palette.dim)], self._inner(width)), 3)
            yield from self._marked(lines, Run("  ", palette.text), width)

    def _widget(self, widget: Poll | TodoList, width: int) -> Iterator[Line]:
        if isinstance(widget, Poll):
            yield from poll_rows(widget, self.me, width, self.inliner)
        else:
            yield from todo_rows(widget, width, self.inliner)

    def _wrapped(self, runs: list[Run], width: int) -> Iterator[Line]:
        row: list[Run] = []
        for run in runs:
            if run.text == "\n":
                yield from wrap(row, width)
                row = []
            else:
                row.append(run)
        yield from wrap(row, width)


def _headed(head: list[Run], lines: Iterator[Line], width: int) -> Iterator[Line]:
    """The lines below a head, or a single one beside it if both fit."""
    if not head:
        yield from lines
        return
    first, second = next(lines, None), next(lines, None)
    if first is not None and second is None and columns_of(head) + 2 + columns_of(first.runs) <= width:
        yield Line([*head, Run("  ", Style()), *first.runs])
        return
    yield from wrap(head, width)
    yield from (line for line in (first, second) if line is not None)
    yield from lines
