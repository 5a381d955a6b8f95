"""The bots that the current user manages: their own, and for administrators all bots."""

from __future__ import annotations

from typing import NamedTuple

from narrowcast_api.model.reading import RawRecord, boolean, integer, optional_int, required_int, rows, text


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
