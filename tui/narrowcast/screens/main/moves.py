"""Topics that are moved while they are open or written to: views, texts and drafts go along."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from narrowcast.text import names
from narrowcast.text.formats import counted
from narrowcast_api.errors import BadRequest, NarrowcastError
from narrowcast_api.narrow.destinations import ChannelDestination, same_conversation
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.protocols.outbox import OutboxState
from narrowcast_api.state.changes import Change, MessagesMoved

if TYPE_CHECKING:
    from narrowcast.screens.main.conversation_pane import ConversationPane
    from narrowcast.screens.workspace import Workspace
    from narrowcast_api.sync.session import Session

__all__ = ["Moves", "follow_topic"]


class Moves:
    """Follows the topics that other users and devices move."""

    def __init__(self, screen: Workspace) -> None:
        self._screen = screen
        self._sought: set[tuple[Narrow, int]] = set()

    def show(self, changes: Sequence[Change]) -> None:
        """Follows topics that were moved as a whole; tells of others that are open."""
        for moved in changes:
            if isinstance(moved, MessagesMoved):
                self._show(moved)

    def _show(self, moved: MessagesMoved) -> None:
        screen = self._screen
        is_own = moved.user_id == screen.session.state.me
        shown = _showing(screen, moved.old)
        if moved.is_whole or any(_is_emptied(one) for one in shown):
            follow_topic(screen, moved.old, moved.new, is_own=is_own)
        elif shown and not is_own:
            state = screen.session.state
            old, new = names.destination(state, moved.old), names.destination(state, moved.new)
            screen.tell(f"{counted(len(moved.ids), 'message')} moved from {old} to {new}.")

    def seek(self) -> None:
        """Looks for topics that were moved while there was no connection or another account was on screen:
        all messages are gone.
        """
        for one in self._screen.side.all:
            old = one.narrow.destination if one.narrow is not None else None
            message_id = _last_selected(one)
            if isinstance(old, ChannelDestination) and message_id is not None and _is_emptied(one):
                key = (Narrow.from_destination(old), message_id)
                if key not in self._sought:
                    self._sought.add(key)
                    self._screen.spawn(self._seek(old, *key), "look for a topic")

    async def _seek(self, old: ChannelDestination, narrow: Narrow, message_id: int) -> None:
        session = self._screen.session
        try:
            response = await session.client.messages.get(message_id=message_id)
        except BadRequest:
            return  # it was deleted, or is no longer visible to the user
        except NarrowcastError:
            self._sought.discard((narrow, message_id))
            return
        if not self._screen.messages.is_attached:
            return  # another account is on screen: this one looks again when it returns
        new = response.message.destination(session.state.me) if response.message is not None else None
        if isinstance(new, ChannelDestination) and any(
            _is_emptied(one) for one in _showing(self._screen, old)
        ):
            follow_topic(self._screen, old, new, is_own=False)


def follow_topic(
    screen: Workspace, old: ChannelDestination, new: ChannelDestination, *, is_own: bool
) -> None:
    """After all messages of a topic were moved: its views, texts, drafts and uploads go to the new place. The focus
    stays. ``is_own``: the current user moved them.
    """
    if old == new:
        return
    session, narrow = screen.session, Narrow.from_destination(new)
    shown = _showing(screen, old)
    for one in screen.side.all:
        one.history.move(Narrow.from_destination(old), narrow)
    if not any(one.narrow == narrow for one in screen.side.all if one not in shown):  # no view is shown twice
        for one in shown:
            one.move(narrow)
            _save_view(screen, one)
    left = session.views.peek(Narrow.from_destination(old))
    if left is not None and left.narrow != narrow:
        left.position = None  # whoever opens the old topic again means that one
    _readdress_unsent(session, old, new)
    has_text = [one.writing.follow_move(old, new) for one in screen.side.all]
    if same_conversation(screen.sent_to, old):
        screen.sent_to = new
    moved = f"{names.destination(session.state, old)} was moved to {names.destination(session.state, new)}."
    goes_along = "The text you are writing goes there too." if any(has_text) else ""
    if waiting := [entry for entry in session.outbox.entries(new) if entry.state is OutboxState.WAITING]:
        goes_along = f"{goes_along} {counted(len(waiting), 'unsent message')} will be sent there.".strip()
    is_private = session.state.channels.is_private
    if goes_along and is_private(old.channel_id) and not is_private(new.channel_id):
        who = "Users who cannot read the old channel can read this one."
        screen.tell(f"{moved} {who} {goes_along}", severity="warning")
    elif goes_along:
        screen.tell(f"{moved} {goes_along}")
    elif shown and not is_own:
        screen.tell(moved)


def _readdress_unsent(session: Session, old: ChannelDestination, new: ChannelDestination) -> None:
    """Drafts and uploads for the topic are for its new place."""
    if session.read_only:
        return
    for draft in session.drafts.all():
        if same_conversation(draft.destination, old):
            session.drafts.save(draft.draft_id, new, draft.content)
    for upload in session.uploads.all():
        if same_conversation(upload.destination, old):
            session.uploads.readdress(upload, new)


def _showing(screen: Workspace, where: ChannelDestination) -> list[ConversationPane]:
    """The conversations that show a topic."""
    return [one for one in screen.side.all if one.narrow == Narrow.from_destination(where)]


def _last_selected(conversation: ConversationPane) -> int | None:
    """The selected message, even if it is no longer in the view."""
    view = conversation.messages.view
    return conversation.messages.selected_id or (view.position if view is not None else None)


def _is_emptied(conversation: ConversationPane) -> bool:
    """Whether the view is known to have no messages."""
    view = conversation.messages.view
    if view is None or view.error is not None or view.loading or view.is_stale:
        return False
    return not view.ids and view.found_oldest and view.found_newest


def _save_view(screen: Workspace, conversation: ConversationPane) -> None:
    """Keeps the views on the screen in sync, and saves them for the next start."""
    session, here = screen.session, screen.narrow
    if here is None:
        return
    session.view(here)  # the active conversation stays the view used last
    screen.side.save()
    if conversation is screen.side.active:
        session.cache_view(here, screen.messages.selected_id)
        screen.navigation.show_current(here, select=not screen.navigation.has_focus_within)
        screen.show_status()
