"""Registration: the snapshot of the account, and a queue of the events after it (outside the contract, EVT-08)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from narrowcast_api.errors import InvalidInput, MalformedResponse
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.operations import OMIT, Bound, Omit, Operations
from narrowcast_api.routes.narrows import Narrowing, wire_narrow
from narrowcast_api.server_info import ServerInfo
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import Capability

_SECONDS = 120.0
_MAX_RESPONSE_BYTES = 256 * 2**20

_DECLARED = (
    Capability.NOTIFICATION_SETTINGS_NULL,
    Capability.BULK_MESSAGE_DELETION,
    Capability.USER_AVATAR_URL_FIELD_OPTIONAL,
    Capability.STREAM_TYPING_NOTIFICATIONS,
    Capability.USER_SETTINGS_OBJECT,
    Capability.LINKIFIER_URL_TEMPLATE,
    Capability.INCLUDE_DEACTIVATED_GROUPS,
    Capability.ARCHIVED_CHANNELS,
    Capability.EMPTY_TOPIC_NAME,
    Capability.SIMPLIFIED_PRESENCE_EVENTS,
    Capability.INDIVIDUAL_EMOJI_CHANGES,
)


def client_capabilities(server: ServerInfo) -> dict[str, bool]:
    """The capabilities that this library declares; channel typing from level 58 only (TYP-27)."""
    return {
        str(name): True
        for name in _DECLARED
        if name is not Capability.STREAM_TYPING_NOTIFICATIONS or server.supports(Gate.CHANNEL_TYPING)
    }


async def register(
    connection: Connection,
    *,
    event_types: Iterable[str] | Omit = OMIT,
    fetch_event_types: Iterable[str] | Omit = OMIT,
    include_subscribers: bool | str = False,
    client_gravatar: bool = True,
    narrow: Narrowing | Omit = OMIT,
    all_public_streams: bool | Omit = OMIT,
    idle_queue_timeout: int | Omit = OMIT,
    lazy_field: str = "",
) -> dict[str, object]:
    """POST /register: returns the snapshot as the server sent it, with `queue_id` and `last_event_id`.

    The response stays a plain object because it is large: the state reads it row by row. The connection reads
    level, limits and the current user's id from it, so that a server upgrade is noticed (VER-06). Without
    `event_types` and `fetch_event_types` everything is included; `unread_msgs` needs both 'message' and
    'update_message_flags' among the fetched types. `include_subscribers` may be 'partial', which below level
    412 means all of them. `narrow` selects the messages of the queue; raises InvalidInput if a term is
    negated or its operand is not a text. `idle_queue_timeout` is the number of seconds for which the server should
    keep the queue without a request; below level 481 it is not sent. In a large response the list named `lazy_field`
    is a sequence that parses each row when it is accessed.
    """
    server = await connection.identified()
    if include_subscribers == "partial" and not server.supports(Gate.SOME_SUBSCRIBERS):
        include_subscribers = True
    params: dict[str, object] = {
        "apply_markdown": True,
        "client_gravatar": client_gravatar,
        "slim_presence": True,
        "include_subscribers": include_subscribers,
        "client_capabilities": client_capabilities(server),
        "event_types": OMIT if isinstance(event_types, Omit) else list(event_types),
        "fetch_event_types": OMIT if isinstance(fetch_event_types, Omit) else list(fetch_event_types),
        "narrow": OMIT if isinstance(narrow, Omit) else [_pair(term) for term in wire_narrow(narrow)],
        "all_public_streams": all_public_streams,
        "idle_queue_timeout": idle_queue_timeout if server.supports(Gate.IDLE_QUEUE_TIMEOUT) else OMIT,
    }
    response = await connection.request(
        "POST", "/register", params, timeout=_SECONDS, max_bytes=_MAX_RESPONSE_BYTES, lazy_field=lazy_field
    )
    if not isinstance(response.get("queue_id"), (str, type(None))) or "last_event_id" not in response:
        raise MalformedResponse("the response of registration has no event queue")
    connection.record_server(response)
    return response


def _pair(term: Mapping[str, object]) -> list[str]:
    """A term as event queues accept it: operator and operand, both text."""
    operator, operand = term.get("operator"), term.get("operand")
    if term.get("negated") or not isinstance(operator, str) or not isinstance(operand, str):
        raise InvalidInput(f"an event queue does not accept this term: {dict(term)}")
    return [operator, operand]


class RegistrationOperations(Operations):
    """The snapshot and its event queue."""

    register = Bound(register)
