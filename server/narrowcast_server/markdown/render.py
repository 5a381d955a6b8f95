"""The functions that the server calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import re2

from narrowcast_server.markdown import links
from narrowcast_server.markdown.context import MarkdownContext, Rendered
from narrowcast_server.markdown.parser import parser_for
from narrowcast_server.markdown.sanitize import sanitized

ME_COMMAND: Final = "/me "


def render(source: str, context: MarkdownContext) -> Rendered:
    """The HTML of a message, and everything that the server must know of it. Never raises on any source."""
    # Lone surrogates are no text; they could be neither stored nor sent.
    source = source.encode("utf-8", "replace").decode()
    html, run = parser_for(tuple(context.linkifiers)).html_of(source, context)
    html = sanitized(html).strip("\n")
    is_me_message = source.startswith(ME_COMMAND) and html.startswith("<p>") and html.count("<p>") == 1
    return run.rendered(html, alerted(source, context.alert_words), is_me_message)


def alerted(source: str, alert_words: Mapping[int, Sequence[str]]) -> frozenset[int]:
    """Users whose alert words stand in the text as whole words, in any case."""
    text = source.casefold()
    return frozenset(user for user, words in alert_words.items() if has_word(text, tuple(words)))


def has_word(text: str, words: tuple[str, ...]) -> bool:
    """Whether one of the words stands in case-folded text with no word character around it.

    The time grows with the length of the text alone, whatever the words are.
    """
    pattern = _words_pattern(words)
    return pattern is not None and pattern.search(text) is not None


@lru_cache(maxsize=2048)
def _words_pattern(words: tuple[str, ...]) -> Any:
    needles = {needle for word in words if (needle := word.casefold().strip())}
    if not needles:
        return None
    either = "|".join(re2.escape(needle) for needle in sorted(needles))
    try:
        return re2.compile(rf"(?:^|[^\pL\pN_])(?:{either})(?:[^\pL\pN_]|$)")
    except re2.error:
        # More words than it has room for.
        return None


def topic_links(topic: str, context: MarkdownContext) -> list[dict[str, str]]:
    """`topic_links` of a message: what linkifiers and addresses find in its topic, in order."""
    return links.topic_links(topic, tuple(context.linkifiers))
