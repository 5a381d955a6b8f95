"""URLs that outgoing webhooks call. They are stored for whoever runs the bot: this server calls none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from narrowcast_server.organization.models import User
from narrowcast_server.storage.key_vault import new_key

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core

INTERFACES: Final = (1, 2)
"""Formats in which an outgoing webhook receives messages: the service's own, or that of Slack."""


def set_service(core: Core, bot: User, url: str, interface: int) -> None:
    """Stores the URL that a bot calls; an existing token is kept."""
    row = core.store.one("SELECT token FROM bot_services WHERE bot_id = ?", bot.id)
    token = core.vault.seal(new_key()) if row is None else row["token"]
    core.store.execute(
        "INSERT OR REPLACE INTO bot_services (bot_id, base_url, interface, token) VALUES (?, ?, ?, ?)",
        bot.id,
        url,
        interface,
        token,
    )
