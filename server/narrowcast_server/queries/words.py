"""Full-text search: the text of a search as an expression, and the highlighting of its matches."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

from narrowcast_server.storage.store import Reading

_PART: Final = re.compile(r'"([^"]*)"|(\S+)')
_TAG: Final = re.compile(r"(<[^>]*>)")
_MARK: Final = '<span class="highlight">{}</span>'
MAX_WORDS: Final = 20
_FREQUENT: Final = """
i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it its
itself they them their theirs themselves what which who whom this that these those am is are was were be been being
have has had having do does did doing a an the and but if or because as until while of at by for with about against
between into through during before after above below to from up down in out on off over under again further then once
here there when where why how all any both each few more most other some such no nor not only own same so than too
very s t can will just don should now b c d e f g h j k l m n o p q r u v w x y z
"""
_STOP_WORDS: Final = frozenset(_FREQUENT.split())
"""The stop words of PostgreSQL: searches ignore them, as on Zulip servers."""
_PLAIN: Final = re.compile(r"[a-z0-9]{3,}")
_FEW: Final = 8


def parts(text: str) -> list[str]:
    """The words and quoted phrases to search for; empty if there are only frequent words."""
    # FTS5 reads an expression up to a null character.
    texts = [(phrase or word).replace('"', "") for phrase, word in _PART.findall(text.replace("\0", " "))]
    searched = [part for part in texts if any(map(str.isalnum, part)) and part.lower() not in _STOP_WORDS]
    only_frequent = _STOP_WORDS.issuperset(" ".join(searched).lower().split())
    return [] if only_frequent else list(dict.fromkeys(searched))[:MAX_WORDS]


def match_expression(texts: Sequence[str], beginning_with: Callable[[str], Sequence[str] | None]) -> str:
    """An expression that matches if all words of the texts occur, each at least as a prefix; empty if there are
    none.

    `beginning_with` returns the words in messages with a given prefix, or None for too many. With them the
    search is faster: SQLite reads matches of whole words one by one, but collects all matches of a prefix
    before returning the first.
    """
    return " AND ".join(_one(part, beginning_with) for part in _first_parts(texts))


def _first_parts(texts: Sequence[str]) -> list[str]:
    """The different parts of all texts; further ones than MAX_WORDS are ignored."""
    return list(dict.fromkeys(part for text in texts for part in parts(text)))[:MAX_WORDS]


def _one(part: str, beginning_with: Callable[[str], Sequence[str] | None]) -> str:
    plain = part.lower()
    longer = beginning_with(plain) if _PLAIN.fullmatch(plain) else None
    if longer is None:
        return f'"{part}"*'
    return "(" + " OR ".join(f'"{word}"' for word in (plain, *longer)) + ")"


def words_beginning_with(reading: Reading, word: str) -> list[str] | None:
    """The words in messages that are longer than `word` and begin with it; None if there are more than a few."""
    words: list[str] = []
    above = word
    while len(words) <= _FEW:
        # One at a time: a query for several would count all occurrences of each.
        row = reading.one(
            "SELECT term FROM temp.message_terms WHERE term >= ? AND term < ? LIMIT 1",
            f"{above}\x01",
            f"{word}\U0010ffff",
        )
        if row is None:
            return words
        above = row["term"]
        words.append(above)
    return None


def highlighted_html(content: str, searches: Sequence[str]) -> str:
    """HTML with the matches in its text highlighted, of the first words of all searches; tags are left unchanged."""
    words = _first_words(tuple(searches))
    text = _TAG.sub(lambda tag: "\0" * len(tag[0]), content) if words else ""
    spans = _matches(_fold(text), words)
    pieces, position = [], 0
    for start, end in sorted(spans):
        if start < position:
            continue
        pieces += [content[position:start], _MARK.format(content[start:end])]
        position = end
    return "".join([*pieces, content[position:]])


def highlighted_text(text: str, searches: Sequence[str]) -> str:
    """Plain text as HTML, with the matches highlighted."""
    return highlighted_html(html.escape(text), searches)


@lru_cache(maxsize=16)
def _first_words(searches: tuple[str, ...]) -> list[str]:
    return [_fold(part) for part in _first_parts(searches)]


def _fold(text: str) -> str:
    """Lower case without accents, of the same length; characters that would change it are kept."""
    return text.lower() if text.isascii() else "".join(map(_folded, text))


@lru_cache(maxsize=4096)
def _folded(character: str) -> str:
    base = unicodedata.normalize("NFD", character)[0].lower()
    return base if len(base) == 1 else character


def _matches(folded: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """Where the words begin a word of the text."""
    spans: list[tuple[int, int]] = []
    for word in words:
        start = folded.find(word)
        while start >= 0:
            if start == 0 or not folded[start - 1].isalnum():
                spans.append((start, start + len(word)))
            start = folded.find(word, start + len(word))
    return spans
