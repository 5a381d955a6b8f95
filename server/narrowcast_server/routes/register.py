"""POST /register: a snapshot of the account, and a queue for later events."""

from __future__ import annotations

from typing import Final

from narrowcast_api.wire.vocabulary import Capability
from narrowcast_server.http.params import (
    Param,
    boolean,
    defaulted,
    integer,
    mapping,
    natural,
    optional,
    strings,
)
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.checks import check_bool
from narrowcast_server.organization.dialect import version_fields
from narrowcast_server.organization.errors import ServiceError, field_missing
from narrowcast_server.organization.event_variants import CAPABILITIES as KNOWN_CAPABILITIES
from narrowcast_server.organization.event_variants import QueueOptions
from narrowcast_server.queries.event_narrow import event_narrow, message_filter
from narrowcast_server.queries.snapshot import Snapshot, snapshot
from narrowcast_server.resources.subscriptions.operations import include_subscribers
from narrowcast_server.routes.server_settings import event_stream_fields

routes = Routes()

_MAX_TYPES: Final = 200
_MAX_TYPE: Final = 60


def capabilities(name: str, text: str) -> frozenset[str]:
    """Parses an object of booleans; returns the names that are true and known to this server.

    Requires the oldest name, as Zulip servers do, although it has no effect here.
    """
    values = mapping(name, text)
    if Capability.NOTIFICATION_SETTINGS_NULL not in values:
        raise field_missing(f'{name}["{Capability.NOTIFICATION_SETTINGS_NULL}"]')
    true = {key for key, value in values.items() if check_bool(f'{name}["{key}"]', value)}
    return KNOWN_CAPABILITIES & true


def event_types(name: str, text: str) -> list[str]:
    """A bounded list of event type names."""
    names = list(dict.fromkeys(strings(name, text)))
    if len(names) > _MAX_TYPES or any(len(each) > _MAX_TYPE for each in names):
        raise ServiceError(
            f"{name} has too many or too long names (limit: {_MAX_TYPES} names of {_MAX_TYPE} characters)"
        )
    return names


APPLY_MARKDOWN = defaulted("apply_markdown", boolean, False)
CLIENT_GRAVATAR = defaulted("client_gravatar", boolean, True)
SLIM_PRESENCE = defaulted("slim_presence", boolean, False)
EVENT_TYPES = optional("event_types", event_types)
FETCH_EVENT_TYPES = optional("fetch_event_types", event_types)
ALL_PUBLIC_STREAMS = defaulted("all_public_streams", boolean, False)
INCLUDE_SUBSCRIBERS = defaulted("include_subscribers", include_subscribers, False)
CAPABILITIES: Param[frozenset[str]] = defaulted("client_capabilities", capabilities, frozenset[str]())
NARROW = optional("narrow", event_narrow)
LIFESPAN = defaulted("queue_lifespan_secs", natural, 0)
PRESENCE_DAYS = optional("presence_history_limit_days", integer)


@routes.post(
    "/register",
    APPLY_MARKDOWN,
    CLIENT_GRAVATAR,
    SLIM_PRESENCE,
    PRESENCE_DAYS,
    ALL_PUBLIC_STREAMS,
    INCLUDE_SUBSCRIBERS,
    CAPABILITIES,
    EVENT_TYPES,
    FETCH_EVENT_TYPES,
    NARROW,
    LIFESPAN,
)
def register(call: Call) -> ResponseBody:
    """Creates the queue before the snapshot, in one transaction, so that no event between them is lost."""
    organization, user = call.organization, call.user
    if call[ALL_PUBLIC_STREAMS] and user.is_guest:
        raise ServiceError("User not authorized for this query")
    options = QueueOptions(
        apply_markdown=call[APPLY_MARKDOWN],
        client_gravatar=call[CLIENT_GRAVATAR],
        slim_presence=call[SLIM_PRESENCE],
        include_subscribers=call[INCLUDE_SUBSCRIBERS],
        capabilities=call[CAPABILITIES],
        empty_topic_name=None if "empty_topic_name" in call[CAPABILITIES] else organization.empty_topic_name,
        shows_keys=call.extra_key is None,
    )
    types = call[EVENT_TYPES]
    fetched = call[FETCH_EVENT_TYPES]
    queue = organization.hub.register(
        user.id,
        options,
        event_types=None if types is None else frozenset(types),
        all_public_channels=call[ALL_PUBLIC_STREAMS],
        narrow=message_filter(call[NARROW]),
        lifespan_seconds=call[LIFESPAN],
        client=call.client,
    )
    parts = fetched if fetched is not None else types
    request = Snapshot(
        organization, user, options, None if parts is None else frozenset(parts), call[INCLUDE_SUBSCRIBERS]
    )
    return {
        "queue_id": queue.id,
        "last_event_id": -1,
        **event_stream_fields(organization.config),
        **version_fields(organization.config),
        **snapshot(request),
    }
