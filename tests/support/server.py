"""The embedded server on a real socket of this machine, for tests.

    async with running_server(tmp_path) as server:
        account = server.account("ada")          # narrowcast_api.account.Account
        response = await server.call("ada", "GET", "/users/me")

Without `demo` the organization of `support.world` is there: few people, few channels, no messages.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Self, TypeVar
from urllib.parse import urlsplit

import httpx2

from narrowcast_api.account import Account
from narrowcast_api.http.secret import Secret
from narrowcast_api.wire.levels import SERVED_LEVEL
from narrowcast_api.wire.parameters import is_quoted
from narrowcast_server.organization.clock import ServerClock
from narrowcast_server.organization.config import Quotas, ServedDialect, ServerConfig
from narrowcast_server.organization.models import User
from narrowcast_server.organization.organization import Organization
from narrowcast_server.serve import Options, RunningServer, running
from support import world

JsonObject = dict[str, Any]
T = TypeVar("T")

_ANY_CERTIFICATE = httpx2.create_ssl_context(verify=False)
"""Created once: thousands of tests use a server."""


class Bare(str):
    """Text that a test sends without encoding."""


WATCHERS: list[Callable[[httpx2.Response], None]] = []
"""Called with each response, for checks of a whole run: see `conform`."""


class TestServer:
    """A running server, and methods to send requests to it."""

    __test__ = False

    def __init__(self, server: RunningServer, client: httpx2.AsyncClient) -> None:
        self.organization: Organization = server.organization
        self.url = server.url
        self.connections = server.connections
        self._server = server
        self.client = client

    def now(self) -> float:
        """The server's time."""
        return self.organization.now()

    def user(self, name: str) -> User:
        """Returns a user by first name, in lower case."""
        for user in self.organization.users.all():
            if user.full_name.split()[0].lower() == name and not user.is_system_bot:
                return user
        raise LookupError(name)

    def id(self, name: str) -> int:
        """Returns a user's id by first name."""
        return self.user(name).id

    def channel(self, name: str) -> int:
        """The id of a channel."""
        for channel in self.organization.channels.all():
            if channel.name == name:
                return channel.id
        raise LookupError(name)

    def group(self, name: str) -> int:
        """The id of a user group."""
        for group in self.organization.groups.all():
            if group.name == name:
                return group.id
        raise LookupError(name)

    def account(self, name: str) -> Account:
        """Returns a user's account by first name."""
        user = self.user(name)
        return Account(self.url, user.delivery_email, Secret(user.api_key))

    def set_level(self, level: int) -> None:
        """Changes the feature level of the running server."""
        self.organization.config = self.organization.config.at_level(level)

    async def raw(
        self,
        name: str | None,
        method: str,
        path: str,
        params: Mapping[str, object] | None = None,
        **options: Any,
    ) -> httpx2.Response:
        """Sends one request as `name` (None: without credentials); parameters are encoded as the contract
        defines.

        Text in `Bare` is not encoded, even if the parameter table requires JSON.
        """
        level = self.organization.level
        encoded = {
            key: value
            if isinstance(value, Bare) or (isinstance(value, str) and not is_quoted(method, path, key, level))
            else json.dumps(value)
            for key, value in (params or {}).items()
        }
        auth = None
        if name is not None:
            user = self.user(name)
            auth = httpx2.BasicAuth(user.delivery_email, user.api_key)
        if encoded:
            options["params" if method == "GET" else "data"] = encoded
        url = path if path.startswith("http") else f"{self.url}/api/v1{path}"
        response = await self.client.request(method, url, auth=auth, **options)
        for watcher in WATCHERS:
            watcher(response)
        return response

    async def call(
        self, name: str | None, method: str, path: str, params: Mapping[str, object] | None = None
    ) -> JsonObject:
        """Like `raw`; returns the JSON of the response, which must be a success."""
        response = await self.raw(name, method, path, params)
        body: JsonObject = response.json()
        assert response.status_code == 200, body
        assert body["result"] == "success", body
        return body

    async def refusal(
        self,
        name: str | None,
        method: str,
        path: str,
        params: Mapping[str, object] | None = None,
        status: int = 400,
    ) -> JsonObject:
        """Like `raw`; returns the JSON of the response, which must be an error with this status."""
        response = await self.raw(name, method, path, params)
        body: JsonObject = response.json()
        assert body["result"] == "error", body
        assert isinstance(body["msg"], str)
        assert isinstance(body["code"], str)
        assert response.status_code == status, body
        return body

    async def send(self, name: str, channel: str, topic: str, content: str = "hello") -> int:
        """Sends to a topic; returns the id."""
        response = await self.call(
            name,
            "POST",
            "/messages",
            {"type": "channel", "to": self.channel(channel), "topic": topic, "content": content},
        )
        return int(response["id"])

    async def send_direct(self, name: str, to: list[str], content: str = "hello") -> int:
        """Sends to users; returns the id."""
        ids = [self.id(other) for other in to]
        response = await self.call(
            name, "POST", "/messages", {"type": "direct", "to": ids, "content": content}
        )
        return int(response["id"])

    async def subscribe(self, by: str, channel: str, *names: str, **fields: object) -> JsonObject:
        """Subscribes users, or `by` alone, to a channel, which is created with `fields` if it does not exist."""
        people = {"principals": [self.id(name) for name in names]} if names else {}
        params = {"subscriptions": [{"name": channel}], **people, **fields}
        return await self.call(by, "POST", "/users/me/subscriptions", params)

    async def create_group(self, by: str, name: str, *members: str, **fields: object) -> int:
        """Creates a user group without a description; returns the id."""
        params = {"name": name, "description": "", "members": [self.id(member) for member in members]}
        return int((await self.call(by, "POST", "/user_groups/create", {**params, **fields}))["group_id"])

    async def create_bot(self, by: str, name: str = "Helper", **fields: object) -> JsonObject:
        """Creates a bot; returns the response, with its `user_id` and `api_key`."""
        return await self.call(by, "POST", "/bots", {"full_name": name, "short_name": name.lower(), **fields})

    async def create_link(self, by: str, **fields: object) -> str:
        """Creates an invitation link; returns the path at which it is accepted."""
        link = (await self.call(by, "POST", "/invites/multiuse", fields))["invite_link"]
        return join_path(link)

    async def newest(self, name: str, count: int = 1000, **narrow: object) -> list[JsonObject]:
        """The newest messages that a user can read, as source; `narrow`: operators with their operands."""
        terms = [{"operator": operator, "operand": operand} for operator, operand in narrow.items()]
        page = {"anchor": "newest", "num_before": count, "num_after": 0, "narrow": terms}
        response = await self.call(name, "GET", "/messages", {**page, "apply_markdown": False})
        messages: list[JsonObject] = response["messages"]
        return messages

    async def listen(self, name: str, **params: object) -> Listener:
        """Registers a client of a user. `client_capabilities` only needs to contain what differs from the
        defaults.
        """
        if isinstance(given := params.get("client_capabilities"), Mapping):
            params["client_capabilities"] = {"notification_settings_null": True, **given}
        response = await self.call(name, "POST", "/register", {"apply_markdown": True, **params})
        return Listener(self, name, response)


class Listener:
    """A registered client; `snapshot` is the `/register` response."""

    def __init__(self, server: TestServer, name: str, snapshot: JsonObject) -> None:
        self.snapshot = snapshot
        self.queue_id = str(snapshot["queue_id"])
        self.last_event_id = int(snapshot["last_event_id"])
        self._server = server
        self._name = name

    def poll(self, **changes: object) -> dict[str, object]:
        """The parameters of a request for events after `last_event_id`."""
        return {"queue_id": self.queue_id, "last_event_id": self.last_event_id, **changes}

    @property
    def is_read_now(self) -> bool:
        """Whether a poll or a stream waits for the next event."""
        return self._server.organization.hub.get(self.queue_id, self._server.id(self._name)).is_read_now

    async def events(self, *types: str) -> list[JsonObject]:
        """Returns the events since the last call, without waiting; only of these types if any are given."""
        response = await self._server.call(self._name, "GET", "/events", self.poll(dont_block=True))
        events: list[JsonObject] = response["events"]
        if events:
            self.last_event_id = events[-1]["id"]
        return [event for event in events if not types or event["type"] in types]


def join_path(link: str) -> str:
    """The path at which the invitation of a link is accepted."""
    return urlsplit(link).path.rstrip("/")


def limited(**quotas: int) -> ServerConfig:
    """A server with these quotas; the others keep their defaults."""
    return ServerConfig(quotas=replace(Quotas(), **quotas))


@asynccontextmanager
async def running_server(
    path: Path,
    *,
    demo: bool = False,
    alive: bool = False,
    feature_level: int | None = None,
    dialect: str = "service",
    config: ServerConfig | None = None,
    clock: ServerClock | None = None,
    host: str = "127.0.0.1",
) -> AsyncIterator[TestServer]:
    """A server with its data in `path`; see the module."""
    chosen = replace(config or ServerConfig(), dialect=ServedDialect(dialect), durable=False)
    chosen = chosen.at_level(SERVED_LEVEL if feature_level is None else feature_level)
    options = Options(host=host, port=0, data=path, demo=demo, alive=alive)
    if not demo and clock is None and not (path.exists() and any(path.iterdir())):
        world.lay_out(path, chosen.level, chosen.dialect)
    prepare = None if demo else world.populate
    async with (
        running(options, config=chosen, clock=clock, prepare=prepare) as server,
        httpx2.AsyncClient(trust_env=False, timeout=30, verify=_ANY_CERTIFICATE) as client,
    ):
        yield TestServer(server, client)


class LoopThread:
    """An event loop in a thread of its own, for tests that block meanwhile: `do` and `call` work within its block."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="event loop", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.do(self._loop.shutdown_default_executor())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def do(self, work: Coroutine[Any, Any, T], seconds: float = 60.0) -> T:
        """Runs a coroutine in the thread and waits for it here. Raises TimeoutError after `seconds`."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(seconds)

    def call(self, function: Callable[..., object], *args: object) -> None:
        """Schedules a call in the thread."""
        self._loop.call_soon_threadsafe(function, *args)


@contextmanager
def serving(data: Path, port: int = 0) -> Iterator[str]:
    """Serves the same as `narrowcast serve --demo`, on a free port unless one is given; yields its address.
    The demo's simulated people write nothing, as their timing would be random.
    """
    options = Options(port=port, data=data, demo=True, alive=False)
    with LoopThread() as thread:
        stack = AsyncExitStack()
        server = thread.do(stack.enter_async_context(running(options, config=ServerConfig(durable=False))))
        try:
            yield server.url
        finally:
            thread.do(stack.aclose())
