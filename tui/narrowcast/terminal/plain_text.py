"""Screens for terminals whose character set is smaller than Unicode: each cell stays one cell wide.

Python would write six characters for a dot that Latin 1 lacks, and every column behind it would shift.
"""

from __future__ import annotations

import codecs
import unicodedata
from typing import IO

from rich.cells import cell_len

ERRORS = "narrowcast.plain"
_LOOKS = {
    "|": "│┃║╎▏▎▍▌▋▊▉▐┆‖",
    "#": "█▣◈▪",
    "-": "─━╌╍┄—–▔▁",
    "=": "═≡",
    "_": "▂▃▄▅",
    "+": "┌┍┏┐┑┓└┕┗┘┙┛├┣┤┫┬┳┴┻┼╋╭╮╯╰╔╗╚╝",
    ".": "·…◦",
    "*": "•●★✔✓⁂✦◆",
    "o": "○◌◐◉☆",
    "<": "‹«◂◀←",
    ">": "›»▸▹▶▷→↗↳",
    "v": "▾▿▼▽↓√",
    "^": "▲△↑⌂",
    "x": "×✕✗✘",
    "'": "‘’",
    '"': "“”",
    "~": "✎♪",
}
_ALIKE = {ord(sign): plain for plain, signs in _LOOKS.items() for sign in signs}


def _replacement(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(_alike(character) for character in error.object[error.start : error.end]), error.end


def _alike(character: str) -> str:
    """ASCII of the same width: a look-alike, the letter without its accent, or question marks."""
    for candidate in (character.translate(_ALIKE), unicodedata.normalize("NFKD", character)[:1]):
        if candidate.isascii() and cell_len(candidate) == cell_len(character):
            return candidate
    return "?" * cell_len(character)


def tolerate_all_characters(file: IO[str]) -> None:
    """Let ``file`` take any text; what its encoding lacks is replaced by something as wide."""
    codecs.register_error(ERRORS, _replacement)
    reconfigure = getattr(file, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors=ERRORS)
