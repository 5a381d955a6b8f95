"""The real context of a session, whose requests a test answers; its files are in a folder of the test."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx2

from narrowcast_api.client import Client
from narrowcast_api.clock import Clock
from narrowcast_api.errors import ApiError
from narrowcast_api.events.status import ConnectionKind, ConnectionStatus
from narrowcast_api.protocols.context import SessionContext
from narrowcast_api.state.changes import Change
from narrowcast_api.state.state import State
from narrowcast_api.storage.account_storage import AccountStorage
from narrowcast_api.storage.executors import inline
from narrowcast_api.storage.journal import Journal
from support.api import ACCOUNT
from support.clock import VirtualClock
from support.live import make_state
from support.scripted import SentRequest, sent_request, unread


class Answers(httpx2.AsyncBaseTransport):
    """Records all requests and accepts them with `body`, unless there is a `problem`; a `gate` holds them back."""

    def __init__(self) -> None:
        self.requests: list[SentRequest] = []
        self.accepted: list[SentRequest] = []
        self.body: dict[str, Any] = {}
        self.problem: ApiError | httpx2.TransportError | None = None
        self.gate: asyncio.Event | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        sent = await sent_request(request)
        if self.gate is not None:
            await self.gate.wait()
        self.requests.append(sent)
        match self.problem:
            case None:
                self.accepted.append(sent)
                return unread(httpx2.Response(200, json={"result": "success", "msg": "", **self.body}))
            case ApiError() as error:
                body = {"result": "error", "msg": error.msg, "code": error.code}
                return unread(httpx2.Response(error.status, json=body))
            case error:
                raise error


class TestContext(SessionContext):
    """A live context. `answers` has its requests, `published` its changes."""

    __test__ = False

    def __init__(self, folder: Path, clock: VirtualClock, state: State) -> None:
        storage = AccountStorage.open(
            folder / "data", folder / "cache", ACCOUNT.site, ACCOUNT.email, executor=inline
        )
        self.answers = Answers()
        self.time = clock
        super().__init__(storage, state, Client.open(ACCOUNT, transport=self.answers, clock=clock), clock)
        self.published: list[Change] = []
        self.bus.subscribe(self._published)
        self.client.connection.assume(state.server)
        self.online = True

    def _published(self, changes: Sequence[Change]) -> None:
        self.published.extend(changes)

    @property
    def online(self) -> bool:
        """Whether the connection is live; may be set."""
        return self.is_live

    @online.setter
    def online(self, is_live: bool) -> None:
        kind = ConnectionKind.LIVE if is_live else ConnectionKind.OFFLINE
        self.status = ConnectionStatus(kind, self.clock.now())

    async def close(self) -> None:
        """Closes the sockets and files."""
        await self.client.aclose()
        self.storage.close()


class PartContext(SessionContext):
    """The context of one part, with a journal of the test's own. `published` has its changes at once; requests
    are those of the groups that the test gives to `client`.
    """

    def __init__(
        self,
        journal: Journal,
        clock: Clock,
        state: State,
        names: Iterator[int] | None = None,
        name: str = "local-",
    ) -> None:
        self.journal = journal
        self.clock = clock
        self.state = state
        self.client = Client.open(ACCOUNT, clock=clock)
        self.published: list[Change] = []
        self.online = True
        self.queue: str | None = "queue-1"
        self._journal_readers = []
        self._name, self._names = name, names or itertools.count(1)

    @property
    def is_live(self) -> bool:
        return self.online

    @property
    def queue_id(self) -> str | None:
        return self.queue

    def new_id(self) -> str:
        return f"{self._name}{next(self._names)}"

    def publish(self, *changes: Change) -> None:
        self.published.extend(changes)

    def answer(self, **groups: object) -> None:
        """Replaces groups of operations by objects that answer for the server."""
        for name, group in groups.items():
            setattr(self.client, name, group)


def make_context(folder: Path, clock: VirtualClock | None = None, /, **snapshot: object) -> TestContext:
    """The context of Ada's account (`support.live`); `snapshot` are fields of its `/register` response."""
    return TestContext(folder, clock or VirtualClock(), make_state(**snapshot))
