"""The services of a session, which send requests or keep what is to be sent: one object per subject.

Each is connected here to the journal, the clock, the state and its requests. Cheap to import.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from narrowcast_api.protocols.drafts import Drafts
from narrowcast_api.protocols.edits import UnsavedEdits
from narrowcast_api.protocols.message_acts import MessageActs
from narrowcast_api.protocols.outbox import Outbox
from narrowcast_api.protocols.presence import PresenceSender
from narrowcast_api.protocols.read_marks import ReadMarks
from narrowcast_api.protocols.requests import DraftRoutes, RouteRequests
from narrowcast_api.protocols.status_end import StatusEnd
from narrowcast_api.protocols.typing import TypingSender
from narrowcast_api.protocols.uploads import UploadQueue
from narrowcast_api.state.state import State
from narrowcast_api.storage.journal import JournalChanges
from narrowcast_api.sync.host import ServiceHost
from narrowcast_api.sync.other_windows import OtherWindows
from narrowcast_api.wire import events as kinds

Loop = tuple[str, Callable[[], Coroutine[Any, Any, None]]]
"""What it does, completing "Could not …", and a coroutine function that runs until cancelled."""

_DRAFTS_SETTING = "enable_drafts_synchronization"


class Services:
    """All services of a session: one object per subject."""

    def __init__(self, session: ServiceHost) -> None:
        self._session = session
        context = session.context
        requests = RouteRequests(lambda: session.client, lambda: session.state)
        self._draft_routes = DraftRoutes(lambda: session.client, lambda: session.state)
        self.outbox = self._outbox(requests)
        self.drafts = self._drafts(requests)
        self.edits = UnsavedEdits(
            journal=session.storage.journal, clock=session.clock, is_gone=session.storage.is_gone
        )
        self.typing = TypingSender(context)
        self.read_marks = _read_marks(session, requests)
        self.presence = PresenceSender(context)
        self.uploads = UploadQueue(
            upload=requests.upload,
            journal=session.storage.journal,
            changed=session.publish,
            online=lambda: session.is_live,
        )
        self.acts = _acts(session, requests)
        self.status_end = StatusEnd(context)
        self.other_windows = OtherWindows(
            session.storage, session.clock, on_changes=self.on_journal, on_leader=self.drafts.become_leader
        )

    def _outbox(self, requests: RouteRequests) -> Outbox:
        session = self._session
        return Outbox(
            send=requests.send,
            find=requests.find,
            show=session.show_sent,
            journal=session.storage.journal,
            clock=session.clock,
            changed=session.publish,
            limits=requests.limits,
            queue_id=lambda: session.queue_id,
            newest_id=lambda: session.state.max_message_id,
            is_known=lambda message_id: message_id in session.state.messages,
            me=lambda: session.state.me,
            online=lambda: session.is_live,
            on_changes=self.on_journal,
        )

    def _drafts(self, requests: RouteRequests) -> Drafts:
        session = self._session
        return Drafts(
            requests=self._draft_routes,
            journal=session.storage.journal,
            clock=session.clock,
            changed=session.publish,
            enabled=requests.drafts_enabled,
            limits=requests.limits,
            refusal=self._draft_routes.refusal,
            # Without a queue, edits on other devices are not received here, and would be overwritten.
            online=lambda: session.is_live and session.queue_id is not None,
            is_leader=session.read_only,  # a read-only window sends nothing and shows the drafts of the server
            known_ids=lambda: [draft.id for draft in session.state.drafts.all()],
            on_changes=self.on_journal,
        )

    def loops(self) -> list[Loop]:
        """The loops that run while the session does. A read-only session leaves the journal alone."""
        loops: list[Loop] = [
            ("send typing notifications", self.typing.run),
            ("keep unsaved edits", self.edits.run),
            ("mark messages as read", self.read_marks.run),
            ("send flags and reactions", self.acts.run),
            ("end the status", self.status_end.run),
        ]
        if self._session.present:
            loops.append(("report presence", self.presence.run))
        if not self._session.read_only:
            loops += [
                ("send messages", self.outbox.run),
                ("sync drafts", self.drafts.run),
                ("follow other windows", self.other_windows.run),
                ("handle lost writes", self.other_windows.run_on_lost_writes),
            ]
        return loops

    def on_journal(self, changes: JournalChanges) -> None:
        """Passes on what other windows have written to the journal or left behind."""
        self.outbox.on_journal(changes)
        self.drafts.on_journal(changes)
        self.uploads.on_journal(changes)
        self.read_marks.on_journal(changes)
        self.acts.on_journal(changes)
        self.status_end.on_journal(changes)

    def wake(self) -> None:
        """Retries what is pending, because the connection is live again."""
        self.outbox.wake()
        self.drafts.wake()
        self.read_marks.wake()
        self.presence.wake()
        self.uploads.wake()
        self.acts.wake()
        self.status_end.wake()

    def on_snapshot(self, state: State) -> None:
        """Passes on a new snapshot."""
        self.outbox.on_snapshot(state.max_message_id)
        self.drafts.on_snapshot(self._draft_routes.in_local_time(state.drafts.all()))
        self.read_marks.on_snapshot()
        self.acts.on_snapshot()

    def on_event(self, event: kinds.Event) -> None:
        """Handles events about drafts, and about the setting that turns them off."""
        drafts = self._session.state.drafts
        if isinstance(event, kinds.DraftsAddEvent):
            added = [drafts.get(draft.id) for draft in event.drafts]
            self.drafts.on_added(self._draft_routes.in_local_time(filter(None, added)))
        elif isinstance(event, kinds.DraftsUpdateEvent):
            draft = drafts.get(event.draft.id)
            if draft is not None:
                self.drafts.on_updated(self._draft_routes.in_local_time([draft]))
        elif isinstance(event, kinds.DraftsRemoveEvent):
            self.drafts.on_removed(event.draft_id)
        elif isinstance(event, kinds.UserSettingsEvent) and event.property == _DRAFTS_SETTING:
            self.drafts.on_setting()

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


def _read_marks(session: ServiceHost, requests: RouteRequests) -> ReadMarks:
    return ReadMarks(
        mark=requests.mark_read,
        clock=session.clock,
        is_unread=lambda message_id: session.state.unreads.is_unread(message_id) is not False,
        online=lambda: session.is_live,
        journal=session.storage.journal,
        show=session.context.show_read,
    )


def _acts(session: ServiceHost, requests: RouteRequests) -> MessageActs:
    return MessageActs(
        requests=requests,
        show=session.context.apply_expected,
        journal=session.storage.journal,
        clock=session.clock,
        changed=session.publish,
        me=lambda: session.state.me,
        is_known=lambda message_id: message_id in session.state.messages,
        has_flag=lambda message_id, flag: session.state.has_flag(message_id, flag),
        online=lambda: session.is_live,
    )
