"""Searches cached messages by words and by every operator that can be evaluated locally; no network."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice

from msgspec import Struct

from narrowcast_api.model.messages import Message
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.narrow.resolve import IS
from narrowcast_api.narrow.terms import Knowledge, Term, term_matches
from narrowcast_api.storage.cache import Cache
from narrowcast_api.storage.codec import plain_text

__all__ = ["LocalHit", "LocalResult", "search_cache"]

BATCH_SIZE = 500
"""Messages read from the cache per query."""
MAX_WORD_HITS = 20_000
"""The maximum number of messages with the words that are examined, newest first."""
SNIPPET_LENGTH = 160

_CONTENT: Mapping[str, Callable[[str], bool]] = {
    "link": lambda html: "<a " in html,
    "image": lambda html: "message_inline_image" in html or "message-media-preview" in html,
    "attachment": lambda html: "/user_uploads/" in html,
}


class LocalHit(Struct, frozen=True):
    """A matching message and an excerpt of its text."""

    message: Message
    snippet: str


class LocalResult(Struct, frozen=True):
    """``hits``: newest first; ``unevaluated``: terms that only the server can evaluate, which were ignored."""

    hits: tuple[LocalHit, ...]
    unevaluated: tuple[Term, ...]


def search_cache(cache: Cache, narrow: Narrow, state: Knowledge, limit: int) -> LocalResult:
    """Returns the newest ``limit`` cached messages of ``narrow``, whose people and channels are resolved to ids."""
    words = " ".join(str(term.operand) for term in narrow.terms if _is_words(term))
    unevaluated = tuple(term for term in narrow.terms if not _can_judge(term))
    terms = [term for term in narrow.terms if term not in unevaluated and not _is_words(term)]

    def fits(message: Message) -> bool:
        return _fits(message, terms, state)

    hits = _with_words(cache, words, fits) if words else _newest(cache, fits)
    return LocalResult(tuple(islice(hits, limit)), unevaluated)


def _with_words(cache: Cache, words: str, fits: Callable[[Message], bool]) -> Iterator[LocalHit]:
    """The cached messages that contain these words and fit, newest first; read in batches as needed."""
    snippets = {hit.message_id: hit.snippet for hit in cache.search(words, MAX_WORD_HITS)}
    ids = list(snippets)
    for start in range(0, len(ids), BATCH_SIZE):
        batch = ids[start : start + BATCH_SIZE]
        messages = {message.id: message for message in cache.load_messages(batch)}
        for message_id in batch:
            message = messages.get(message_id)
            if message is not None and fits(message):
                yield LocalHit(message, snippets[message_id])


def _newest(cache: Cache, fits: Callable[[Message], bool]) -> Iterator[LocalHit]:
    """The cached messages that fit, newest first; read in batches as needed."""
    before: int | None = None
    while batch := cache.load_newest(BATCH_SIZE, before):
        for message in reversed(batch):
            if fits(message):
                yield LocalHit(message, plain_text(message.content)[:SNIPPET_LENGTH])
        before = batch[0].id


def _is_words(term: Term) -> bool:
    return term.operator == "search" and not term.negated


def _can_judge(term: Term) -> bool:
    if term.operator == "has":
        return str(term.operand).removesuffix("s") in {*_CONTENT, "reaction"}
    if term.operator == "is":
        return term.operand in IS
    return term.operator in {
        "channel",
        "topic",
        "dm",
        "dm-including",
        "sender",
        "mentions",
        "id",
        "near",
        "search",
    }


def _fits(message: Message, terms: list[Term], state: Knowledge) -> bool:
    return all(_may_match(term, message, state) is not term.negated for term in terms)


def _may_match(term: Term, message: Message, state: Knowledge) -> bool:
    """Whether a term holds, ignoring its negation. A term that cannot be evaluated returns `negated`, so that
    the message is left out either way.
    """
    if term.operator == "search":
        return str(term.operand).casefold() in plain_text(message.content).casefold()
    test = _CONTENT.get(str(term.operand).removesuffix("s")) if term.operator == "has" else None
    if test is not None:
        return test(message.content)
    verdict = term_matches(term, message, state)
    return term.negated if verdict is None else verdict
