"""Passes events of the account to the hooks of one extension: one after the other, in order."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any

from narrowcast.extensions.running import RunningExtension
from narrowcast_api.model.messages import MENTION_FLAGS, Message
from narrowcast_api.resources.status import Status
from narrowcast_api.state import changes as change
from narrowcast_api.tasks import Tasks

if TYPE_CHECKING:
    from narrowcast.extend.app import App
    from narrowcast_api.events.status import ConnectionStatus
    from narrowcast_api.sync.session import Session

__all__ = ["MAX_WAITING", "Hooks"]

log = logging.getLogger(__name__)

MAX_WAITING = 1_000
"""Maximum number of pending calls of an extension; events beyond are dropped."""

Call = Callable[[], Coroutine[Any, Any, None]]


class Hooks:
    """Calls the hooks of one extension, from creation until `close`."""

    def __init__(self, session: Session, running: RunningExtension, handle: App[Any]) -> None:
        self._session = session
        self._running = running
        self._handle = handle
        self._waiting: asyncio.Queue[Call] = asyncio.Queue(MAX_WAITING)
        self._missed = False
        self._statuses = dict(session.state.statuses.items())
        self._connection = session.status
        self._unsubscribe = session.subscribe(self._on_changes)
        for hook in running.extension.start_hooks:
            self._put("on_start", hook)
        self._tasks = Tasks()
        self._tasks.start(self._work(), f"pass events to the extension {running.name}")

    async def close(self) -> None:
        self._unsubscribe()
        await self._tasks.close()

    async def _work(self) -> None:
        while True:
            call = await self._waiting.get()
            await call()
            self._missed = False

    def _put(self, what: str, hook: Callable[..., Any], *args: object) -> None:
        def call() -> Coroutine[Any, Any, None]:
            return self._running.call_hook(what, hook, self._handle, *args)

        try:
            self._waiting.put_nowait(call)
        except asyncio.QueueFull:
            if not self._missed:
                log.warning("extension %s is too slow and misses events", self._running.name)
            self._missed = True

    # events

    def _on_changes(self, changes: Sequence[change.Change]) -> None:
        if not self._running.is_on:
            return
        extension = self._running.extension
        for item in changes:
            if isinstance(item, change.MessagesAdded) and item.live:
                for message in self._session.state.messages.known(list(item.ids)):
                    self._heard(message)
            elif isinstance(item, change.PresenceChanged) and extension.status_hooks:
                self._look_at_statuses(item.ids)
            elif isinstance(item, change.StateReplaced):
                self._statuses = dict(self._session.state.statuses.items())
            elif isinstance(item, change.ConnectionChanged):
                self._look_at_connection(self._session.status)

    def _heard(self, message: Message) -> None:
        for hook in self._running.extension.message_hooks:
            self._put("on_message", hook, message)
        if message.flags & MENTION_FLAGS:
            for hook in self._running.extension.mention_hooks:
                self._put("on_mention", hook, message)

    def _look_at_statuses(self, user_ids: Sequence[int]) -> None:
        state = self._session.state
        for user_id in user_ids:
            before, now = self._statuses.get(user_id, Status()), state.statuses.get(user_id) or Status()
            user = state.users.get(user_id)
            if now == before or user is None:
                continue
            self._statuses[user_id] = now
            for hook in self._running.extension.status_hooks:
                self._put("on_status", hook, user, now)

    def _look_at_connection(self, now: ConnectionStatus) -> None:
        before, self._connection = self._connection, now
        if now.kind is not before.kind:
            for hook in self._running.extension.connection_hooks:
                self._put("on_connection", hook, now)
