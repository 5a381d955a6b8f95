"""Bots: who may create and manage them, their owners, their URLs, their API keys."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import BotType
from narrowcast_server.actions.keys import replace_key
from narrowcast_server.actions.urls import check_url
from narrowcast_server.http.params import (
    defaulted,
    integer,
    integer_choice,
    optional,
    required,
    string,
    takes_text,
)
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.errors import ServiceError, insufficient_permission
from narrowcast_server.organization.event_variants import without_keys
from narrowcast_server.organization.models import User
from narrowcast_server.queries.snapshot.parts import Snapshot, part
from narrowcast_server.queries.users import avatar_url, bot_object, services_of
from narrowcast_server.resources.users.accounts import (
    bot_watchers,
    check_address,
    check_bot_name,
    create_user,
    emit_person,
)
from narrowcast_server.resources.users.changes import change_address, change_name, deactivate
from narrowcast_server.rules.addresses import api_address
from narrowcast_server.rules.permissions import Callers, realm_allows, require_member
from narrowcast_server.rules.quotas import check_room, has_room
from narrowcast_server.storage.key_vault import new_key

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

INTERFACES: Final = (1, 2)
"""Formats in which an outgoing webhook receives messages: the service's own, or that of Slack."""


def check_may_make_bot(organization: Organization, user: User, kind: BotType) -> None:
    """Raises BAD_REQUEST for guests, bots, and users without permission; incoming webhooks need a lesser one."""
    require_member(user)
    allowed = realm_allows(organization, user, "can_create_bots_group") or (
        kind is BotType.INCOMING_WEBHOOK
        and realm_allows(organization, user, "can_create_write_only_bots_group")
    )
    if user.is_bot or not allowed:
        raise insufficient_permission()


def managed_bot(organization: Organization, caller: User, bot_id: int) -> User:
    """A bot that `caller` owns or administers; raises BAD_REQUEST for other accounts."""
    bot = organization.users.get(bot_id)
    if bot is None or not bot.is_bot or bot.is_system_bot:
        raise ServiceError("No such bot")
    if bot.bot_owner_id != caller.id and not caller.is_administrator:
        raise insufficient_permission()
    return bot


def own_bot(organization: Organization, caller: User, bot_id: int) -> User:
    """An active bot that `caller` owns and whose key they may have; raises BAD_REQUEST for other accounts."""
    bot = managed_bot(organization, caller, bot_id)
    if bot.bot_owner_id != caller.id or not bot.is_active:
        raise insufficient_permission()
    require_may_have_key(caller, bot)
    return bot


def require_may_have_key(caller: User, bot: User) -> None:
    """Raises BAD_REQUEST if the bot has a higher role than `caller`."""
    if bot.role < caller.role:
        raise insufficient_permission()


def set_service(organization: Organization, bot: User, url: str, interface: int) -> None:
    """Stores the URL that a bot calls, and tells its managers; an existing token is kept."""
    row = organization.store.one("SELECT * FROM bot_services WHERE bot_id = ?", bot.id)
    if row is not None and (row["base_url"], row["interface"]) == (url, interface):
        return
    token = organization.vault.seal(new_key()) if row is None else row["token"]
    organization.store.execute(
        "INSERT OR REPLACE INTO bot_services (bot_id, base_url, interface, token) VALUES (?, ?, ?, ?)",
        bot.id,
        url,
        interface,
        token,
    )
    # As far as each of them may see.
    organization.emit(
        {"type": "realm_bot", "op": "update"},
        bot_watchers(organization, bot),
        per_user={
            viewer_id: {
                "bot": {
                    "user_id": bot.id,
                    "services": services_of(organization, organization.users[viewer_id], bot),
                }
            }
            for viewer_id in bot_watchers(organization, bot)
        },
    )


def checked_owner(organization: Organization, bot: User, owner_id: int) -> User:
    """The new owner; raises BAD_REQUEST unless they may own the bot, whose role may not be above theirs."""
    owner = organization.users.get(owner_id)
    if owner is None or owner.is_system_bot:
        raise ServiceError("Failed to change owner, no such user")
    if not owner.is_active:
        raise ServiceError("Failed to change owner, user is deactivated")
    if owner.is_bot:
        raise ServiceError("Failed to change owner, bots can't own other bots")
    if bot.role < owner.role:
        raise ServiceError("A bot cannot have a higher role than its owner has.")
    if owner.id != bot.bot_owner_id and not has_room(organization, owner, "bots"):
        raise ServiceError("Failed to change owner, user has too many bots")
    return owner


def change_owner(organization: Organization, bot: User, owner: User) -> None:
    """Gives a bot to `owner`, for whom it is added, with its key; for the previous owner it is deleted, unless
    they see all bots.
    """
    if bot.bot_owner_id == owner.id:
        return
    before = set(bot_watchers(organization, bot))
    organization.users.update(bot.id, bot_owner_id=owner.id)
    bot = organization.users[bot.id]
    after = set(bot_watchers(organization, bot))
    organization.emit({"type": "realm_bot", "op": "delete", "bot": {"user_id": bot.id}}, before - after)
    organization.emit(
        {"type": "realm_bot", "op": "add", "bot": bot_object(organization, owner, bot)}, [owner.id]
    )
    update = {"user_id": bot.id, "owner_id": owner.id}
    organization.emit({"type": "realm_bot", "op": "update", "bot": update}, (before & after) - {owner.id})
    emit_person(organization, bot, bot_owner_id=owner.id)


@part("realm_bot")
def own_bots(request: Snapshot) -> dict[str, object]:
    """The bots that the caller manages; with the API keys of own ones."""
    user = request.user
    bots = [
        bot_object(request.organization, user, bot)
        for bot in request.organization.users.all()
        if bot.is_bot and not bot.is_system_bot and (user.is_administrator or bot.bot_owner_id == user.id)
    ]
    return {"realm_bots": bots if request.options.shows_keys else [without_keys(bot) for bot in bots]}


routes = Routes()

FULL_NAME = required("full_name", string)
SHORT_NAME = required("short_name", string)
NEW_NAME = optional("full_name", string)
BOT_TYPE = defaulted(
    "bot_type",
    integer_choice(BotType.GENERIC, BotType.INCOMING_WEBHOOK, BotType.OUTGOING_WEBHOOK),
    int(BotType.GENERIC),
)
PAYLOAD_URL = defaulted("payload_url", takes_text(check_url), "")
INTERFACE = defaulted("interface_type", integer_choice(*INTERFACES), INTERFACES[0])
NEW_SHORT_NAME = optional("short_name", string, since=Gate.BOT_SHORT_NAME.level)
NEW_OWNER = optional("bot_owner_id", integer)
NEW_URL = optional("service_payload_url", takes_text(check_url))
NEW_INTERFACE = defaulted("service_interface", integer_choice(*INTERFACES), INTERFACES[0])
_SHORT_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}\Z")
_DEFAULTS: Final[ResponseBody] = {
    "default_sending_stream": None,
    "default_events_register_stream": None,
    "default_all_public_streams": False,
}


@routes.post("/bots", FULL_NAME, SHORT_NAME, BOT_TYPE, PAYLOAD_URL, INTERFACE, callers=Callers.MEMBERS)
def post_bot(call: Call) -> ResponseBody:
    """Creates a bot of the caller, `<short_name>-bot@...`; returns its id and API key."""
    organization, user = call.organization, call.user
    check_may_make_bot(organization, user, BotType(call[BOT_TYPE]))
    address = _address(organization, call[SHORT_NAME])
    calls = call[BOT_TYPE] == BotType.OUTGOING_WEBHOOK
    url = check_url("payload_url", call[PAYLOAD_URL]) if calls else ""
    check_room(organization, user, "bots")
    bot = create_user(
        organization,
        email=check_address(organization, address),
        full_name=check_bot_name(organization, call[FULL_NAME]),
        bot_type=BotType(call[BOT_TYPE]),
        owner=user,
    )
    if calls:
        set_service(organization, bot, url, call[INTERFACE])
    return {"user_id": bot.id, "api_key": bot.api_key, "avatar_url": avatar_url(bot), **_DEFAULTS}


def _address(organization: Organization, short_name: str) -> str:
    """The email address of a bot; raises BAD_REQUEST for a short name that cannot be part of one."""
    name = short_name.removesuffix("-bot")
    if not _SHORT_NAME.match(name):
        raise ServiceError("Bad name or username")
    return f"{name}-bot@{organization.setting('domain', str)}"


@routes.get("/bots", callers=Callers.MEMBERS)
def get_bots(call: Call) -> ResponseBody:
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
            for bot in call.organization.users.all()
            if bot.is_bot and bot.is_active and bot.bot_owner_id == call.user.id
        ]
    }


@routes.patch(
    "/bots/{bot_id}", NEW_NAME, NEW_SHORT_NAME, NEW_OWNER, NEW_URL, NEW_INTERFACE, callers=Callers.MEMBERS
)
def patch_bot(call: Call) -> ResponseBody:
    """Changes the name, the email address or the owner of a bot, or the URL that an outgoing webhook calls."""
    bot = managed_bot(call.organization, call.user, call.path_id("bot_id"))
    name = call[NEW_NAME]
    owner_id = call[NEW_OWNER]
    if owner_id is not None:
        change_owner(call.organization, bot, checked_owner(call.organization, bot, owner_id))
    if name is not None:
        change_name(call.organization, bot, check_bot_name(call.organization, name, bot))
    short_name = call[NEW_SHORT_NAME]
    if short_name is not None:
        change_address(call.organization, bot, _address(call.organization, short_name), check_address)
    url = call[NEW_URL]
    if url is not None:
        if bot.bot_type != BotType.OUTGOING_WEBHOOK:
            raise ServiceError("Only outgoing webhooks have a URL")
        set_service(call.organization, bot, url, call[NEW_INTERFACE])
    bot = call.organization.users[bot.id]
    owner = (
        None
        if bot.bot_owner_id is None
        else api_address(call.organization, call.organization.users[bot.bot_owner_id])
    )
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


@routes.post("/bots/{bot_id}/api_key/regenerate", callers=Callers.MEMBERS)
def post_bot_key(call: Call) -> ResponseBody:
    """Replaces a bot's API key; the old one becomes invalid."""
    bot = managed_bot(call.organization, call.user, call.path_id("bot_id"))
    require_may_have_key(call.user, bot)
    return {"api_key": replace_key(call.organization, bot)}


@routes.delete("/bots/{bot_id}")
def delete_bot(call: Call) -> ResponseBody:
    deactivate(
        call.organization, call.user, managed_bot(call.organization, call.user, call.path_id("bot_id")), None
    )
    return {}
