"""Topics: GET /users/me/{stream_id}/topics (rows TOP)."""

from __future__ import annotations

from narrowcast_api.wire.levels import Gate
from narrowcast_server.http.params import boolean, defaulted
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.queries.topics import topics_of
from narrowcast_server.rules import access

routes = Routes()

ALLOW_EMPTY = defaulted("allow_empty_topic_name", boolean, False, since=Gate.EMPTY_TOPIC.level)


@routes.get("/users/me/{stream_id}/topics", ALLOW_EMPTY)
def get_topics(call: Call) -> ResponseBody:
    """The topics that the caller can read, most recent first."""
    core, user = call.core, call.user
    channel = access.readable_channel(core, user, call.path_id("stream_id"))
    empty = "" if call[ALLOW_EMPTY] else core.empty_topic_name
    return {
        "topics": [
            {"name": name or empty, "max_id": newest} for name, newest in topics_of(core, user, channel)
        ]
    }
