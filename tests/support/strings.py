"""Prints every user-visible text, by file: `python -m support.strings [FOLDER...]`, for reviews of wording.

What is not shown to users is left out as far as the source tells: docstrings, log lines, stylesheets, SQL,
patterns.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("tui/narrowcast", "server/narrowcast_server", "api/narrowcast_api")
_LOGGERS = {"log", "logger", "logging", "warnings"}
_NOT_TEXT = re.compile(
    r"\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA|ALTER|DROP|WITH|BEGIN|AND|FROM|WHERE|ON CONFLICT|ORDER BY)\b"
    r"|[^{}]*\{[^{}]*:[^{}]*;[^{}]*\}|.*(\\[dswb]|\(\?[:P=!i])|[\w.]+$|[a-z_]+:[a-z_]+$",
    re.DOTALL,
)


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yields line and text of each; placeholders of f-strings are written {…}."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(id(node.value))
        if isinstance(node, ast.Call) and _is_log(node.func):
            skipped.update(id(inner) for inner in ast.walk(node))
        if isinstance(node, ast.JoinedStr) and id(node) not in skipped:
            skipped.update(id(part) for part in node.values)
            parts = [part.value if isinstance(part, ast.Constant) else "{…}" for part in node.values]
            yield from _readable(node.lineno, "".join(map(str, parts)))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            yield from _readable(node.lineno, node.value)


def _is_log(function: ast.expr) -> bool:
    return (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id in _LOGGERS
    )


def _readable(line: int, text: str) -> Iterator[tuple[int, str]]:
    if re.search(r"[A-Za-z]{2}", text) and " " in text.strip() and not _NOT_TEXT.match(text):
        yield line, " ".join(text.split())
    elif re.fullmatch(r"[A-Z][a-z]+[.…:!]?", text):
        yield line, text


def main(folders: list[str]) -> None:
    """Prints all texts of the folders."""
    write = sys.stdout.write
    for folder in folders or FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            found = sorted(set(texts(path)))
            if found:
                write(f"\n{path.relative_to(ROOT)}\n")
                for line, text in found:
                    write(f"  {line:4}  {text}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
