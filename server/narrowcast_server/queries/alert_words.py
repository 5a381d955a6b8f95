"""Alert words: words of which users want to be notified."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_server.organization.models import User

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core


def alert_words(core: Core, user: User) -> list[str]:
    """A user's alert words, in their order."""
    return core.store.strings("SELECT word FROM alert_words WHERE user_id = ? ORDER BY position", user.id)
