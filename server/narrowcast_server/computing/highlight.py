"""Code as HTML with highlighting classes."""

from __future__ import annotations

from functools import lru_cache

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import find_lexer_class_by_name, get_lexer_by_name
from pygments.util import ClassNotFound


def highlighted(language: str, source: str) -> str | None:
    """The inside of a code block, escaped; None for a language that is unknown or plain.

    How long it takes is up to the lexer and the source: some are quadratic, and nothing in this process can end them.
    """
    lexer = lexer_for(language)
    return None if lexer is None else highlight(source, lexer, HtmlFormatter(nowrap=True))


@lru_cache(maxsize=64)
def lexer_for(language: str) -> Lexer | None:
    """The lexer of a language, None where it is unknown or plain."""
    if language in {"", "none", "text"}:
        return None
    try:
        # PHP is highlighted without its opening mark, too.
        return get_lexer_by_name(language, stripnl=False, ensurenl=True, startinline=True)
    except ClassNotFound:
        return None


@lru_cache(maxsize=64)
def language_name(language: str) -> str:
    """A language as its lexer calls it; as it was written where nothing knows it."""
    try:
        return str(find_lexer_class_by_name(language).name)
    except ClassNotFound:
        return language
