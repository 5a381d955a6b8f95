"""Going from view to view."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from typing import TYPE_CHECKING

from narrowcast.commands import targets
from narrowcast.keys.hints import keys_of, with_keys
from narrowcast.panes.navigation.rows import Kind
from narrowcast.runtime.context import app_of
from narrowcast.screens.conversations.screen import InboxScreen, RecentScreen
from narrowcast.screens.dialogs.picker import Picker
from narrowcast.screens.main import choices
from narrowcast.screens.main.choices import ChoiceTarget, Everywhere
from narrowcast.screens.main.home import show_home
from narrowcast.screens.messages.last_messages import LastMessages
from narrowcast.screens.messages.message_preview import MessagePreview
from narrowcast_api.narrow.narrow import Narrow

if TYPE_CHECKING:
    from narrowcast.screens.workspace import Workspace
    from narrowcast_api.sync.session import Session

TOPIC_REQUESTS = 40
"""Maximum number of channels whose topics are fetched while the switcher is open."""
OFFER_EVERY = 0.5
"""Seconds after which the topics fetched so far are offered."""
PAUSE = 0.002
"""Seconds between two steps of completing the switcher, each of which takes some 3 ms."""
AFTER_KEY = 0.04
"""The same after a key: painting its letter takes many turns of the loop, each of which would wait for a step."""


def _pick(screen: Workspace, picker: Picker[ChoiceTarget]) -> None:
    def chosen(target: ChoiceTarget | None) -> None:
        if target is not None:
            targets.go_to(screen, target)

    screen.app.push_screen(picker, chosen)


def switcher(screen: Workspace) -> None:
    """Opens the switcher: goes to any view by a part of its name."""
    everywhere = Everywhere(screen.session, time.time(), app_of(screen).accounts.others())
    picker = _picker_of(screen.session, everywhere, "Go to", "For commands, press Esc and <app.palette>.")
    _pick(screen, picker)
    screen.spawn(_complete(screen, everywhere, picker), "complete the switcher")


def choose_beside(screen: Workspace) -> None:
    """Chooses a view in the switcher and opens it beside the current one."""

    def chosen(target: ChoiceTarget | None) -> None:
        if target is None or target.narrow is None:
            return
        if target.narrow == screen.narrow:
            screen.refuse("This view is already open. Choose another one.")
        else:
            screen.open_beside(target.narrow, target.anchor)

    everywhere = Everywhere(screen.session, time.time(), only_messages=True)
    picker = _picker_of(screen.session, everywhere, "Open side by side")
    screen.app.push_screen(picker, chosen)
    screen.spawn(_complete(screen, everywhere, picker), "complete the switcher")


def _picker_of(
    session: Session, everywhere: Everywhere, title: str, elsewhere: str = ""
) -> Picker[ChoiceTarget]:
    """A picker of all choices, or where there are very many, of the first ones."""
    if not everywhere.is_large:
        deque(everywhere.complete(), maxlen=0)
    return Picker(
        title,
        everywhere.choices(),
        placeholder="channel, topic, person, view",
        elsewhere=elsewhere,
        is_complete=not everywhere.is_large,
        preview=MessagePreview(session, LastMessages(session)),
    )


async def _complete(screen: Workspace, everywhere: Everywhere, picker: Picker[ChoiceTarget]) -> None:
    """Adds to an open ``picker`` what it does not have yet: people, then topics. Keys pressed meanwhile go first."""
    if everywhere.is_large:
        for _ in everywhere.complete():
            await _pause(screen)
            if picker not in screen.app.screen_stack:
                return
        await _offer(screen, everywhere, picker)
        picker.complete()
    await _complete_topics(screen, everywhere, picker)


async def _pause(screen: Workspace) -> None:
    """Lets other work run, and a letter that was just typed be painted."""
    await asyncio.sleep(AFTER_KEY if app_of(screen).looking.since_key() < AFTER_KEY else PAUSE)


async def _offer(screen: Workspace, everywhere: Everywhere, picker: Picker[ChoiceTarget]) -> None:
    """Offers what is known by now, prepared for the filter in a thread, since it may be very much."""
    for _ in everywhere.find_topics():
        await _pause(screen)
    known = everywhere.choices()
    searched = await asyncio.to_thread(picker.list.searched_of, known)
    if picker.is_attached:
        picker.set_choices(known, searched)


async def _complete_topics(screen: Workspace, everywhere: Everywhere, picker: Picker[ChoiceTarget]) -> None:
    """Fetches the topics of subscribed channels that are not loaded yet, while ``picker`` is open, and offers
    them: not each list by itself, since the choices may be very many.
    """
    session = screen.session
    state = session.state
    missing = [
        channel.channel_id
        for channel in state.channels.subscribed()
        if not state.topics.is_loaded(channel.channel_id)
    ]
    missing.sort(key=lambda channel_id: -state.unreads.count_channel(channel_id))
    offered, is_complete = session.clock.monotonic(), True
    try:
        for channel_id in missing[:TOPIC_REQUESTS]:
            await session.loader.topics(channel_id)
            if not picker.is_attached:
                return
            is_complete = session.clock.monotonic() - offered >= OFFER_EVERY
            if is_complete:
                await _offer(screen, everywhere, picker)
                offered = session.clock.monotonic()
    finally:
        if not is_complete and picker.is_attached:
            await _offer(screen, everywhere, picker)


def inbox(screen: Workspace) -> None:
    """Shows the inbox: conversations with unread messages, by channel."""
    targets.open_list(screen, InboxScreen(screen.session))


def recent(screen: Workspace) -> None:
    """Shows recent conversations: all of them, newest first."""
    targets.open_list(screen, RecentScreen(screen.session))


def home(screen: Workspace) -> None:
    """Returns to the messages; from there goes to the home view, unless the settings keep Escape from that."""
    screen.fold_panes()
    if not screen.messages.has_focus_within:
        screen.focus_messages()
    elif screen.session.state.settings.flag("web_escape_navigates_to_home_view", True):
        show_home(screen)


def all_messages(screen: Workspace) -> None:
    screen.fold_panes()
    if screen.narrow == Narrow.all():
        screen.focus_messages()
    else:
        screen.go(Narrow.all())


def mentions(screen: Workspace) -> None:
    """Shows the messages that mention the current user."""
    screen.go(Narrow.mentions())


def starred(screen: Workspace) -> None:
    screen.go(Narrow.starred())


def directs(screen: Workspace) -> None:
    screen.go(Narrow.directs())


def zoom(screen: Workspace) -> None:
    """Goes from a topic to its channel, from any other view to the conversation of the selected message."""
    narrow = screen.narrow
    if narrow is not None and narrow.channel_id is not None and narrow.topic_name is not None:
        screen.go(Narrow.channel(narrow.channel_id), screen.messages.selected_id)
    elif (message := targets.message_or_notify(screen)) is not None:
        screen.go(Narrow.from_destination(message.destination(screen.session.state.me)), message.id)


def back(screen: Workspace) -> None:
    _step(screen, -1, "No previous view.")


def forward(screen: Workspace) -> None:
    """Goes forward to the view from which the user went back."""
    _step(screen, 1, "No next view.")


def _step(screen: Workspace, by: int, nowhere: str) -> None:
    other = screen.side.other
    entry = screen.history.step(by, screen.messages.selected_id, other.narrow if other is not None else None)
    if entry is None:
        screen.refuse(nowhere)
    else:
        screen.open(entry.narrow, entry.message_id, record=False)


def _order(screen: Workspace) -> list[int]:
    """The channels in the order of the channel list."""
    return [
        row.channel_id
        for row in screen.navigation.list.items
        if row.kind is Kind.CHANNEL and row.channel_id is not None
    ]


def previous_unread_topic(screen: Workspace) -> None:
    """Goes to the previous topic with unread messages."""
    target = choices.next_topic(screen.session.state, screen.narrow, _order(screen), step=-1)
    if target is not None:
        screen.go(target)
    else:
        screen.refuse("No other unread topics.")


def next_unread_followed(screen: Workspace) -> None:
    """Goes to the next topic with unread messages that the user follows."""
    target = choices.next_topic(screen.session.state, screen.narrow, _order(screen), followed=True)
    if target is not None:
        screen.go(target)
    else:
        screen.refuse("No other unread topics that you follow.")


def composed(screen: Workspace) -> None:
    """Goes to the conversation to which the message in compose is addressed."""
    where, problem = screen.writing.destination()
    if where is None:
        screen.refuse(problem)
        return
    screen.go(Narrow.from_destination(where))
    screen.writing.focus_text()


def next_unread_topic(screen: Workspace) -> None:
    """Goes to the next topic with unread messages."""
    target = choices.next_topic(screen.session.state, screen.narrow, _order(screen))
    if target is not None:
        screen.go(target)
    elif choices.next_direct(screen.session.state, screen.narrow) is None:
        screen.refuse("No unread topics.")
    else:
        how = "No unread topics. <go.next-unread-direct> goes to unread direct messages."
        screen.refuse(with_keys(keys_of(screen), how))


def next_unread_direct(screen: Workspace) -> None:
    """Goes to the next direct message conversation with unread messages."""
    target = choices.next_direct(screen.session.state, screen.narrow)
    if target is not None:
        screen.go(target)
    elif choices.next_topic(screen.session.state, screen.narrow, ()) is None:
        screen.refuse("No unread direct messages.")
    else:
        how = "No unread direct messages. <go.next-unread-topic> goes to unread topics."
        screen.refuse(with_keys(keys_of(screen), how))


def next_channel(screen: Workspace) -> None:
    """Goes to the next channel of the list."""
    _step_channel(screen, 1)


def previous_channel(screen: Workspace) -> None:
    """Goes to the previous channel of the list."""
    _step_channel(screen, -1)


def _step_channel(screen: Workspace, step: int) -> None:
    here = screen.narrow.channel_id if screen.narrow is not None else None
    channel_id = screen.navigation.channel_after(here, step)
    if channel_id is not None:
        screen.go(Narrow.channel(channel_id))
    else:
        screen.refuse("There are no channels in the list.")
