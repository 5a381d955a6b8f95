"""Commands, powers and accents of TeX as characters, from the tables of `unicodeit`.

That library tries its four thousand replacements on each formula, which takes a millisecond or more; here
each command is looked up once, so that a message full of formulas does not block the screen.
"""

from __future__ import annotations

import re
from functools import lru_cache
from unicodedata import normalize

from msgspec import Struct

__all__ = ["with_symbols"]

_COMMAND = re.compile(r"\\([a-zA-Z]+)(\{\\?[a-zA-Z0-9]+\})?|\\[^a-zA-Z]|-")
_NEGATED = re.compile(r"\\not\s*(\\[a-zA-Z]+)")
_ACCENT = re.compile(r"\\([a-zA-Z]+)(?:\s*\{([^{}]*)\}|\s+([^\W\d_]))")
_GROUP = re.compile(r"([_^])\{([^{}]+)\}|([_^])(.)")
_KEPT = frozenset({"begin", "end"})
"""Commands that are left as they are, because their arguments could not be laid out."""


class _SymbolTables(Struct, frozen=True):
    symbols: dict[str, str]
    accents: dict[str, str]
    scripts: dict[str, str]


@lru_cache(maxsize=1)
def _tables() -> _SymbolTables:
    from unicodeit.data import COMBININGMARKS, REPLACEMENTS, SUBSUPERSCRIPTS

    # If something is listed twice, the first entry counts.
    symbols = {str(key): str(value) for key, value in reversed(REPLACEMENTS)}
    accents = {str(key).removeprefix("\\"): str(value) for key, value in COMBININGMARKS}
    return _SymbolTables(symbols, accents, {str(key): str(value) for key, value in SUBSUPERSCRIPTS})


def with_symbols(tex: str) -> str:
    """`tex` with commands replaced by their characters; a command without one is replaced by its name."""
    tables = _tables()
    text = _COMMAND.sub(lambda match: _command(match, tables), _NEGATED.sub(r"\\slash{\1}", tex))
    text = _ACCENT.sub(lambda match: _accented(match, tables), text)
    return _GROUP.sub(lambda match: _script(match, tables), text)


def _command(match: re.Match[str], tables: _SymbolTables) -> str:
    name, argument = match[1], match[2] or ""
    if name is None:
        return tables.symbols.get(match[0], match[0])
    if (symbol := tables.symbols.get(match[0])) is not None or name in _KEPT:
        return match[0] if symbol is None else symbol
    inner = _COMMAND.sub(lambda inside: _command(inside, tables), argument)
    if name in tables.accents:
        return f"\\{name}{inner}"
    letters = [tables.symbols.get(f"\\{name}{{{letter}}}", "") for letter in argument[1:-1]]
    if letters and all(letters):
        return "".join(letters)
    if (symbol := tables.symbols.get(f"\\{name}")) is not None:
        return symbol + inner
    after = match.string[match.end() : match.end() + 1]
    return name + (" " if not inner and (after.isalnum() or after == "√") else "") + inner


def _accented(match: re.Match[str], tables: _SymbolTables) -> str:
    accent = tables.accents.get(match[1])
    if accent is None:
        return match[0]
    return normalize("NFC", "".join(letter + accent for letter in match[2] or match[3] or ""))


def _script(match: re.Match[str], tables: _SymbolTables) -> str:
    """Superscript or subscript characters, if all characters of a group have one."""
    side, group = match[1] or match[3], match[2] or match[4]
    small = [tables.scripts.get(side + letter, "") for letter in group]
    if all(small):
        return "".join(small)
    return (
        match[0]
        if match[2] is None
        else f"{side}{{{_GROUP.sub(lambda inner: _script(inner, tables), group)}}}"
    )
