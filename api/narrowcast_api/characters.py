"""The one table of characters that text from elsewhere must not bring to a terminal, a log or a file name.

A terminal obeys controls, direction controls turn text around, invisible characters hide what a name or an address
really says. Everything that shows foreign text takes the groups from here: the filter of text, the filter of the
terminal, the command line, the log, notifications. The groups are the bodies of regular expression classes.

Invisible characters are those of Unicode's property Default_Ignorable_Code_Point, the annotation marks and the two
noncharacters that terminals use for themselves.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import quote

__all__ = [
    "CONTROLS",
    "DIRECTIONS",
    "HIDDEN",
    "INVISIBLE",
    "JOINER",
    "SELECTORS",
    "SEPARATORS",
    "SURROGATES",
    "UNSAFE",
    "defused",
    "defused_line",
    "encodable",
    "escaped",
    "has_controls",
    "has_unsafe",
    "percent_encoded",
    "replaced",
    "without_hidden",
]

CONTROLS: Final = "\x00-\x1f\x7f-\x9f"
"""The controls of C0 and C1, and DEL."""
SURROGATES: Final = "\ud800-\udfff"
"""Halves of characters, which no encoding takes."""
SEPARATORS: Final = "\u2028\u2029"
"""Line and paragraph separator."""
DIRECTIONS: Final = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
"""Marks, embeddings, overrides and isolates."""
SELECTORS: Final = "\ufe00-\ufe0f"
"""Which form of a character is meant. Terminals disagree on the width that follows."""
JOINER: Final = "\u200d"
"""Makes one emoji of several; anywhere else it only hides."""
INVISIBLE: Final = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0"
    "\ufff0-\ufffb\ufffe\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""What is drawn as nothing, selectors and the joiner apart."""
HIDDEN: Final = DIRECTIONS + SEPARATORS + INVISIBLE
"""What nobody sees and no text needs."""
UNSAFE: Final = CONTROLS + SURROGATES + HIDDEN + SELECTORS + JOINER
"""Everything in this table."""

_REPLACED: Final = re.compile(f"[{CONTROLS}{SURROGATES}{HIDDEN}]")
_NOT_LAID_OUT: Final = re.compile(f"(?![\\t\\n])[{CONTROLS}{SURROGATES}{HIDDEN}]")
_CONTROLS: Final = re.compile(f"[{CONTROLS}{SURROGATES}]")
_HIDDEN: Final = re.compile(f"[{HIDDEN}]")
_UNSAFE: Final = re.compile(f"[{UNSAFE}]")
_LINE_BREAKS: Final = re.compile("[ \t]*[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029][\\s\u2028\u2029]*")


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    return "\ufffd" if code < 0xA0 or 0xD800 <= code <= 0xDFFF or code in (0xFFFE, 0xFFFF) else ""


def encodable(text: str) -> str:
    """`text` as every encoding takes it: halves of characters that belong together are one, others become U+FFFD.

    Terminals make them of bytes that are not UTF-8, file systems of names, servers of JSON.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def replaced(text: str) -> str:
    """`text` with C0 controls and DEL as their pictures, C1 controls, surrogates and noncharacters as U+FFFD, and
    without what is hidden. Selectors and joiners stay: what they mean depends on their neighbours.
    """
    return _REPLACED.sub(_picture, text)


def defused(text: str) -> str:
    """`text` of several lines that a terminal can be given: line feeds and tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    return _NOT_LAID_OUT.sub(_picture, text.replace("\r\n", "\n"))


def defused_line(text: str, longest: int | None = None) -> str:
    """`text` as one line that a terminal can be given, cut with an ellipsis to `longest` characters."""
    if longest is not None and len(text) > 4 * longest + 64:
        text = text[: 4 * longest + 64]
    if not (text.isascii() and text.isprintable()):
        text = replaced(_LINE_BREAKS.sub(" ", text).replace("\t", " "))
    if longest is not None and len(text) > longest:
        text = text[: max(0, longest - 1)] + "…"
    return text


def without_hidden(text: str) -> str:
    """`text` without invisible characters, direction controls and separators."""
    return _HIDDEN.sub("", text)


def has_unsafe(text: str) -> bool:
    """Whether a character of this table is in `text`."""
    return not (text.isascii() and text.isprintable()) and _UNSAFE.search(text) is not None


def has_controls(text: str) -> bool:
    """Whether `text` holds a control or a surrogate."""
    return not (text.isascii() and text.isprintable()) and _CONTROLS.search(text) is not None


def percent_encoded(address: str) -> str:
    """An address in which everything of this table is written as `%XX`."""
    return _UNSAFE.sub(lambda match: quote(match[0], errors="replace"), address)


def escaped(json_text: str) -> str:
    """JSON that a terminal can be given and that means the same: what is in this table is written as `\\uXXXX`.

    For one line of JSON, without blanks between values but for spaces.
    """
    return _UNSAFE.sub(_escape, json_text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
