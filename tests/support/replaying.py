"""Replays the recorded requests on an embedded server with the organization of the recordings.

They are sent in the recorded order, and what they create gets the recorded ids. What the recording did
without writing it down is done again where the requests show that it happened.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx2

from narrowcast_server.operator.commands import run as operate
from narrowcast_server.organization.clock import RealClock
from narrowcast_server.organization.config import ServedDialect, ServerConfig
from narrowcast_server.organization.organization import Organization
from narrowcast_server.resources.reminders import reminders_due
from narrowcast_server.resources.scheduled_messages import deliveries
from narrowcast_server.serve import Options, RunningServer, running
from support import recorded_world
from support.captures import captures
from support.recorded_world import IDS, number_next
from support.sessions import until

JsonObject = dict[str, Any]
Event = dict[str, Any]

_LEVEL: Final = 442
_WINDOW: Final = 60
"""Seconds between a recorded request and the end of its rate limit window, which its response contains."""
_BEGIN: Final = 1_795_213_240.0
_NO_STORY: Final = ("events", "RATE_LIMIT", "RESTART")
_LATE: Final = {"DELETE_messages_id/09": 1.0, "POST_channels_create": -0.5, "DELETE_realm_filters": 0.5}
"""Seconds to add if two requests of one second were made in this order."""
_WRONG_KEY: Final = ("AUTH/10", "AUTH/11", "AUTH/12", "AUTH/15")
_NO_KEY: Final = "0" * 32
_LISTENERS: Final = ("hamlet", "iago", "cordelia", "polonius")
_EVERY: Final = 40
"""Requests between two reads of the events: an event queue has room for more."""
_AT_ONCE: Final = 20
"""Ids up to which messages that were not written down were sent together."""
_MADE: Final = (
    ("POST", "/messages", "messages", "id"),
    ("POST", "/drafts", "drafts", "ids"),
    ("POST", "/scheduled_messages", "scheduled_messages", "scheduled_message_id"),
    ("POST", "/reminders", "reminders", "reminder_id"),
    ("POST", "/saved_snippets", "saved_snippets", "saved_snippet_id"),
    ("POST", "/user_groups/create", "groups", "group_id"),
    ("POST", "/channel_folders/create", "channel_folders", "channel_folder_id"),
    ("POST", "/realm/filters", "linkifiers", "id"),
    ("POST", "/realm/playgrounds", "playgrounds", "id"),
    ("POST", "/channels/create", "channels", "id"),
    ("POST", "/realm/profile_fields", "profile_fields", "id"),
    ("POST", "/users", "users", "user_id"),
    ("POST", "/bots", "users", "user_id"),
)
"""(method, path, table of the server, key of the response with the new id)."""

_BY_OPERATOR: Final = {
    "POST_users/05": ("permit", {"who": str(IDS["iago"]), "permission": "can_create_users", "revoke": "True"})
}
"""What the operator of the recording did before a request."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One recorded request with its response. `label`: `folder/number-of-the-file`."""

    label: str
    when: float
    request: Mapping[str, Any]
    status: int
    response: JsonObject

    @property
    def path(self) -> str:
        """The path below /api/v1."""
        path: str = self.request["path"]
        return path.removeprefix("/api/v1")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The recorded response, and the embedded server's."""

    recorded: Recorded
    status: int
    body: JsonObject


@dataclass(slots=True)
class Replayed:
    """The result of a replay. `events` are those of clients that declare all capabilities, and of old clients."""

    outcomes: list[Outcome] = field(default_factory=list)
    events: dict[str, list[Event]] = field(default_factory=lambda: {"": [], "legacy": []})


def recorded_requests() -> list[Recorded]:
    """Returns all recorded requests, in order."""
    folder = captures()
    assert folder is not None
    found: list[tuple[tuple[object, ...], Recorded]] = []
    for directory in sorted(
        path for path in folder.iterdir() if path.is_dir() and path.name not in _NO_STORY
    ):
        read = [(path, json.loads(path.read_bytes())) for path in sorted(directory.glob("[0-9]*.json"))]
        files = [(path, content) for path, content in read if isinstance(content, dict)]
        times = _times([content for _, content in files])
        for (path, content), when in zip(files, times, strict=True):
            number = int(path.name.partition("-")[0])
            label = f"{directory.name}/{number:02}"
            late = _LATE.get(label, _LATE.get(directory.name, 0))
            body = content["response"] if isinstance(content["response"], dict) else {}
            request = Recorded(label, when + late, content["request"], content["status"], body)
            found.append(((when + late, times[0], label), request))
    return [request for _, request in sorted(found, key=lambda pair: pair[0])]


def _times(contents: list[Mapping[str, Any]]) -> list[float]:
    """Returns when each request was made, by the rate limit headers of its response, or of the responses
    around it.
    """
    told = [content.get("headers", {}).get("X-RateLimit-Reset") for content in contents]
    known = [float(one) for one in told if one is not None]
    last = max(known, default=1_795_213_300.0)
    times: list[float] = []
    for one in reversed(told):
        last = float(one) if one is not None else last
        times.append(last)
    return times[::-1]


class RecordedClock(RealClock):
    """Returns the time of the recording; sleeps in real time."""

    def __init__(self) -> None:
        self.time = _BEGIN

    def now(self) -> float:
        return self.time


class Replay:
    """A server, and the recorded requests to send to it."""

    def __init__(self, server: RunningServer, http: httpx2.AsyncClient, clock: RecordedClock) -> None:
        self.organization: Organization = server.organization
        self.result = Replayed()
        self._url = server.url
        self._http = http
        self._clock = clock
        self._unwritten: list[int] = []
        self._spare = ""
        self._queues: dict[tuple[str, str], tuple[str, int]] = {}

    async def run(
        self, setup: Mapping[str, list[tuple[str, str, str, JsonObject]]], left_out: set[str]
    ) -> None:
        """Sends all but `left_out`. `setup`: (who, method, path, parameters) of what is done before a label."""
        requests = [one for one in recorded_requests() if one.label not in left_out]
        recorded_world.set_passwords(self.organization, _logins(requests))
        made = {one.response.get("id") for one in requests if one.path == "/messages"}
        self._unwritten = sorted({one for request in requests for one in _messages_of(request)} - made)
        await self._listen(requests)
        for number, recorded in enumerate(requests, 1):
            for who, method, path, params in setup.get(recorded.label, ()):
                response = await self._send(who, method, path, params)
                assert response.status_code == 200, (recorded.label, response.text)
            if recorded.label in _BY_OPERATOR:
                await operate(self.organization, *_BY_OPERATOR[recorded.label])
            self._clock.time = recorded.when - _WINDOW
            await until(lambda: not deliveries(self.organization) and not reminders_due(self.organization))
            await self._make_way(recorded)
            await self._repeat(recorded)
            if number % _EVERY == 0:
                await self._hear()
        await self._hear()

    async def _make_way(self, recorded: Recorded) -> None:
        """Prepares what the request met when it was recorded: its new row gets the recorded id, its message
        exists.
        """
        with self.organization.transaction():
            for method, path, table, key in _MADE:
                if recorded.status == 200 and (method, path) == (recorded.request["method"], recorded.path):
                    made = recorded.response.get(key)
                    first = made[0] if isinstance(made, list) and made else made
                    if isinstance(first, int):
                        number_next(self.organization, table, first)
        wanted = set(_messages_of(recorded)) & set(self._unwritten)
        made = [one for one in self._unwritten if wanted and one <= max(wanted) + _AT_ONCE]
        for identity in made:
            await self._message(identity)
        self._unwritten = self._unwritten[len(made) :]

    async def _message(self, identity: int) -> None:
        """Sends a message that the recording sent without writing it down."""
        with self.organization.transaction():
            room = number_next(self.organization, "messages", identity)
        if room:
            to: JsonObject = {"type": "channel", "to": 19, "topic": "edit me"}
            if identity in _DIRECT:
                to = {"type": "direct", "to": [IDS["cordelia"]]}
            who = _BY_OTHERS.get(identity, "hamlet")
            response = await self._send(who, "POST", "/messages", {**to, "content": "before"})
            assert response.json()["id"] == identity, response.text

    async def _repeat(self, recorded: Recorded) -> None:
        request = recorded.request
        who = request["as_user"]
        if recorded.label in _WRONG_KEY:
            who = who[0], _NO_KEY
        params = dict(request["params"] or {})
        if (
            recorded.path == "/events"
            and recorded.response.get("code") != "BAD_EVENT_QUEUE_ID"
            and "queue_id" in params
        ):
            params["queue_id"] = self._spare
        response = await self._send(
            who, request["method"], recorded.path, params, in_query=request["params_in"] == "query"
        )
        is_json = response.headers.get("content-type", "").startswith("application/json")
        body = response.json() if is_json and response.content else {}
        self.result.outcomes.append(Outcome(recorded, response.status_code, body))

    async def _send(
        self, who: Any, method: str, path: str, params: Mapping[str, Any], *, in_query: bool = False
    ) -> httpx2.Response:
        texts = {
            name: value if isinstance(value, str) else json.dumps(value) for name, value in params.items()
        }
        options: dict[str, Any] = {"params" if in_query or method == "GET" else "data": texts}
        return await self._http.request(method, f"{self._url}/api/v1{path}", auth=self._auth(who), **options)

    def _auth(self, who: Any) -> httpx2.BasicAuth | None:
        """Finds a user by name, or by an email address whose key was made unreadable in the recording."""
        if who is None:
            return None
        if isinstance(who, str):
            user = self.organization.users[IDS[who]]
            return httpx2.BasicAuth(user.delivery_email, user.api_key)
        address, key = who
        if key == "<API_KEY>":
            prefix = address.partition("@")[0].lower()
            owner = self.organization.users.get(
                IDS["prospero" if prefix.startswith("prospero") else "hamlet"]
            )
            assert owner is not None
            key = owner.api_key
        return httpx2.BasicAuth(address, key)

    # --- events -----------------------------------------------------------------------------------------------

    async def _listen(self, requests: Sequence[Recorded]) -> None:
        modern = next(one for one in requests if one.label == "POST_register/01").request["params"]
        for kind, params in (("", modern), ("legacy", {"include_subscribers": True})):
            for who in _LISTENERS:
                body = (await self._send(who, "POST", "/register", params)).json()
                self._queues[who, kind] = body["queue_id"], body["last_event_id"]

        spare = await self._send("hamlet", "POST", "/register", {"event_types": ["message"]})
        self._spare = spare.json()["queue_id"]

    async def _hear(self) -> None:
        for (who, kind), (queue_id, last) in self._queues.items():
            params = {"queue_id": queue_id, "last_event_id": last, "dont_block": True}
            events = (await self._send(who, "GET", "/events", params)).json()["events"]
            self.result.events[kind] += events
            if events:
                self._queues[who, kind] = queue_id, events[-1]["id"]


_DIRECT: Final = {146}
_BY_OTHERS: Final = {144: "cordelia"}


def _messages_of(recorded: Recorded) -> Iterator[int]:
    """Ids of messages that the recorded server had when the request arrived."""
    if recorded.response.get("msg") == "Invalid message(s)" and recorded.label != "DELETE_messages_id/04":
        return
    found = re.match(r"/messages/(\d{3})(/|$)", recorded.path)
    reminded = recorded.request["params"].get("message_id") if recorded.path == "/reminders" else None
    for one in (found and int(found[1]), reminded):
        if isinstance(one, int) and recorded_world.FIRST_MESSAGE <= one < 999:
            yield one


def _logins(recorded: Sequence[Recorded]) -> dict[str, str]:
    """The passwords with which the recording logs in."""
    requests = {one.label: one.request["params"] for one in recorded}
    rows = (requests["AUTH/01"], requests["AUTH/39"])
    return {row["username"]: row["password"] for row in rows}


async def replay(
    folder: Path, setup: Mapping[str, list[tuple[str, str, str, JsonObject]]], left_out: set[str]
) -> Replayed:
    """Replays everything on a server that keeps its data in `folder`."""
    clock = RecordedClock()
    disposable = frozenset({"mailinator.com"})
    config = ServerConfig(dialect=ServedDialect.ZULIP, durable=False, disposable_domains=disposable).at_level(
        _LEVEL
    )
    options = Options(host="127.0.0.1", port=0, data=folder)
    async with (
        running(options, config=config, clock=clock, prepare=recorded_world.populate) as server,
        httpx2.AsyncClient(trust_env=False, timeout=30) as http,
    ):
        replaying = Replay(server, http, clock)
        await replaying.run(setup, left_out)
        return replaying.result
