"""Bots: creating and changing them, their API keys."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import BotType
from narrowcast_server.actions.bot_owners import change_owner, checked_owner
from narrowcast_server.actions.bot_services import INTERFACES, set_service
from narrowcast_server.actions.keys import replace_key
from narrowcast_server.actions.urls import check_url
from narrowcast_server.actions.user_admin import change_address, change_name, deactivate
from narrowcast_server.actions.users import bot_watchers, check_address, check_bot_name, create_user
from narrowcast_server.http.params import defaulted, integer, integer_choice, optional, required, string
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.queries.bots import services_of
from narrowcast_server.queries.users import avatar_url
from narrowcast_server.rules.addresses import api_address
from narrowcast_server.rules.bots import check_may_make_bot, managed_bot, require_may_have_key
from narrowcast_server.rules.permissions import Callers
from narrowcast_server.rules.quotas import check_room

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core
    from narrowcast_server.organization.models import User

routes = Routes()

FULL_NAME = required("full_name", string)
SHORT_NAME = required("short_name", string)
NEW_NAME = optional("full_name", string)
BOT_TYPE = defaulted(
    "bot_type",
    integer_choice(BotType.GENERIC, BotType.INCOMING_WEBHOOK, BotType.OUTGOING_WEBHOOK),
    int(BotType.GENERIC),
)
PAYLOAD_URL = defaulted("payload_url", string, "")
INTERFACE = defaulted("interface_type", integer_choice(*INTERFACES), INTERFACES[0])
NEW_SHORT_NAME = optional("short_name", string, since=Gate.BOT_SHORT_NAME.level)
NEW_OWNER = optional("bot_owner_id", integer)
NEW_URL = optional("service_payload_url", string)
NEW_INTERFACE = defaulted("service_interface", integer_choice(*INTERFACES), INTERFACES[0])
_SHORT_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}\Z")
_DEFAULTS: Final[ResponseBody] = {
    "default_sending_stream": None,
    "default_events_register_stream": None,
    "default_all_public_streams": False,
}


@routes.post("/bots", FULL_NAME, SHORT_NAME, BOT_TYPE, PAYLOAD_URL, INTERFACE, callers=Callers.MEMBERS)
def create_bot(call: Call) -> ResponseBody:
    """Creates a bot of the caller, `<short_name>-bot@...`; returns its id and API key."""
    core, user = call.core, call.user
    check_may_make_bot(core, user, BotType(call[BOT_TYPE]))
    address = _address(core, call[SHORT_NAME])
    calls = call[BOT_TYPE] == BotType.OUTGOING_WEBHOOK
    url = check_url("payload_url", call[PAYLOAD_URL]) if calls else ""
    check_room(core, user, "bots")
    bot = create_user(
        core,
        email=check_address(core, address),
        full_name=check_bot_name(core, call[FULL_NAME]),
        bot_type=BotType(call[BOT_TYPE]),
        owner=user,
    )
    if calls:
        set_service(core, bot, url, call[INTERFACE])
        emit_services(core, bot)
    return {"user_id": bot.id, "api_key": bot.api_key, "avatar_url": avatar_url(bot), **_DEFAULTS}


def _address(core: Core, short_name: str) -> str:
    """The email address of a bot; raises BAD_REQUEST for a short name that cannot be part of one."""
    name = short_name.removesuffix("-bot")
    if not _SHORT_NAME.match(name):
        raise ServiceError("Bad name or username")
    return f"{name}-bot@{core.setting('domain', str)}"


@routes.get("/bots", callers=Callers.MEMBERS)
def list_bots(call: Call) -> ResponseBody:
    """The caller's active bots, with their API keys."""
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


@routes.patch(
    "/bots/{bot_id}", NEW_NAME, NEW_SHORT_NAME, NEW_OWNER, NEW_URL, NEW_INTERFACE, callers=Callers.MEMBERS
)
def update_bot(call: Call) -> ResponseBody:
    """Changes the name, the email address or the owner of a bot, or the URL that an outgoing webhook calls."""
    bot = managed_bot(call.core, call.user, call.path_id("bot_id"))
    name = call[NEW_NAME]
    owner_id = call[NEW_OWNER]
    if owner_id is not None:
        change_owner(call.core, bot, checked_owner(call.core, bot, owner_id))
    if name is not None:
        change_name(call.core, bot, check_bot_name(call.core, name, bot))
    short_name = call[NEW_SHORT_NAME]
    if short_name is not None:
        change_address(call.core, bot, _address(call.core, short_name), check_address)
    url = call[NEW_URL]
    if url is not None:
        if bot.bot_type != BotType.OUTGOING_WEBHOOK:
            raise ServiceError("Only outgoing webhooks have a URL")
        set_service(call.core, bot, check_url("service_payload_url", url), call[NEW_INTERFACE])
        emit_services(call.core, bot)
    bot = call.core.users[bot.id]
    owner = None if bot.bot_owner_id is None else api_address(call.core, call.core.users[bot.bot_owner_id])
    return {
        "full_name": bot.full_name,
        "avatar_url": avatar_url(bot),
        "bot_owner": owner,
        **_service(call),
        **_DEFAULTS,
    }


def _service(call: Call) -> ResponseBody:
    """The request's own parameters for the URL that a bot calls and its configuration, echoed as Zulip servers do."""
    return {
        "service_payload_url": call[NEW_URL],
        "service_interface": call[NEW_INTERFACE],
        "config_data": None,
    }


def emit_services(core: Core, bot: User) -> None:
    """Sends a `realm_bot` update with the URLs that the bot calls, to each of its managers as far as they may see."""
    core.emit(
        {"type": "realm_bot", "op": "update"},
        bot_watchers(core, bot),
        per_user={
            viewer_id: {"bot": {"user_id": bot.id, "services": services_of(core, core.users[viewer_id], bot)}}
            for viewer_id in bot_watchers(core, bot)
        },
    )


@routes.post("/bots/{bot_id}/api_key/regenerate", callers=Callers.MEMBERS)
def regenerate_bot_key(call: Call) -> ResponseBody:
    """Replaces a bot's API key; the old one becomes invalid."""
    bot = managed_bot(call.core, call.user, call.path_id("bot_id"))
    require_may_have_key(call.user, bot)
    return {"api_key": replace_key(call.core, bot)}


@routes.delete("/bots/{bot_id}")
def deactivate_bot(call: Call) -> ResponseBody:
    deactivate(call.core, call.user, managed_bot(call.core, call.user, call.path_id("bot_id")), None)
    return {}
