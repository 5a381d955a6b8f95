"""The bots that the current user manages: their own, and for administrators all bots.

Outside the contract (CONV-23).
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, NamedTuple

from narrowcast_api.errors import InvalidInput, MalformedResponse, NarrowcastError
from narrowcast_api.http.encoding import OMIT, Omit
from narrowcast_api.http.operations import Bound, Done, Operations, given, read, segment
from narrowcast_api.http.secret import Secret
from narrowcast_api.model.reading import RawRecord, boolean, integer, optional_int, required_int, rows, text
from narrowcast_api.resources.collection import Collection, EventHandlers
from narrowcast_api.wire.event import Event
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.model import GoodList, Id, Int, WireModel, read_by
from narrowcast_api.wire.vocabulary import BotType, WebhookInterface

if TYPE_CHECKING:
    from narrowcast_api.http.connection import Connection


_QUEUE_SECONDS = 5.0
"""How long the end of a queue may take that was only needed for a token."""


class ManagedBot(NamedTuple):
    """A bot that the current user manages, without its key and the token of a webhook: request those when needed."""

    user_id: int
    full_name: str
    is_active: bool
    owner_id: int | None
    payload_url: str = ""
    """The address that an outgoing webhook calls; empty for other bots."""
    interface_type: int = 1
    """The format in which it receives messages."""


def read_managed_bot(row: RawRecord) -> ManagedBot:
    return ManagedBot(
        required_int(row, "user_id"),
        text(row, "full_name"),
        boolean(row, "is_active", True),
        optional_int(row, "owner_id"),
        *_service(row),
    )


class BotChange(NamedTuple):
    """Changed properties of a bot, by wire name and without its key."""

    user_id: int
    values: RawRecord


def read_managed_bot_change(row: RawRecord) -> BotChange:
    """Reads the `bot` of a `realm_bot` event that changes or removes a bot."""
    values = {key: row[key] for key in row if key not in {"user_id", "api_key"}}
    return BotChange(required_int(row, "user_id"), values)


def changed_bot(bot: ManagedBot, values: RawRecord) -> ManagedBot:
    """Returns the bot with the changed properties."""
    return ManagedBot(
        bot.user_id,
        text(values, "full_name", bot.full_name),
        boolean(values, "is_active", bot.is_active),
        optional_int(values, "owner_id") if "owner_id" in values else bot.owner_id,
        *(_service(values) if "services" in values else (bot.payload_url, bot.interface_type)),
    )


def _service(row: RawRecord) -> tuple[str, int]:
    """The address that an outgoing webhook calls, and the format."""
    service = next(rows(row.get("services")), {})
    return text(service, "base_url"), integer(service, "interface", 1)


def collection() -> Collection[int, ManagedBot]:
    """The bots in the state."""
    return Collection("realm_bots", lambda bot: bot.user_id, read_managed_bot)


# events


handlers = EventHandlers[Collection[int, ManagedBot]]()


class RealmBotEvent(Event):
    """Base class of events about the bots that the current user manages."""

    type: Literal["realm_bot"] = "realm_bot"


class RealmBotAddEvent(RealmBotEvent):
    """The current user has a new bot to manage."""

    op: Literal["add"] = "add"
    bot: Annotated[ManagedBot, read_by(read_managed_bot)]


class RealmBotUpdateEvent(RealmBotEvent):
    """Properties of a bot changed."""

    op: Literal["update"] = "update"
    bot: Annotated[BotChange, read_by(read_managed_bot_change)]


class RealmBotRemoveEvent(RealmBotEvent):
    """A bot was removed; some servers send ``delete`` instead."""

    op: Literal["remove", "delete"] = "remove"
    bot: Annotated[BotChange, read_by(read_managed_bot_change)]


@handlers.of(RealmBotAddEvent)
def _add(bots: Collection[int, ManagedBot], event: RealmBotAddEvent) -> None:
    bots.put([event.bot])


@handlers.of(RealmBotUpdateEvent)
def _update(bots: Collection[int, ManagedBot], event: RealmBotUpdateEvent) -> None:
    bot = bots.get(event.bot.user_id)
    if bot is not None:
        bots.put([changed_bot(bot, event.bot.values)])


@handlers.of(RealmBotRemoveEvent)
def _remove(bots: Collection[int, ManagedBot], event: RealmBotRemoveEvent) -> None:
    bots.remove(event.bot.user_id)


# operations


class Bot(WireModel):
    """A bot of the current user. In the list its address is called ``username``."""

    user_id: Id | None = None
    username: str | None = None
    full_name: str = ""
    api_key: str | None = None
    avatar_url: str | None = None
    bot_type: Int | None = None
    is_active: bool = True
    owner_id: Id | None = None
    default_sending_stream: str | None = None
    default_events_register_stream: str | None = None
    default_all_public_streams: bool = False

    hidden_fields: ClassVar[frozenset[str]] = frozenset({"api_key"})


class BotList(WireModel):
    bots: GoodList[Bot] = []


async def list_bots(connection: Connection) -> list[Bot]:
    """GET /bots: the current user's bots. A bot's API key is in `api_key` and never shown by `repr`."""
    return list(read(BotList, await connection.request("GET", "/bots")).bots)


async def create_bot(
    connection: Connection,
    *,
    full_name: str,
    short_name: str,
    bot_type: BotType | int = BotType.GENERIC,
    payload_url: str | Omit = OMIT,
    interface_type: WebhookInterface | Omit = OMIT,
) -> Bot:
    """POST /bots: create a bot; returns it with its key. `short_name` becomes the start of its email address.

    An outgoing webhook needs `payload_url`, the address to which the server posts messages for the bot, in
    the format `interface_type`.

    Raises BadRequest if the name or the address is taken, PermissionDenied if the current user may not create bots.
    """
    if not full_name.strip() or not short_name.strip():
        raise InvalidInput("a bot needs a name and a short name")
    if (bot_type == BotType.OUTGOING_WEBHOOK) == isinstance(payload_url, Omit):
        raise InvalidInput("an outgoing webhook needs the address that it calls; other bots have none")
    params = given(
        full_name=full_name,
        short_name=short_name,
        bot_type=int(bot_type),
        payload_url=payload_url,
        interface_type=interface_type if isinstance(interface_type, Omit) else int(interface_type),
    )
    return read(Bot, await connection.request("POST", "/bots", params))


async def update_bot(
    connection: Connection,
    *,
    bot_id: int,
    full_name: str | Omit = OMIT,
    short_name: str | Omit = OMIT,
    bot_owner_id: int | Omit = OMIT,
    payload_url: str | Omit = OMIT,
    interface_type: WebhookInterface | Omit = OMIT,
) -> Bot:
    """PATCH /bots/{bot_id}: change the name, the owner, or the address that an outgoing webhook calls.

    `short_name` changes the start of its email address; it needs level 447, else Unsupported.
    `interface_type` is sent with `payload_url` only, and is generic by default.
    """
    params = given(full_name=full_name, short_name=short_name, bot_owner_id=bot_owner_id)
    if "short_name" in params:
        (await connection.identified()).require(Gate.BOT_SHORT_NAME)
    if not isinstance(payload_url, Omit):
        params["service_payload_url"] = payload_url
        kind = WebhookInterface.GENERIC if isinstance(interface_type, Omit) else interface_type
        params["service_interface"] = int(kind)
    if not params:
        raise InvalidInput("nothing to change")
    return read(Bot, await connection.request("PATCH", f"/bots/{segment(bot_id, 'bot_id')}", params))


async def deactivate_bot(connection: Connection, *, bot_id: int) -> Done:
    """DELETE /bots/{bot_id}: deactivate a bot, so that its key stops working; `users.reactivate` reverts this."""
    return read(Done, await connection.request("DELETE", f"/bots/{segment(bot_id, 'bot_id')}"))


async def regenerate_bot_key(connection: Connection, *, bot_id: int) -> Secret:
    """POST /bots/{bot_id}/api_key/regenerate: replace the API key; returns the new one, the old one stops working."""
    path = f"/bots/{segment(bot_id, 'bot_id')}/api_key/regenerate"
    return _key(await connection.request("POST", path))


async def get_bot_key(connection: Connection, *, bot_id: int) -> Secret:
    """GET /bots/{bot_id}/api_key: the API key of a bot of the current user; level 463, else Unsupported. Older
    servers have it in the list of bots.
    """
    (await connection.identified()).require(Gate.BOT_KEY)
    return _key(await connection.request("GET", f"/bots/{segment(bot_id, 'bot_id')}/api_key"))


def _key(response: RawRecord) -> Secret:
    key = response.get("api_key")
    if not isinstance(key, str) or not key:
        raise MalformedResponse("the response holds no API key")
    return Secret(key)


async def webhook_token(connection: Connection, *, bot_id: int) -> Secret:
    """POST /register for bots only: returns the token that the server sends with each call of an outgoing
    webhook, by which the receiver authenticates the server. The event queue is deleted at once; errors in
    that are ignored. The token is empty for other bots, and for bots whose token the server does not reveal
    to the current user.
    """
    wanted = ["realm_bot"]
    params = {"event_types": wanted, "fetch_event_types": wanted}
    response = await connection.request("POST", "/register", params)
    queue_id = response.get("queue_id")
    if isinstance(queue_id, str):
        with suppress(NarrowcastError):
            await connection.request(
                "DELETE", "/events", {"queue_id": queue_id}, timeout=_QUEUE_SECONDS, bucket="events"
            )
    services = [
        service
        for bot in rows(response.get("realm_bots"))
        if integer(bot, "user_id") == bot_id
        for service in rows(bot.get("services"))
    ]
    return Secret(text(services[0], "token") if services else "")


class BotOperations(Operations):
    """The bots that the current user owns."""

    list = Bound(list_bots)
    create = Bound(create_bot)
    update = Bound(update_bot)
    deactivate = Bound(deactivate_bot)
    key = Bound(get_bot_key)
    regenerate_key = Bound(regenerate_bot_key)
    webhook_token = Bound(webhook_token)
