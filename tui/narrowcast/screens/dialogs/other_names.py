"""Words under which people who come from other chat programs look for a command in the palette."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["OTHER_NAMES"]

OTHER_NAMES: Mapping[str, str] = {
    "account.settings": "preferences",
    "account.switch": "organization workspace server",
    "app.settings": "preferences options sound",
    "app.theme": "dark light mode",
    "channel.archive": "delete",
    "channel.edit": "rename public private",
    "channel.members": "add remove people invite",
    "channel.new": "make room",
    "channel.subscribe": "join leave part",
    "compose.attach": "image picture",
    "go.mentions": "highlights",
    "go.starred": "saved bookmarks",
    "message.delete": "remove",
    "message.history": "revisions versions",
    "message.info": "who reacted",
    "message.receipts": "who seen",
    "message.remind": "later",
    "message.star": "save bookmark",
    "organization.exports": "backup",
    "own.presence": "away offline do not disturb",
    "own.status": "away out of office do not disturb",
    "pane.beside": "split",
    "people.accounts": "members ban remove",
    "people.find": "profile whois",
    "people.invitations": "add members",
    "people.muted": "block ignore",
    "topic.move": "split thread",
    "topic.resolve": "done close thread",
    "write.direct": "private dm query",
    "write.schedule": "send later",
    "write.snippets": "templates canned",
}
"""By command id; a word of the title or of the id need not be repeated."""
