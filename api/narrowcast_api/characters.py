"""The table of characters that text from outside must not bring into a terminal, a log or a file name.

Terminals obey control characters, direction controls reorder text, and invisible characters hide what a name
or an address really says. All code that shows text from outside uses these groups: the filters of text and of
the terminal, the command line, the log, notifications. The groups are the bodies of regular expression
character classes.

Invisible characters are those with Unicode's property Default_Ignorable_Code_Point, the annotation marks and
the two noncharacters that terminals use internally.
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
    "encodable",
    "escaped",
    "has_controls",
    "has_unsafe",
    "percent_encoded",
    "replaced",
    "sanitized",
    "sanitized_line",
    "without_hidden",
]

CONTROLS: Final = "\x00-\x1f\x7f-\x9f"
"""The C0 and C1 control characters, and DEL."""
SURROGATES: Final = "\ud800-\udfff"
"""Surrogates: halves of characters, which cannot be encoded."""
SEPARATORS: Final = "\u2028\u2029"
"""Line and paragraph separator."""
DIRECTIONS: Final = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
"""Direction marks, embeddings, overrides and isolates."""
SELECTORS: Final = "\ufe00-\ufe0f"
"""Variation selectors. Terminals disagree on the width of a character with a selector."""
JOINER: Final = "\u200d"
"""The zero-width joiner, which joins several emoji into one; anywhere else it is only invisible."""
INVISIBLE: Final = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0"
    "\ufff0-\ufffb\ufffe\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Characters drawn as nothing, except the selectors and the joiner."""
HIDDEN: Final = DIRECTIONS + SEPARATORS + INVISIBLE
"""Characters that are not visible and that no text needs."""
UNSAFE: Final = CONTROLS + SURROGATES + HIDDEN + SELECTORS + JOINER
"""Every character of this table."""

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
    """Returns `text` so that it can be encoded: pairs of surrogates become one character, lone ones U+FFFD.

    Surrogates come from terminals and file names with bytes that are not UTF-8, and from the JSON of servers.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def replaced(text: str) -> str:
    """`text` with C0 controls and DEL as their pictures, C1 controls, surrogates and noncharacters as U+FFFD,
    and without the `HIDDEN` characters. Selectors and joiners stay: their meaning depends on the neighbouring
    characters.
    """
    return _REPLACED.sub(_picture, text)


def sanitized(text: str) -> str:
    """`text`, possibly of several lines, made safe for a terminal: line feeds and tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    return _NOT_LAID_OUT.sub(_picture, text.replace("\r\n", "\n"))


def sanitized_line(text: str, longest: int | None = None) -> str:
    """`text` as one line that is safe for a terminal, shortened to `longest` characters with an ellipsis."""
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
    """Whether `text` contains a character of this table."""
    return not (text.isascii() and text.isprintable()) and _UNSAFE.search(text) is not None


def has_controls(text: str) -> bool:
    """Whether `text` contains a control character or a surrogate."""
    return not (text.isascii() and text.isprintable()) and _CONTROLS.search(text) is not None


def percent_encoded(address: str) -> str:
    """Returns the address with every character of this table written as `%XX`."""
    return _UNSAFE.sub(lambda match: quote(match[0], errors="replace"), address)


def escaped(json_text: str) -> str:
    """Returns equivalent JSON that is safe for a terminal: characters of this table are written as `\\uXXXX`.

    `json_text` must be one line whose only whitespace between values is spaces.
    """
    return _UNSAFE.sub(_escape, json_text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
