"""Replacing API keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_server.organization.models import User
from narrowcast_server.storage.key_vault import new_key

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core


def replace_key(core: Core, user: User) -> str:
    """Replaces an account's API key; the old key, its additional keys and all its queues end at once."""
    key = new_key()
    core.users.update(user.id, api_key=core.vault.seal(key))
    core.extra_keys.remove_all(user.id)
    core.hub.end_all_of(user.id)
    if user.is_bot and user.bot_owner_id is not None:
        bot = {"user_id": user.id, "api_key": key}
        core.emit({"type": "realm_bot", "op": "update", "bot": bot}, [user.bot_owner_id])
    return key
