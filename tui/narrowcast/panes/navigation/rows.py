"""The rows of the navigation pane, computed from the state, without a screen."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from narrowcast.panes.navigation import saved_views
from narrowcast.text import names
from narrowcast.text.formats import counted
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.wire.vocabulary import RESOLVED_TOPIC_PREFIX, VisibilityPolicy

if TYPE_CHECKING:
    from narrowcast.runtime.context import ListedAccount
    from narrowcast_api.model.channels import Channel
    from narrowcast_api.state.state import State

SHOWN_DIRECTS = 10
SHOWN_TOPICS = 6
MANY_CHANNELS = 30
"""The number of subscribed channels from which on inactive ones are hidden if the setting is 'automatic', as in the
web app.
"""


class Kind(StrEnum):
    VIEW = "view"
    SECTION = "section"
    PLACE = "place"
    """The name of the organization."""
    GAP = "gap"
    """A blank row."""
    CHANNEL = "channel"
    TOPIC = "topic"
    DIRECT = "direct"
    MORE = "more"
    ACCOUNT = "account"


_COUNTED = {Kind.CHANNEL, Kind.DIRECT, Kind.ACCOUNT}
"""Rows whose unread messages are counted in a collapsed section."""


class NavigationRow(Struct, frozen=True):
    """One row. ``action`` is the action id that opens a row without a narrow."""

    kind: Kind
    key: tuple[object, ...]
    text: str
    narrow: Narrow | None = None
    action: str = ""
    unread: int = 0
    more: bool = False
    """Whether there are more unread messages, of which the server did not tell."""
    is_counted: bool = True
    """Whether the number of unread messages is shown; if not, only that there are some."""
    mentions: int = 0
    """How many of the unread messages mention the user, in the row that is about these."""
    total: int = 0
    """How many messages there are, in a row that is not about unread ones."""
    mark: str = ""
    muted: bool = False
    open: bool | None = None
    """Whether the row is expanded; None if it cannot be."""
    channel_id: int | None = None
    topic: str | None = None
    account: Path | None = None
    """The file of the other account that the row shows."""
    color: str = ""
    """The channel's colour that the user chose, as the server stores it."""


class Folding(Struct, frozen=True):
    """What the user has expanded and collapsed."""

    closed: frozenset[str] = frozenset({"inactive"})
    """Collapsed sections."""
    opened: frozenset[int] = frozenset()
    """Channels whose topics are shown."""
    all_topics: frozenset[int] = frozenset()
    """Channels that show every topic."""


def rows(
    state: State,
    folding: Folding,
    current: Narrow | None,
    drafts: int,
    everything: bool = False,
    others: Sequence[ListedAccount] = (),
) -> list[NavigationRow]:
    """The rows from top to bottom. ``everything``: as if all sections were expanded, for filtering;
    ``others``: the accounts that are not on screen.
    """
    result = list(_views(state, drafts))
    closed = frozenset() if everything else folding.closed
    directs = list(_directs(state, current, everything))
    result += _section("accounts", "Other accounts", [*map(_account, others)], closed, current)
    result += _section("direct", "Direct messages", directs, closed, current)
    for key, title, channels in _groups_of_channels(state):
        below = [row for channel in channels for row in _channel(state, channel, folding, current)]
        result += _section(key, title, below, closed, current)
    if not state.channels.subscribed():
        browse = NavigationRow(Kind.MORE, ("browse",), "browse channels", action="channel.browse")
        result += _section("channels", "Channels", [browse], closed, current)
    return result


def with_air(listed: Sequence[NavigationRow], place: str) -> Iterator[NavigationRow]:
    """The rows, with a blank one above each section, below the name of the ``place``: the organization."""
    if place:
        yield NavigationRow(Kind.PLACE, ("place",), place)
        yield NavigationRow(Kind.GAP, ("gap", "place"), "")
    for row in listed:
        if row.kind is Kind.SECTION:
            yield NavigationRow(Kind.GAP, ("gap", *row.key), "")
        yield row


def _views(state: State, drafts: int) -> Iterator[NavigationRow]:
    unreads = state.unreads
    yield NavigationRow(
        Kind.VIEW,
        ("inbox",),
        "Inbox",
        action="go.inbox",
        unread=unreads.count_all(),
        more=unreads.old_missing,
        mark="▣",
    )
    yield NavigationRow(Kind.VIEW, ("recent",), "Recent conversations", action="go.recent", mark="◷")
    yield NavigationRow(Kind.VIEW, ("all",), "Combined feed", Narrow.all(), mark="≡")
    mentions = unreads.count_mentions()
    yield NavigationRow(
        Kind.VIEW,
        ("mentions",),
        "Mentions",
        Narrow.mentions(),
        unread=mentions,
        mentions=mentions,
        mark="@",
    )
    starred = len(state.starred) if state.settings.flag("starred_message_counts") else 0
    yield NavigationRow(Kind.VIEW, ("starred",), "Starred", Narrow.starred(), total=starred, mark="☆")
    yield NavigationRow(Kind.VIEW, ("drafts",), "Drafts", action="go.drafts", total=drafts, mark="✎")
    for fragment, title, narrow in saved_views.pinned(state):
        yield NavigationRow(Kind.VIEW, ("saved", fragment), title, narrow, mark="▸")


def _section(
    key: str, title: str, below: list[NavigationRow], closed: frozenset[str], current: Narrow | None
) -> list[NavigationRow]:
    """A heading and the rows below it; of a collapsed section, only the rows of the open view."""
    if not below:
        return []
    is_open = key not in closed
    unread = 0 if is_open else sum(row.unread for row in below if row.kind in _COUNTED)
    head = NavigationRow(Kind.SECTION, ("section", key), title, open=is_open, unread=unread)
    return [head, *(row for row in below if is_open or _is_at(row, current))]


def _is_at(row: NavigationRow, current: Narrow | None) -> bool:
    if current is None:
        return False
    return row.narrow == current or (row.channel_id is not None and row.channel_id == current.channel_id)


def _account(other: ListedAccount) -> NavigationRow:
    """The account's name, mentions, unread messages and connection status."""
    row = NavigationRow(
        Kind.ACCOUNT, ("account", other.file), other.name, mark=other.mark, account=other.file
    )
    if other.session is None:
        return row
    unreads = other.session.state.unreads
    mentions = unreads.count_mentions()
    return replace(
        row,
        text=f"{other.name} @{mentions}" if mentions else other.name,
        unread=unreads.count_all(),
        more=unreads.old_missing,
    )


def _directs(state: State, current: Narrow | None, everything: bool) -> Iterator[NavigationRow]:
    recent = state.directs.recent()
    unread = {others: count for others, count, _ in state.unreads.directs()}
    here = current.direct_user_ids if current is not None else None
    shown = 0
    for others in dict.fromkeys([*recent, *unread]):
        count = unread.get(others, 0)
        if not everything and not count and others != here and shown >= SHOWN_DIRECTS:
            continue
        shown += 1
        yield _direct(state, others, count)
    if here is not None and here not in recent and here not in unread:
        yield _direct(state, here, 0)
    if not everything:
        yield NavigationRow(Kind.MORE, ("directs",), "all direct messages", Narrow.directs())


def _direct(state: State, others: frozenset[int], unread: int) -> NavigationRow:
    name = names.conversation(state, others)
    return NavigationRow(Kind.DIRECT, ("direct", others), name, Narrow.direct(others), unread=unread)


def _sorted_channels(state: State) -> tuple[list[Channel], list[Channel], list[Channel]]:
    pinned: list[Channel] = []
    active: list[Channel] = []
    inactive: list[Channel] = []
    subscribed = state.channels.subscribed()
    policy = state.settings.number("demote_inactive_streams", 1)
    hides_inactive = policy == 2 or (policy == 1 and len(subscribed) >= MANY_CHANNELS)
    for channel in subscribed:
        if channel.subscription is not None and channel.subscription.pin_to_top:
            pinned.append(channel)
            continue
        is_inactive = channel.is_muted or (hides_inactive and not channel.is_recently_active)
        if is_inactive and not state.unreads.count_channel(channel.channel_id):
            inactive.append(channel)
        else:
            active.append(channel)
    return pinned, active, inactive


def _groups_of_channels(state: State) -> Iterator[tuple[str, str, list[Channel]]]:
    """Key, title and channels of each section: pinned channels, each folder in the organization's order,
    channels without a folder, and inactive ones.
    """
    pinned, active, inactive = _sorted_channels(state)
    yield "pinned", "Pinned channels", pinned
    folders = sorted(state.channels.folders, key=lambda folder: folder.order)
    if not state.settings.flag("web_left_sidebar_show_channel_folders", True):
        folders = []
    for folder in folders:
        yield f"folder:{folder.id}", folder.name, [one for one in active if one.folder_id == folder.id]
    folder_ids = {folder.id for folder in folders}
    rest = [one for one in active if one.folder_id not in folder_ids]
    yield "active", "Channels" if len(rest) == len(active) else "Other channels", rest
    yield "inactive", "Inactive channels", inactive


def _channel(
    state: State, channel: Channel, folding: Folding, current: Narrow | None
) -> Iterator[NavigationRow]:
    channel_id = channel.channel_id
    here = current is not None and current.channel_id == channel_id
    is_open = channel_id in folding.opened
    yield NavigationRow(
        Kind.CHANNEL,
        ("channel", channel_id),
        channel.name,
        Narrow.channel(channel_id),
        unread=state.unreads.count_channel(channel_id),
        is_counted=_count_policy(state) != _NO_CHANNELS and not _hides_count(state, muted=channel.is_muted),
        mark=names.channel_sign(channel),
        muted=channel.is_muted,
        open=is_open,
        channel_id=channel_id,
        color=channel.subscription.color if channel.subscription is not None else "",
    )
    if is_open:
        topic = current.topic_name if here and current is not None else None
        yield from _topics(state, channel_id, topic, channel_id in folding.all_topics)


def _topics(state: State, channel_id: int, here: str | None, everything: bool) -> Iterator[NavigationRow]:
    unread = {topic: count for topic, count, _ in state.unreads.topics_of(channel_id)}
    left_out = shown = 0
    seen: set[str] = set()
    for topic in state.topics.of(channel_id):
        folded = topic.name.lower()
        seen.add(folded)
        count = unread.get(folded, 0)
        always = everything or count or (here is not None and folded == here.lower())
        if not always and (shown >= SHOWN_TOPICS or topic.name.startswith(RESOLVED_TOPIC_PREFIX)):
            left_out += 1
            continue
        shown += 1
        yield _topic(state, channel_id, topic.name, count)
    for folded, count in unread.items():
        if folded not in seen:
            seen.add(folded)
            yield _topic(state, channel_id, state.topics.name(channel_id, folded), count)
    if here is not None and here.lower() not in seen:
        yield _topic(state, channel_id, here, 0)
    if left_out:
        yield NavigationRow(
            Kind.MORE, ("topics", channel_id), counted(left_out, "more topic"), channel_id=channel_id
        )


_UNMUTED, _NO_CHANNELS = 2, 3
"""Values of the setting that says for what unread messages are counted; else they are for all."""


def _count_policy(state: State) -> int:
    return state.settings.number("web_stream_unreads_count_display_policy", 1)


def _hides_count(state: State, *, muted: bool) -> bool:
    return muted and _count_policy(state) == _UNMUTED


def _topic(state: State, channel_id: int, topic: str, unread: int) -> NavigationRow:
    policy = state.topics.visibility(channel_id, topic)
    return NavigationRow(
        Kind.TOPIC,
        ("topic", channel_id, topic.lower()),
        names.topic(state, topic),
        Narrow.topic(channel_id, topic),
        unread=unread,
        is_counted=not _hides_count(state, muted=state.is_muted(channel_id, topic)),
        mark={VisibilityPolicy.FOLLOWED: "★", VisibilityPolicy.UNMUTED: "◦"}.get(policy, ""),
        muted=policy is VisibilityPolicy.MUTED,
        channel_id=channel_id,
        topic=topic,
    )


def channel_keys(all_rows: Collection[NavigationRow]) -> list[int]:
    """The channels in the order of the rows."""
    return [row.channel_id for row in all_rows if row.kind is Kind.CHANNEL and row.channel_id is not None]
