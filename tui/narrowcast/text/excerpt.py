"""The words of a message in one line, for lists of conversations."""

from __future__ import annotations

import re
from html import unescape

LONGEST = 4000
"""Characters of HTML that are looked at: a line shows no more than the beginning of them."""

_TAG = re.compile(r"</?(?:p|br|li|ul|ol|div|h[1-6]|blockquote|pre|td|th|tr)\b[^>]*>?|(<[^>]*>?)")
_SPACE = re.compile(r"\s+")


def excerpt(html: str) -> str:
    """The text of rendered ``html``, cut off at some length; still a text of the server: show it through safe_text."""
    return _SPACE.sub(
        " ", unescape(_TAG.sub(lambda tag: "" if tag.group(1) else " ", html[:LONGEST]))
    ).strip()
