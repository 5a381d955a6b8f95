"""Pages of messages around an anchor."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, TypeVar

from msgspec import Raw

from narrowcast_server.organization import flags
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.event_variants import QueueOptions, message_variant
from narrowcast_server.organization.json_text import encoded
from narrowcast_server.organization.models import FlagBit, Message, User
from narrowcast_server.queries.as_seen import as_seen
from narrowcast_server.queries.messages import message_objects
from narrowcast_server.queries.narrow import Query, muted_condition
from narrowcast_server.queries.words import highlighted_html, highlighted_text
from narrowcast_server.rules.edit_history import EditHistoryFilter
from narrowcast_server.rules.visibility import visible_ids
from narrowcast_server.storage.reader import ReadTooLong
from narrowcast_server.storage.store import Reading

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

T = TypeVar("T")
BEYOND_NEWEST: Final = 10_000_000_000_000_000
_HISTORICAL: Final = int(FlagBit.READ | FlagBit.HISTORICAL)

_REACTION: Final = 250
"""Characters of a reaction."""
_SUBMESSAGE: Final = 100
"""Characters of a submessage besides its content."""
_CHUNK: Final = 50
"""Messages encoded as JSON before other requests are served."""
_SEARCH_CHUNK: Final = 10
"""As `_CHUNK`, of search results, since highlighting takes longer."""
_STEP_CHARACTERS: Final = 2**18
"""Their characters at most, unless a single message has more."""
_LARGE: Final = 2**20
"""Bytes of JSON beyond which a page is large."""


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """Ids of messages around an anchor, ascending."""

    ids: list[int]
    anchor: int
    found_anchor: bool
    found_oldest: bool
    found_newest: bool


def check_range(organization: Organization, num_before: int, num_after: int, *, include_anchor: bool) -> None:
    """Raises BAD_REQUEST for a range that is too long, or that would leave out a message in its middle."""
    if not include_anchor and num_before and num_after:
        raise ServiceError("The anchor can only be excluded at an end of the range")
    limit = organization.config.limits.max_messages_fetched
    if num_before + num_after > limit:
        raise ServiceError(f"Too many messages requested (maximum {limit}).")


async def evaluated(organization: Organization, query: Query, work: Callable[[Reading, Query], T]) -> T:
    """The result of `work`, which evaluates a query: at once if that is quick, else in a thread.

    Raises BAD_REQUEST if it takes too long.
    """
    if query.is_quick:
        return work(organization.store, query)
    try:
        return await organization.reader.read(lambda reading: work(reading, query.with_words(reading)))
    except ReadTooLong as error:
        raise ServiceError("The search takes too long; search for less frequent words") from error


def anchor_id(reading: Reading, user: User, anchor: str | datetime, query: Query, *, narrowed: bool) -> int:
    """The message id of an anchor: a number, newest, oldest, first_unread, a time."""
    if anchor == "newest":
        return BEYOND_NEWEST
    if anchor == "oldest":
        return 0
    if isinstance(anchor, datetime):
        return _first_at(reading, query, anchor)
    if anchor == "first_unread":
        return _first_unread(reading, user, query, narrowed=narrowed)
    try:
        value = int(anchor)
    except ValueError as error:
        raise ServiceError("Invalid anchor") from error
    return min(max(value, 0), BEYOND_NEWEST)


def _first_at(reading: Reading, query: Query, moment: datetime) -> int:
    """The first message at or after a time, else the newest."""
    sql = query.sql(query.key, "m.timestamp >= ?", f"ORDER BY {query.key} LIMIT 1")
    message_id = reading.integer(sql, *query.all_values, moment.timestamp())
    return BEYOND_NEWEST if message_id is None else message_id


def _first_unread(reading: Reading, user: User, query: Query, *, narrowed: bool) -> int:
    unread = replace(
        query,
        conditions=list(query.conditions),
        values=list(query.values),
        index=query.index or "unread_messages",
    )
    # The literal condition of the index: SQLite cannot match a bound parameter with it.
    unread.add("um.flags & 1 = 0")
    if not narrowed:
        condition, *values = muted_condition(user)
        unread.add(f"NOT ({condition})", *values)
    sql = unread.sql(unread.key, tail=f"ORDER BY {unread.key} LIMIT 1")
    message_id = reading.integer(sql, *unread.all_values)
    return BEYOND_NEWEST if message_id is None else message_id


def page(
    reading: Reading,
    query: Query,
    anchor: int,
    *,
    characters: int,
    num_before: int,
    num_after: int,
    include_anchor: bool = True,
) -> FetchedPage:
    """The page of message ids around an anchor; it ends early where the messages have more than `characters`."""
    key = query.key

    def ids(comparison: str, direction: str, limit: int) -> list[int]:
        sql = query.sql(key, f"{key} {comparison} ?", f"ORDER BY {key} {direction} LIMIT ?")
        return reading.integers(sql, *query.all_values, anchor, limit)

    before = ids("<", "DESC", num_before) if num_before else []
    exact = ids("=", "ASC", 1) if include_anchor else []
    after = ids(">", "ASC", num_after) if num_after else []
    found_oldest = anchor == 0 or len(before) < num_before
    found_newest = anchor >= BEYOND_NEWEST or len(after) < num_after
    shown_before = within_size(reading, before, characters if not after else characters // 2)
    shown_after = within_size(reading, after, characters if not before else characters // 2)
    return FetchedPage(
        ids=[*reversed(shown_before), *exact, *shown_after],
        anchor=anchor,
        found_anchor=bool(exact),
        found_oldest=found_oldest and len(shown_before) == len(before),
        found_newest=found_newest and len(shown_after) == len(after),
    )


def within_size(reading: Reading, ids: Sequence[int], characters: int) -> list[int]:
    """The first of the messages, at least one, that fit into this many characters with their texts, histories,
    reactions and submessages.
    """
    sizes = {
        row["id"]: row["size"]
        for row in reading.all(
            "SELECT id, length(rendered) + length(content) + length(history)"
            f" + {_REACTION} * (SELECT count(*) FROM reactions r WHERE r.message_id = m.id)"
            f" + (SELECT coalesce(sum({_SUBMESSAGE} + length(s.content)), 0) FROM submessages s"
            " WHERE s.message_id = m.id) AS size"
            " FROM messages m WHERE id IN (SELECT value FROM json_each(?))",
            json.dumps(list(ids)),
        )
    }
    for number, identity in enumerate(ids):
        characters -= sizes.get(identity, 0)
        if characters < 0:
            return list(ids[: max(number, 1)])
    return list(ids)


async def client_json(
    organization: Organization,
    user: User,
    ids: Sequence[int],
    options: QueueOptions,
    searches: Sequence[str] = (),
) -> Raw:
    """`client_objects` as a JSON list. Others are served between chunks; messages deleted meanwhile are skipped.

    Of large lists only a few are built at a time: they take much memory.
    """
    parts: list[bytes] = []
    size = 0
    chunk = _SEARCH_CHUNK if searches else _CHUNK
    async with AsyncExitStack() as stack:
        start = 0
        while start < len(ids):
            if start:
                await asyncio.sleep(0)
            few = within_size(organization.store, ids[start : start + chunk], _STEP_CHARACTERS)
            start += len(few)
            part = encoded(client_objects(organization, user, few, options, searches))
            parts.append(part[1:-1])
            if size <= _LARGE < size + len(part):
                await stack.enter_async_context(organization.large_pages)
            size += len(part)
        return Raw(b"[" + b",".join(filter(None, parts)) + b"]")


def client_objects(
    organization: Organization,
    user: User,
    ids: Sequence[int],
    options: QueueOptions,
    searches: Sequence[str] = (),
) -> list[dict[str, Any]]:
    """The messages with these ids, in this order, with the caller's flags."""
    rows = organization.store.all(
        "SELECT * FROM messages WHERE id IN (SELECT value FROM json_each(?))", json.dumps(list(ids))
    )
    by_id = {row["id"]: Message.of(row) for row in rows}
    messages = [by_id[identity] for identity in ids if identity in by_id]
    bits = flag_bits(organization, user.id, [message.id for message in messages])
    seen = visible_ids(organization, user)
    result = []
    objects = message_objects(organization, messages, EditHistoryFilter(organization, user))
    for message, full in zip(messages, objects, strict=True):
        shown = message_variant(as_seen(organization, seen, full), options)
        shown["flags"] = flags.names(bits.get(message.id, _HISTORICAL), organization.level)
        if searches:
            shown |= match_fields(message, options, searches)
        result.append(shown)
    return result


def match_fields(message: Message, options: QueueOptions, searches: Sequence[str]) -> dict[str, str]:
    """`match_content` and `match_subject` of search results (NAR-07, NAR-08)."""
    topic = message.topic
    if topic == "" and message.channel_id is not None and options.empty_topic_name is not None:
        topic = options.empty_topic_name
    return {
        "match_content": highlighted_html(message.rendered, searches),
        "match_subject": highlighted_text(topic, searches),
    }


def flag_bits(organization: Organization, user_id: int, ids: Sequence[int]) -> dict[int, int]:
    """A user's stored flags, by message id."""
    rows = organization.store.all(
        "SELECT message_id, flags FROM user_messages"
        " WHERE user_id = ? AND message_id IN (SELECT value FROM json_each(?))",
        user_id,
        json.dumps(list(ids)),
    )
    return {row["message_id"]: row["flags"] for row in rows}


def matching_ids(reading: Reading, query: Query, ids: Sequence[int]) -> list[int]:
    """Those of the ids that match a query, ascending."""
    query = replace(query, own_rows_only=False)
    sql = query.sql(query.key, f"{query.key} IN (SELECT value FROM json_each(?))", f"ORDER BY {query.key}")
    return reading.integers(sql, *query.all_values, json.dumps(list(ids)))
