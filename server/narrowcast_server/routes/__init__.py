"""The operations of the service, one module a resource."""

from __future__ import annotations

from narrowcast_server.routes import (
    accounts,
    events,
    flags,
    messages,
    presence,
    reactions,
    registration,
    server_settings,
    subscriptions,
    topics,
    typing,
    users,
)
from narrowcast_server.routing import Routes

ALL_ROUTES: list[Routes] = [
    module.routes
    for module in (
        accounts,
        events,
        flags,
        messages,
        presence,
        reactions,
        registration,
        server_settings,
        subscriptions,
        topics,
        typing,
        users,
    )
]
"""Every module's endpoints; a new module is added here."""
