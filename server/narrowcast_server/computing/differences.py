"""HTML that shows the difference between two texts, word by word."""

from __future__ import annotations

import difflib
import html
import re
from typing import Final

_WORDS: Final = re.compile(r"\s+|\S+")
_MAX_LENGTH: Final = 20_000


def html_difference(before: str, after: str) -> str:
    """The newer text as HTML, with added words marked as inserted and removed ones as deleted.

    The running time grows with the product of the lengths, and faster if words repeat. Long texts are not
    compared.
    """
    if len(before) + len(after) > _MAX_LENGTH:
        return plain_difference(before, after)
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    pieces: list[str] = []
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for kind, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        if kind == "equal":
            pieces.append(html.escape("".join(new[new_start:new_end])))
            continue
        pieces.append(_marked("inserted", "".join(new[new_start:new_end])))
        pieces.append(_marked("deleted", "".join(old[old_start:old_end])))
    return f"<div>{''.join(pieces)}</div>"


def plain_difference(before: str, after: str) -> str:
    """The whole old text marked as deleted and the whole new one as inserted."""
    return f"<div>{_marked('deleted', before)}{_marked('inserted', after)}</div>"


def _marked(kind: str, text: str) -> str:
    return f'<span class="highlight_text_{kind}">{html.escape(text)}</span>' if text else ""
