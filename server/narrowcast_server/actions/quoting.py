"""Mentions, links and quotes in the text of notices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_server.organization.models import Message, User

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization


def silent_mention(user: User) -> str:
    """A mention of a user that notifies nobody."""
    return f"@_**{user.full_name}|{user.id}**"


def place_of(organization: Organization, message: Message) -> str:
    """A link to a channel message; for a direct message only words, since others cannot open it."""
    if message.channel_id is None:
        return "a direct message"
    return f"#**{organization.channels[message.channel_id].name}>{message.topic}@{message.id}**"


def quoted(content: str, fence: str = "```", info: str = "quote") -> str:
    """A quote of any text, with a fence longer than any in the text. `info`: what follows the opening fence."""
    while fence in content:
        fence += "`"
    return f"{fence}{info}\n{content}\n{fence}"
