"""All operations of the service: those of the resources, and here those that belong to no single one."""

from __future__ import annotations

from narrowcast_server.http.routing import Routes
from narrowcast_server.resources import (
    alert_words,
    bot_storage,
    bots,
    channel_folders,
    custom_emoji,
    default_channels,
    drafts,
    exports,
    joining,
    linkifiers,
    message_flags,
    muted_users,
    navigation_views,
    onboarding_steps,
    password_resets,
    playgrounds,
    presence,
    profile_fields,
    profile_values,
    reactions,
    reminders,
    reports,
    saved_snippets,
    scheduled_messages,
    second_factor,
    status,
    submessages,
    typing,
    user_topics,
)
from narrowcast_server.resources.channels import operations as channels
from narrowcast_server.resources.invites import operations as invites
from narrowcast_server.resources.messages import change_operations as message_changes
from narrowcast_server.resources.messages import operations as messages
from narrowcast_server.resources.subscriptions import operations as subscriptions
from narrowcast_server.resources.subscriptions import properties as subscription_properties
from narrowcast_server.resources.uploads import operations as uploads
from narrowcast_server.resources.uploads import tus
from narrowcast_server.resources.user_groups import operations as user_groups
from narrowcast_server.resources.users import operations as users
from narrowcast_server.routes import (
    auth,
    browser_sign_in,
    compatibility,
    events,
    keys,
    operation,
    organization,
    pages,
    pictures,
    register,
    server_settings,
    settings,
    static_files,
    unavailable,
)

ALL_ROUTES: list[Routes] = [
    alert_words.routes,
    muted_users.routes,
    auth.routes,
    bot_storage.routes,
    bots.routes,
    browser_sign_in.routes,
    channel_folders.routes,
    channels.routes,
    compatibility.routes,
    custom_emoji.routes,
    default_channels.routes,
    drafts.routes,
    events.routes,
    exports.routes,
    message_flags.routes,
    invites.routes,
    joining.routes,
    keys.routes,
    linkifiers.routes,
    message_changes.routes,
    messages.routes,
    navigation_views.routes,
    operation.routes,
    onboarding_steps.routes,
    organization.routes,
    pictures.routes,
    pages.routes,
    playgrounds.routes,
    presence.routes,
    profile_fields.routes,
    profile_values.routes,
    user_topics.routes,
    reactions.routes,
    register.routes,
    reminders.routes,
    reports.routes,
    saved_snippets.routes,
    scheduled_messages.routes,
    second_factor.routes,
    server_settings.routes,
    settings.routes,
    password_resets.routes,
    static_files.routes,
    status.routes,
    submessages.routes,
    subscription_properties.routes,
    subscriptions.routes,
    tus.routes,
    typing.routes,
    unavailable.routes,
    uploads.routes,
    user_groups.routes,
    users.routes,
]
"""The endpoints of every module; add new modules here."""
