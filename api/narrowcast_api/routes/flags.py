"""The current user's flags of messages: read, starred, collapsed, hidden link previews (FLG rows)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from narrowcast_api.errors import InvalidInput, MalformedResponse
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.conversations import wire_topic
from narrowcast_api.http.operations import Bound, Done, Operations, ids, read, segment
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.routes.narrows import Narrowing, anchor_params, wire_narrow
from narrowcast_api.server_info import ServerInfo
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.messages import FlagsChanged, MarkAllRead, NarrowFlagsChanged
from narrowcast_api.wire.vocabulary import CHANGEABLE_FLAGS, Anchor, FlagOperation, MessageFlag

IDS_PER_REQUEST = 1000
"""The largest number of messages in one request that changes flags (FLG-22)."""


async def change_flags(
    connection: Connection, *, message_ids: Iterable[int], op: FlagOperation | str, flag: MessageFlag | str
) -> FlagsChanged:
    """POST /messages/flags: add or remove a flag; more than 1,000 messages are sent in several requests (FLG-01).

    Only read, starred, collapsed and (from level 510, else Unsupported) hide_link_previews can be changed; other
    flags raise InvalidInput (FLG-10 to FLG-15, FLG-20). The response's `messages` are the ids that changed, which
    may differ from those requested (FLG-21). `ignored_because_not_subscribed_channels` lists channels whose messages
    stay read because the current user is not subscribed (when removing read, from level 355); below, compare the
    ids with `unchanged`.
    """
    operation, changeable = _operation(op), _changeable(flag)
    checked_ids = ids(message_ids, "message_ids")
    if not checked_ids:
        raise InvalidInput("no messages given")
    if changeable is MessageFlag.HIDE_LINK_PREVIEWS:
        (await connection.identified()).require(Gate.HIDE_LINK_PREVIEWS)
    changed: list[int] = []
    skipped: list[int] = []
    response: dict[str, object] = {}
    for start in range(0, len(checked_ids), IDS_PER_REQUEST):
        part = checked_ids[start : start + IDS_PER_REQUEST]
        response = await connection.request(
            "POST", "/messages/flags", {"messages": part, "op": operation, "flag": changeable}
        )
        result = read(FlagsChanged, response)
        changed += result.messages
        skipped += [it for it in result.ignored_because_not_subscribed_channels or () if it not in skipped]
    merged = {**response, "messages": changed, "ignored_because_not_subscribed_channels": skipped}
    return read(FlagsChanged, merged)


def unchanged(requested: Iterable[int], result: FlagsChanged) -> list[int]:
    """The requested ids that did not change: skipped, or already in the requested state (FLG-06, FLG-21)."""
    changed = set(result.messages)
    return [message_id for message_id in requested if message_id not in changed]


async def change_flags_by_narrow(
    connection: Connection,
    *,
    narrow: Narrowing,
    op: FlagOperation | str,
    flag: MessageFlag | str,
    anchor: int | Anchor | str,
    num_before: int = 0,
    num_after: int = 0,
    include_anchor: bool = True,
) -> NarrowFlagsChanged:
    """POST /messages/flags/narrow: one batch around `anchor`; level 155, else Unsupported (outside the
    contract).
    """
    server = await connection.identified()
    server.require(Gate.FLAGS_BY_NARROW)
    changeable = _changeable(flag)
    if changeable is MessageFlag.HIDE_LINK_PREVIEWS:
        server.require(Gate.HIDE_LINK_PREVIEWS)
    params: dict[str, object] = {
        **anchor_params(server, anchor),
        "num_before": num_before,
        "num_after": num_after,
        "include_anchor": include_anchor,
        "narrow": wire_narrow(narrow),
        "op": _operation(op),
        "flag": changeable,
    }
    return read(NarrowFlagsChanged, await connection.request("POST", "/messages/flags/narrow", params))


async def change_whole_narrow(
    connection: Connection,
    *,
    narrow: Narrowing,
    op: FlagOperation | str = FlagOperation.ADD,
    flag: MessageFlag | str = MessageFlag.READ,
    anchor: int | Anchor | str = Anchor.OLDEST,
    progress: Callable[[int], bool | None] | None = None,
) -> int:
    """Changes a flag on every message of a narrow from `anchor` on, in batches; returns the number of changed
    messages.

    `progress(updated)` is called after each batch and may return False to stop. When marking as read,
    `is:unread` is added, so that only unread messages are examined. Needs level 155.
    """
    terms = list(wire_narrow(narrow))
    if (op, flag) == (FlagOperation.ADD, MessageFlag.READ):
        terms.append({"operator": "is", "operand": "unread"})
    updated, include_anchor = 0, True
    while True:
        batch = await change_flags_by_narrow(
            connection,
            narrow=terms,
            op=op,
            flag=flag,
            anchor=anchor,
            num_after=IDS_PER_REQUEST,
            include_anchor=include_anchor,
        )
        updated += batch.updated_count
        stopped = progress is not None and progress(updated) is False
        if batch.found_newest or stopped:
            return updated
        last = batch.last_processed_id
        if last is None or (isinstance(anchor, int) and last <= anchor):
            raise MalformedResponse("changing flags makes no progress")
        anchor, include_anchor = last, False


async def mark_all_as_read(
    connection: Connection, *, progress: Callable[[], bool | None] | None = None
) -> bool:
    """POST /mark_all_as_read, repeated until the server reports that it is complete; returns True then.

    `progress()` is called between requests and may return False to stop; the result is then False (outside
    the contract).
    """
    while True:
        response = await connection.request("POST", "/mark_all_as_read", partial=True)
        partly = response.get("result") == "partially_completed"
        if not partly and read(MarkAllRead, response).complete:
            return True
        if progress is not None and progress() is False:
            return False


async def mark_channel_as_read(connection: Connection, *, channel_id: int) -> Done:
    """Marks everything in a channel as read; from level 155 by narrow, before by POST /mark_stream_as_read."""
    channel = int(segment(channel_id, "channel_id"))
    server = await connection.identified()
    if server.supports(Gate.FLAGS_BY_NARROW):
        await change_whole_narrow(connection, narrow=_place(server, Narrow.channel(channel)))
        return Done()
    return read(Done, await connection.request("POST", "/mark_stream_as_read", {"stream_id": channel}))


async def mark_topic_as_read(connection: Connection, *, channel_id: int, topic: str) -> Done:
    """Marks everything in a topic as read; from level 155 by narrow, before by POST /mark_topic_as_read."""
    channel = int(segment(channel_id, "channel_id"))
    server = await connection.identified()
    name = topic if not topic and not server.supports(Gate.EMPTY_TOPIC) else wire_topic(connection, topic)
    if server.supports(Gate.FLAGS_BY_NARROW):
        await change_whole_narrow(connection, narrow=_place(server, Narrow.topic(channel, name)))
        return Done()
    params = {"stream_id": channel, "topic_name": name}
    return read(Done, await connection.request("POST", "/mark_topic_as_read", params))


class _NoNames:
    """Names that are all unknown: the narrows of this module contain ids only."""

    def channel_id(self, name: str) -> int | None:
        return None

    def channel_name(self, channel_id: int) -> str | None:
        return None

    def user_id(self, text: str) -> int | None:
        return None

    def user_email(self, user_id: int) -> str | None:
        return None


def _place(server: ServerInfo, narrow: Narrow) -> list[dict[str, object]]:
    return narrow.to_wire(server, _NoNames())


def _operation(op: FlagOperation | str) -> FlagOperation:
    try:
        return FlagOperation(op)
    except ValueError:
        raise InvalidInput("op must be 'add' or 'remove'") from None


def _changeable(flag: MessageFlag | str) -> MessageFlag:
    try:
        message_flag = MessageFlag(flag)
    except ValueError:
        raise InvalidInput(f"{flag!r} is not a flag of a message") from None
    if message_flag not in CHANGEABLE_FLAGS:
        raise InvalidInput(f"the flag {message_flag} belongs to the server and cannot be changed")
    return message_flag


class FlagOperations(Operations):
    """The current user's flags on messages: read, starred, collapsed, hidden link previews."""

    change = Bound(change_flags)
    change_by_narrow = Bound(change_flags_by_narrow)
    change_whole_narrow = Bound(change_whole_narrow)
    mark_all_as_read = Bound(mark_all_as_read)
    mark_channel_as_read = Bound(mark_channel_as_read)
    mark_topic_as_read = Bound(mark_topic_as_read)
