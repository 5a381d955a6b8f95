"""What the switcher and the inbox offer, worked out from the state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from narrowcast.screens.dialogs.picker import Choice
from narrowcast.text import names
from narrowcast_api.narrow.narrow import Narrow

if TYPE_CHECKING:
    from narrowcast_api.state.state import State
    from narrowcast_api.sync.session import Session

MAX_TOPICS = 2000


class Target(Struct, frozen=True):
    """A view to open at ``anchor``, or a command to run."""

    narrow: Narrow | None = None
    anchor: int | None = None
    command: str = ""


def everywhere(session: Session) -> list[Choice[Target]]:
    """Views, direct conversations, channels, topics, people: recent ones first."""
    state = session.state
    choices = [
        Choice(Target(command="go.inbox"), "Inbox", "view", "▣", "unread"),
        Choice(Target(Narrow.all()), "Combined feed", "view", "≡"),
        Choice(Target(Narrow.mentions()), "Mentions", "view", "@"),
        Choice(Target(Narrow.starred()), "Starred messages", "view", "*"),
        Choice(Target(command="go.drafts"), "Drafts", "view", "✎"),
        Choice(Target(Narrow.directs()), "Direct messages", "view", "⁂"),
    ]
    seen: set[frozenset[int]] = set()
    for others in state.directs.recent():
        seen.add(others)
        choices.append(
            Choice(
                Target(Narrow.direct(others)), names.conversation(state, others), _count(state, others), "○"
            )
        )
    topics: list[tuple[int, Choice[Target]]] = []
    for channel in state.channels.subscribed():
        unread = state.unreads.count_channel(channel.channel_id)
        choices.append(
            Choice(
                Target(Narrow.channel(channel.channel_id)),
                channel.name,
                f"{unread} unread" if unread else "channel",
                "#",
            )
        )
        for topic in state.topics.of(channel.channel_id):
            narrow = Narrow.topic(channel.channel_id, topic.name)
            name = names.topic(state, topic.name)
            topics.append((topic.max_id, Choice(Target(narrow), f"#{channel.name} › {name}", "topic")))
    topics.sort(key=lambda pair: -pair[0])
    choices += [choice for _, choice in topics[:MAX_TOPICS]]
    for user in state.users.active():
        alone = frozenset({user.user_id}) - {state.me}
        if alone not in seen and not user.is_system_bot:
            what = "bot" if user.is_bot else "person"
            choices.append(Choice(Target(Narrow.direct(alone)), user.full_name, what, "○", user.email))
    return choices


def _count(state: State, others: frozenset[int]) -> str:
    unread = state.unreads.count_direct(others)
    return f"{unread} unread" if unread else "direct"


def inbox(state: State) -> list[Choice[Target]]:
    """Conversations with unread messages, newest first; muted ones are left out."""
    found: list[tuple[int, Choice[Target]]] = []
    for others, count, newest in state.unreads.directs():
        name = names.conversation(state, others)
        found.append((newest, Choice(Target(Narrow.direct(others)), name, f"{count} unread", "○")))
    for channel_id, topic, count, newest in state.unreads.topics():
        if state.is_muted(channel_id, topic):
            continue
        proper = state.topics.name(channel_id, topic)
        name = f"#{names.channel(state, channel_id)} › {names.topic(state, proper)}"
        found.append((newest, Choice(Target(Narrow.topic(channel_id, proper)), name, f"{count} unread", "#")))
    found.sort(key=lambda pair: -pair[0])
    return [choice for _, choice in found]


def next_topic(state: State, here: Narrow | None, order: Sequence[int]) -> Narrow | None:
    """The next topic with unread messages, channel by channel as ``order`` has them, after ``here``."""
    rank = {channel_id: place for place, channel_id in enumerate(order)}
    unread = sorted(
        (rank.get(channel_id, len(rank)), -newest, channel_id, topic)
        for channel_id, topic, _, newest in state.unreads.topics()
        if not state.is_muted(channel_id, topic)
    )
    if not unread:
        return None
    places = [(channel_id, topic) for _, _, channel_id, topic in unread]
    start = 0
    if here is not None and here.channel_id is not None:
        current = (here.channel_id, (here.topic_name or "").lower())
        if current in places:
            if len(places) == 1:
                return None
            start = places.index(current) + 1
        else:
            mine = rank.get(here.channel_id, 0)
            start = next((n for n, row in enumerate(unread) if row[0] >= mine), 0)
    channel_id, topic = places[start % len(places)]
    return Narrow.topic(channel_id, state.topics.name(channel_id, topic))
