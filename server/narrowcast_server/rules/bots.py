"""Permissions to create bots, manage them, and have their API keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_api.wire.vocabulary import BotType
from narrowcast_server.organization.errors import ServiceError, insufficient_permission
from narrowcast_server.organization.models import User
from narrowcast_server.rules.permissions import realm_allows, require_member

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core


def check_may_make_bot(core: Core, user: User, kind: BotType) -> None:
    """Raises BAD_REQUEST for guests, bots, and users without permission; incoming webhooks need a lesser one."""
    require_member(user)
    allowed = realm_allows(core, user, "can_create_bots_group") or (
        kind is BotType.INCOMING_WEBHOOK and realm_allows(core, user, "can_create_write_only_bots_group")
    )
    if user.is_bot or not allowed:
        raise insufficient_permission()


def managed_bot(core: Core, caller: User, bot_id: int) -> User:
    """A bot that `caller` owns or administers; raises BAD_REQUEST for other accounts."""
    bot = core.users.get(bot_id)
    if bot is None or not bot.is_bot or bot.is_system_bot:
        raise ServiceError("No such bot")
    if bot.bot_owner_id != caller.id and not caller.is_administrator:
        raise insufficient_permission()
    return bot


def own_bot(core: Core, caller: User, bot_id: int) -> User:
    """An active bot that `caller` owns and whose key they may have; raises BAD_REQUEST for other accounts."""
    bot = managed_bot(core, caller, bot_id)
    if bot.bot_owner_id != caller.id or not bot.is_active:
        raise insufficient_permission()
    require_may_have_key(caller, bot)
    return bot


def require_may_have_key(caller: User, bot: User) -> None:
    """Raises BAD_REQUEST if the bot has a higher role than `caller`."""
    if bot.role < caller.role:
        raise insufficient_permission()
