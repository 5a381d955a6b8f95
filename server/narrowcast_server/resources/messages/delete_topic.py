"""POST /streams/{stream_id}/delete_topic (rows DTOP)."""

from __future__ import annotations

from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import Result
from narrowcast_server.http.params import required, string
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.models import Channel
from narrowcast_server.resources.messages.changes import delete_messages
from narrowcast_server.rules import topics
from narrowcast_server.rules.access import newest_in_topic, readable_channel
from narrowcast_server.rules.permissions import Callers

routes = Routes()

TOPIC = required("topic_name", string)


@routes.post("/streams/{stream_id}/delete_topic", TOPIC, callers=Callers.ADMINISTRATORS)
async def delete_topic(call: Call) -> ResponseBody:
    """Deletes the messages of a topic that the caller can see: newest first, in batches of one transaction
    each.

    A request stops after `limits.delete_batches_a_request` batches, in place of the time limit of larger
    servers; the messages deleted by then stay deleted, and the client repeats the request (DTOP-07, DTOP-08).
    """
    channel = readable_channel(call.organization, call.user, call.path_id("stream_id"))
    topic = topics.mapped(call.organization, call[TOPIC])
    for _ in range(call.organization.config.limits.delete_batches_a_request):
        if not _delete_batch(call, channel, topic):
            break
    complete = not newest_in_topic(call.organization, call.user, channel, topic, 1)
    if call.level >= Gate.DELETE_TOPIC_COMPLETE.level:
        return {"complete": complete}
    if complete:
        return {}
    # DTOP-10: a third value of `result`, only below level 211.
    return {"result": Result.PARTIALLY_COMPLETED.value, "code": "REQUEST_TIMEOUT"}


def _delete_batch(call: Call, channel: Channel, topic: str) -> int:
    organization = call.organization
    messages = newest_in_topic(
        organization, call.user, channel, topic, organization.config.limits.delete_batch
    )
    if messages:
        with organization.transaction():
            delete_messages(organization, messages)
    return len(messages)
