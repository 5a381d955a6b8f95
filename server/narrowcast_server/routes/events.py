"""GET and DELETE /events: the long poll."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.responses import Response

from narrowcast_server.http.params import boolean, defaulted, integer, missing, optional, required, string
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.event_variants import QueueOptions

routes = Routes()

QUEUE_ID = required("queue_id", string)
OPTIONAL_QUEUE_ID = optional("queue_id", string)
LAST_EVENT_ID = optional("last_event_id", integer)
DONT_BLOCK = defaulted("dont_block", boolean, False)


@routes.get("/events", OPTIONAL_QUEUE_ID, LAST_EVENT_ID, DONT_BLOCK)
async def get_events(call: Call) -> ResponseBody | Response:
    """Events after `last_event_id`; waits for an event or a heartbeat if there is none, unless `dont_block`
    is true.

    Without a queue id a new queue is created, as the public service does.
    """
    organization, user = call.organization, call.user
    queue_id, last_event_id = call[OPTIONAL_QUEUE_ID], call[LAST_EVENT_ID]
    if queue_id is None:
        queue = organization.hub.register(
            user.id,
            QueueOptions(empty_topic_name=organization.empty_topic_name, shows_keys=call.extra_key is None),
        )
        last_event_id = -1
        with_queue_id = True
    else:
        queue = organization.hub.get(queue_id, user.id)
        if last_event_id is None:
            raise missing("last_event_id")
        queue.acknowledge(last_event_id)
        with_queue_id = False
    if not queue.events and not call[DONT_BLOCK]:
        with_queue_id = True
        if not await organization.hub.wait(queue, last_event_id):
            return events_response([], None)
        await organization.hub.pace(queue)
    limits = organization.config.limits
    rows = queue.after(last_event_id, limits.events_a_response, limits.characters_a_response)
    return events_response((text for _, text in rows), queue.id if with_queue_id else None)


def events_response(texts: Iterable[str], queue_id: str | None) -> Response:
    """The response with events that are encoded as JSON already."""
    tail = "" if queue_id is None else f',"queue_id":"{queue_id}"'
    body = f'{{"result":"success","msg":"","events":[{",".join(texts)}]{tail}}}'
    return Response(body, media_type="application/json")


@routes.delete("/events", QUEUE_ID)
def delete_queue(call: Call) -> ResponseBody:
    """Deletes a queue of the caller."""
    call.organization.hub.end(call.organization.hub.get(call[QUEUE_ID], call.user.id))
    return {}
