"""Topics: list, delete, set visibility, move, resolve."""

from __future__ import annotations

import pytest

from narrowcast_api.errors import (
    BadRequest,
    InvalidInput,
    MalformedResponse,
    OutcomeUnknown,
    PermissionDenied,
    UnauthorizedPrincipal,
    Unsupported,
)
from narrowcast_api.model.topics import resolved_name, unresolved_name
from narrowcast_api.server_info import RequestLimits
from narrowcast_api.wire.vocabulary import VisibilityPolicy
from support.api import at_levels, boundary_levels, scripted_client
from support.ledger import proves

LIST = "/api/v1/users/me/7/topics"
DELETE = "/api/v1/streams/7/delete_topic"
ENTRIES = [{"name": "lunch", "max_id": 30}, {"name": "", "max_id": 20}, {"name": "a", "max_id": 10}]


@proves("TOP-01", "TOP-02", "TOP-03", "TOP-04", "TOP-05", "TOP-06", "TOP-07", "TOP-08")
async def test_topics_come_in_the_servers_order_and_the_empty_one_as_it_is() -> None:
    async with scripted_client() as (client, transport):
        for level in at_levels(client, boundary_levels()):
            transport.prepare("GET", LIST, json={"topics": ENTRIES})
            listed = await client.topics.list(channel_id=7)
            assert [(topic.name, topic.max_id) for topic in listed.topics] == [
                ("lunch", 30),
                ("", 20),
                ("a", 10),
            ]
            expected = {"allow_empty_topic_name": "true"} if level >= 334 else {}
            assert transport.last.params == expected, level


@proves("TOP-12", "TOP-13")
@pytest.mark.parametrize("msg", ["Invalid channel ID", "No such channel"])
async def test_topics_of_a_channel_that_one_may_not_see_are_a_bad_request(msg: str) -> None:
    async with scripted_client() as (client, transport):
        transport.prepare_error("GET", LIST, code="BAD_REQUEST", msg=msg)
        with pytest.raises(BadRequest):
            await client.topics.list(channel_id=7)
        with pytest.raises(InvalidInput):
            await client.topics.list(channel_id=-7)


@proves("DTOP-01", "DTOP-03", "DTOP-04", "DTOP-06", "DTOP-07", "DTOP-08", "DTOP-13")
async def test_deleting_repeats_until_nothing_is_left_and_reports_each_round() -> None:
    rounds: list[int] = []
    async with scripted_client(211) as (client, transport):
        for complete in (False, False, True):
            transport.prepare("POST", DELETE, json={"complete": complete}, params={"topic_name": "lunch"})
        result = await client.topics.delete(channel_id=7, topic="lunch", progress=rounds.append)
        assert result.complete
        assert rounds == [1, 2]
        transport.prepare("POST", DELETE, json={"complete": True})
        assert (await client.topics.delete(channel_id=7, topic="gone already")).complete
        with pytest.raises(InvalidInput):
            await client.topics.delete(channel_id=True, topic="x")


async def test_deleting_stops_after_a_round_when_asked_to() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("POST", DELETE, json={"complete": False})
        result = await client.topics.delete(channel_id=7, topic="lunch", progress=lambda _: False)
        assert not result.complete


@proves("DTOP-10", "DTOP-11", "DTOP-12")
@pytest.mark.parametrize("code", ["REQUEST_TIMEOUT", "ANYTHING", None])
async def test_below_211_partial_completion_is_repeated_and_success_is_complete(code: str | None) -> None:
    async with scripted_client(210) as (client, transport):
        for _ in range(2):
            transport.prepare("POST", DELETE, json={"result": "partially_completed", "code": code})
        transport.prepare("POST", DELETE)
        assert (await client.topics.delete(channel_id=7, topic="lunch")).complete
        assert len(transport.requests) == 3


@proves("DTOP-05")
async def test_the_empty_topic_is_deleted_by_its_own_name() -> None:
    async with scripted_client(334, limits=RequestLimits(empty_topic_name="general chat")) as (
        client,
        transport,
    ):
        for name in ("", "(no topic)", "general chat"):
            transport.prepare("POST", DELETE, json={"complete": True}, params={"topic_name": ""})
            await client.topics.delete(channel_id=7, topic=name)
        for _ in at_levels(client, [333]):
            with pytest.raises(Unsupported):
                await client.topics.delete(channel_id=7, topic="")


@proves("DTOP-02", "DTOP-09")
async def test_only_administrators_delete_topics() -> None:
    async with scripted_client() as (client, transport):
        for status in (400, 403):
            transport.prepare_error("POST", DELETE, code="UNAUTHORIZED_PRINCIPAL", status=status)
            with pytest.raises(UnauthorizedPrincipal) as caught:
                await client.topics.delete(channel_id=7, topic="lunch")
            assert isinstance(caught.value, PermissionDenied)


async def test_deleting_gives_the_server_more_time_than_other_requests() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("POST", DELETE, json={"complete": "soon"})
        with pytest.raises(MalformedResponse):
            await client.topics.delete(channel_id=7, topic="lunch")
        read_seconds = transport.last.timeout["read"]
        assert read_seconds is not None
        assert read_seconds > 60
        import httpx2

        transport.prepare("POST", DELETE, error=httpx2.ReadTimeout("slow"))
        with pytest.raises(OutcomeUnknown):
            await client.topics.delete(channel_id=7, topic="lunch")


async def test_topics_are_muted_the_old_way_below_170() -> None:
    old, new = "/api/v1/users/me/subscriptions/muted_topics", "/api/v1/user_topics"
    async with scripted_client() as (client, transport):
        for level in at_levels(client, [169, 170]):
            for policy, op in ((VisibilityPolicy.MUTED, "add"), (VisibilityPolicy.NONE, "remove")):
                if level >= 170:
                    expected = {"stream_id": "7", "topic": "lunch", "visibility_policy": str(int(policy))}
                    transport.prepare("POST", new, params=expected)
                else:
                    transport.prepare("PATCH", old, params={"stream_id": "7", "topic": "lunch", "op": op})
                await client.topics.set_visibility(channel_id=7, topic="lunch", policy=policy)
        for policy, least in ((VisibilityPolicy.UNMUTED, 170), (VisibilityPolicy.FOLLOWED, 219)):
            for level in at_levels(client, [least - 1, least]):
                if level >= least:
                    transport.prepare("POST", new)
                    await client.topics.set_visibility(channel_id=7, topic="lunch", policy=policy)
                    continue
                with pytest.raises(Unsupported, match=f"{least}"):
                    await client.topics.set_visibility(channel_id=7, topic="lunch", policy=policy)


async def test_a_topic_moves_whole_by_any_of_its_messages() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("GET", LIST, json={"topics": ENTRIES})
        transport.prepare(
            "PATCH",
            "/api/v1/messages/30",
            params={"topic": "dinner", "stream_id": "8", "propagate_mode": "change_all"},
        )
        await client.topics.move(channel_id=7, topic="LUNCH", new_topic="dinner", new_channel_id=8)
        transport.prepare("GET", LIST, json={"topics": ENTRIES})
        with pytest.raises(InvalidInput):
            await client.topics.move(channel_id=7, topic="nosuch", new_topic="x")


async def test_resolving_adds_the_mark_once_and_opening_takes_it_away() -> None:
    assert resolved_name("lunch") == resolved_name("✔ lunch") == "✔ lunch"
    assert unresolved_name("✔ ✔ lunch") == unresolved_name("lunch") == "lunch"
    async with scripted_client(limits=RequestLimits(max_topic_length=6)) as (client, transport):
        transport.prepare(
            "PATCH", "/api/v1/messages/30", params={"topic": "✔ lunc", "propagate_mode": "change_all"}
        )
        await client.topics.resolve(channel_id=7, topic="lunch", message_id=30)
        transport.prepare(
            "PATCH", "/api/v1/messages/30", params={"topic": "lunch", "propagate_mode": "change_all"}
        )
        await client.topics.resolve(channel_id=7, topic="✔ lunch", resolved=False, message_id=30)
        for topic, resolved in (("✔ lun", True), ("lunch", False)):
            with pytest.raises(InvalidInput):
                await client.topics.resolve(channel_id=7, topic=topic, resolved=resolved, message_id=30)
