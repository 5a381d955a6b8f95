"""Narrows and anchors in the form of requests, and which messages match a narrow (NAR rows)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TypeAlias

from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.operations import Bound, Operations, ids, read, segment
from narrowcast_api.model.messages import Match
from narrowcast_api.server_info import ServerInfo
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.messages import NarrowMatches
from narrowcast_api.wire.vocabulary import Anchor

Narrowing: TypeAlias = Sequence[Mapping[str, object]]
"""Terms with `operator`, `operand` and optionally `negated`, as `Narrow.to_wire` returns them (NAR-04)."""

_IDS_PER_REQUEST = 200
_PAST_EVERY_ID = 10**16


def wire_narrow(narrow: Narrowing) -> list[dict[str, object]]:
    """Returns the terms. Raises InvalidInput if their shape is wrong; operators are not checked, as each
    server has its own (NAR-11).
    """
    if isinstance(narrow, str) or not isinstance(narrow, Iterable):
        raise InvalidInput("a narrow is a list of terms, as Narrow.to_wire gives it")
    terms: list[dict[str, object]] = []
    for term in narrow:
        if (
            not isinstance(term, Mapping)
            or not isinstance(term.get("operator"), str)
            or "operand" not in term
        ):
            raise InvalidInput("a narrow's term needs an operator and an operand")
        terms.append(dict(term))
    return terms


def anchor_params(server: ServerInfo, anchor: int | Anchor | str | datetime) -> dict[str, object]:
    """The anchor in the form of this server: as a word from level 1, before as a number and a flag. A time (which
    needs a zone) is the first message since then; level 445, else Unsupported.
    """
    if isinstance(anchor, datetime):
        server.require(Gate.ANCHOR_DATE)
        return {"anchor": "date", "anchor_date": anchor.astimezone(UTC).isoformat(timespec="seconds")}
    if isinstance(anchor, int):
        return {"anchor": int(segment(anchor, "anchor"))}
    try:
        word = Anchor(anchor)
    except ValueError:
        raise InvalidInput(f"{anchor!r} is not an anchor") from None
    if server.supports(Gate.ANCHOR_WORDS):
        return {"anchor": word}
    if word is Anchor.FIRST_UNREAD:
        return {"anchor": 0, "use_first_unread_anchor": True}
    return {"anchor": 0 if word is Anchor.OLDEST else _PAST_EVERY_ID}


async def matches_narrow(
    connection: Connection, *, message_ids: Iterable[int], narrow: Narrowing
) -> dict[int, Match]:
    """GET /messages/matches_narrow: which of the messages match, each with its highlighted match (NAR-01).

    Content and topic (`match_subject` on the wire) of a match are HTML, as in the response to a search.
    Messages that do not exist, do not match or may not be read by the current user are left out (NAR-12).
    Long lists are sent in several requests. Raises BadNarrow for unknown operators.
    """
    terms = wire_narrow(narrow)
    matches: dict[int, Match] = {}
    checked_ids = ids(message_ids, "message_ids")
    for start in range(0, len(checked_ids), _IDS_PER_REQUEST):
        part = checked_ids[start : start + _IDS_PER_REQUEST]
        response = await connection.request(
            "GET", "/messages/matches_narrow", {"msg_ids": part, "narrow": terms}
        )
        matches.update(read(NarrowMatches, response).messages)
    return matches


class NarrowOperations(Operations):
    """Which messages match a narrow."""

    matches = Bound(matches_narrow)
