"""Output for terminals whose character set is smaller than Unicode: each cell stays one cell wide.

Python would write six characters for a dot that is not in Latin 1, and shift all following columns.
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
    """ASCII of the same width: a similar character, the letter without its accent, or question marks."""
    for candidate in (character.translate(_ALIKE), unicodedata.normalize("NFKD", character)[:1]):
        if candidate.isascii() and cell_len(candidate) == cell_len(character):
            return candidate
    return "?" * cell_len(character)


def tolerate_all_characters(file: IO[str]) -> None:
    """Lets ``file`` accept any text; characters missing in its encoding are replaced by others of the same width."""
    codecs.register_error(ERRORS, _replacement)
    reconfigure = getattr(file, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors=ERRORS)
