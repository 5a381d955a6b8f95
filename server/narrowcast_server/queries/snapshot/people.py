"""Parts of the snapshot: the current user, all users, settings."""

from __future__ import annotations

from collections.abc import Iterable

from narrowcast_api.wire.vocabulary import Role
from narrowcast_server.organization import personal
from narrowcast_server.organization.models import User
from narrowcast_server.queries.as_seen import unknown_person
from narrowcast_server.queries.organization import personal_defaults
from narrowcast_server.queries.snapshot.parts import Snapshot, part
from narrowcast_server.queries.users import avatar_url, profile_data, user_object
from narrowcast_server.rules.addresses import api_address
from narrowcast_server.rules.visibility import visible_ids


@part("realm_user")
def everybody(request: Snapshot) -> dict[str, object]:
    """All users and bots: active, deactivated, and system bots."""
    organization = request.organization
    data = profile_data(organization)
    seen = visible_ids(organization, request.user)

    def shown(user: User, *, with_active: bool = False) -> dict[str, object]:
        if seen is not None and user.id not in seen:
            return unknown_person(organization, user)
        return user_object(
            organization,
            request.user,
            user,
            client_gravatar=request.options.client_gravatar,
            profile_data=data.get(user.id, {}),
            with_active=with_active,
        )

    users: Iterable[User] = organization.users.all()
    if seen is not None and "user_list_incomplete" in request.options.capabilities:
        users = [user for user in users if user.id in seen]
    return {
        "realm_users": [shown(user) for user in users if user.is_active and not user.is_system_bot],
        "realm_non_active_users": [
            shown(user) for user in users if not user.is_active and not user.is_system_bot
        ],
        "cross_realm_bots": [shown(user, with_active=True) for user in users if user.is_system_bot],
    }


@part("realm_user")
def current_user(request: Snapshot) -> dict[str, object]:
    user = request.user
    return {
        "avatar_source": "G" if user.avatar_url is None else "U",
        "avatar_url": avatar_url(user),
        "avatar_url_medium": avatar_url(user, size=500),
        "delivery_email": user.delivery_email,
        "email": api_address(request.organization, user),
        "full_name": user.full_name,
        "is_admin": user.is_administrator,
        "is_guest": user.is_guest,
        "is_moderator": user.role is Role.MODERATOR,
        "is_owner": user.is_owner,
        "user_id": user.id,
    }


@part("user_settings")
def settings(request: Snapshot) -> dict[str, object]:
    return {"user_settings": personal.settings_of(request.user, request.organization.level)}


@part("realm_user_settings_defaults")
def settings_defaults(request: Snapshot) -> dict[str, object]:
    """The default personal settings of new users."""
    return {
        "realm_user_settings_defaults": {
            **{
                name: personal.outgoing(name, value, request.organization.level)
                for name, value in personal_defaults(request.organization).items()
            },
            "emojiset_choices": personal.EMOJISETS,
            "available_notification_sounds": personal.SOUNDS,
        }
    }
