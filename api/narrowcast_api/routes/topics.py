"""Topics: list (TOP rows), delete (DTOP rows), visibility, move, resolve."""

from __future__ import annotations

from collections.abc import Callable

from narrowcast_api.errors import InvalidInput, RateLimited, ServerFault, TransportError
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.conversations import wire_topic
from narrowcast_api.http.operations import OMIT, Bound, Done, Omit, Operations, read, segment
from narrowcast_api.model.topics import resolved_name, unresolved_name
from narrowcast_api.narrow.destinations import fold_topic
from narrowcast_api.routes.messages import edit_message
from narrowcast_api.wire.channels import DeleteTopicResult, TopicList
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.messages import EditResult
from narrowcast_api.wire.vocabulary import PropagateMode, Result, VisibilityPolicy

_DELETE_SECONDS = 120.0
"""The server spends almost a minute deleting before it responds that it is not finished."""

_DELETE_PAUSES = (1.0, 2.0, 4.0, 8.0)
_DELETE_STEP = 5.0
"""Seconds between two calls of `progress` during a longer pause that the server requests."""


async def get_topics(connection: Connection, *, channel_id: int) -> TopicList:
    """GET /users/me/{stream_id}/topics: the topics that the current user may see, most recent first (TOP-01, TOP-08).

    From level 334 the empty topic is '', not replaced by a name (TOP-03, TOP-05). `max_id` is the id of a
    topic's last message. Raises BadRequest if the channel does not exist or the current user may not see it.
    """
    path = f"/users/me/{segment(channel_id, 'channel_id')}/topics"
    server = await connection.identified()
    params = {"allow_empty_topic_name": True} if server.supports(Gate.EMPTY_TOPIC) else {}
    return read(TopicList, await connection.request("GET", path, params))


async def delete_topic_batch(connection: Connection, *, channel_id: int, topic: str) -> DeleteTopicResult:
    """POST /streams/{stream_id}/delete_topic: one request; `complete` reports whether all messages are
    deleted (DTOP-06).

    Below level 211 the result 'partially_completed' means not complete, and success complete (DTOP-10, DTOP-12).
    """
    path = f"/streams/{segment(channel_id, 'channel_id')}/delete_topic"
    await connection.identified()
    params = {"topic_name": wire_topic(connection, topic)}
    response = await connection.request("POST", path, params, timeout=_DELETE_SECONDS, partial=True)
    if response.get("result") == Result.PARTIALLY_COMPLETED:
        response = {"complete": False}
    return read(DeleteTopicResult, response)


async def delete_topic(
    connection: Connection,
    *,
    channel_id: int,
    topic: str,
    progress: Callable[[int], bool | None] | None = None,
) -> DeleteTopicResult:
    """Deletes a topic with all its messages, newest first, repeating the request until it is complete
    (DTOP-07, DTOP-08).

    `progress(rounds)` is called after each incomplete request, and every few seconds while the server is rate
    limiting (429); it may return False to stop, and `complete` of the result is then False. After the first
    response, a request that fails because of the network or the server is retried a few times, with growing
    pauses. Administrators only, else UnauthorizedPrincipal, which is a PermissionDenied. A topic that is
    already deleted counts as complete.
    """
    rounds = failures = 0
    while True:
        try:
            result = await delete_topic_batch(connection, channel_id=channel_id, topic=topic)
        except RateLimited as error:
            pause = error.retry_after
        except (TransportError, ServerFault):
            if not rounds or failures == len(_DELETE_PAUSES):
                raise
            pause = _DELETE_PAUSES[failures]
            failures += 1
        else:
            rounds, failures, pause = rounds + 1, 0, 0.0
            if result.complete:
                return result
        if not await _goes_on(connection, rounds, pause, progress):
            return DeleteTopicResult(complete=False)


async def _goes_on(
    connection: Connection, rounds: int, pause: float, progress: Callable[[int], bool | None] | None
) -> bool:
    """Waits for `pause` seconds; returns False as soon as `progress` does."""
    while True:
        if progress is not None and progress(rounds) is False:
            return False
        if pause <= 0:
            return True
        step = min(pause, _DELETE_STEP)
        await connection.clock.sleep(step)
        pause -= step


async def set_topic_visibility(
    connection: Connection, *, channel_id: int, topic: str, policy: VisibilityPolicy
) -> Done:
    """POST /user_topics: mute, unmute, follow or reset a topic for the current user (outside the contract).

    Below level 219 topics cannot be followed; below 170 only muting and its reset exist, as an older
    operation. Other policies raise Unsupported.
    """
    channel = int(segment(channel_id, "channel_id"))
    server = await connection.identified()
    if policy is VisibilityPolicy.FOLLOWED:
        server.require(Gate.FOLLOW_TOPICS)
    if server.supports(Gate.TOPIC_VISIBILITY):
        params = {
            "stream_id": channel,
            "topic": wire_topic(connection, topic),
            "visibility_policy": int(policy),
        }
        return read(Done, await connection.request("POST", "/user_topics", params))
    if policy not in (VisibilityPolicy.NONE, VisibilityPolicy.MUTED):
        server.require(Gate.TOPIC_VISIBILITY)
    params = {
        "stream_id": channel,
        "topic": wire_topic(connection, topic),
        "op": "add" if policy is VisibilityPolicy.MUTED else "remove",
    }
    return read(Done, await connection.request("PATCH", "/users/me/subscriptions/muted_topics", params))


async def move_topic(
    connection: Connection,
    *,
    channel_id: int,
    topic: str,
    new_topic: str | Omit = OMIT,
    new_channel_id: int | Omit = OMIT,
    message_id: int | None = None,
    notify_old_thread: bool | Omit = OMIT,
    notify_new_thread: bool | Omit = OMIT,
) -> EditResult:
    """Renames a topic or moves it to another channel, with all its messages (outside the contract).

    `message_id` is any message of the topic; without it the list of topics is requested to find one. Raises
    InvalidInput if there is no such topic.
    """
    if message_id is None:
        message_id = await _last_message(connection, channel_id, topic)
    return await edit_message(
        connection,
        message_id=message_id,
        topic=new_topic,
        channel=new_channel_id,
        propagate_mode=PropagateMode.CHANGE_ALL,
        notify_old_thread=notify_old_thread,
        notify_new_thread=notify_new_thread,
    )


async def resolve_topic(
    connection: Connection,
    *,
    channel_id: int,
    topic: str,
    resolved: bool = True,
    message_id: int | None = None,
) -> EditResult:
    """Marks a topic as resolved or unresolved: its name gets or loses a prefix (outside the contract).

    A name that would be longer than the server allows is cut at its end. Raises InvalidInput if the topic is
    already in the requested state.
    """
    name = resolved_name(topic) if resolved else unresolved_name(topic)
    limit = connection.limits.max_topic_length
    if limit is not None:
        name = name[:limit]
    if name == topic:
        raise InvalidInput("the topic is resolved already" if resolved else "the topic is not resolved")
    return await move_topic(
        connection, channel_id=channel_id, topic=topic, new_topic=name, message_id=message_id
    )


async def _last_message(connection: Connection, channel_id: int, topic: str) -> int:
    listed = await get_topics(connection, channel_id=channel_id)
    folded = fold_topic(topic)
    for entry in listed.topics:
        if fold_topic(entry.name) == folded:
            return entry.max_id
    raise InvalidInput(f"there is no topic {topic!r} in this channel")


class TopicOperations(Operations):
    """Topics of a channel: list, mute, follow, delete."""

    list = Bound(get_topics)
    delete = Bound(delete_topic)
    delete_batch = Bound(delete_topic_batch)
    set_visibility = Bound(set_topic_visibility)
    move = Bound(move_topic)
    resolve = Bound(resolve_topic)
