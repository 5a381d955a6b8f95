"""Completion in compose: @people and @groups, #channels and #topics, :emoji:, <time:, and recipients; the list of
completions above the current field.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, tzinfo
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from narrowcast.keys.hints import keys_of
from narrowcast.panes.compose.fields import TargetLine
from narrowcast.runtime.context import ExtensionsContext, app_of
from narrowcast.screens.dialogs.picker import Choice, ChoiceList
from narrowcast.text import names
from narrowcast.text.formats import has_long_clock
from narrowcast.text.formats import moment as shown_moment
from narrowcast.text.matching import best_matches
from narrowcast.text.natural_time import EXAMPLES, NoMoment, moment
from narrowcast.text.user_search import people
from narrowcast.widgets.editor import Editor
from narrowcast_api.errors import NarrowcastError
from narrowcast_api.narrow.destinations import fold_topic
from narrowcast_assets.emoji import emoji_names

if TYPE_CHECKING:
    from textual.widget import Widget

    from narrowcast_api.model.users import User
    from narrowcast_api.state.state import State
    from narrowcast_api.sync.session import Session

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
_TIME = re.compile(r"<time:([^<>\n]{0,40})$")


class Completion(Struct, frozen=True):
    """One completion: what is shown, and the text that replaces what was typed."""

    label: str
    insert: str
    detail: str = ""


class Completions(Struct, frozen=True):
    """The completions for the word that ends at the cursor; the word begins at ``start``."""

    start: int
    completions: tuple[Completion, ...]


def completions_at(state: State, text: str, cursor: int, *, asked: bool = False) -> Completions | None:
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
    return Completions(start, tuple(completions[:SHOWN])) if completions else None


def times_at(typed: str, now: float, *, long: bool, zone: tzinfo | None = None) -> Completions | None:
    """The time that is written behind ``<time:`` at the end of a text, or times for what begins so. ``long``: with a
    24-hour clock.
    """
    match = _TIME.search(typed)
    if match is None or _is_in_code(typed, len(typed)):
        return None
    words = match[1].strip()
    wordings = dict.fromkeys(
        [words, *(one for one in EXAMPLES.split(" · ") if one.startswith(words.lower()))]
    )
    completions: dict[int, Completion] = {}
    for wording in wordings:
        try:
            at = moment(wording, now, zone)
        except NoMoment:
            continue
        written = datetime.fromtimestamp(at, zone).astimezone(zone).isoformat(timespec="seconds")
        shown = shown_moment(at, now, long=long, zone=zone)
        completions.setdefault(at, Completion(shown, f"<time:{written}> ", wording))
    return Completions(match.start(), tuple(completions.values())) if completions else None


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


class CompletionPopup:
    """Shows completions, and inserts the chosen one into its field. ``host``: the widget over which they are shown."""

    def __init__(self, host: Widget, session: Session, target: TargetLine, text: Editor) -> None:
        self._host = host
        self._session = session
        self._target = target
        self._text = text
        self._offered: tuple[Editor, int] | None = None
        self._loading: set[int] = set()
        """Channels whose topics are being fetched."""
        self._was_moved = False
        """Whether another row than the first was chosen with the arrows."""

    @property
    def _state(self) -> State:
        return self._session.state

    @property
    def field(self) -> Editor | None:
        """The field that is being completed; None if there are no completions."""
        return self._offered[0] if self._offered is not None else None

    @cached_property
    def list(self) -> ChoiceList[Completion]:
        """The list of current completions; created with the first of them."""
        offers: ChoiceList[Completion] = ChoiceList(id="offers")
        offers.can_focus = False
        offers.lead(True)
        self._host.mount(offers, before=0)
        return offers

    def _completions(self, field: Editor, asked: bool) -> tuple[int, Iterable[Completion]] | None:
        typed = field.text[: field.buffer.cursor]
        if field is self._text:
            extensions = app_of(self._host).extensions
            if typed.startswith("/") and (commands := slash_commands(typed, extensions.slash_commands)):
                return 0, commands
            if (added := _added(extensions, typed)) is not None:
                return added
            offered = times_at(typed, time.time(), long=has_long_clock(self._state)) or completions_at(
                self._state, field.text, field.buffer.cursor, asked=asked
            )
            return (offered.start, offered.completions) if offered is not None else None
        last = typed.rpartition(",")[2] if field is self._target.to else typed
        if not asked and not last.strip():
            return None
        if field is self._target.to:
            return recipient_names(self._state, typed)
        if field is self._target.channel:
            return 0, channel_names(self._state, typed)
        channel_id = self._state.channels.id_of(self._target.channel.text.strip())
        if channel_id is not None and not self._state.topics.is_loaded(channel_id):
            self._load_topics(channel_id, field)
        return 0, topic_names(self._state, channel_id, typed)

    def _load_topics(self, channel_id: int, field: Editor) -> None:
        """Fetches the topics of a channel, without which it is not known whether a topic is new."""
        if channel_id in self._loading or not self._session.is_live:
            return
        self._loading.add(channel_id)
        app_of(self._host).spawn(self._offer_loaded(channel_id, field), "topics")

    async def _offer_loaded(self, channel_id: int, field: Editor) -> None:
        try:
            await self._session.loader.topics(channel_id)
        except NarrowcastError:
            return  # what is known is offered
        finally:
            self._loading.discard(channel_id)
        if self.field is field and self._host.is_attached and not self._was_moved:
            self.offer(field, True)

    def offer(self, field: Editor, edited: bool, *, asked: bool = False) -> None:
        """Shows completions for the word at the cursor: after typing, or if ``asked`` for by a key."""
        if not edited and self._offered is None:
            return
        if self._host.screen.focused is not field:
            self.close()
            return
        offered = self._completions(field, asked)
        completions = [*offered[1]] if offered is not None else []
        typed = field.text[: field.buffer.cursor]
        if offered is None or not completions or (len(completions) == 1 and completions[0].insert == typed):
            self.close()
            return
        self._offered = (field, offered[0])
        self._was_moved = False
        self.list.set_items([Choice(offer, offer.label, offer.detail) for offer in completions])
        rows = len(completions) + 2  # with the frame
        self.list.styles.height = rows
        self.list.styles.offset = (1, -rows)
        self.list.action_first()
        self._host.add_class("-offering")

    def close(self) -> None:
        self._offered = None
        self._host.remove_class("-offering")

    def take(self) -> None:
        """Inserts the chosen completion into its field."""
        if self._offered is None:
            return
        field, start = self._offered
        item = self.list.selected_item
        self.close()
        if item is not None:
            field.replace(start, field.buffer.cursor, item.value.insert)
            self.close()

    def move(self, key: str) -> bool:
        """Moves the selection if ``key`` is that of a line up or down; returns whether it was moved."""
        keys = keys_of(self._host)
        up, down = key in keys["compose.up"], key in keys["compose.down"]
        if self._offered is None or not (up or down):
            return False
        self.list.action_cursor_up() if up else self.list.action_cursor_down()
        self._was_moved = True
        return True


def _added(extensions: ExtensionsContext, typed: str) -> tuple[int, Iterable[Completion]] | None:
    """Completions by extensions for the text before the cursor."""
    line_start = typed.rfind("\n") + 1
    added = extensions.offers(typed[line_start:])
    if added is None:
        return None
    offered = [Completion(one.label or one.insert, one.insert, one.detail) for one in added[1]]
    return line_start + added[0], offered
