"""Bots: making them, renaming them, their keys; and a new key for oneself."""

from __future__ import annotations

import re
from typing import Final

from narrowcast_api.wire.vocabulary import BotType
from narrowcast_server.actions.keys import replace_key
from narrowcast_server.actions.user_admin import change_name, deactivate
from narrowcast_server.actions.users import check_address, check_full_name, create_user
from narrowcast_server.http.params import defaulted, integer_choice, optional, required, string
from narrowcast_server.http.routing import Answer, Call, Routes
from narrowcast_server.organization.errors import ServiceError, insufficient_permission
from narrowcast_server.organization.models import User
from narrowcast_server.queries.users import api_address, avatar_url
from narrowcast_server.rules.permissions import realm_allows, require_may_have_key, require_member
from narrowcast_server.rules.quotas import check_room

routes = Routes()

FULL_NAME = required("full_name", string)
SHORT_NAME = required("short_name", string)
NEW_NAME = optional("full_name", string)
BOT_TYPE = defaulted(
    "bot_type", integer_choice(BotType.GENERIC, BotType.INCOMING_WEBHOOK), int(BotType.GENERIC)
)
_SHORT_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,59}\Z", re.IGNORECASE)
_DEFAULTS: Final[Answer] = {
    "default_sending_stream": None,
    "default_events_register_stream": None,
    "default_all_public_streams": False,
}


@routes.post("/bots", FULL_NAME, SHORT_NAME, BOT_TYPE)
def create_bot(call: Call) -> Answer:
    """A bot of the caller, `<short_name>-bot@...`; its id and its key."""
    core, user = call.core, call.user
    require_member(user)
    if user.is_bot or not _may_make(call):
        raise insufficient_permission()
    short_name = call[SHORT_NAME].removesuffix("-bot")
    if not _SHORT_NAME.match(short_name):
        raise ServiceError("Bad name or username")
    check_room(core, user, "bots")
    bot = create_user(
        core,
        email=check_address(core, f"{short_name}-bot@{core.setting_str('domain')}"),
        full_name=check_full_name(core, call[FULL_NAME]),
        bot_type=BotType(call[BOT_TYPE]),
        owner=user,
    )
    return {"user_id": bot.id, "api_key": bot.api_key, "avatar_url": avatar_url(bot), **_DEFAULTS}


def _may_make(call: Call) -> bool:
    """Bots that only write need less than those that read."""
    if realm_allows(call.core, call.user, "can_create_bots_group"):
        return True
    return call[BOT_TYPE] == BotType.INCOMING_WEBHOOK and realm_allows(
        call.core, call.user, "can_create_write_only_bots_group"
    )


@routes.get("/bots")
def list_bots(call: Call) -> Answer:
    """The caller's active bots, with their keys."""
    return {
        "bots": [
            {
                "username": bot.delivery_email,
                "full_name": bot.full_name,
                "api_key": bot.api_key,
                "avatar_url": avatar_url(bot),
                **_DEFAULTS,
            }
            for bot in call.core.users.all()
            if bot.is_bot and bot.is_active and bot.bot_owner_id == call.user.id
        ]
    }


@routes.patch("/bots/{bot_id}", NEW_NAME)
def update_bot(call: Call) -> Answer:
    """Renames a bot."""
    bot = _managed(call)
    name = call[NEW_NAME]
    if name is not None:
        change_name(call.core, bot, check_full_name(call.core, name))
    bot = call.core.users[bot.id]
    owner = None if bot.bot_owner_id is None else api_address(call.core, call.core.users[bot.bot_owner_id])
    return {"full_name": bot.full_name, "avatar_url": avatar_url(bot), "bot_owner": owner, **_DEFAULTS}


@routes.post("/bots/{bot_id}/api_key/regenerate")
def regenerate_bot_key(call: Call) -> Answer:
    """A new key for a bot; the old one ends."""
    bot = _managed(call)
    require_may_have_key(call.user, bot)
    return {"api_key": replace_key(call.core, bot)}


@routes.delete("/bots/{bot_id}")
def deactivate_bot(call: Call) -> Answer:
    """Deactivates a bot."""
    deactivate(call.core, call.user, _managed(call), None)
    return {}


@routes.post("/users/me/api_key/regenerate")
def regenerate_own_key(call: Call) -> Answer:
    """A new key for the caller; the one of this request ends."""
    return {"api_key": replace_key(call.core, call.user)}


def _managed(call: Call) -> User:
    """A bot that the caller owns or administers; raises BAD_REQUEST for any other account."""
    bot = call.core.users.get(call.path_id("bot_id"))
    if bot is None or not bot.is_bot or bot.is_system_bot:
        raise ServiceError("No such bot")
    if bot.bot_owner_id != call.user.id and not call.user.is_administrator:
        raise insufficient_permission()
    return bot
