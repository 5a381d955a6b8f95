"""The choices of the switcher and the next unread topic, computed from the state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from narrowcast.screens.dialogs.picker import Choice
from narrowcast.text import names
from narrowcast.text.presence import of_conversation
from narrowcast_api.narrow.narrow import Narrow

if TYPE_CHECKING:
    from narrowcast.app.context import ListedAccount
    from narrowcast_api.model.channels import Channel
    from narrowcast_api.state.state import State
    from narrowcast_api.sync.session import Session

MAX_TOPICS = 2000


class Target(Struct, frozen=True):
    """A view to open at ``anchor``, in another account if its file is given; or a command to run."""

    narrow: Narrow | None = None
    anchor: int | None = None
    command: str = ""
    account: Path | None = None


def everywhere(session: Session, now: float, others: Sequence[ListedAccount] = ()) -> list[Choice[Target]]:
    """Views, direct conversations, channels, topics, people, and channels without subscription: recent ones first;
    then those of other accounts.
    """
    choices = _views() + _conversations(session.state, now)
    for other in others:
        choices += _elsewhere(other, now)
    return choices


def _elsewhere(other: ListedAccount, now: float) -> Iterator[Choice[Target]]:
    """Another account and its views."""
    name = other.name
    if other.session is None:
        yield Choice(Target(account=other.file), name, "account", "!", disabled=other.problem)
        return
    yield Choice(Target(account=other.file), name, "account", other.mark)
    for choice in _conversations(other.session.state, now):
        value = replace(choice.value, account=other.file)
        yield replace(choice, value=value, detail=f"{choice.detail} · {name}", also=f"{choice.also} {name}")


def _views() -> list[Choice[Target]]:
    return [
        Choice(Target(command="go.inbox"), "Inbox", "view", "▣", "unread"),
        Choice(Target(command="go.recent"), "Recent conversations", "view", "◷"),
        Choice(Target(Narrow.all()), "Combined feed", "view", "≡"),
        Choice(Target(Narrow.mentions()), "Mentions", "view", "@"),
        Choice(Target(Narrow.starred()), "Starred messages", "view", "*"),
        Choice(Target(command="go.drafts"), "Drafts", "view", "✎"),
        Choice(Target(Narrow.directs()), "Direct messages", "view", "⁂"),
    ]


def _conversations(state: State, now: float) -> list[Choice[Target]]:
    recent = state.directs.recent()
    choices = [_direct(state, others, _count(state, others), now) for others in recent]
    topics: list[tuple[int, Choice[Target]]] = []
    for channel in state.channels.subscribed():
        unread = state.unreads.count_channel(channel.channel_id)
        choices.append(_channel(channel, f"{unread} unread" if unread else "channel"))
        for topic in state.topics.of(channel.channel_id):
            narrow = Narrow.topic(channel.channel_id, topic.name)
            name = names.topic(state, topic.name)
            topics.append((topic.max_id, Choice(Target(narrow), f"#{channel.name} › {name}", "topic")))
    topics.sort(key=lambda pair: -pair[0])
    choices += [choice for _, choice in topics[:MAX_TOPICS]]
    for user in state.users.active():
        alone = frozenset({user.user_id}) - {state.me}
        if alone not in recent and not user.is_system_bot:
            choices.append(_direct(state, alone, "bot" if user.is_bot else "person", now))
    others = [one for one in state.channels if one.subscription is None and not one.is_archived]
    others.sort(key=lambda channel: channel.name.casefold())
    return choices + [_channel(channel, "not subscribed") for channel in others]


def _channel(channel: Channel, detail: str) -> Choice[Target]:
    return Choice(
        Target(Narrow.channel(channel.channel_id)),
        channel.name,
        detail,
        names.channel_sign(channel),
        names.about(channel),
        written=f"#{channel.name}",
    )


def _direct(state: State, others: frozenset[int], detail: str, now: float) -> Choice[Target]:
    presence = of_conversation(state, others, now)
    emails = " ".join(user.email for one in others if (user := state.users.get(one)) is not None)
    return Choice(
        Target(Narrow.direct(others)),
        names.conversation(state, others),
        "deactivated" if presence.is_grey else detail,
        presence.mark,
        emails,
        faint=presence.is_grey,
    )


def _count(state: State, others: frozenset[int]) -> str:
    unread = state.unreads.count_direct(others)
    return f"{unread} unread" if unread else "direct"


def next_topic(state: State, here: Narrow | None, order: Sequence[int]) -> Narrow | None:
    """The next topic with unread messages after ``here``, channel by channel in the given ``order``."""
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
