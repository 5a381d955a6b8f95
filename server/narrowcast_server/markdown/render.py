"""The entry points of the renderer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import re2

from narrowcast_server.markdown import links
from narrowcast_server.markdown.context import MarkdownContext, RenderedMarkdown
from narrowcast_server.markdown.parser import parser_for
from narrowcast_server.markdown.sanitize import sanitized

ME_COMMAND: Final = "/me "


def render(source: str, context: MarkdownContext) -> RenderedMarkdown:
    """Renders a message to HTML and collects what the server needs to know about it. Never raises, whatever
    the source.
    """
    # Lone surrogates could neither be stored nor sent.
    source = source.encode("utf-8", "replace").decode()
    html, run = parser_for(tuple(context.linkifiers)).html_of(source, context)
    html = sanitized(html).strip("\n")
    is_me_message = source.startswith(ME_COMMAND) and html.startswith("<p>") and html.count("<p>") == 1
    return run.rendered(html, alerted(source, context.alert_words), is_me_message)


def alerted(source: str, alert_words: Mapping[int, Sequence[str]]) -> frozenset[int]:
    """Ids of the users with an alert word in the text, as a whole word, ignoring case."""
    text = source.casefold()
    return frozenset(user for user, words in alert_words.items() if has_word(text, tuple(words)))


def has_word(text: str, words: tuple[str, ...]) -> bool:
    """Whether case-folded text contains one of the words as a whole word.

    The running time is linear in the length of the text, whatever the words are.
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
        # The words need too much memory.
        return None


def topic_links(topic: str, context: MarkdownContext) -> list[dict[str, str]]:
    """`topic_links` of a message: matches of linkifiers and addresses in its topic, in order."""
    return links.topic_links(topic, tuple(context.linkifiers))
