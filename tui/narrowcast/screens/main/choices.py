"""The choices of the switcher and the next unread topic, computed from the state, and going to a message of a list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.picker import Choice
from narrowcast.text import names
from narrowcast.text.presence import conversation_sign, of_conversation
from narrowcast.text.user_search import search_text
from narrowcast_api import permissions
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import VisibilityPolicy

if TYPE_CHECKING:
    from narrowcast.runtime.context import ListedAccount
    from narrowcast_api.model.channels import Channel
    from narrowcast_api.state.state import State
    from narrowcast_api.sync.session import Session

MAX_TOPICS = 2000
MANY_PEOPLE = 2000
"""The number of people above which the switcher opens before it has all of them."""
STEP = 100
"""Choices that are computed in one step."""


class ChoiceTarget(Struct, frozen=True, gc=False):
    """A view to open at ``anchor``, in another account if its file is given; or a command to run."""

    narrow: Narrow | None = None
    anchor: int | None = None
    command: str = ""
    account: Path | None = None


class Everywhere:
    """Views, direct conversations, channels, topics, people, and channels without subscription: recent ones first;
    then those of other accounts. Since there may be very many people, all but the first are computed by `complete`.
    ``only_messages``: without views that show something else.
    """

    def __init__(
        self,
        session: Session,
        now: float,
        others: Sequence[ListedAccount] = (),
        *,
        only_messages: bool = False,
    ) -> None:
        self._only_messages = only_messages
        self._session = session
        self._now = now
        self._others = others
        self._first = [*_views(session.state), *_recent(session.state, now)]
        self._topics: list[Choice[ChoiceTarget]] = []
        self._last: list[Choice[ChoiceTarget]] = []

    @property
    def is_large(self) -> bool:
        """Whether it takes a while to compute all."""
        states = [
            self._session.state,
            *(one.session.state for one in self._others if one.session is not None),
        ]
        return sum(len(state.users) for state in states) > MANY_PEOPLE

    def complete(self) -> Iterator[None]:
        """Computes everything, in steps between which other work may run."""
        yield from self.find_topics()
        parts = [_rest(self._session.state, self._now), *(_elsewhere(one, self._now) for one in self._others)]
        last: list[Choice[ChoiceTarget]] = []
        yield from _in_steps(chain.from_iterable(parts), last)
        self._last = last

    def find_topics(self) -> Iterator[None]:
        """Computes the topics that are known by now, in such steps."""
        topics: list[Choice[ChoiceTarget]] = []
        yield from _in_steps(_topics(self._session.state), topics)
        self._topics = topics

    def choices(self) -> list[Choice[ChoiceTarget]]:
        """What has been computed."""
        choices = [*self._first, *self._topics, *self._last]
        return [one for one in choices if one.value.narrow is not None] if self._only_messages else choices


def _in_steps(choices: Iterable[Choice[ChoiceTarget]], into: list[Choice[ChoiceTarget]]) -> Iterator[None]:
    for choice in choices:
        into.append(choice)
        if len(into) % STEP == 0:
            yield


def _elsewhere(other: ListedAccount, now: float) -> Iterator[Choice[ChoiceTarget]]:
    """Another account and its views."""
    name = other.name
    if other.session is None:
        yield Choice(ChoiceTarget(account=other.file), name, "account", "!", disabled=other.problem)
        return
    yield Choice(ChoiceTarget(account=other.file), name, "account", other.mark)
    state = other.session.state
    for choice in (*_recent(state, now), *_topics(state), *_rest(state, now)):
        value = replace(choice.value, account=other.file)
        yield replace(choice, value=value, detail=f"{choice.detail} · {name}", also=f"{choice.also} {name}")


def _views(state: State) -> list[Choice[ChoiceTarget]]:
    no_scheduled = permissions.level_needed(state, Gate.SCHEDULED_MESSAGES)
    no_reminders = permissions.level_needed(state, Gate.REMINDER_LIST)
    return [
        Choice(ChoiceTarget(command="go.inbox"), "Inbox", "view", "▣", "unread"),
        Choice(ChoiceTarget(command="go.recent"), "Recent conversations", "view", "◷"),
        Choice(ChoiceTarget(Narrow.all()), "Combined feed", "view", "≡"),
        Choice(ChoiceTarget(Narrow.mentions()), "Mentions", "view", "@"),
        Choice(ChoiceTarget(Narrow.starred()), "Starred messages", "view", "☆"),
        Choice(ChoiceTarget(command="go.drafts"), "Drafts", "view", "✎"),
        Choice(
            ChoiceTarget(command="go.scheduled"), "Scheduled messages", "view", "◷", disabled=no_scheduled
        ),
        Choice(ChoiceTarget(command="go.reminders"), "Reminders", "view", "◷", disabled=no_reminders),
        Choice(ChoiceTarget(Narrow.directs()), "Direct messages", "view", "…"),
    ]


def _recent(state: State, now: float) -> list[Choice[ChoiceTarget]]:
    """The recent direct conversations, and the subscribed channels."""
    choices = [_direct(state, others, _count(state, others), now) for others in state.directs.recent()]
    for channel in state.channels.subscribed():
        unread = state.unreads.count_channel(channel.channel_id)
        choices.append(_channel(channel, f"{unread} unread" if unread else "channel"))
    return choices


def _topics(state: State) -> Iterator[Choice[ChoiceTarget]]:
    """The known topics of the subscribed channels, the most recent first."""
    topics = [
        (topic, channel)
        for channel in state.channels.subscribed()
        for topic in state.topics.of(channel.channel_id)
    ]
    topics.sort(key=lambda pair: -pair[0].max_id)
    for topic, channel in topics[:MAX_TOPICS]:
        yield Choice(
            ChoiceTarget(Narrow.topic(channel.channel_id, topic.name)),
            f"#{channel.name} › {names.topic(state, topic.name)}",
            "topic",
            written=f"#{channel.name}>{topic.name}",
            color=names.channel_color(channel),
        )


def _rest(state: State, now: float) -> Iterator[Choice[ChoiceTarget]]:
    """The people without a recent conversation, and the channels without subscription."""
    recent = state.directs.recent()
    for user in state.users.active():
        alone = frozenset({user.user_id}) - {state.me}
        if alone not in recent and not user.is_system_bot:
            yield _direct(state, alone, "bot" if user.is_bot else "person", now)
    others = [one for one in state.channels if one.subscription is None and not one.is_archived]
    others.sort(key=lambda channel: channel.name.casefold())
    for channel in others:
        yield _channel(channel, "not subscribed")


def _channel(channel: Channel, detail: str) -> Choice[ChoiceTarget]:
    return Choice(
        ChoiceTarget(Narrow.channel(channel.channel_id)),
        channel.name,
        detail,
        names.channel_sign(channel),
        names.about(channel),
        written=f"#{channel.name}",
        color=names.channel_color(channel),
    )


def _direct(state: State, others: frozenset[int], detail: str, now: float) -> Choice[ChoiceTarget]:
    presence = of_conversation(state, others, now)
    users = (state.users.get(user_id) for user_id in others)
    also = " ".join(search_text(state, user) for user in users if user is not None)
    return Choice(
        ChoiceTarget(Narrow.direct(others)),
        names.conversation(state, others),
        names.gone(state.users.get(next(iter(others), state.me))) if presence.is_grey else detail,
        conversation_sign(state, others, now),
        also,
        faint=presence.is_grey,
    )


def _count(state: State, others: frozenset[int]) -> str:
    unread = state.unreads.count_direct(others)
    return f"{unread} unread" if unread else "direct"


def next_direct(state: State, here: Narrow | None) -> Narrow | None:
    """The next direct conversation with unread messages after ``here``."""
    unread = [others for others, _, _ in state.unreads.directs()]
    current = here.direct_user_ids if here is not None else None
    if current not in unread:
        return Narrow.direct(unread[0]) if unread else None
    following = unread[(unread.index(current) + 1) % len(unread)]
    return Narrow.direct(following) if following != current else None


def next_topic(
    state: State, here: Narrow | None, order: Sequence[int], *, step: int = 1, followed: bool = False
) -> Narrow | None:
    """The next topic with unread messages after ``here``, channel by channel in the given ``order``; the previous one
    for a ``step`` of -1. ``followed``: only topics that the user follows.
    """
    rank = {channel_id: place for place, channel_id in enumerate(order)}
    unread = sorted(
        (rank.get(channel_id, len(rank)), -newest, channel_id, topic)
        for channel_id, topic, _, newest in state.unreads.topics()
        if state.mute_rules.is_counted(channel_id, topic, inside=False)
        and (not followed or state.topics.visibility(channel_id, topic) == VisibilityPolicy.FOLLOWED)
    )
    if not unread:
        return None
    places = [(channel_id, topic) for _, _, channel_id, topic in unread]
    start = 0 if step > 0 else -1
    if here is not None and here.channel_id is not None:
        current = (here.channel_id, (here.topic_name or "").lower())
        if current in places:
            if len(places) == 1:
                return None
            start = places.index(current) + step
        else:
            mine = rank.get(here.channel_id, 0)
            start = next((n for n, row in enumerate(unread) if row[0] >= mine), 0) - (step < 0)
    channel_id, topic = places[start % len(places)]
    return Narrow.topic(channel_id, state.topics.name(channel_id, topic))


async def go_to_message(screen: ManageScreen[Any], message_id: int) -> None:
    """Closes the list with the message's place as its result; if the message does not exist, shows that in
    the list. Raises NarrowcastError if the request fails.
    """
    message = await screen.session.loader.message(message_id)
    if message is None:
        screen.say("This message no longer exists, or you do not have access to it.", bad=True)
    else:
        where = Narrow.from_destination(message.destination(screen.state.me))
        screen.dismiss(ChoiceTarget(where, message_id))
