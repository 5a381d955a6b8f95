"""A live account with all its parts: the object that an app holds.

async with ... :  session = await Session.open(account, data_dir=..., cache_dir=...)
task = asyncio.create_task(session.run())       # registers, receives, sends; never raises for the network
session.subscribe(listener)                     # changes, batched; then read `session.state` again
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from narrowcast_api.client import Client
from narrowcast_api.clock import Clock, SystemClock
from narrowcast_api.events.status import ConnectionStatus
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.narrow.page import PAGE
from narrowcast_api.protocols.change_bus import Listener
from narrowcast_api.protocols.context import SessionContext
from narrowcast_api.state.changes import (
    Change,
    StorageChanged,
)
from narrowcast_api.state.state import State
from narrowcast_api.storage.account_storage import AccountStorage
from narrowcast_api.sync.kept_unread import KeptUnread
from narrowcast_api.sync.loader import Loader
from narrowcast_api.sync.local_search import LocalResult, search_cache
from narrowcast_api.sync.message_lists import Views
from narrowcast_api.sync.message_view import MessageView
from narrowcast_api.sync.pages import Pages
from narrowcast_api.sync.server_notices import ServerNotices
from narrowcast_api.sync.services import Services
from narrowcast_api.sync.startup_cache import cached_messages, load_state, save_progress
from narrowcast_api.sync.synchronizer import Synchronizer
from narrowcast_api.sync.view_refresher import ViewRefresher
from narrowcast_api.threads import in_thread
from narrowcast_api.wire.events import UpdateMessageFlagsEvent

if TYPE_CHECKING:
    import httpx2

    from narrowcast_api.account import Account
    from narrowcast_api.model.messages import Message

logger = logging.getLogger(__name__)

CLOSE_SECONDS = 2.0
"""How long the network may delay closing a session."""


class Session:
    """An account that is kept up to date. Create one with `open`; then `run`, and `close` at the end.

    Writes return at once: `outbox.send`, `drafts.save`, `typing.typed`, `read_marks.seen`, `uploads.start`.
    Actions that are only requests go through `client`; their effects arrive as events.
    """

    def __init__(
        self,
        account: Account,
        storage: AccountStorage,
        state: State,
        *,
        clock: Clock,
        transport: httpx2.AsyncBaseTransport | None = None,
        present: bool = True,
    ) -> None:
        self.account = account
        self.present = present
        self.storage = storage
        self.clock = clock
        self.transport = transport
        """What replaces the network in tests."""
        self.client = Client.open(account, transport=transport, clock=clock)
        """Every operation of the service, for this account."""
        self.context = context = SessionContext(storage, state, self.client, clock)
        ServerNotices(context.publish, clock).attach(self.client.connection)
        self._running: asyncio.Task[object] | None = None
        """The task of `run`."""
        self.kept_unread = KeptUnread(storage.cache)
        """The views in which nothing is marked as read."""
        self.services = services = Services(context, present=present, show_sent=self.show_sent)
        self.pages = pages = Pages(context, services.outbox)
        """What is fetched for the views."""
        self.views = Views(context, pages)
        """All views that are kept up to date."""
        self.loader = Loader(context, pages)
        self._refresher = ViewRefresher(context, self.views)
        self.synchronizer = Synchronizer(
            context, services, pages, self.views, self._refresher, transport=transport
        )
        """Receives the account's events."""
        self.outbox = services.outbox
        self.drafts = services.drafts
        self.edits = services.edits
        self.journal_watcher = services.journal_watcher
        self.typing = services.typing
        self.read_marks = services.read_marks
        self.presence = services.presence
        self.uploads = services.uploads
        self.message_actions = services.message_actions
        self.status_end = services.status_end
        storage.on_warning(lambda: context.bus.publish_from_thread(StorageChanged()))

    @classmethod
    async def open(
        cls,
        account: Account,
        *,
        data_dir: Path,
        cache_dir: Path,
        clock: Clock | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
        present: bool = True,
        kind: str = "app",
    ) -> Session:
        """Opens the files of an account and reads the cached state; no network.

        Never raises for disk errors: `warnings` lists what cannot be stored. `transport` replaces the network
        in tests. With `present=False` the user is not reported as present, for programs that run without the
        user. `kind` tells other windows of the account what this one is for: "app", "sender" or "command".
        """
        chosen = clock or SystemClock()

        def opened() -> tuple[AccountStorage, State]:
            storage = AccountStorage.open(data_dir, cache_dir, account.site, account.email, kind=kind)
            try:
                return storage, load_state(storage.cache, chosen)
            except BaseException:  # the files stay locked for other windows until they are closed
                storage.close()
                raise

        storage, state = await in_thread(opened, lambda result: result[0].close())
        return cls(account, storage, state, clock=chosen, transport=transport, present=present)

    # properties

    @property
    def state(self) -> State:
        """The account in memory. A snapshot replaces it: read it anew after each `StateReplaced`."""
        return self.context.state

    @property
    def status(self) -> ConnectionStatus:
        """The connection to the server's events."""
        return self.context.status

    @property
    def is_live(self) -> bool:
        return self.context.is_live

    @property
    def read_only(self) -> bool:
        """Whether a window that cannot share the account's files has it open, so that nothing can be written here."""
        return self.storage.read_only

    @property
    def warnings(self) -> tuple[str, ...]:
        """Disk problems that the user must be told about."""
        return self.storage.warnings

    @property
    def queue_id(self) -> str | None:
        """The id of the event queue, if there is one."""
        return self.context.queue_id

    @property
    def last_narrow(self) -> Narrow | None:
        """The view that was on screen last, even if that was in an earlier session."""
        cached = self.storage.cache.last_view()
        if cached is None:
            return None
        with suppress(ValueError):
            return Narrow.load(cached.key)
        return None

    # changes

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Calls `listener` with each batch of changes; returns a function that unsubscribes it."""
        return self.context.bus.subscribe(listener)

    def publish(self, *changes: Change) -> None:
        """Adds changes to the batch that the listeners receive at the next turn of the loop."""
        self.context.publish(*changes)

    def show_unread(self, message_ids: Collection[int]) -> None:
        """Shows messages as unread that the server has marked so, before the event about it arrives."""
        self.context.apply_expected(
            UpdateMessageFlagsEvent(op="remove", flag="read", messages=list(message_ids))
        )

    # moving text

    @contextmanager
    def one_write(self) -> Iterator[None]:
        """Text that moves inside, as from a draft to the outbox or back, is on the disk in exactly one of both places
        whenever the process ends. Nothing inside may be awaited.
        """
        with self.storage.journal.one_write():
            try:
                yield
            finally:
                self.services.queue_writes()

    # views

    def view(self, narrow: Narrow) -> MessageView:
        """The view of a narrow, the same one each time; then `await view.open(anchor)`."""
        return self.views.get(narrow)

    @property
    def views_on_screen(self) -> Sequence[MessageView]:
        """The view that was opened last, and the one in `views.beside`."""
        return self.views.on_screen

    def cache_view(self, narrow: Narrow, position: int | None = None) -> None:
        """Caches a view for the next start: its newest known messages, and the selected message."""
        view = self.views.peek(narrow)
        ids = [] if view is None else list(view.ids[-PAGE:])
        cache = self.storage.cache
        cache.post(cache.save_view, narrow.dump(), ids, position)

    async def show_sent(self, message_id: int) -> None:
        """Shows a message of the current user for which no event arrived. Raises `NarrowcastError`."""
        message = await self.loader.message(message_id)
        if message is not None:
            self.views.add(message)
        self.views.refresh_on_screen(only_without_events=True)

    async def search_cached(self, narrow: Narrow, limit: int = 100) -> LocalResult:
        """Returns cached messages that are in `narrow`, newest first; works without a network. People and
        channels of the narrow are ids, see `narrowcast_api.narrow.resolve`.
        """
        self._flush()
        cache = self.storage.cache
        return await cache.run(search_cache, cache, narrow, self.state, limit)

    async def newest_cached(self, narrow: Narrow, limit: int) -> Sequence[Message]:
        """Returns the newest cached messages of a narrow, ascending; works without a network."""
        self._flush()
        cache = self.storage.cache
        return await cache.run(cached_messages, cache, self.state, narrow, None, limit)

    async def cached_around(self, message: Message, each: int) -> Sequence[Message]:
        """Returns a message between its cached neighbours in the conversation, at most ``each`` before and after."""
        self._flush()
        cache, me = self.storage.cache, self.state.me
        where = message.destination(me)
        before = await cache.run(cache.load_conversation, where, me, each, message.id)
        after = await cache.run(cache.load_conversation_after, where, me, each, message.id)
        return [*before, message, *after]

    # lifecycle

    def reconnect(self) -> None:
        """Tries to reach the server now, even after it rejected the API key."""
        self.synchronizer.stream.retry_now()

    async def run(self) -> None:
        """Keeps the account up to date until cancelled. Never raises for network errors."""
        self._running = asyncio.current_task()
        self.client.connection.assume(self.state.server)
        loops = [
            ("receive events", self.synchronizer.stream.run),
            ("end the typing of others", self.synchronizer.typing_expiry.run),
            ("refresh the view on screen", self._refresher.run),
            *self.services.loops(),
        ]
        try:
            await asyncio.gather(
                *(self.context.tasks.keep_running(loop, name, self.clock) for name, loop in loops)
            )
        finally:
            await self.context.tasks.close()

    def spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        """Runs `work` in the background; an error in it is logged. `name` completes "Could not …"."""
        self.context.tasks.start(work, name)

    async def close(self, within: float = CLOSE_SECONDS) -> None:
        """Ends the session: sends what is pending, stores what is unsent, closes the files. Ends `run` too.

        The network gets at most `within` seconds. The files are always closed, even if the caller is
        cancelled meanwhile; that takes at most a few seconds more.
        """
        deadline = asyncio.get_running_loop().time() + within
        try:
            await self._stop(within)
            with suppress(TimeoutError):
                async with asyncio.timeout_at(deadline):
                    await self._send_pending(deadline - within / 4)
                    await self.context.tasks.close()
                    await self.client.aclose()
        except Exception:
            logger.exception("the session did not end well")
        finally:
            self.context.bus.close()
            await asyncio.shield(self._keep_and_close_files())

    async def _stop(self, within: float) -> None:
        """Ends `run`, unless it is the caller; waits at most `within` seconds."""
        running, self._running = self._running, None
        if running is not None and running is not asyncio.current_task():
            running.cancel()
            await asyncio.wait([running], timeout=max(0.0, within))

    async def _send_pending(self, deadline: float) -> None:
        """Sends what is pending until the deadline; the rest stays in the journal."""
        with suppress(TimeoutError):
            async with asyncio.timeout_at(deadline):
                goodbyes = (self.services.close(), self.synchronizer.close())
                await asyncio.gather(*goodbyes, return_exceptions=True)

    async def _keep_and_close_files(self) -> None:
        try:
            await self.services.flush()
        finally:
            self._flush()
            await asyncio.shield(asyncio.to_thread(self._close_files))

    def _flush(self) -> None:
        """Queues all pending writes for the cache."""
        self.synchronizer.flush()

    def _close_files(self) -> None:
        """Runs in a thread, because disks are slow."""
        try:
            if not self.state.from_cache:
                save_progress(self.storage.cache, self.state)
        finally:
            self.storage.close()
