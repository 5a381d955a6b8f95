"""Fenced blocks: code, and the containers that are written as fences: quote, spoiler, math."""

import re
from dataclasses import dataclass
from html import escape

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

from narrowcast_server.computing.highlight import lexer_for
from narrowcast_server.markdown.inline import tex_html
from narrowcast_server.markdown.run import Run, run_of

FENCE = re.compile(r"(`{3,}|~{3,})[ ]*(?:\{?\.?([\w+#.\-]{1,60})\}?)?[ ]*(.*?)[ ]*")
LONGEST_HIGHLIGHTED_LINE = 1000
QUOTES = frozenset({"quote", "quoted"})
MATH = frozenset({"math", "tex", "latex"})
SPOILER = "spoiler"


@dataclass(frozen=True, slots=True)
class Fence:
    """The opening line of a fenced block; `header` is the rest of the line after the language."""

    marker: str
    language: str
    header: str

    @property
    def holds_blocks(self) -> bool:
        """Whether more fences can open inside."""
        return self.language in QUOTES or self.language == SPOILER


def install(md: MarkdownIt) -> None:
    """Replaces the library's fence rule and its code renderer."""
    md.block.ruler.at("fence", fence_rule, {"alt": ["paragraph", "reference", "blockquote", "list"]})


def line_of(state: StateBlock, line: int) -> str:
    """The text of a line without the indentation of what it stands in."""
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def opening(text: str) -> Fence | None:
    """The fence that a line opens, None where it does not."""
    if not text.startswith(("```", "~~~")):
        return None
    match = FENCE.fullmatch(text)
    if match is None or "`" in match[3]:
        return None
    language = (match[2] or "").lower()
    if match[3] and language != SPOILER:
        # Words after the language are ignored, as everywhere.
        return Fence(match[1], language, "")
    return Fence(match[1], language, match[3])


def closes(text: str, fence: Fence) -> bool:
    """Whether a line is the closing mark of a fence."""
    return text.rstrip() == fence.marker


def fence_rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Takes a fenced block up to its closing mark, or to the end of what it stands in."""
    if state.is_code_block(start):
        return False
    fence = opening(line_of(state, start))
    if fence is None:
        return False
    if silent:
        return True
    last = last_line(state, fence, start, end)
    if fence.language in QUOTES:
        push_container(state, "blockquote_open", "blockquote_close", "blockquote", start + 1, last)
    elif fence.language == SPOILER:
        push_spoiler(state, fence, start + 1, last)
    elif fence.language in MATH:
        source = state.getLines(start + 1, last, state.sCount[start], False).strip()
        push_raw(state, f"<p>{tex_html(source, display=True)}</p>\n")
    else:
        source = state.getLines(start + 1, last, state.sCount[start], True)
        push_raw(state, code_html(run_of(state.env), source, fence.language) + "\n")
    state.line = last + (1 if last < end and closes(line_of(state, last), fence) else 0)
    return True


def last_line(state: StateBlock, fence: Fence, start: int, end: int) -> int:
    """The line of the closing mark, or the first line after the block where none closes it."""
    open_fences = [fence]
    for line in range(start + 1, end):
        if state.sCount[line] < state.blkIndent and not state.isEmpty(line):
            return line
        text = line_of(state, line)
        if closes(text, open_fences[-1]):
            open_fences.pop()
            if not open_fences:
                return line
        elif open_fences[-1].holds_blocks:
            inner = opening(text)
            if inner is not None and (inner.language or not closes(text, fence)):
                open_fences.append(inner)
    return end


def push_container(state: StateBlock, opener: str, closer: str, tag: str, start: int, end: int) -> None:
    """Parses the lines as blocks inside an element."""
    state.push(opener, tag, 1).map = [start - 1, end]
    push_blocks(state, start, end)
    state.push(closer, tag, -1)


def push_blocks(state: StateBlock, start: int, end: int) -> None:
    """Parses lines as blocks at the present place."""
    parent, line_max = state.parentType, state.lineMax
    state.parentType, state.lineMax = "blockquote", end
    state.level += 1
    state.md.block.tokenize(state, start, end)
    state.level -= 1
    state.parentType, state.lineMax = parent, line_max


def push_spoiler(state: StateBlock, fence: Fence, start: int, end: int) -> None:
    """A header that is always shown, and content that clients hide."""
    push_raw(state, '<div class="spoiler-block"><div class="spoiler-header">\n')
    if fence.header:
        state.push("paragraph_open", "p", 1)
        header = state.push("inline", "", 0)
        header.content, header.children, header.map = fence.header, [], [start - 1, start]
        state.push("paragraph_close", "p", -1)
    push_raw(state, '</div><div class="spoiler-content" aria-hidden="true">\n')
    push_blocks(state, start, end)
    push_raw(state, "</div></div>\n")


def push_raw(state: StateBlock, html: str) -> None:
    """Adds ready, escaped HTML as a block."""
    state.push("raw_html", "", 0).content = html


def code_html(run: Run, source: str, language: str) -> str:
    """A code block with highlighting classes; the language as its lexer calls it, or as it was written."""
    lexer = lexer_for(language)
    name = language if lexer is None else str(lexer.name)
    attribute = f' data-code-language="{escape(name)}"' if language else ""
    source = source if source.endswith("\n") else source + "\n"
    inner = None
    if lexer is not None and max(map(len, source.split("\n"))) <= LONGEST_HIGHLIGHTED_LINE:
        inner = run.context.highlighted(language, source)
    if inner is None:
        inner = escape(source, quote=False)
    return f'<div class="codehilite"{attribute}><pre><span></span><code>{inner}</code></pre></div>'
