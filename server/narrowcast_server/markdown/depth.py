"""What is nested too deeply: its lines stay as plain paragraphs, where the parser alone would drop them."""

from __future__ import annotations

from typing import Final

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

DEEPEST_NESTING: Final = 20
_PLAIN_FROM: Final = DEEPEST_NESTING - 2
"""A list adds two levels at once, so this one is always met."""


def install(md: MarkdownIt) -> None:
    """Adds the rule before all other blocks; install it last."""
    first = md.block.ruler.get_all_rules()[0]
    md.block.ruler.before(first, "too_deep", _plain_line)


def _plain_line(state: StateBlock, start_line: int, _end_line: int, silent: bool) -> bool:
    if silent or state.level < _PLAIN_FROM:
        return False
    state.line = start_line + 1
    state.push("paragraph_open", "p", 1)
    token = state.push("inline", "", 0)
    token.content = state.getLines(start_line, state.line, state.blkIndent, False).strip()
    token.map, token.children = [start_line, state.line], []
    state.push("paragraph_close", "p", -1)
    return True
