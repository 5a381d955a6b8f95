"""TeX made readable: Greek, operators, powers and fractions as characters, the rest as source."""

from __future__ import annotations

import re
from functools import lru_cache

from narrowcast.content.tex_symbols import with_symbols
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
        shown = with_symbols(_SPACE.sub(" ", _SIZES.sub("", _expand(line))))
        lines.append(_BLANKS.sub(" ", shown).replace("( ", "(").strip())
    return safe_block("\n".join(line for line in lines if line))
