"""The event queue (outside the contract, EVT-08)."""

from __future__ import annotations

from dataclasses import dataclass

from narrowcast_api.errors import MalformedResponse
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.operations import OMIT, Bound, Done, Operations, read

DEFAULT_LONGPOLL_SECONDS = 90.0
_QUICK_SECONDS = 30.0
_MAX_RESPONSE_BYTES = 128 * 2**20
_BUCKET = "events"


@dataclass(frozen=True, slots=True)
class EventBatch:
    """Events in order, as raw objects (`events.parsing.parse_event` makes typed ones of them); `queue_id` if the
    server sent it.
    """

    events: tuple[dict[str, object], ...]
    queue_id: str | None = None


async def get_events(
    connection: Connection,
    *,
    queue_id: str,
    last_event_id: int,
    dont_block: bool = False,
    longpoll_seconds: float | None = None,
) -> EventBatch:
    """GET /events: the events after `last_event_id`; waits for at least one unless `dont_block`.

    Raises OutcomeUnknown after `longpoll_seconds` (by default the time from registration): then poll the same
    queue again. Raises BadEventQueueId if the client must register again, BadRequest if the id is too old or
    in the future. Events that are not objects are left out.
    """
    wait = longpoll_seconds or connection.limits.longpoll_seconds or DEFAULT_LONGPOLL_SECONDS
    response = await connection.request(
        "GET",
        "/events",
        {
            "queue_id": queue_id,
            "last_event_id": last_event_id,
            "dont_block": True if dont_block else OMIT,
        },
        timeout=_QUICK_SECONDS if dont_block else wait,
        max_bytes=_MAX_RESPONSE_BYTES,
        bucket=_BUCKET,
    )
    events, given = response.get("events"), response.get("queue_id")
    if not isinstance(events, list):
        raise MalformedResponse("the response has no events")
    return EventBatch(
        tuple(event for event in events if isinstance(event, dict)),
        given if isinstance(given, str) else None,
    )


async def delete_queue(connection: Connection, *, queue_id: str, timeout: float = 5.0) -> Done:
    """DELETE /events: delete the queue; waits at most `timeout` seconds."""
    response = await connection.request(
        "DELETE", "/events", {"queue_id": queue_id}, timeout=timeout, bucket=_BUCKET
    )
    return read(Done, response)


class EventOperations(Operations):
    """The event queue, by long polling."""

    get = Bound(get_events)
    delete_queue = Bound(delete_queue)
