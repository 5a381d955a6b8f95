"""Names of people, channels, topics and views on screen. Results are still unfiltered texts of the server:
show them through ``safe_text``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from narrowcast.text.columns import most_columns
from narrowcast.text.formats import excerpt
from narrowcast_api.narrow.destinations import ChannelDestination, Destination
from narrowcast_api.narrow.narrow import Narrow, operand_text
from narrowcast_assets.emoji import character_of, emoji_names

if TYPE_CHECKING:
    from narrowcast_api.model.channels import Channel
    from narrowcast_api.model.users import User
    from narrowcast_api.resources.channel_folders import ChannelFolder
    from narrowcast_api.resources.status import Status
    from narrowcast_api.state.state import State

NOTES_TO_MYSELF = "Notes to yourself"
SEE_MATCHES = "Type a part of the name to see what matches."
"""Advice for an unknown name, in fields with completion."""


INCOMPATIBLE = "The server says that it no longer supports this version of Narrowcast."

_DESCRIPTION_LENGTH = 300
_COMMAS = 3
"""Maximum number of commas in a name of a list."""


def person(state: State, user_id: int) -> str:
    """A user's name, and that they are a guest if the organization wants it shown."""
    name = state.users.name(user_id)
    return f"{name} (guest)" if is_marked_guest(state, user_id) else name


def is_marked_guest(state: State, user_id: int) -> bool:
    user = state.users.get(user_id)
    return user is not None and user.is_guest and state.organization.flag("enable_guest_user_indicator")


def people(state: State, user_ids: Iterable[int]) -> str:
    """The names of some people, in alphabetical order."""
    return ", ".join(sorted((person(state, user_id) for user_id in user_ids), key=str.casefold))


def initials(name: str) -> str:
    """The letters that stand for a name: the first ones of its first and last words, at most two columns."""
    words = [word for word in (part.lstrip("(\"'@#") for part in name.split()) if word]
    letters = [words[0][0], *([words[-1][0]] if len(words) > 1 else [])] if words else ["?"]
    shown = "".join(letters).upper()
    return shown if most_columns(shown) <= 2 else shown[:1] if most_columns(shown[:1]) <= 2 else "?"


def organization(html: str) -> str:
    """The description of an organization as text of one line, from the HTML that servers send."""
    return " ".join(excerpt(html, time.time()).split())[:_DESCRIPTION_LENGTH]


def gone(user: User | None) -> str:
    """The word for the account of a user who is not active."""
    return "deleted" if user is not None and user.is_deleted else "deactivated"


def activity(state: State, user_ids: Sequence[int], doing: str) -> str:
    """Who does something now, such as 'Ada is typing…'; more than three users are counted. Empty for nobody."""
    if not user_ids:
        return ""
    if len(user_ids) > 3:
        return f"{len(user_ids)} people are {doing}…"
    names = ", ".join(state.users.name(user_id) for user_id in user_ids)
    return f"{names} {'is' if len(user_ids) == 1 else 'are'} {doing}…"


def recipients(state: State, user_ids: Iterable[int]) -> str:
    """People in the form of the recipients field: an ambiguous name is followed by its id."""
    return ", ".join(sorted((recipient(state, user_id) for user_id in user_ids), key=str.casefold))


def recipient(state: State, user_id: int) -> str:
    name = state.users.name(user_id)
    if "," in name or name != name.strip() or state.user_id(name) != user_id:
        return f"{' '.join(name.replace(',', ' ').split())}|{user_id}"
    return name


def listed(text: str, id_of: Callable[[str], int | None]) -> Iterator[tuple[str, int | None]]:
    """The names in a comma-separated list, and their ids; None for unknown names. A name may contain commas
    if ``id_of`` knows it; an id is only accepted after a name without commas (`recipient`).
    """
    parts = text.split(",")
    start = 0
    while start < len(parts):
        for end in range(min(len(parts), start + 1 + _COMMAS), start, -1):
            name = ",".join(parts[start:end]).strip()
            is_single = end == start + 1
            found = id_of(name) if name and (is_single or "|" not in name) else None
            if found is not None or is_single:
                break
        if name:
            yield name, found
        start = end


def signed(id_of: Callable[[str], int | None]) -> Callable[[str], int | None]:
    """``id_of`` for names that may be preceded by the sign of a channel or a mention."""

    def found(name: str) -> int | None:
        exact = id_of(name)
        return id_of(unsigned(name)) if exact is None else exact

    return found


def unsigned(name: str) -> str:
    """A name without # or @ before it."""
    return name.lstrip("#@").strip()


def conversation(state: State, user_ids: frozenset[int]) -> str:
    """The name of a direct conversation with ``user_ids`` (without the current user)."""
    return people(state, user_ids) or NOTES_TO_MYSELF


def topic(state: State, name: str) -> str:
    """A topic's name; for the empty topic, the server's name for it."""
    return name or state.limits.empty_topic_name


def emoji(state: State) -> list[str]:
    """The names of all usable emoji, the organization's own first."""
    own = (custom.name for custom in state.custom_emoji if not custom.deactivated)
    return [*dict.fromkeys((*own, *emoji_names().name_to_code))]


def channel(state: State, channel_id: int) -> str:
    """A channel's name; for a channel that is gone, its last known name."""
    return state.channels.last_name(channel_id) or f"channel {channel_id}"


def open_channels(state: State) -> dict[int, str]:
    """The names of the channels that are not archived, by their ids."""
    return {channel.channel_id: channel.name for channel in state.channels if not channel.is_archived}


def channel_sign(channel: Channel) -> str:
    """The mark before a channel's name."""
    return "◈" if channel.invite_only else "#"


def channel_color(channel: Channel) -> str:
    """The color that the user chose for a channel, such as "#76ce90"; empty if there is none."""
    own = channel.subscription
    return f"#{own.color.removeprefix('#')}" if own is not None and own.color else ""


def about(described: Channel | ChannelFolder) -> str:
    """The description of a channel or folder in one line, without its Markdown."""
    return excerpt(described.rendered_description, time.time()) or described.description


def destination(state: State, where: Destination) -> str:
    """The destination of a message, in one line."""
    if isinstance(where, ChannelDestination):
        return f"#{channel(state, where.channel_id)} › {topic(state, where.topic)}"
    return conversation(state, where.user_ids)


def view(state: State, narrow: Narrow) -> str:
    if not narrow.terms:
        return "Combined feed"
    if narrow == Narrow.mentions():
        return "Mentions"
    if narrow == Narrow.starred():
        return "Starred messages"
    if narrow == Narrow.directs():
        return "Direct messages"
    if narrow.destination is not None:
        return destination(state, narrow.destination)
    if narrow.channel_id is not None and len(narrow.terms) == 1:
        return f"#{channel(state, narrow.channel_id)}"
    return "Search: " + terms(state, narrow)


def terms(state: State, narrow: Narrow) -> str:
    """A narrow as text for the search box."""
    parts = []
    for term in narrow.terms:
        operand: object = term.operand
        if isinstance(operand, frozenset):
            operand = recipients(state, operand) or "me"
        elif term.operator in ("sender", "mentions") and isinstance(operand, int):
            operand = recipient(state, operand)
        elif term.operator == "channel" and isinstance(operand, int):
            operand = channel(state, operand)
        text = str(operand)
        if term.operator != "search":
            text = f"{'-' if term.negated else ''}{term.operator}:{operand_text(text)}"
        parts.append(text)
    return " ".join(parts)


def status(status: Status, *, in_column: bool = False) -> str:
    """A status as text with its emoji; custom emoji, which are images, are shown by name. ``in_column``: the text
    begins in the same column behind an emoji of one cell as behind one of two.
    """
    emoji = character_of(status.emoji_code) if status.reaction_type == "unicode_emoji" else None
    if status.emoji_name and not emoji:
        emoji = f":{status.emoji_name}:"
    if in_column and emoji and status.text and most_columns(emoji) == 1:
        emoji += " "
    return " ".join(filter(None, (emoji, status.text)))
