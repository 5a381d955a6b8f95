"""The list of a channel's topics."""

from __future__ import annotations

import pytest

from narrowcast_api.errors import BadRequest, InvalidInput
from support.api import boundary_levels, scripted_client
from support.ledger import proves

PATH = "/api/v1/users/me/31/topics"


@proves("TOP-01", "TOP-02", "TOP-06", "TOP-07", "TOP-08")
async def test_topics_come_typed_and_in_the_servers_order() -> None:
    listed = [
        {"name": "tides", "max_id": 504},
        {"name": "", "max_id": 506},
        {"name": 7},
        {"name": "rust", "max_id": 3},
    ]
    async with scripted_client() as (client, transport):
        transport.prepare("GET", PATH, json={"topics": listed})
        topics = (await client.topics.list(channel_id=31)).topics
    assert [(topic.name, topic.max_id) for topic in topics] == [("tides", 504), ("", 506), ("rust", 3)]


@proves("TOP-03", "TOP-04", "TOP-05")
async def test_the_empty_topic_is_asked_for_as_such_from_level_334() -> None:
    for level in boundary_levels():
        async with scripted_client(level) as (client, transport):
            transport.prepare("GET", PATH, json={"topics": [{"name": "general chat", "max_id": 1}]})
            (topic,) = (await client.topics.list(channel_id=31)).topics
            assert transport.last.params == ({"allow_empty_topic_name": "true"} if level >= 334 else {})
            # Below, this may be the empty topic or one of that very name: it is not guessed.
            assert topic.name == "general chat"


@proves("TOP-12", "TOP-13")
async def test_a_channel_that_one_cannot_see_is_a_bad_request() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare_error("GET", PATH, code="BAD_REQUEST", msg="Invalid channel ID")
        with pytest.raises(BadRequest, match="channel"):
            await client.topics.list(channel_id=31)
        with pytest.raises(InvalidInput):
            await client.topics.list(channel_id=-1)
