"""The operations of the service, one module a resource."""

from __future__ import annotations

from narrowcast_server.routes import (
    accounts,
    channel_admin,
    drafts,
    events,
    flags,
    groups,
    invites,
    joining,
    linkifiers,
    messages,
    organization,
    pictures,
    playgrounds,
    presence,
    profile_fields,
    reactions,
    registration,
    reminders,
    scheduled,
    server_settings,
    snippets,
    status,
    submessage,
    subscriptions,
    topics,
    tus,
    typing,
    user_admin,
    user_uploads,
    users,
)
from narrowcast_server.routing import Routes

ALL_ROUTES: list[Routes] = [
    module.routes
    for module in (
        accounts,
        channel_admin,
        drafts,
        events,
        flags,
        groups,
        invites,
        joining,
        linkifiers,
        messages,
        organization,
        pictures,
        playgrounds,
        presence,
        profile_fields,
        reactions,
        registration,
        reminders,
        scheduled,
        server_settings,
        snippets,
        status,
        submessage,
        subscriptions,
        topics,
        tus,
        typing,
        user_admin,
        user_uploads,
        users,
    )
]
"""Every module's endpoints; a new module is added here."""
