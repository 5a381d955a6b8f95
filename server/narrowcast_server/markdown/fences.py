"""Fenced blocks: code, and containers with fence syntax: quote, spoiler, math."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import escape
from typing import Final

from markdown.preprocessors import Preprocessor

from narrowcast_server.computing.highlight import language_name
from narrowcast_server.markdown.elements import Engine
from narrowcast_server.markdown.inline import tex_html
from narrowcast_server.markdown.run import RenderingRun

FENCE: Final = re.compile(r"(~{3,}|`{3,}) *(?:\{?\.?([\w+./#-]{1,60}) *([^ ~`}][^~`]*)?\}?)?", re.ASCII)
MAX_HIGHLIGHTED_LINE: Final = 1000
DEEPEST_FENCES: Final = 12
QUOTES: Final = frozenset({"quote", "quoted"})
MATH: Final = "math"
SPOILER: Final = "spoiler"


@dataclass(slots=True)
class Block:
    """A fenced block while it is read; the outermost one has no marker and stands for the whole text."""

    marker: str = ""
    language: str = ""
    header: str = ""
    lines: list[str] = field(default_factory=list)

    @property
    def holds_blocks(self) -> bool:
        """Whether fences can be nested inside."""
        return not self.marker or self.language in QUOTES or self.language == SPOILER

    def is_closed_by(self, line: str) -> bool:
        """Whether a line is the closing mark."""
        return bool(self.marker) and line.rstrip() == self.marker


def opened(line: str) -> Block | None:
    """The block that a line opens, None if it opens none."""
    match = FENCE.fullmatch(line) if line.startswith(("```", "~~~")) else None
    return None if match is None else Block(match[1], (match[2] or "").lower(), match[3] or "")


class Tracker:
    """Whether the lines so far end inside code, that is in a fence other than a quote."""

    def __init__(self) -> None:
        self._open: list[Block] = []

    def __bool__(self) -> bool:
        return any(block.language not in QUOTES for block in self._open)

    def read(self, line: str) -> None:
        if self._open and self._open[-1].is_closed_by(line):
            self._open.pop()
        elif (block := opened(line)) is not None:
            self._open.append(block)


class Fences(Preprocessor):
    """Replaces code with stashed HTML and quotes with quote marks; an unclosed block extends to the end of
    the text.
    """

    def __init__(self, md: Engine) -> None:
        super().__init__(md)
        self._engine = md

    def run(self, lines: list[str]) -> list[str]:
        stack = [Block()]
        for line in lines:
            inner = stack[-1]
            if inner.is_closed_by(line):
                self._close(stack)
                continue
            block = opened(line) if inner.holds_blocks and len(stack) <= DEEPEST_FENCES else None
            if block is not None:
                stack.append(block)
            else:
                inner.lines.append(line if inner.holds_blocks else line.rstrip())
        while len(stack) > 1:
            self._close(stack)
        # Unclosed blocks have consumed the blank lines at the end.
        return [*stack[0].lines, "", ""]

    def _close(self, stack: list[Block]) -> None:
        block = stack.pop()
        if block.lines:
            stack[-1].lines += ["", *self._written(block), ""]

    def _written(self, block: Block) -> list[str]:
        if block.language in QUOTES:
            return [f"> {line}" for line in block.lines]
        if block.language == SPOILER:
            return self._spoiler(block)
        text = "\n".join(block.lines)
        run, formulas = self._engine.run, text.split("\n\n")
        if block.language == MATH and len(formulas) <= run.node_budget:
            run.node_budget -= len(formulas)
            html = "\n\n".join(tex_html(formula, display=True) for formula in formulas)
        else:
            html = code_html(run, text, block.language)
        return [self._engine.htmlStash.store(html)]

    def _spoiler(self, block: Block) -> list[str]:
        """A header that is always shown, and content that clients hide until it is opened."""
        store = self._engine.htmlStash.store
        return [
            store('<div class="spoiler-block"><div class="spoiler-header">'),
            "",
            *([block.header, ""] if block.header else []),
            store('</div><div class="spoiler-content" aria-hidden="true">'),
            "",
            *block.lines,
            "",
            store("</div></div>"),
        ]


def code_html(run: RenderingRun, source: str, language: str) -> str:
    """A code block with highlighting classes and the language, by the lexer's name or as written."""
    attribute = f' data-code-language="{escape(language_name(language))}"' if language else ""
    source = source.strip("\n") + "\n"
    inner = None
    if language and max(map(len, source.split("\n"))) <= MAX_HIGHLIGHTED_LINE:
        inner = run.context.highlighted(language, source)
    if inner is None:
        inner = escape(source, quote=False)
    return f'<div class="codehilite"{attribute}><pre><span></span><code>{inner}</code></pre></div>'
