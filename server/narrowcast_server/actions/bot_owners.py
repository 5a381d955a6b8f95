"""Changing the owner of a bot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_server.actions.users import bot_watchers, emit_person
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import User
from narrowcast_server.queries.bots import bot_object
from narrowcast_server.rules.quotas import has_room

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core


def checked_owner(core: Core, bot: User, owner_id: int) -> User:
    """The new owner; raises BAD_REQUEST unless they may own the bot, whose role may not be above theirs."""
    owner = core.users.get(owner_id)
    if owner is None or owner.is_system_bot:
        raise ServiceError("Failed to change owner, no such user")
    if not owner.is_active:
        raise ServiceError("Failed to change owner, user is deactivated")
    if owner.is_bot:
        raise ServiceError("Failed to change owner, bots can't own other bots")
    if bot.role < owner.role:
        raise ServiceError("A bot cannot have a higher role than its owner has.")
    if owner.id != bot.bot_owner_id and not has_room(core, owner, "bots"):
        raise ServiceError("Failed to change owner, user has too many bots")
    return owner


def change_owner(core: Core, bot: User, owner: User) -> None:
    """Gives a bot to `owner`, for whom it is added, with its key; for the previous owner it is deleted, unless
    they see all bots.
    """
    if bot.bot_owner_id == owner.id:
        return
    before = set(bot_watchers(core, bot))
    core.users.update(bot.id, bot_owner_id=owner.id)
    bot = core.users[bot.id]
    after = set(bot_watchers(core, bot))
    core.emit({"type": "realm_bot", "op": "delete", "bot": {"user_id": bot.id}}, before - after)
    core.emit({"type": "realm_bot", "op": "add", "bot": bot_object(core, owner, bot)}, [owner.id])
    update = {"user_id": bot.id, "owner_id": owner.id}
    core.emit({"type": "realm_bot", "op": "update", "bot": update}, (before & after) - {owner.id})
    emit_person(core, bot, bot_owner_id=owner.id)
