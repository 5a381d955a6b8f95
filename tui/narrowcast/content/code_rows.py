"""A block of code as rows: on a ground of its own, or behind a bar where there are no grounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from rich.style import Style

from narrowcast.content.blocks import REST_OF_TAB, TAB, CodeBlock
from narrowcast.content.palette import Palette
from narrowcast.content.wrapping import Line, Run, columns_of, wrap_hard
from narrowcast.text.columns import most_columns
from narrowcast.text.safe_text import crop_cells

__all__ = ["NOTHING", "code_rows", "exact_text"]

PAD = "  "
WIDEST = 100
MEASURED_ROWS = 500
"""How many lines decide how wide the ground is; longer ones after them wrap."""
NOTHING = "\0"
"""What a blank yields that belongs to a tab; no text of a message contains it."""
_COPIED = "copied"
_TABS = {TAB: Style(meta={_COPIED: "\t"}), REST_OF_TAB: Style(meta={_COPIED: NOTHING})}


def code_rows(block: CodeBlock, width: int, palette: Palette, copy_key: str, target: Style) -> Iterator[Line]:
    """The rows of a block at most ``width`` cells wide; ``copy_key``: the key that copies it, or ''; ``target``: the
    style that marks what copies it, beside its first row.
    """
    language = block.language if block.language.lower() not in ("", "text") else ""
    ground = palette.block.bgcolor
    if ground is None or ground.is_default:
        yield from _behind_a_bar(block, width, palette, language, target)
    else:
        yield from _on_a_ground(block, width, palette, language, copy_key, target)


def _on_a_ground(
    block: CodeBlock, width: int, palette: Palette, language: str, copy_key: str, target: Style
) -> Iterator[Line]:
    lines = code_lines(block, palette)
    first = list(islice(lines, MEASURED_ROWS))
    key = f"{copy_key} copy" if copy_key and language else ""
    head = most_columns(language) + (len(key) + 2 if key else 0)
    longest = max((columns_of(line) for line in first), default=0)
    inner = max(1, min(max(longest, head), WIDEST, width - 2 * len(PAD)))

    edge = palette.block + target  # of the first row

    def row(runs: list[Run], glue: str | None = None, tail: int = 0) -> Line:
        nonlocal edge
        blanks = Run(" " * max(0, inner - columns_of(runs)) + PAD, palette.block)
        laid = [Run(run.text, palette.block + run.style) for run in runs]
        line = Line([Run(PAD, edge, bar=True), *laid, blanks], glue, prefix=1, tail=tail + 1)
        edge = palette.block
        return line

    if head > inner:
        language, key = crop_cells(language, inner), ""
    if language:
        gap = Run(" " * max(0, inner - most_columns(language) - len(key)), palette.dim)
        # The row belongs to the block, not to the code: nothing of it is copied.
        yield row([Run(language, palette.dim), gap, Run(key, palette.dim + target)], tail=3)
    for line in (*first, *lines):
        for part in wrap_hard(line, inner):
            yield row(part.runs, part.glue)


def _behind_a_bar(
    block: CodeBlock, width: int, palette: Palette, language: str, target: Style
) -> Iterator[Line]:
    has_bar = width > 2 * len(PAD) + 6
    inner = width - 2 if has_bar else width
    label, bar = language, palette.bar + target
    for runs in code_lines(block, palette):
        room = inner - columns_of(runs) - most_columns(label)
        is_labelled = bool(label) and room >= 2
        if is_labelled:
            runs.append(Run(" " * room + label, palette.dim))
        label = ""
        for line in wrap_hard(runs, inner):
            line.tail = int(is_labelled)
            yield line.indented(Run("│ ", bar, bar=True)) if has_bar else line
            bar = palette.bar


def code_lines(block: CodeBlock, palette: Palette) -> Iterator[list[Run]]:
    """The lines of the code, in the colours of its tokens."""
    row: list[Run] = []
    for text, token in block.pieces:
        style = _TABS.get(token) or palette.token(token)
        start = 0
        while (end := text.find("\n", start)) >= 0:
            row.append(Run(text[start:end], style))
            start = end + 1
            yield row
            row = []
        if start < len(text):
            row.append(Run(text[start:], style))
    yield row


def exact_text(runs: Sequence[Run]) -> str:
    """What copying a row of code yields for each character that is shown; empty if it is what is shown."""
    if not any(run.text.isspace() and _COPIED in run.style.meta for run in runs):
        return ""
    return "".join(run.style.meta.get(_COPIED, "") * len(run.text) or run.text for run in runs)
