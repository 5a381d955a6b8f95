"""The bots that the caller manages: one's own, of administrators those of all."""

from __future__ import annotations

from typing import NamedTuple

from narrowcast_api.model.reading import RawRecord, boolean, integer, optional_int, required_int, rows, text


class ManagedBot(NamedTuple):
    """A bot that one manages. Its key, and the token of a webhook, are not kept: ask for them when they are wanted."""

    user_id: int
    full_name: str
    is_active: bool
    owner_id: int | None
    payload_url: str = ""
    """What an outgoing webhook calls; empty for other bots."""
    interface_type: int = 1
    """How it is told of messages."""


def read_managed_bot(row: RawRecord) -> ManagedBot:
    return ManagedBot(
        required_int(row, "user_id"),
        text(row, "full_name"),
        boolean(row, "is_active", True),
        optional_int(row, "owner_id"),
        *_service(row),
    )


class BotChange(NamedTuple):
    """New values of a bot, by their names on the wire and without its key; what is not there stays."""

    user_id: int
    values: RawRecord


def read_managed_bot_change(row: RawRecord) -> BotChange:
    """The `bot` of a `realm_bot` event that changes or removes one."""
    values = {key: row[key] for key in row if key not in {"user_id", "api_key"}}
    return BotChange(required_int(row, "user_id"), values)


def changed_bot(bot: ManagedBot, values: RawRecord) -> ManagedBot:
    """The bot with new values."""
    return ManagedBot(
        bot.user_id,
        text(values, "full_name", bot.full_name),
        boolean(values, "is_active", bot.is_active),
        optional_int(values, "owner_id") if "owner_id" in values else bot.owner_id,
        *(_service(values) if "services" in values else (bot.payload_url, bot.interface_type)),
    )


def _service(row: RawRecord) -> tuple[str, int]:
    """What an outgoing webhook calls, and in which form."""
    service = next(rows(row.get("services")), {})
    return text(service, "base_url"), integer(service, "interface", 1)
