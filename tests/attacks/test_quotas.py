"""Nobody fills the server for the others: each thing that one may have has a limit, with a clear refusal."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from narrowcast_server.markdown.render import alerted
from narrowcast_server.organization.config import Config, Quotas, RateLimit
from narrowcast_server.serve import EVENT_RATE_LIMITS, RATE_LIMITS, STRANGER_RATE_LIMITS, Options, open_core
from support.clock import VirtualClock
from support.holding import held
from support.server import Answer, TestServer, running_server

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def limited(**quotas: int) -> Config:
    """A server with these quotas and the others as they are."""
    return Config(quotas=replace(Quotas(), **quotas))


Request = tuple[str, str, dict[str, object]]


def later(server: TestServer) -> int:
    return server.core.now() + 1_000


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
    first = server.core.store.integer("SELECT min(id) FROM messages")
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
async def test_the_limit_is_reached_and_not_passed(tmp_path: Path, case: Case) -> None:
    async with running_server(tmp_path) as server:
        server.core.config = limited(**{case.kind: 2})
        await server.send_direct("ada", ["dario"])
        for number in range(2):
            await server.call(case.person, *case.request(server, number))
        refusal = await server.refusal(case.person, *case.request(server, 2))
        assert "too many" in refusal["msg"]
        assert "(limit: 2)" in refusal["msg"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.kind)
async def test_one_persons_limit_is_not_anothers(tmp_path: Path, case: Case) -> None:
    async with running_server(tmp_path) as server:
        server.core.config = limited(**{case.kind: 1})
        other = "ada" if case.kind == "invitations" else "greta"
        await server.send_direct("ada", ["dario", "greta"])
        await server.call(case.person, *case.request(server, 0))
        await server.call(other, *case.request(server, 1))


@pytest.mark.parametrize("case", CASES[:3], ids=lambda case: case.kind)
async def test_a_refusal_changes_nothing(tmp_path: Path, case: Case) -> None:
    async with running_server(tmp_path, config=limited(**{case.kind: 0})) as server:
        changes = server.core.store.changes
        await server.refusal(case.person, *case.request(server, 0))
        assert server.core.store.changes == changes


async def test_many_at_once_count_as_many(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=limited(drafts=3, alert_words=3)) as server:
        one = draft(server, 0)[2]["drafts"]
        assert isinstance(one, list)
        await server.refusal("dario", "POST", "/drafts", {"drafts": one * 4})
        await server.call("dario", "POST", "/drafts", {"drafts": one * 3})
        words = [f"word {number}" for number in range(4)]
        await server.refusal("dario", "POST", "/users/me/alert_words", {"alert_words": words})


async def test_drafts_have_a_length_together(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=limited(draft_characters=10_000)) as server:
        fields = {"type": "", "to": [], "topic": "", "content": "x" * 6_000}
        answer = await server.call("dario", "POST", "/drafts", {"drafts": [fields]})
        await server.refusal("dario", "POST", "/drafts", {"drafts": [fields]})
        await server.call("dario", "PATCH", f"/drafts/{answer['ids'][0]}", {"draft": fields})
        long = {**fields, "content": "x" * 11_000}
        await server.refusal("dario", "PATCH", f"/drafts/{answer['ids'][0]}", {"draft": long})


@pytest.mark.parametrize("timestamp", ["1e999", "-1e999", "1e308", "-1", "0", "NaN", "Infinity", '"x"', "[]"])
async def test_no_time_of_a_draft_is_an_error_of_the_server(server: TestServer, timestamp: str) -> None:
    drafts = f'[{{"type": "", "to": [], "topic": "", "content": "x", "timestamp": {timestamp}}}]'
    await server.refusal("dario", "POST", "/drafts", {"drafts": drafts})


async def test_reactions_and_votes_of_one_person_to_a_message_have_a_limit(tmp_path: Path) -> None:
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


async def test_policies_of_topics_forget_the_oldest(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=limited(topic_policies=5)) as server:
        channel_id = server.channel("general")
        for number in range(8):
            await server.call(
                "elif",
                "POST",
                "/user_topics",
                {"stream_id": channel_id, "topic": f"topic {number}", "visibility_policy": 3},
            )
        topics = server.core.store.strings(
            "SELECT topic FROM user_topics WHERE user_id = ? ORDER BY topic", server.id("elif")
        )
        assert len(topics) == 5
        assert "topic 7" in topics


async def test_mails_that_are_kept_have_a_limit(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=limited(mails_kept=3)) as server:
        for number in range(6):
            fields = {"invitee_emails": f"n{number}@x.example", "stream_ids": []}
            await server.call("bruno", "POST", "/invites", fields)
        recipients = server.core.store.strings("SELECT recipient FROM sent_emails ORDER BY id")
        assert recipients == [f"n{number}@x.example" for number in (3, 4, 5)]


async def test_more_invitations_than_there_is_room_for_say_so_in_the_contracts_way(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=limited(invitations=2)) as server:
        addresses = ",".join(f"n{number}@x.example" for number in range(3))
        refusal = await server.refusal(
            "bruno", "POST", "/invites", {"invitee_emails": addresses, "stream_ids": []}
        )
        assert refusal["code"] == "INVITATION_FAILED"
        assert refusal["daily_limit_reached"] is True
        assert refusal["sent_invitations"] is False


async def test_channels_and_people_of_one_request_have_a_limit(server: TestServer) -> None:
    many = [{"name": f"channel {number}"} for number in range(101)]
    with held() as watch:
        await server.refusal("elif", "POST", "/users/me/subscriptions", {"subscriptions": many})
        await server.refusal(
            "ada", "DELETE", "/users/me/subscriptions", {"subscriptions": [each["name"] for each in many]}
        )
    assert watch.longest < 0.25, watch


# --- files -------------------------------------------------------------------------------------------------------


async def upload(server: TestServer, name: str, size: int) -> Answer:
    response = await server.raw(name, "POST", "/user_uploads", files={"file": ("a.txt", b"x" * size)})
    answer: Answer = response.json()
    return answer


TUS = {"Tus-Resumable": "1.0.0"}


async def begun(server: TestServer, name: str, length: int) -> Answer | str:
    """The address of an upload in parts, or its refusal."""
    response = await server.raw(name, "POST", "/tus", headers={**TUS, "Upload-Length": str(length)})
    if response.status_code == 201:
        return str(response.headers["location"])
    answer: Answer = response.json()
    return answer


async def test_a_person_has_room_for_so_many_bytes(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=limited(upload_mib_a_person=1)) as server:
        assert (await upload(server, "hugo", 600_000))["result"] == "success"
        refusal = await upload(server, "hugo", 600_000)
        assert (refusal["code"], "more than 1 MiB" in refusal["msg"]) == ("BAD_REQUEST", True)
        assert (await upload(server, "dario", 600_000))["result"] == "success"


async def test_everybody_has_room_for_so_many_bytes_together(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=limited(upload_mib=1)) as server:
        assert (await upload(server, "hugo", 600_000))["result"] == "success"
        assert "organization" in (await upload(server, "dario", 600_000))["msg"]


async def test_a_refused_file_leaves_nothing_on_the_disk(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=limited(attachments=0)) as server:
        assert (await upload(server, "hugo", 1_000))["result"] == "error"
        assert [path for path in (tmp_path / "uploads").rglob("*") if path.is_file()] == []


async def test_deleting_an_upload_makes_room(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=limited(attachments=1)) as server:
        await upload(server, "hugo", 10)
        assert (await upload(server, "hugo", 10))["result"] == "error"
        [own] = (await server.call("hugo", "GET", "/attachments"))["attachments"]
        await server.call("hugo", "DELETE", f"/attachments/{own['id']}")
        assert (await upload(server, "hugo", 10))["result"] == "success"


async def test_unfinished_uploads_have_a_limit(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=limited(unfinished_uploads=2)) as server:
        addresses = [await begun(server, "hugo", 100) for _ in range(2)]
        refusal = await begun(server, "hugo", 100)
        assert isinstance(refusal, dict)
        assert "unfinished" in refusal["msg"]
        assert isinstance(await begun(server, "dario", 100), str)
        await server.raw("hugo", "DELETE", f"{server.url}{addresses[0]}", headers=TUS)
        assert isinstance(await begun(server, "hugo", 100), str)


async def test_what_was_announced_counts_before_it_has_come(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=limited(upload_mib_a_person=1)) as server:
        assert isinstance(await begun(server, "hugo", 700_000), str)
        assert isinstance(await begun(server, "hugo", 700_000), dict)


async def test_expired_uploads_make_room(tmp_path: Path) -> None:
    clock = VirtualClock()
    async with running_server(tmp_path, config=limited(unfinished_uploads=1), clock=clock) as server:
        assert isinstance(await begun(server, "hugo", 100), str)
        assert isinstance(await begun(server, "hugo", 100), dict)
        clock.jump(25 * 3600)
        assert isinstance(await begun(server, "hugo", 100), str)
        assert len(list((tmp_path / "uploads" / "resumable").glob("*.json"))) == 1


async def test_unfinished_uploads_count_after_a_restart(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=limited(unfinished_uploads=1)) as server:
        assert isinstance(await begun(server, "hugo", 100), str)
    (tmp_path / "uploads" / "resumable" / "nonsense.json").write_text("{")
    async with running_server(tmp_path, config=limited(unfinished_uploads=1)) as server:
        assert isinstance(await begun(server, "hugo", 100), dict)
    assert not (tmp_path / "uploads" / "resumable" / "nonsense.json").exists()


async def test_beginning_an_upload_reads_none_of_the_others(
    server: TestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begun(server, "hugo", 100)

    def refuse(path: Path, *arguments: object, **options: object) -> str:
        raise AssertionError(path)

    monkeypatch.setattr(Path, "read_text", refuse)
    assert isinstance(await begun(server, "hugo", 100), str)


async def test_a_new_picture_replaces_the_old_one_on_the_disk(server: TestServer, tmp_path: Path) -> None:
    for _ in range(3):
        response = await server.raw("hugo", "POST", "/users/me/avatar", files={"file": ("a.png", PIXEL)})
        assert response.json()["result"] == "success"
    assert len(list((tmp_path / "data" / "uploads" / "public").iterdir())) == 1


async def test_a_picture_of_headers_alone_is_read_for_a_moment(server: TestServer) -> None:
    endless = b"\xff\xd8" + b"\xff\xe1\x00\x02" * 1_200_000
    with held() as watch:
        response = await server.raw("hugo", "POST", "/users/me/avatar", files={"file": ("a.jpg", endless)})
        await server.raw("hugo", "POST", "/user_uploads", files={"file": ("a.jpg", endless)})
    assert response.json()["code"] == "BAD_IMAGE"
    assert watch.longest < 0.25, watch


# --- words -------------------------------------------------------------------------------------------------------

HARD_TEXTS = ("a" * 10_000, "xa " * 3_333, "a " * 5_000, "aab" * 3_333)
HARD_WORDS = (
    ["a" * length for length in range(1, 100)],
    ["a " * (length // 2) + "b" for length in range(1, 99)],
    [("xa " * 33)[offset : offset + 60] + "q" for offset in range(39)],
)


@pytest.mark.parametrize("text", HARD_TEXTS, ids=lambda text: text[:3])
@pytest.mark.parametrize("words", HARD_WORDS, ids=lambda words: words[0][:3])
async def test_no_alert_words_make_a_message_slow(server: TestServer, text: str, words: list[str]) -> None:
    for name in ("hugo", "dario", "elif", "farid"):
        await server.call(name, "POST", "/users/me/alert_words", {"alert_words": words})
    await server.send("ada", "general", "t", "warm")
    with held() as watch:
        await server.send("ada", "general", "t", text)
    assert watch.longest < 0.25, watch


@pytest.mark.parametrize(
    ("text", "word", "found"),
    [
        ("soup", "soup", True),
        ("SOUP!", "soup", True),
        ("a soup, please", "Soup", True),
        ("soups", "soup", False),
        ("a_soup", "soup", False),
        ("Straße", "STRASSE", True),
        ("éclair", "clair", False),
        ("an éclair", "éclair", True),
        ("a.*b", ".*", False),
        ("a .* b", ".*", True),
        ("x", "", False),
        ("", "x", False),
        ("(x)", "(x)", True),
        ("日本 語", "日本", True),
        ("日本語", "日本", False),
        ("two words here", "two words", True),
        ("soupsoup soup", "soup", True),
    ],
)
def test_alert_words_are_whole_words(text: str, word: str, found: bool) -> None:
    assert (7 in alerted(text, {7: [word]})) is found


# --- rates -------------------------------------------------------------------------------------------------------


def test_a_server_has_rate_limits_unless_it_is_a_demo(tmp_path: Path) -> None:
    core = open_core(Options(data=tmp_path / "team"), "http://x")
    assert core.config.rate_limits == RATE_LIMITS
    assert core.config.event_rate_limits == EVENT_RATE_LIMITS
    assert core.config.stranger_rate_limits == STRANGER_RATE_LIMITS
    core.close()
    core = open_core(Options(data=tmp_path / "demo", demo=True), "http://x")
    assert core.config.rate_limits == core.config.event_rate_limits == ()
    core.close()


@pytest.mark.parametrize("demo", [False, True])
def test_the_operators_rate_limit_replaces_the_default(tmp_path: Path, demo: bool) -> None:
    core = open_core(Options(data=tmp_path, demo=demo, rate_limits=((7, 10),)), "http://x")
    assert core.config.rate_limits == (RateLimit(10, 7),)
    core.close()


async def test_events_are_counted_apart(tmp_path: Path) -> None:
    config = Config(rate_limits=(RateLimit(60, 2),), event_rate_limits=(RateLimit(60, 3),))
    async with running_server(tmp_path, config=config, clock=VirtualClock()) as server:
        listener = await server.listen("ada")
        await server.call("ada", "GET", "/users/me")
        for _ in range(3):
            await listener.events()
        refusal = await server.refusal(
            "ada", "GET", "/events", {"queue_id": listener.queue_id, "last_event_id": -1}, status=429
        )
        assert refusal["code"] == "RATE_LIMIT_HIT"
        await server.refusal("ada", "GET", "/users/me", status=429)


async def test_two_limits_hold_both(tmp_path: Path) -> None:
    clock = VirtualClock()
    config = Config(rate_limits=(RateLimit(10, 2), RateLimit(100, 3)))
    async with running_server(tmp_path, config=config, clock=clock) as server:
        for _ in range(2):
            await server.call("ada", "GET", "/users/me")
        first = await server.refusal("ada", "GET", "/users/me", status=429)
        assert first["retry-after"] == pytest.approx(10, abs=1)
        await clock.advance(11)
        await server.call("ada", "GET", "/users/me")
        second = await server.refusal("ada", "GET", "/users/me", status=429)
        assert second["retry-after"] == pytest.approx(89, abs=1)


async def test_requests_of_one_person_at_once_have_a_limit(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=limited(requests_at_once=3)) as server:
        waiting = []
        for _ in range(3):
            listener = await server.listen("elif", event_types=["message"])
            poll = {"queue_id": listener.queue_id, "last_event_id": -1}
            waiting.append(asyncio.create_task(server.call("elif", "GET", "/events", poll)))
            async with asyncio.timeout(20):
                while server.connections.busy < len(waiting):
                    await asyncio.sleep(0)
        refusal = await server.refusal("elif", "GET", "/users/me", status=429)
        assert refusal["code"] == "RATE_LIMIT_HIT"
        await server.send("ada", "general", "t", "go on")
        await asyncio.gather(*waiting)
        await server.call("elif", "GET", "/users/me")


Step = Callable[[TestServer], Awaitable[object]]


@pytest.mark.parametrize("status", [200, 400, 401, 404])
async def test_every_request_counts_however_it_ends(tmp_path: Path, status: int) -> None:
    config = Config(rate_limits=(RateLimit(60, 2),))
    paths = {200: "/users/me", 400: "/messages", 401: "/users/me", 404: "/nothing/here"}
    async with running_server(tmp_path, config=config, clock=VirtualClock()) as server:
        seen = [(await server.raw("ada", "GET", paths[status])).status_code for _ in range(4)]
    if status in (200, 400, 401):
        assert seen[2:] == [429, 429]


async def test_uploads_leave_room_on_the_disk(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=limited(spare_disk_mib=1 << 30)) as server:
        answer = (await server.raw("ada", "POST", "/user_uploads", files={"file": ("a.txt", b"a")})).json()
        assert answer["result"] == "error"
        assert "The server has no room for this file." in answer["msg"]
        assert await server.send("ada", "general", "t")


async def test_a_full_disk_is_said_so_and_loses_nothing_that_was_said(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        kept = await server.send("ada", "general", "t", "kept")
        pages = server.core.store.integer("PRAGMA page_count") or 0
        server.core.store.integer(f"PRAGMA max_page_count = {pages}")
        refusals = []
        for _ in range(40):
            fields = {"type": "channel", "to": server.channel("general"), "topic": "t", "content": "x" * 9000}
            answer = await server.raw("ada", "POST", "/messages", fields)
            if answer.status_code != 200:
                refusals.append(answer)
        assert {answer.status_code for answer in refusals} == {507}
        assert refusals[0].json()["msg"] == "The server's disk is full. Tell its operator."
        assert (await server.call("ada", "GET", f"/messages/{kept}"))["message"]["content"] == "<p>kept</p>"
        server.core.store.integer("PRAGMA max_page_count = 1000000")
        assert await server.send("ada", "general", "t", "there is room again")
