"""Markup around the selection in compose, or around the word at the cursor."""

from __future__ import annotations

from typing import NamedTuple

from narrowcast.widgets.editor import Editor

__all__ = ["format_text"]


class Markup(NamedTuple):
    """``is_block``: it stands on lines of its own; ``to_replace``: what is selected then, for the user to replace."""

    before: str
    after: str
    is_block: bool = False
    to_replace: str = ""


MARKUP = {
    "bold": Markup("**", "**"),
    "italic": Markup("*", "*"),
    "code": Markup("`", "`"),
    "code block": Markup("```\n", "\n```", is_block=True),
    "link": Markup("[", "](url)", to_replace="url"),
    "quote": Markup("```quote\n", "\n```", is_block=True),
    "spoiler": Markup("```spoiler \n", "\n```", is_block=True),
}


def format_text(editor: Editor, kind: str) -> None:
    """Puts markup around the selected text, or the word at the cursor; removes it if it is there already."""
    buffer = editor.buffer
    start, end = buffer.selection or buffer.word
    inside = buffer.text[start:end]
    markup = MARKUP["code block" if kind == "code" and "\n" in inside else kind]
    before, after = markup.before, markup.after
    if _stands_around(buffer.text, start, end, markup):
        editor.replace(start - len(before), end + len(after), inside)
        editor.select(start - len(before), end - len(before))
        return
    if markup.is_block:
        before = before if start == 0 or buffer.text[start - 1] == "\n" else f"\n{before}"
        after = after if buffer.text[end : end + 1] == "\n" else f"{after}\n"
    editor.replace(start, end, f"{before}{inside}{after}")
    begin = start + len(before)
    if not inside:
        buffer.cursor = begin
        editor.select(begin, begin)
    elif markup.to_replace:
        place = buffer.text.index(markup.to_replace, begin + len(inside))
        editor.select(place, place + len(markup.to_replace))
    elif not markup.is_block:
        editor.select(begin, begin + len(inside))


def _stands_around(text: str, start: int, end: int, markup: Markup) -> bool:
    """Whether the markup stands around a part of the text; a pair of asterisks is no single one."""
    before, after = markup.before, markup.after
    if text[max(0, start - len(before)) : start] != before or text[end : end + len(after)] != after:
        return False
    sign = before[0]
    outside = text[max(0, start - len(before) - 1) : start - len(before)] + text[end + len(after) :][:1]
    return len(before) != 1 or outside != sign * 2
