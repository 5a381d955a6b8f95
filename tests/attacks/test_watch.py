"""Watching the event loop: no single request of a guest delays other clients by more than a quarter of a
second.

The organization is as large as one server supports: 400 people, 150 channels, 6,000 messages, all delivered
to the guest.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fuzz.run import run
from narrowcast_api.wire.vocabulary import Role
from narrowcast_server.organization.config import ServerConfig
from narrowcast_server.organization.organization import Organization
from narrowcast_server.resources.channels.creation import create_channel
from narrowcast_server.resources.subscriptions.changes import subscribe
from narrowcast_server.resources.users.accounts import create_user
from support import world
from support.server import TestServer, running_server
from support.timing import held

HELD_SECONDS = 0.25
PEOPLE, CHANNELS, MESSAGES = 400, 150, 6_000


def populate(organization: Organization) -> None:
    """Creates the large organization."""
    world.populate(organization)
    hugo = next(user for user in organization.users.all() if user.full_name.startswith("Hugo"))
    with organization.transaction():
        people = [
            create_user(
                organization, email=f"p{number}@demo.example", full_name=f"Person {number}", role=Role.MEMBER
            )
            for number in range(PEOPLE)
        ]
        channels = [create_channel(organization, None, f"channel {number}") for number in range(CHANNELS)]
        subscribe(organization, channels[:60], [hugo, *people[:20]])
        subscribe(organization, channels[:1], people)
    with organization.transaction():
        for number in range(MESSAGES):
            organization.store.insert(
                "INSERT INTO messages (sender_id, channel_id, topic, content, rendered, timestamp, client)"
                " VALUES (?, ?, ?, ?, ?, ?, 'x')",
                people[number % PEOPLE].id,
                channels[number % 60].id,
                f"topic {number % 700}",
                f"message {number} about soup " + "and bread " * (number % 90),
                f"<p>message {number} about soup {'and bread ' * (number % 90)}</p>",
                1_700_000_000 + number,
            )
        organization.store.execute(
            "INSERT INTO message_words (rowid, content, topic) SELECT id, content, topic FROM messages"
        )
        organization.store.execute(
            "INSERT INTO user_messages (user_id, message_id, flags) SELECT ?, id, 0 FROM messages", hugo.id
        )


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of the large organization."""
    folder = tmp_path_factory.mktemp("large")
    organization = Organization(folder, ServerConfig(durable=False))
    populate(organization)
    organization.close()
    return folder


Fields = dict[str, object]
IDS = list(range(1, 5_001))
ALL = {"anchor": "newest", "num_before": 5_000, "num_after": 0}
STARRED = {"op": "add", "flag": "starred"}
REQUESTS: dict[str, tuple[str, str, Fields]] = {
    "register": ("POST", "/register", {"include_subscribers": True, "client_gravatar": True}),
    "the largest page": ("GET", "/messages", ALL),
    "the largest page of a search": (
        "GET",
        "/messages",
        {**ALL, "narrow": [{"operator": "search", "operand": "soup bread message"}]},
    ),
    "a narrow of fifty terms": (
        "GET",
        "/messages",
        {**ALL, "narrow": [{"operator": "search", "operand": f"message {number}"} for number in range(50)]},
    ),
    "a narrow of negations": (
        "GET",
        "/messages",
        {**ALL, "narrow": [{"operator": "topic", "operand": f"t {n}", "negated": True} for n in range(50)]},
    ),
    "the first unread": ("GET", "/messages", {**ALL, "anchor": "first_unread"}),
    "messages by id": ("GET", "/messages", {"message_ids": IDS[:1_500]}),
    "matches of a narrow": (
        "POST_GET",
        "/messages/matches_narrow",
        {"msg_ids": IDS[:1_500], "narrow": [{"operator": "has", "operand": "link"}]},
    ),
    "reading everything": ("POST", "/mark_all_as_read", {}),
    "starring a page": ("POST", "/messages/flags", {"messages": IDS, **STARRED}),
    "reading a page": ("POST", "/messages/flags", {"messages": IDS, "op": "add", "flag": "read"}),
    "unreading a page": ("POST", "/messages/flags", {"messages": IDS, "op": "remove", "flag": "read"}),
    "starring a narrow": ("POST", "/messages/flags/narrow", {**ALL, **STARRED, "narrow": []}),
    "everybody": ("GET", "/users", {"client_gravatar": True, "include_custom_profile_fields": True}),
    "presence of everybody": ("GET", "/realm/presence", {}),
    "channels": ("GET", "/streams", {"include_all": True}),
    "subscriptions": ("GET", "/users/me/subscriptions", {"include_subscribers": True}),
    "groups": ("GET", "/user_groups", {}),
    "typing to everybody": ("POST", "/typing", {"op": "start", "type": "direct", "to": list(range(1, 400))}),
    "typing to nobody": (
        "POST",
        "/typing",
        {"op": "start", "type": "direct", "to": list(range(10**6, 10**6 + 50_000))},
    ),
    "a message to everybody": (
        "POST",
        "/messages",
        {"type": "direct", "to": list(range(1, 400)), "content": "x"},
    ),
    "a message to many numbers": (
        "POST",
        "/messages",
        {"type": "direct", "to": [1] * 200_000, "content": "x"},
    ),
    "drafts": (
        "POST",
        "/drafts",
        {"drafts": [{"type": "", "to": [], "topic": "", "content": "x" * 3_000}] * 500},
    ),
    "drafts to everybody": (
        "POST",
        "/drafts",
        {"drafts": [{"type": "private", "to": list(range(1, 400)), "topic": "", "content": ""}] * 400},
    ),
    "alert words": ("POST", "/users/me/alert_words", {"alert_words": [f"word {n}" for n in range(40_000)]}),
    "fewer alert words": (
        "DELETE",
        "/users/me/alert_words",
        {"alert_words": [f"word {n}" for n in range(40_000)]},
    ),
    "subscription properties": (
        "POST",
        "/users/me/subscriptions/properties",
        {
            "subscription_data": [
                {"stream_id": n % 60 + 8, "property": "color", "value": "#ff0000"} for n in range(15_000)
            ]
        },
    ),
    "unsubscribing": (
        "DELETE",
        "/users/me/subscriptions",
        {"subscriptions": [f"channel {n}" for n in range(60)]},
    ),
    "nested JSON": ("POST", "/drafts", {"drafts": "[" * 400_000}),
    "long numbers": ("GET", "/messages", {"anchor": "1" * 4_000, "num_before": 1, "num_after": 1}),
    "many fields": ("PATCH", "/settings", {f"field {number}": "x" for number in range(900)}),
    "status": ("POST", "/users/me/status", {"status_text": "x" * 1_000_000}),
    "a queue of capabilities": (
        "POST",
        "/register",
        {"client_capabilities": {f"c{n}": True for n in range(60_000)}, "event_types": []},
    ),
    "a profile": (
        "PATCH",
        "/users/me/profile_data",
        {"data": [{"id": n, "value": "x"} for n in range(40_000)]},
    ),
    "no profile": ("DELETE", "/users/me/profile_data", {"data": list(range(100_000))}),
    "subscribing others": (
        "POST",
        "/users/me/subscriptions",
        {"subscriptions": [{"name": "channel 1"}], "principals": list(range(60_000))},
    ),
}
"""Method, path, fields; POST_GET is a GET whose fields do not fit into a URL."""


def texts() -> dict[str, str]:
    """Sources that are known to be expensive for renderers."""
    return {
        "brackets": "[" * 10_000,
        "images": "![](" * 2_500,
        "emphasis": "*a **b " * 1_400,
        "links": "[a](http://x) " * 700,
        "adjacent links": "[a](b)" * 1_665,
        "addresses": "http://a.b/c " * 750,
        "mentions": "@**Person 1** " * 700,
        "wrong mentions": "@**Person x|999** " * 550,
        "channels": "#**channel 1>topic 2** " * 430,
        "wrong channels": "#**nowhere>topic** " * 520,
        "emoji": ":smile: " * 1_250,
        "formulas": "$$x^2$$ " * 1_250,
        "quotes": "> " * 5_000,
        "fences": "````quote\n" * 1_000,
        "spoilers": "```spoiler x\n" * 750,
        "lists": "\n".join("  " * (n % 40) + "* x" for n in range(240)),
        "tables": "|a" * 3_000 + "\n" + "|-" * 1_500 + "\n",
        "code spans": "".join("`" * n + "a" for n in range(1, 140)),
        "entities": "&amp;" * 2_000,
        "escapes": "\\*" * 5_000,
        "numbers": "#1" * 5_000,
        "dates": "<time:2020-01-01> " * 550,
        "lines": "a\n" * 5_000,
        "html": "<a" * 5_000,
        "wide": "é́" * 5_000,
        "uploads": "[x](/user_uploads/1/ab/abcdefghijklmnopqrstuvwx/x.png) " * 170,
    }


async def settle(server: TestServer) -> None:
    """Loads what is loaded only once."""
    await server.call("hugo", "GET", "/users/me")
    await server.call("ada", "GET", "/users/me")


async def hold_of(server: TestServer, send: Callable[[], Any]) -> tuple[float, str]:
    """How long a request blocked the event loop, which includes the client's work in the same thread."""
    await settle(server)
    with held() as watch:
        await send()
    return watch.longest, watch.step


@pytest.mark.parametrize("case", REQUESTS, ids=lambda case: case.replace(" ", "-"))
async def test_no_request_of_a_guest_blocks_the_server(tmp_path: Path, large: Path, case: str) -> None:
    shutil.copytree(large, tmp_path / "data")
    method, path, fields = REQUESTS[case]
    async with running_server(tmp_path / "data") as server:
        user = server.user("hugo")
        encoded = {
            key: value if isinstance(value, str) else json.dumps(value) for key, value in fields.items()
        }
        if method == "POST_GET":
            method = "GET"
        place = "params" if method == "GET" else "data"
        options: dict[str, Any] = {place: encoded, "auth": (user.delivery_email, user.api_key)}
        responses: list[int] = []

        async def send() -> None:
            response = await server.client.request(method, f"{server.url}/api/v1{path}", **options)
            responses.append(response.status_code)

        taken, step = await hold_of(server, send)
        assert responses[0] < 500
        assert taken < HELD_SECONDS, step


@pytest.mark.parametrize("name", texts())
async def test_no_text_of_a_guest_blocks_the_server(tmp_path: Path, large: Path, name: str) -> None:
    shutil.copytree(large, tmp_path / "data")
    async with running_server(tmp_path / "data") as server:
        content = {"content": texts()[name][:10_000]}
        taken, step = await hold_of(server, lambda: server.raw("hugo", "POST", "/messages/render", content))
        assert taken < HELD_SECONDS, step


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_random_requests_get_valid_responses_and_do_not_block_the_server(
    tmp_path: Path, seed: int
) -> None:
    found = await run(tmp_path / "data", seed, 250, HELD_SECONDS)
    assert found.faults == []
    assert found.statuses[200] > 10


async def test_the_watch_detects_a_blocked_loop() -> None:
    async def busy() -> None:
        sum(range(60_000_000))

    with held() as watch:
        await asyncio.create_task(busy())
    assert watch.longest > 0.1
