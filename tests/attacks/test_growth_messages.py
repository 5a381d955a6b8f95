"""One user's messages do not make everybody's pages grow without bound."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from narrowcast_server.organization.config import ServerConfig, ServiceLimits
from narrowcast_server.rules import edit_history
from support.server import TestServer, running_server
from support.sessions import until
from support.timing import held


def entry(number: int, characters: int = 1_000, **fields: object) -> dict[str, Any]:
    return {
        "user_id": 1,
        "timestamp": number,
        "prev_content": f"{number}".ljust(characters, "x"),
        "prev_rendered_content": "",
        "prev_rendered_content_version": 1,
        **fields,
    }


@pytest.mark.parametrize("count", [1, 2, 59, 60, 61, 100, 101, 500])
@pytest.mark.parametrize("characters", [1, 1_000, 10_000])
def test_a_history_is_bounded_and_keeps_its_ends(count: int, characters: int) -> None:
    kept: list[dict[str, Any]] = []
    for number in range(count):
        kept = edit_history.bounded([entry(number, characters), *kept])
    assert kept[0] == entry(count - 1, characters)
    assert kept[-1] == entry(0, characters)
    assert len(kept) <= edit_history.MAX_ENTRIES
    between = sum(len(each["prev_content"]) for each in kept[1:-1])
    assert between <= edit_history.MAX_CHARACTERS
    if count * characters <= edit_history.MAX_CHARACTERS and count <= edit_history.MAX_ENTRIES:
        assert len(kept) == count


def test_the_history_keeps_a_move_when_the_old_text_is_dropped() -> None:
    entries = [entry(number, 10_000) for number in range(20, 0, -1)]
    entries[15]["prev_topic"] = "before"
    kept = edit_history.bounded(entries)
    moved = [each for each in kept if "prev_topic" in each]
    assert moved == [{"user_id": 1, "timestamp": 5, "prev_topic": "before"}]


async def test_votes_and_reactions_count_for_the_length_of_a_page(tmp_path: Path) -> None:
    config = ServerConfig(limits=replace(ServiceLimits(), page_characters=20_000))
    async with running_server(tmp_path, config=config) as server:
        polls = [await server.send("dario", "general", "polls", "/poll Lunch?\nsoup") for _ in range(5)]
        option = json.dumps({"type": "new_option", "idx": 1, "option": "x" * 900})
        for poll in polls:
            for _ in range(8):
                fields = {"message_id": poll, "msg_type": "widget", "content": option}
                await server.call("dario", "POST", "/submessage", fields)
        page = {"anchor": "newest", "num_before": 10, "num_after": 0}
        narrow = {"narrow": [{"operator": "topic", "operand": "polls"}]}
        response = await server.call("dario", "GET", "/messages", {**page, **narrow})
        assert [message["id"] for message in response["messages"]] == polls[-2:]
        assert response["found_oldest"] is False


async def test_a_vote_with_extra_fields_or_padding_is_rejected(server: TestServer) -> None:
    poll = await server.send("dario", "general", "polls", "/poll Lunch?\nsoup")
    vote = {"type": "vote", "key": "canned,0", "vote": 1}
    for content in (json.dumps({**vote, "more": "x"}), json.dumps(vote) + " " * 3_000):
        fields = {"message_id": poll, "msg_type": "widget", "content": content}
        await server.refusal("dario", "POST", "/submessage", fields)


async def test_the_history_of_two_hundred_edits_is_bounded_in_size(server: TestServer) -> None:
    sent = await server.send("dario", "general", "edits", "begin")
    for number in range(60):
        await server.call("dario", "PATCH", f"/messages/{sent}", {"content": f"{number} ".ljust(10_000, "x")})
    response = await server.raw(
        "dario", "GET", "/messages", {"anchor": sent, "num_before": 1, "num_after": 1}
    )
    assert len(response.content) < 100_000
    history = await server.raw("dario", "GET", f"/messages/{sent}/history")
    assert len(history.content) < 400_000
    versions = history.json()["message_history"]
    assert versions[0]["content"] == "begin"
    assert versions[-1]["content"].startswith("59 ")
    assert (
        len(server.organization.store.strings("SELECT history FROM messages WHERE id = ?", sent)[0]) < 150_000
    )


async def test_the_remaining_versions_are_consecutive(server: TestServer) -> None:
    sent = await server.send("dario", "general", "edits", "begin")
    for number in range(20):
        await server.call("dario", "PATCH", f"/messages/{sent}", {"content": f"{number} ".ljust(9_000, "x")})
    versions = (await server.call("dario", "GET", f"/messages/{sent}/history"))["message_history"]
    assert len(versions) < 21
    for before, after in pairwise(versions):
        assert after["prev_content"] == before["content"]


async def fill(server: TestServer, count: int, length: int) -> list[int]:
    """Writes long messages directly into the database."""
    first = await server.send("dario", "general", "long", "x" * length)
    organization = server.organization
    with organization.transaction():
        columns = "sender_id, channel_id, topic, content, rendered, timestamp, client"
        organization.store.execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)"
            f" INSERT INTO messages ({columns}) SELECT {columns} FROM messages, n WHERE id = ?",
            count - 1,
            first,
        )
        organization.store.execute(
            "INSERT INTO user_messages (user_id, message_id, flags) SELECT ?, id, 0 FROM messages WHERE id > ?",
            server.id("elif"),
            first,
        )
    return organization.store.integers("SELECT id FROM messages WHERE topic = 'long' ORDER BY id")


@pytest.mark.parametrize("anchor", ["newest", "oldest", "middle"])
async def test_a_page_of_long_messages_ends_early_and_the_rest_follows(tmp_path: Path, anchor: str) -> None:
    config = ServerConfig(limits=replace(ServiceLimits(), page_characters=100_000))
    async with running_server(tmp_path, config=config) as server:
        ids = await fill(server, 60, 5_000)
        at = str(ids[30]) if anchor == "middle" else anchor
        response = await server.call(
            "elif", "GET", "/messages", {"anchor": at, "num_before": 50, "num_after": 50}
        )
        got = [message["id"] for message in response["messages"]]
        assert 4 <= len(got) <= 12
        assert got == ids[ids.index(got[0]) :][: len(got)]
        assert response["found_oldest"] is (anchor == "oldest")
        assert response["found_newest"] is (anchor == "newest")
        seen = set(got)
        while not response["found_oldest"]:
            response = await server.call(
                "elif", "GET", "/messages", {"anchor": min(seen), "num_before": 50, "num_after": 0}
            )
            seen |= {message["id"] for message in response["messages"]}
        while not response["found_newest"]:
            response = await server.call(
                "elif", "GET", "/messages", {"anchor": max(seen), "num_before": 0, "num_after": 50}
            )
            seen |= {message["id"] for message in response["messages"]}
        assert seen == set(ids)


async def test_a_message_longer_than_a_page_is_returned_alone(tmp_path: Path) -> None:
    config = ServerConfig(limits=replace(ServiceLimits(), page_characters=10))
    async with running_server(tmp_path, config=config) as server:
        ids = await fill(server, 3, 5_000)
        response = await server.call("elif", "GET", "/messages", {"anchor": "newest", "num_before": 3})
        assert [message["id"] for message in response["messages"]] == ids[-1:]
        one = await server.call("elif", "GET", "/messages", {"message_ids": ids[:1]})
        assert len(one["messages"]) == 1


async def test_messages_that_are_too_long_together_are_rejected(tmp_path: Path) -> None:
    config = ServerConfig(limits=replace(ServiceLimits(), page_characters=30_000))
    async with running_server(tmp_path, config=config) as server:
        ids = await fill(server, 6, 5_000)
        await server.refusal("elif", "GET", "/messages", {"message_ids": ids})
        response = await server.call("elif", "GET", "/messages", {"message_ids": ids[:1] * 100})
        assert len(response["messages"]) == 1


@pytest.mark.parametrize("length", [10, 9_000])
async def test_creating_the_largest_page_does_not_block_other_requests(
    server: TestServer, length: int
) -> None:
    await fill(server, 5_000, length)
    await server.call("elif", "GET", "/users/me")
    with held() as watch:
        response = await server.raw(
            "elif", "GET", "/messages", {"anchor": "newest", "num_before": 5_000, "num_after": 0}
        )
    assert response.status_code == 200
    assert len(response.content) < 10 * 1024 * 1024
    assert watch.longest < 0.25, watch


async def test_large_pages_wait_for_each_other_but_small_ones_do_not(server: TestServer) -> None:
    await fill(server, 200, 9_000)
    while not server.organization.large_pages.locked():
        await server.organization.large_pages.acquire()
    large = asyncio.create_task(server.newest("elif", 200))
    assert len(await server.newest("elif", 90)) == 90
    await until(lambda: server.connections.busy == 1)
    assert not large.done()
    server.organization.large_pages.release()
    assert len(await large) == 200
    assert not server.organization.large_pages.locked()
