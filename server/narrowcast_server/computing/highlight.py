"""Code as HTML with highlighting classes."""

from __future__ import annotations

from functools import lru_cache

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_all_lexers, get_lexer_by_name
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


def language_name(language: str) -> str:
    """A language as its lexer calls it; as it was written where nothing knows it. Loads no lexer."""
    return _language_names().get(language, language)


@lru_cache(maxsize=1)
def _language_names() -> dict[str, str]:
    """What lexers call the languages that they are found by; the first lexer counts."""
    lexers = [(name, aliases) for name, aliases, _, _ in get_all_lexers(plugins=False)]
    return {alias: name for name, aliases in reversed(lexers) for alias in aliases}
