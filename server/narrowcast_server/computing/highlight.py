"""Code as HTML with syntax highlighting classes."""

from __future__ import annotations

from functools import lru_cache

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_all_lexers, get_lexer_by_name
from pygments.util import ClassNotFound


def highlighted(language: str, source: str) -> str | None:
    """The escaped content of a code block; None if the language is unknown or plain text.

    The running time depends on the lexer and the source: some lexers are quadratic, and cannot be interrupted
    from within this process.
    """
    lexer = lexer_for(language)
    return None if lexer is None else highlight(source, lexer, HtmlFormatter(nowrap=True))


@lru_cache(maxsize=64)
def lexer_for(language: str) -> Lexer | None:
    """The lexer of a language; None if it is unknown or plain text."""
    if language in {"", "none", "text"}:
        return None
    try:
        # `startinline`: PHP is highlighted without its opening tag too.
        return get_lexer_by_name(language, stripnl=False, ensurenl=True, startinline=True)
    except ClassNotFound:
        return None


def language_name(language: str) -> str:
    """The lexer's name for a language, or the given name if no lexer knows it. Loads no lexer."""
    return _language_names().get(language, language)


@lru_cache(maxsize=1)
def _language_names() -> dict[str, str]:
    """The lexers' names by language alias; if several share an alias, the first one counts."""
    lexers = [(name, aliases) for name, aliases, _, _ in get_all_lexers(plugins=False)]
    return {alias: name for name, aliases in reversed(lexers) for alias in aliases}
