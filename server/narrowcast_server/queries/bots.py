"""Bots as shown to those who manage them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_server.organization.models import User
from narrowcast_server.queries.users import avatar_url

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core


def bot_object(core: Core, viewer: User, bot: User) -> dict[str, object]:
    """A bot as its owner and administrators see it; only the owner sees its API key."""
    key = {"api_key": bot.api_key} if bot.bot_owner_id == viewer.id else {}
    return {
        "user_id": bot.id,
        "email": bot.delivery_email,
        "full_name": bot.full_name,
        "bot_type": bot.bot_type,
        "is_active": bot.is_active,
        **key,
        "default_sending_stream": None,
        "default_events_register_stream": None,
        "default_all_public_streams": False,
        "avatar_url": avatar_url(bot),
        "owner_id": bot.bot_owner_id,
        "services": services_of(core, viewer, bot),
    }


def services_of(core: Core, viewer: User, bot: User) -> list[dict[str, object]]:
    """The URLs that a bot calls, as in `realm_bot` objects; only its owner sees the token."""
    row = core.store.one("SELECT base_url, interface, token FROM bot_services WHERE bot_id = ?", bot.id)
    if row is None:
        return []
    token = {"token": core.vault.open(row["token"])} if bot.bot_owner_id == viewer.id else {}
    return [{"base_url": row["base_url"], "interface": row["interface"], **token}]
