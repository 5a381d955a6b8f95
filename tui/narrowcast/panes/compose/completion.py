"""Completion in compose: @people and @groups, #channels and #topics, :emoji:, and recipients; without a screen."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from narrowcast.text import names
from narrowcast.text.matching import best_matches
from narrowcast.text.user_search import people
from narrowcast_api.narrow.destinations import fold_topic
from narrowcast_api.narrow.resolve import Unresolved, channel_id, person_id
from narrowcast_assets.emoji import emoji_names

if TYPE_CHECKING:
    from narrowcast_api.model.users import User
    from narrowcast_api.state.state import State

SHOWN = 7
NEW_TOPIC = "new topic"
AS_TYPED = "as typed"
"""Shown for a topic while it is not known whether it is new."""
WILDCARDS = {
    "all": "everyone here",
    "everyone": "everyone here",
    "channel": "everyone here",
    "topic": "everyone who wrote in this topic",
}
SLASH_COMMANDS = (
    ("me", "say what you are doing"),
    ("poll", "a poll: its question, then one option a line"),
    ("todo", "a to-do list: its title, then one task a line"),
)
"""The slash commands that the server understands."""
_TOKEN = re.compile(r"(?:^|(?<=[\s(\[*_~\"']))(@|#|:)(_?\*\*)?([^\s@#:*][^@#:*\n]{0,39})?$")
"""A sign and a name, also behind the asterisks that complete it."""


class Completion(Struct, frozen=True):
    """One completion: what is shown, and the text that replaces what was typed."""

    label: str
    insert: str
    detail: str = ""


class Offers(Struct, frozen=True):
    """The completions for the word that ends at the cursor; the word begins at ``start``."""

    start: int
    completions: tuple[Completion, ...]


def offers(state: State, text: str, cursor: int, *, asked: bool = False) -> Offers | None:
    """Completions at ``cursor``. ``asked``: on request of the user, so one letter or none is enough."""
    line_start = text.rfind("\n", 0, cursor) + 1
    match = _TOKEN.search(text[line_start:cursor])
    if match is None or _is_in_code(text, cursor):
        return None
    sign, opened, typed = match.group(1), match.group(2) or "", match.group(3) or ""
    if opened.startswith("_"):
        typed = f"_{typed}"
    if sign == ":" and len(typed) < (1 if asked else 2):
        return None
    if typed.count(" ") > 2 or typed.endswith("  "):
        return None
    if sign == "@":
        completions = _mentions(state, typed)
    elif sign == "#":
        completions = _channels(state, typed)
    elif " " in typed:
        return None
    else:
        completions = _emoji(state, typed)
    start = line_start + match.start(1)
    return Offers(start, tuple(completions[:SHOWN])) if completions else None


def slash_commands(typed: str, added: Iterable[tuple[str, str]]) -> list[Completion]:
    """Slash commands that match ``typed``, which begins with a slash; ``added`` by extensions: name and description."""
    return [
        Completion(f"/{word}", f"/{word} ", about)
        for word, about in (*SLASH_COMMANDS, *added)
        if f"/{word}".startswith(typed) and f"/{word}" != typed
    ][:SHOWN]


def _is_in_code(text: str, cursor: int) -> bool:
    before = text[:cursor]
    return before.count("```") % 2 == 1 or before.rsplit("\n", 1)[-1].count("`") % 2 == 1


def _mentions(state: State, typed: str) -> list[Completion]:
    silent = typed.startswith("_")
    prefix = "@_" if silent else "@"
    found = people(state)
    users = found.users
    groups = [group for group in state.user_groups if not group.is_system and not group.deactivated]
    others = (*(group.name for group in groups), *(() if silent else WILDCARDS))

    def mention(user: User) -> Completion:
        name = user.full_name
        unique = f"|{user.user_id}" if name in found.ambiguous else ""
        return Completion(name, f"{prefix}**{name}{unique}** ", "bot" if user.is_bot else user.shown_email)

    def made(place: int) -> Completion:
        if place < len(users):
            return mention(users[place])
        label = others[place - len(users)]
        if place >= len(users) + len(groups):
            return Completion(label, f"{prefix}**{label}** ", WILDCARDS[label])
        return Completion(label, f"{prefix}*{label}* ", "group")

    query = typed.removeprefix("_")
    if query.strip():
        best = found.names_and(others).best(query, SHOWN)
    else:  # nothing has to be prepared
        best = list(range(min(SHOWN, len(users) + len(others))))
    by_name = [users[place] for place in best if place < len(users)]
    by_address = found.otherwise(state, query, by_name, SHOWN - len(best))
    return [*(made(place) for place in best), *(mention(user) for user in by_address)]


def _channels(state: State, typed: str) -> list[Completion]:
    if ">" in typed:
        name, _, query = typed.partition(">")
        channel_id = _channel_of(state, name.strip())
        if channel_id is None:
            return []
        proper = names.channel(state, channel_id)
        topics = [topic.name for topic in state.topics.of(channel_id)]

        def link(topic: str, detail: str) -> Completion:
            return Completion(topic, f"#**{proper}>{topic}** ", detail)

        found = _ranked(query, topics, lambda place: link(topics[place], f"#{proper}"))
        return _new_topic_first(state, channel_id, query, link, found)
    channels = [channel.name for channel in state.channels.subscribed()]
    return _ranked(
        typed, channels, lambda place: Completion(channels[place], f"#**{channels[place]}** ", "channel")
    )


def _channel_of(state: State, name: str) -> int | None:
    """The id of the channel with this name, or of the subscribed channel that the name matches best."""
    if not name or (found := state.channels.id_of(name)) is not None:
        return found if name else None
    channels = list(state.channels.subscribed())
    best = best_matches(name, [channel.name for channel in channels], 1)
    return channels[best[0]].channel_id if best else None


def _emoji(state: State, typed: str) -> list[Completion]:
    emoji = names.emoji(state)
    own = {custom.name for custom in state.custom_emoji if not custom.deactivated}

    def made(place: int) -> Completion:
        name = emoji[place]
        shown = "" if name in own else emoji_names().character(name) or ""
        return Completion(f"{shown} :{name}:".lstrip(), f":{name}: ", "custom" if name in own else "")

    return _ranked(typed, emoji, made)


def _ranked(query: str, labels: Sequence[str], made: Callable[[int], Completion]) -> list[Completion]:
    """Completions of the best matching labels; ``made`` creates one from its index, as there may be 20,000 labels."""
    return [made(place) for place in best_matches(query, labels, SHOWN)]


def channel_names(state: State, typed: str) -> list[Completion]:
    """Channels for the channel field."""
    channels = [channel.name for channel in state.channels.subscribed()]
    return _ranked(typed, channels, lambda place: Completion(channels[place], channels[place], "channel"))


def topic_names(state: State, channel_id: int | None, typed: str) -> list[Completion]:
    """Topics for the topic field."""
    if channel_id is None:
        return []
    topics = [topic.name for topic in state.topics.of(channel_id) if topic.name]

    def name(topic: str, detail: str = "") -> Completion:
        return Completion(topic, topic, detail)

    found = _ranked(typed, topics, lambda place: name(topics[place]))
    return _new_topic_first(state, channel_id, typed, name, found)


def _new_topic_first(
    state: State, channel_id: int, typed: str, made: Callable[[str, str], Completion], found: list[Completion]
) -> list[Completion]:
    """Puts what was typed before the topics that were found, as it is a new topic unless it is one of them.
    Alone it is not offered, as nothing would change.
    """
    topic = typed.strip()
    if not topic or not found:
        return found
    same = [one for one in found if fold_topic(one.label) == fold_topic(topic)]
    if same:
        return [*same, *(one for one in found if one not in same)]
    return [made(topic, NEW_TOPIC if state.topics.is_loaded(channel_id) else AS_TYPED), *found]


def recipient_names(state: State, typed: str) -> tuple[int, list[Completion]]:
    """Completions of people for the recipients field, and the index at which the last name begins."""
    start = typed.rfind(",") + 1
    while start < len(typed) and typed[start] == " ":
        start += 1
    best = people(state).best(state, typed[start:], SHOWN)
    return start, [
        Completion(user.full_name, f"{names.recipient(state, user.user_id)}, ", user.shown_email)
        for user in best
    ]


def recipients(state: State, typed: str) -> tuple[frozenset[int], list[str]]:
    """The ids for a list of names, without the current user, and the names that match no user, or more than one."""
    ids: set[int] = set()
    unknown: list[str] = []
    for name in filter(None, (part.strip() for part in typed.split(","))):
        user_id = state.user_id(name)
        if user_id is None or state.users.get(user_id) is None:
            unknown.append(name)
        else:
            ids.add(user_id)
    return frozenset(ids - {state.me}), unknown


def people_in_full(state: State, typed: str) -> str:
    """A list of names in which each part that matches only one person's name is replaced by the full name."""
    return ", ".join(_person_in_full(state, part.strip()) for part in typed.split(","))


def _person_in_full(state: State, name: str) -> str:
    if not name or state.user_id(name) is not None:
        return name
    try:
        return names.recipient(state, person_id(name, state.users, state.me))
    except Unresolved:
        return name


def channel_in_full(state: State, typed: str) -> str:
    """The name of the only channel whose name contains ``typed``; else ``typed``."""
    name = typed.strip().removeprefix("#")
    if not name or state.channels.id_of(name) is not None:
        return typed
    channels = (channel for channel in state.channels if not channel.is_archived)
    try:
        return state.channels.name(channel_id(name, channels)) or typed
    except Unresolved:
        return typed
