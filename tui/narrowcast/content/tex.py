"""TeX made readable: Greek, operators, powers and fractions as characters, the rest as source.

The characters are from the tables of `unicodeit`. That library tries its four thousand replacements on each formula,
which takes a millisecond or more; here each command is looked up once, so that a message full of formulas does not
block the screen.
"""

from __future__ import annotations

import re
from functools import lru_cache
from unicodedata import normalize

from msgspec import Struct

from narrowcast.text.safe_text import safe_block

__all__ = ["readable"]

MAX_SOURCE = 4_000
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_ROOT = re.compile(r"\\sqrt\s*\{([^{}]*)\}")
_TEXT = re.compile(r"\\(?:text|mathrm|mathbf|mathit|operatorname|textbf|textit)\s*\{([^{}]*)\}")
_SIZES = re.compile(r"\\(?:left|right|[bB]igg?[lr]?|displaystyle|limits|nolimits)(?![a-zA-Z])\s*")
_SPACE = re.compile(r"\\(?:[,;:! ]|quad|qquad)|(?<!\\)~")
_BLANKS = re.compile(r"[ \t\n]+")
_ROWS = re.compile(r"\\\\(?:\[[^\]]{0,20}\])?")
_CELLS = re.compile(r"(?<!\\)&")
_ENVIRONMENT = re.compile(r"\\begin\s*\{(\w+)\*?\}(?:\{[clr| ]*\})?(.*?)\\end\s*\{\1\*?\}", re.DOTALL)
_FENCES = {
    "pmatrix": ("(", ")"), "bmatrix": ("[", "]"), "Bmatrix": ("{", "}"), "vmatrix": ("|", "|"),
    "Vmatrix": ("‖", "‖"), "matrix": ("", ""), "smallmatrix": ("", ""), "array": ("", ""), "cases": ("{ ", ""),
}  # fmt: skip
"""Delimiters of environments that are shown in one row; all other environments are shown as lines."""

_ATOM = re.compile(r"√?(?:\\[a-zA-Z]+|\w+)|.", re.DOTALL)

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


def _with_symbols(tex: str) -> str:
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


def _grouped(inner: str) -> str:
    inner = inner.strip()
    return inner if _ATOM.fullmatch(inner) else f"({inner})"


def _laid_out(match: re.Match[str]) -> str:
    """Matrices and cases in one row, other environments as lines."""
    rows = [" ".join(_CELLS.sub(" ", row).split()) for row in _ROWS.split(match[2])]
    if match[1] not in _FENCES:
        return "\n" + "\n".join(rows) + "\n"
    left, right = _FENCES[match[1]]
    return left + "; ".join(row for row in rows if row) + right


def _expand(tex: str) -> str:
    """Replaces commands with arguments, innermost first; each pass removes one level of braces."""
    for _ in range(6):
        before = tex
        tex = _TEXT.sub(r"\1", tex)
        tex = _FRACTION.sub(lambda match: f" {_grouped(match[1])}/{_grouped(match[2])}", tex)
        tex = _ROOT.sub(lambda match: f" √{_grouped(match[1])}", tex)
        if tex == before:
            break
    return tex


@lru_cache(maxsize=1024)
def readable(tex: str) -> str:
    """`tex` as a person would type it in plain text; the source itself if it is too long or not supported."""
    if len(tex) > MAX_SOURCE:
        return tex
    lines = []
    for line in re.split(r"\\\\|\n", _ENVIRONMENT.sub(_laid_out, tex)):
        shown = _with_symbols(_SPACE.sub(" ", _SIZES.sub("", _expand(line))))
        lines.append(_BLANKS.sub(" ", shown).replace("( ", "(").strip())
    return safe_block("\n".join(line for line in lines if line))
