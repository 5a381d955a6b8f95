"""Replacing API keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_server.organization.models import User
from narrowcast_server.storage.key_vault import new_key

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization


def replace_key(organization: Organization, user: User) -> str:
    """Replaces an account's API key; the old key, its additional keys and all its queues end at once."""
    key = new_key()
    organization.users.update(user.id, api_key=organization.vault.seal(key))
    organization.extra_keys.remove_all(user.id)
    organization.hub.end_all_of(user.id)
    if user.is_bot and user.bot_owner_id is not None:
        bot = {"user_id": user.id, "api_key": key}
        organization.emit({"type": "realm_bot", "op": "update", "bot": bot}, [user.bot_owner_id])
    return key
