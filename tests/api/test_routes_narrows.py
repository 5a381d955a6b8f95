"""GET /messages/matches_narrow, and anchors."""

from __future__ import annotations

import json

import pytest

from narrowcast_api.errors import BadNarrow, BadRequest, InvalidInput
from narrowcast_api.model.messages import Match
from narrowcast_api.narrow.narrow import Narrow, Term
from support.api import at_levels, scripted_client
from support.ledger import proves

PATH = "/api/v1/messages/matches_narrow"
TERMS: list[dict[str, object]] = [
    {"operator": "search", "operand": "hello"},
    {"operator": "sender", "operand": 7, "negated": True},
]


@proves("NAR-01", "NAR-02", "NAR-03", "NAR-05", "NAR-06", "NAR-07", "NAR-08")
async def test_matches_come_by_id_and_the_others_do_not() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare(
            "GET",
            PATH,
            json={"messages": {"101": {"match_content": "<p><b>hello</b></p>", "match_subject": "cap &lt;"}}},
        )
        found = await client.narrows.matches(message_ids=[101, 102], narrow=TERMS)
        assert transport.last.json("msg_ids") == [101, 102]
        assert transport.last.json("narrow") == TERMS
    assert list(found) == [101]
    assert found[101] == Match("<p><b>hello</b></p>", "cap &lt;")


@proves("NAR-09", "NAR-10", "NAR-12", "NAR-13")
async def test_a_match_is_what_a_search_says_of_its_message_and_what_does_not_match_is_absent() -> None:
    row = {
        "id": 101,
        "type": "stream",
        "stream_id": 7,
        "sender_id": 1,
        "content": "x",
        "timestamp": 1,
        "new": 1,
    }
    match = {"match_content": "m", "match_subject": ""}
    async with scripted_client() as (client, transport):
        transport.prepare("GET", PATH, json={"messages": {"101": match}})
        found = await client.narrows.matches(message_ids=[101, 999999], narrow=[])
        transport.prepare(
            "GET", "/api/v1/messages", json={"messages": [{**row, **match}, {**row, "id": 102}]}
        )
        page = await client.messages.list(narrow=TERMS)
    assert found == page.matches == {101: Match("m", "")}
    assert [message.id for message in page.messages] == [101, 102]


@proves("NAR-04")
async def test_a_narrow_travels_as_operators_and_operands() -> None:
    class Names:
        def channel_id(self, name: str) -> int | None:
            return None

        channel_name = user_id = user_email = channel_id

    narrow = Narrow((Term("channel", 7), Term("topic", "lunch"), Term("is", "starred", negated=True)))
    async with scripted_client() as (client, transport):
        for level in at_levels(client, [249, 250]):
            transport.prepare("GET", PATH, json={"messages": {}})
            wire = narrow.to_wire(client.connection.server, Names())  # type: ignore[arg-type]  # names nobody
            await client.narrows.matches(message_ids=[1], narrow=wire)
            assert transport.last.json("narrow") == [
                {"operator": "channel" if level >= 250 else "stream", "operand": 7},
                {"operator": "topic", "operand": "lunch"},
                {"operator": "is", "operand": "starred", "negated": True},
            ]


@proves("NAR-11")
async def test_operators_pass_untouched_and_the_server_judges_them() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare_error(
            "GET", PATH, code="BAD_NARROW", msg="Invalid narrow operator: future", desc="x"
        )
        with pytest.raises(BadNarrow) as caught:
            await client.narrows.matches(message_ids=[1], narrow=[{"operator": "future", "operand": [1]}])
        assert isinstance(caught.value, BadRequest)
        assert caught.value.desc == "x"
        assert transport.last.json("narrow") == [{"operator": "future", "operand": [1]}]
        with pytest.raises(InvalidInput):
            await client.narrows.matches(message_ids=[1], narrow=[{"operator": "id"}])


async def test_many_ids_are_asked_in_parts() -> None:
    async with scripted_client() as (client, transport):
        for start in (0, 200, 400):
            transport.prepare("GET", PATH, json={"messages": {str(start): {}}})
        found = await client.narrows.matches(message_ids=range(450), narrow=[])
        assert list(found) == [0, 200, 400]
        assert [len(json.loads(sent.params["msg_ids"])) for sent in transport.requests] == [200, 200, 50]


async def test_anchors_are_words_from_level_1() -> None:
    async with scripted_client() as (client, transport):
        for level, anchor, params in (
            (1, "first_unread", {"anchor": "first_unread"}),
            (0, "first_unread", {"anchor": "0", "use_first_unread_anchor": "true"}),
            (0, "oldest", {"anchor": "0"}),
            (0, "newest", {"anchor": "10000000000000000"}),
            (442, 5, {"anchor": "5"}),
        ):
            for _ in at_levels(client, [level]):
                transport.prepare("GET", "/api/v1/messages", json={"messages": []})
                await client.messages.list(anchor=anchor, num_before=1)
                sent = dict(transport.last.params)
                assert {name: value for name, value in sent.items() if "anchor" in name} == params
        with pytest.raises(InvalidInput):
            await client.messages.list(anchor="middle")
