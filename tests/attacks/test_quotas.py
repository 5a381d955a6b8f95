"""No user can fill the server for the others: every kind of object has a quota, with a clear error."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.clock import VirtualClock
from support.server import TestServer, limited, running_server
from support.timing import held
from support.uploads import PIXEL

Request = tuple[str, str, dict[str, object]]


def later(server: TestServer) -> int:
    return server.organization.now() + 1_000


def draft(server: TestServer, number: int) -> Request:
    fields = {"type": "stream", "to": [server.channel("general")], "topic": "t", "content": f"{number}"}
    return "POST", "/drafts", {"drafts": [fields]}


def alert_word(server: TestServer, number: int) -> Request:
    return "POST", "/users/me/alert_words", {"alert_words": [f"word {number}"]}


def snippet(server: TestServer, number: int) -> Request:
    return "POST", "/saved_snippets", {"title": f"{number}", "content": "x"}


def scheduled(server: TestServer, number: int) -> Request:
    fields: dict[str, object] = {"type": "direct", "to": [server.id("ada")], "content": f"{number}"}
    return "POST", "/scheduled_messages", {**fields, "scheduled_delivery_timestamp": later(server)}


def reminder(server: TestServer, number: int) -> Request:
    first = server.organization.store.integer("SELECT min(id) FROM messages")
    return "POST", "/reminders", {"message_id": first, "scheduled_delivery_timestamp": later(server)}


def muted(server: TestServer, number: int) -> Request:
    return "POST", f"/users/me/muted_users/{server.id(('bruno', 'chiyo', 'elif')[number])}", {}


def view(server: TestServer, number: int) -> Request:
    return (
        "POST",
        "/navigation_views",
        {"fragment": f"narrow/{number}", "is_pinned": True, "name": f"view {number}"},
    )


def channel(server: TestServer, number: int) -> Request:
    return "POST", "/users/me/subscriptions", {"subscriptions": [{"name": f"channel {number}"}]}


def group(server: TestServer, number: int) -> Request:
    return "POST", "/user_groups/create", {"name": f"group {number}", "description": "", "members": []}


def bot(server: TestServer, number: int) -> Request:
    return "POST", "/bots", {"full_name": f"Bot {number}", "short_name": f"bot{number}", "bot_type": 1}


def link(server: TestServer, number: int) -> Request:
    return "POST", "/invites/multiuse", {"stream_ids": []}


@dataclass(frozen=True)
class Case:
    kind: str
    request: Callable[[TestServer, int], Request]
    person: str = "dario"


CASES = (
    Case("drafts", draft),
    Case("alert_words", alert_word),
    Case("saved_snippets", snippet),
    Case("scheduled_messages", scheduled),
    Case("reminders", reminder),
    Case("muted_users", muted),
    Case("navigation_views", view),
    Case("channels", channel, "farid"),
    Case("groups", group, "elif"),
    Case("bots", bot, "elif"),
    Case("invitations", link, "bruno"),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.kind)
async def test_a_quota_can_be_reached_but_not_exceeded(tmp_path: Path, case: Case) -> None:
    async with running_server(tmp_path) as server:
        server.organization.config = limited(**{case.kind: 2})
        await server.send_direct("ada", ["dario"])
        for number in range(2):
            await server.call(case.person, *case.request(server, number))
        refusal = await server.refusal(case.person, *case.request(server, 2))
        assert "too many" in refusal["msg"]
        assert "(limit: 2)" in refusal["msg"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.kind)
async def test_quotas_count_per_user(tmp_path: Path, case: Case) -> None:
    async with running_server(tmp_path) as server:
        server.organization.config = limited(**{case.kind: 1})
        other = "ada" if case.kind == "invitations" else "greta"
        await server.send_direct("ada", ["dario", "greta"])
        await server.call(case.person, *case.request(server, 0))
        await server.call(other, *case.request(server, 1))


@pytest.mark.parametrize("case", CASES[:3], ids=lambda case: case.kind)
async def test_a_request_beyond_a_quota_changes_nothing(tmp_path: Path, case: Case) -> None:
    async with running_server(tmp_path, config=limited(**{case.kind: 0})) as server:
        changes = server.organization.store.changes
        await server.refusal(case.person, *case.request(server, 0))
        assert server.organization.store.changes == changes


async def archived(server: TestServer, number: int) -> None:
    await server.call("farid", "DELETE", f"/streams/{server.channel(f'channel {number}')}")


async def group_deactivated(server: TestServer, number: int) -> None:
    await server.call("farid", "POST", f"/user_groups/{server.group(f'group {number}')}/deactivate")


async def bot_deactivated(server: TestServer, number: int) -> None:
    await server.call("farid", "DELETE", f"/bots/{server.id('bot')}")


@pytest.mark.parametrize(
    ("kind", "made", "ended"),
    [
        ("channels", channel, archived),
        ("groups", group, group_deactivated),
        ("bots", bot, bot_deactivated),
    ],
    ids=["channels", "groups", "bots"],
)
async def test_deleted_items_count_towards_daily_quotas(
    tmp_path: Path,
    clock: VirtualClock,
    kind: str,
    made: Callable[[TestServer, int], Request],
    ended: Callable[[TestServer, int], Awaitable[None]],
) -> None:
    async with running_server(tmp_path, clock=clock) as server:
        server.organization.config = limited(**{kind: 1})
        await server.call("farid", *made(server, 0))
        await ended(server, 0)
        await server.refusal("farid", *made(server, 1))
        clock.jump(86_401)
        await server.call("farid", *made(server, 1))


async def test_deactivated_emoji_count_towards_the_quota(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=limited(custom_emoji=1)) as server:
        picture = {"files": {"file": ("a.png", PIXEL)}}
        await server.raw("dario", "POST", "/realm/emoji/mast", **picture)
        await server.call("dario", "DELETE", "/realm/emoji/mast")
        response = (await server.raw("dario", "POST", "/realm/emoji/other", **picture)).json()
        assert response["msg"] == "You have too many custom emoji, including deactivated ones (limit: 1)."
        assert len(list((tmp_path / "uploads" / "public").iterdir())) == 1


async def test_a_user_cannot_be_given_more_bots_than_the_quota(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=limited(bots=1)) as server:
        made = await server.call("farid", *bot(server, 0))
        path = f"/bots/{made['user_id']}"
        await server.call("farid", "PATCH", path, {"bot_owner_id": server.id("farid")})
        await server.call("greta", *bot(server, 1))
        refusal = await server.refusal("farid", "PATCH", path, {"bot_owner_id": server.id("greta")})
        assert refusal["msg"] == "Failed to change owner, user has too many bots"
        await server.call("farid", "PATCH", path, {"bot_owner_id": server.id("elif")})


async def test_several_items_in_one_request_count_separately(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=limited(drafts=3, alert_words=3)) as server:
        one = draft(server, 0)[2]["drafts"]
        assert isinstance(one, list)
        await server.refusal("dario", "POST", "/drafts", {"drafts": one * 4})
        await server.call("dario", "POST", "/drafts", {"drafts": one * 3})
        words = [f"word {number}" for number in range(4)]
        await server.refusal("dario", "POST", "/users/me/alert_words", {"alert_words": words})


async def test_the_total_length_of_drafts_is_limited(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=limited(draft_characters=10_000)) as server:
        fields = {"type": "", "to": [], "topic": "", "content": "x" * 6_000}
        response = await server.call("dario", "POST", "/drafts", {"drafts": [fields]})
        await server.refusal("dario", "POST", "/drafts", {"drafts": [fields]})
        await server.call("dario", "PATCH", f"/drafts/{response['ids'][0]}", {"draft": fields})
        long = {**fields, "content": "x" * 11_000}
        await server.refusal("dario", "PATCH", f"/drafts/{response['ids'][0]}", {"draft": long})


@pytest.mark.parametrize("timestamp", ["1e999", "-1e999", "1e308", "-1", "0", "NaN", "Infinity", '"x"', "[]"])
async def test_no_timestamp_of_a_draft_causes_a_server_error(server: TestServer, timestamp: str) -> None:
    drafts = f'[{{"type": "", "to": [], "topic": "", "content": "x", "timestamp": {timestamp}}}]'
    await server.refusal("dario", "POST", "/drafts", {"drafts": drafts})


async def test_reactions_and_votes_of_a_user_on_a_message_are_limited(tmp_path: Path) -> None:
    config = limited(reactions_a_message=2, submessages_a_message=2)
    async with running_server(tmp_path, config=config) as server:
        message = await server.send("ada", "general", "poll", "/poll Lunch?\nsoup\npie")
        for name in ("+1", "heart"):
            await server.call("elif", "POST", f"/messages/{message}/reactions", {"emoji_name": name})
        await server.refusal("elif", "POST", f"/messages/{message}/reactions", {"emoji_name": "tada"})
        vote = json.dumps({"type": "vote", "key": "canned,0", "vote": 1})
        fields = {"message_id": message, "msg_type": "widget", "content": vote}
        for _ in range(2):
            await server.call("elif", "POST", "/submessage", fields)
        await server.refusal("elif", "POST", "/submessage", fields)
        await server.call("farid", "POST", "/submessage", fields)


async def test_the_oldest_topic_policies_are_dropped_beyond_the_limit(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=limited(topic_policies=5)) as server:
        channel_id = server.channel("general")
        for number in range(8):
            await server.call(
                "elif",
                "POST",
                "/user_topics",
                {"stream_id": channel_id, "topic": f"topic {number}", "visibility_policy": 3},
            )
        topics = server.organization.store.strings(
            "SELECT topic FROM user_topics WHERE user_id = ? ORDER BY topic", server.id("elif")
        )
        assert len(topics) == 5
        assert "topic 7" in topics


async def test_the_number_of_stored_emails_is_limited(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=limited(mails_kept=3)) as server:
        for number in range(6):
            fields = {"invitee_emails": f"n{number}@x.example", "stream_ids": []}
            await server.call("bruno", "POST", "/invites", fields)
        recipients = server.organization.store.strings("SELECT recipient FROM sent_emails ORDER BY id")
        assert recipients == [f"n{number}@x.example" for number in (3, 4, 5)]


async def test_too_many_invitations_get_the_error_of_the_contract(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=limited(invitations=2)) as server:
        addresses = ",".join(f"n{number}@x.example" for number in range(3))
        refusal = await server.refusal(
            "bruno", "POST", "/invites", {"invitee_emails": addresses, "stream_ids": []}
        )
        assert refusal["code"] == "INVITATION_FAILED"
        assert refusal["daily_limit_reached"] is True
        assert refusal["sent_invitations"] is False


async def test_the_numbers_of_channels_and_users_in_a_request_are_limited(server: TestServer) -> None:
    many = [{"name": f"channel {number}"} for number in range(101)]
    with held() as watch:
        await server.refusal("elif", "POST", "/users/me/subscriptions", {"subscriptions": many})
        await server.refusal(
            "ada", "DELETE", "/users/me/subscriptions", {"subscriptions": [each["name"] for each in many]}
        )
    assert watch.longest < 0.25, watch
