"""The services of a session, which send requests or keep what is to be sent: one object per subject.

Each has the context of the session. Cheap to import.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from narrowcast_api.protocols.context import SessionContext
from narrowcast_api.protocols.draft_requests import DraftRequests
from narrowcast_api.protocols.drafts import Drafts
from narrowcast_api.protocols.edits import UnsavedEdits
from narrowcast_api.protocols.message_actions import MessageActions
from narrowcast_api.protocols.outbox import Outbox
from narrowcast_api.protocols.outbox_item import ShowMessage
from narrowcast_api.protocols.outbox_requests import OutboxRequests
from narrowcast_api.protocols.presence import PresenceSender
from narrowcast_api.protocols.read_marks import ReadMarks
from narrowcast_api.protocols.status_end import StatusEnd
from narrowcast_api.protocols.typing import TypingSender
from narrowcast_api.protocols.uploads import UploadQueue
from narrowcast_api.resources.drafts import DraftsAddEvent, DraftsRemoveEvent, DraftsUpdateEvent
from narrowcast_api.state.changes import ServerNotice
from narrowcast_api.state.state import State
from narrowcast_api.storage.records import Edit
from narrowcast_api.sync.journal_watcher import JournalWatcher
from narrowcast_api.wire import events as kinds

Loop = tuple[str, Callable[[], Coroutine[Any, Any, None]]]
"""What it does, completing "Could not …", and a coroutine function that runs until cancelled."""

REPLACED = (
    "Your edit has replaced a change that was made elsewhere at the same moment. That text is in Drafts."
)

_DRAFTS_SETTING = "enable_drafts_synchronization"


class Services:
    """All services of a session: one object per subject. `present`: whether the user is reported as present to
    others; `show_sent` shows a message for which no event arrived.
    """

    def __init__(self, context: SessionContext, *, present: bool, show_sent: ShowMessage) -> None:
        self._context = context
        self._present = present
        self._draft_requests = DraftRequests(context)
        self.outbox = Outbox(context, OutboxRequests(context), show=show_sent)
        # A window that cannot write sends nothing, and shows the drafts of the server.
        self.drafts = Drafts(context, self._draft_requests, is_leader=context.storage.read_only)
        self.edits = UnsavedEdits(
            journal=context.journal, clock=context.clock, is_gone=context.storage.is_gone
        )
        self.typing = TypingSender(context)
        self.read_marks = ReadMarks(context)
        self.presence = PresenceSender(context)
        self.uploads = UploadQueue(context)
        self.message_actions = MessageActions(context)
        self.status_end = StatusEnd(context)
        self.journal_watcher = JournalWatcher(context, on_leader=self.drafts.become_leader)
        for part in (
            self.outbox,
            self.drafts,
            self.uploads,
            self.read_marks,
            self.message_actions,
            self.status_end,
        ):
            context.follow_journal(part)

    def loops(self) -> list[Loop]:
        """The loops that run while the session does. A read-only session leaves the journal alone."""
        loops: list[Loop] = [
            ("send typing notifications", self.typing.run),
            ("keep unsaved edits", self.edits.run),
            ("mark messages as read", self.read_marks.run),
            ("send flags and reactions", self.message_actions.run),
            ("end the status", self.status_end.run),
        ]
        if self._present:
            loops.append(("report presence", self.presence.run))
        if not self._context.storage.read_only:
            loops += [
                ("send messages", self.outbox.run),
                ("sync drafts", self.drafts.run),
                ("follow other windows", self.journal_watcher.run),
                ("handle lost writes", self.journal_watcher.run_on_lost_writes),
            ]
        return loops

    def wake(self) -> None:
        """Retries what is pending, because the connection is live again."""
        self.outbox.wake()
        self.drafts.wake()
        self.read_marks.wake()
        self.presence.wake()
        self.uploads.wake()
        self.message_actions.wake()
        self.status_end.wake()

    def on_snapshot(self, state: State) -> None:
        """Passes on a new snapshot."""
        self.outbox.on_snapshot(state.max_message_id)
        self.drafts.on_snapshot(self._draft_requests.in_local_time(state.drafts.all()))
        self.read_marks.on_snapshot()
        self.message_actions.on_snapshot()
        self.edits.on_snapshot()

    def on_older_server(self, newest_id: int, asked_at: float, *, is_lost: Callable[[int], bool]) -> None:
        """Handles that the server may have been restored to an older state, whose newest message is `newest_id`, before
        the snapshot is passed on, which was requested at `asked_at` (monotonic seconds). `is_lost` tells which messages
        it may lack.
        """
        self.outbox.on_older_server(newest_id, asked_at)
        self.read_marks.on_older_server(is_lost)
        self.message_actions.on_older_server(is_lost)

    def on_event(self, event: kinds.Event) -> None:
        """Handles events about drafts, the setting that turns them off, and messages whose edits were sent."""
        drafts = self._context.state.drafts
        if isinstance(event, DraftsAddEvent):
            added = [drafts.get(draft.id) for draft in event.drafts]
            self.drafts.on_added(self._draft_requests.in_local_time(filter(None, added)))
        elif isinstance(event, DraftsUpdateEvent):
            draft = drafts.get(event.draft.id)
            if draft is not None:
                self.drafts.on_updated(self._draft_requests.in_local_time([draft]))
        elif isinstance(event, DraftsRemoveEvent):
            self.drafts.on_removed(event.draft_id)
        elif isinstance(event, kinds.UserSettingsEvent) and event.property == _DRAFTS_SETTING:
            self.drafts.on_setting()
        elif isinstance(event, kinds.UpdateMessageEvent) and (replaced := self.edits.on_update(event)):
            self._keep_replaced(replaced)

    def _keep_replaced(self, edit: Edit) -> None:
        """Keeps the text of another device that an edit from here has replaced, as a draft."""
        message = self._context.state.messages.get(edit.message_id)
        where = edit.destination if message is None else message.destination(self._context.state.me)
        self.drafts.save(None, where, edit.content)
        self._context.publish(ServerNotice(REPLACED))

    def queue_writes(self) -> None:
        """Queues every draft and every unsaved edit for writing to the journal."""
        self.edits.write()
        self.drafts.queue_writes()

    async def flush(self) -> None:
        """Waits until they are on disk, for as long as closing may take."""
        self.edits.write()
        await self.drafts.flush()

    async def close(self) -> None:
        """Sends what is pending: typing stopped, read marks. Bound it with a timeout."""
        self.queue_writes()
        await asyncio.gather(
            self.typing.close(), self.read_marks.close(), self.uploads.close(), return_exceptions=True
        )
