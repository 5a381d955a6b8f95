"""The encoding of each parameter in a request, for the client that writes it and the server that reads it.

Numbers, booleans, null, lists and objects are JSON (CONV-02 to CONV-04). Text is sent unquoted, except for
the parameters of these tables: they are JSON too, text in quotes, as in the public documentation of such
servers (`application/json` of a parameter in their OpenAPI description). Current servers reject the other
form.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

Operation = tuple[str, str]
"""(method, path below /api/v1 with `{}` for each id)."""

_LIMITS: Final = (
    "message_content_delete_limit_seconds",
    "message_content_edit_limit_seconds",
    "move_messages_between_streams_limit_seconds",
    "move_messages_within_stream_limit_seconds",
)
_NEW_CHANNEL: Final = frozenset({"message_retention_days", "topics_policy"})

QUOTED: Final[Mapping[Operation, frozenset[str]]] = {
    ("POST", "/channels/create"): _NEW_CHANNEL,
    ("POST", "/users/me/subscriptions"): _NEW_CHANNEL,
    ("PATCH", "/streams/{}"): frozenset({"message_retention_days"}),
    ("PATCH", "/realm"): frozenset({"jitsi_server_url", "message_retention_days", *_LIMITS}),
    ("POST", "/bots"): frozenset({"payload_url"}),
    ("PATCH", "/bots/{}"): frozenset({"service_payload_url"}),
}
"""Parameters whose text is sent as JSON at every level."""

QUOTED_BELOW: Final[Mapping[Operation, Mapping[str, int]]] = {
    ("PATCH", "/realm"): dict.fromkeys(
        ("name", "description", "default_language", "default_code_block_language"), 52
    ),
    ("POST", "/realm/domains"): {"domain": 63},
    ("PATCH", "/default_stream_groups/{}"): {"new_group_name": 63, "new_description": 63},
    ("PATCH", "/streams/{}"): {"new_name": 64, "description": 64},
    ("PATCH", "/users/{}"): {"full_name": 106},
}
"""Parameters whose text is sent as JSON below a level, and unquoted from that level on."""


@lru_cache(maxsize=1024)
def is_quoted(method: str, path: str, name: str, level: int | None) -> bool:
    """Whether the text of a parameter is sent as JSON. `path` is below /api/v1, with ids or with the names of
    a route's `{parameters}`; `level` None means a current server.
    """
    operation = method, shape(path)
    if name in QUOTED.get(operation, ()):
        return True
    until = QUOTED_BELOW.get(operation, {}).get(name)
    return until is not None and level is not None and level < until


@lru_cache(maxsize=256)
def shape(path: str) -> str:
    """The path with `{}` for each of its ids: `/streams/12` and `/streams/{stream_id}` both become `/streams/{}`."""
    return "/".join("{}" if part.isdecimal() or part.startswith("{") else part for part in path.split("/"))
