"""Bots of one's own."""

from __future__ import annotations

from typing import NamedTuple

from narrowcast_api.model.reading import Row, boolean, optional_int, required_int, text


class OwnBot(NamedTuple):
    """A bot of one's own. Its key is not kept: ask for it when it is wanted."""

    user_id: int
    full_name: str
    is_active: bool
    owner_id: int | None


def read_own_bot(row: Row) -> OwnBot:
    """A row of `realm_bots`."""
    return OwnBot(
        required_int(row, "user_id"),
        text(row, "full_name"),
        boolean(row, "is_active", True),
        optional_int(row, "owner_id"),
    )


class OwnBotChange(NamedTuple):
    """New values of a bot, by their names on the wire and without its key; what is not there stays."""

    user_id: int
    values: Row


def read_own_bot_change(row: Row) -> OwnBotChange:
    """The `bot` of a `realm_bot` event that changes or removes one."""
    values = {key: row[key] for key in row if key not in {"user_id", "api_key"}}
    return OwnBotChange(required_int(row, "user_id"), values)


def changed_bot(bot: OwnBot, values: Row) -> OwnBot:
    """The bot with new values."""
    return OwnBot(
        bot.user_id,
        text(values, "full_name", bot.full_name),
        boolean(values, "is_active", bot.is_active),
        optional_int(values, "owner_id") if "owner_id" in values else bot.owner_id,
    )
