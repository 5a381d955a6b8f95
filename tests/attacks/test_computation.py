"""No text, list or number that a user sends blocks the server for others."""

from __future__ import annotations

import asyncio
import json
from itertools import pairwise, product
from pathlib import Path

import pytest

from narrowcast_server.computing import highlights
from narrowcast_server.computing.workers import Workers
from narrowcast_server.organization.config import ServerConfig, ServiceLimits
from narrowcast_server.resources.scheduled_messages import ScheduledTarget, schedule
from narrowcast_server.resources.subscriptions.changes import subscribe
from narrowcast_server.resources.users.accounts import create_user
from support.clock import VirtualClock
from support.processes import children
from support.server import Bare, TestServer, running_server
from support.sessions import until
from support.timing import held

HELD_SECONDS = 0.25
QUADRATIC = (
    ("java", "a\n"),
    ("groovy", "a\n"),
    ("gosu", "a\n"),
    ("nemerle", "a\n"),
    ("cuda", "\n "),
    ("objective-c", "\n "),
    ("idris", "\n "),
    ("gherkin", "\n "),
    ("promela", "\n "),
    ("pike", "\n "),
)


def code(language: str, line: str) -> str:
    """A code block of almost the maximum length of a message."""
    return f"```{language}\n{(line * 4_950)[:9_900]}\n```"


@pytest.mark.parametrize(("language", "line"), QUADRATIC)
async def test_code_for_a_quadratic_lexer_is_not_highlighted(
    server: TestServer, monkeypatch: pytest.MonkeyPatch, language: str, line: str
) -> None:
    # The limit is short here; the tests below wait for all of it.
    monkeypatch.setattr(highlights, "_SECONDS", 0.1)
    with held() as watch:
        response = await server.call("hugo", "POST", "/messages/render", {"content": code(language, line)})
    assert 'class="codehilite"' in response["rendered"]
    assert "<span class=" not in response["rendered"]
    assert watch.longest < HELD_SECONDS, watch


async def test_highlighting_code_does_not_block_the_server(
    server: TestServer,
) -> None:
    source = code("java", "a\n")
    channel = server.channel("general")
    with held() as watch:
        sent = await server.send("dario", "general", "code", "soon")
        await server.call("dario", "PATCH", f"/messages/{sent}", {"content": source})
        await server.send("dario", "general", "code", source)
        await server.call(
            "dario",
            "POST",
            "/scheduled_messages",
            {
                "type": "channel",
                "to": channel,
                "topic": "t",
                "content": source + " ",
                "scheduled_delivery_timestamp": server.organization.now() + 1000,
            },
        )
        description = "```java\n" + "a\n" * 480 + "```"
        await server.call("ada", "PATCH", f"/streams/{channel}", {"description": description})
    assert watch.longest < HELD_SECONDS, watch


async def test_quick_code_is_highlighted_beside_slow_code(server: TestServer) -> None:
    quick = "```python\nprint(1)\n```"
    response = await server.call("hugo", "POST", "/messages/render", {"content": quick})
    assert '<span class="nb">print</span>' in response["rendered"]
    both = f"{quick}\n{code('java', 'b' + chr(10))[:9000]}"
    response = await server.call("hugo", "POST", "/messages/render", {"content": both})
    assert '<span class="nb">print</span>' in response["rendered"]


async def test_a_message_with_a_thousand_code_blocks_is_not_a_thousand_jobs(server: TestServer) -> None:
    blocks = "".join(f"```c\n{number}\n```\n" for number in range(600))[:9_990]
    with held() as watch:
        response = await server.call("hugo", "POST", "/messages/render", {"content": blocks})
    assert response["rendered"].count("codehilite") > 500
    assert response["rendered"].count('class="mi"') <= 100
    assert watch.longest < HELD_SECONDS, watch


async def test_highlighted_code_is_cached(server: TestServer) -> None:
    content = {"content": "```python\nimport this\n```"}
    first = await server.call("hugo", "POST", "/messages/render", content)
    await server.organization.workers.stop()
    again = await server.call("hugo", "POST", "/messages/render", content)
    assert again == first
    assert server.organization.workers.processes == []


REPEATING = ("a b " * 2_400, "b a " * 2_400)
LINES = (" ".join(map(str, range(2_000))), " ".join(map(str, range(1_999, -1, -1))))


@pytest.mark.parametrize("texts", [REPEATING, LINES], ids=["repeating", "reversed"])
async def test_diffs_of_edits_are_computed_in_a_process_with_a_time_limit(
    server: TestServer, texts: tuple[str, str]
) -> None:
    sent = await server.send("dario", "general", "edits", texts[0])
    for number in range(6):
        await server.call("dario", "PATCH", f"/messages/{sent}", {"content": texts[(number + 1) % 2]})
    with held() as watch:
        response = await server.call("elif", "GET", f"/messages/{sent}/history")
    versions = response["message_history"]
    assert len(versions) >= 5
    assert all("content_html_diff" in version for version in versions[1:])
    assert watch.longest < HELD_SECONDS, watch


async def test_a_message_id_given_100_000_times_counts_once(server: TestServer) -> None:
    sent = await server.send("ada", "general", "flags")
    listener = await server.listen("elif", event_types=["update_message_flags"])
    with held() as watch:
        response = await server.call(
            "elif",
            "POST",
            "/messages/flags",
            {"messages": "[" + ",".join([str(sent)] * 100_000) + "]", "op": "add", "flag": "starred"},
        )
    assert response["messages"] == [sent]
    assert len(await listener.events()) == 1
    assert watch.longest < HELD_SECONDS, watch


async def rejection(server: TestServer, name: str, path: str, body: str) -> str:
    """The error of a form of this text, which the server rejects without blocking others."""
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    with held() as watch:
        response = await server.raw(name, "POST", path, content=body.encode(), headers=form)
    assert watch.longest < HELD_SECONDS, watch
    assert response.status_code == 400
    return str(response.json()["msg"])


TOO_MANY = 600_000


@pytest.mark.parametrize(
    ("path", "name", "value", "others"),
    [
        ("/messages/flags", "messages", "0", "op=add&flag=read"),
        ("/messages/flags", "messages", "[]", "op=add&flag=read"),
        ("/drafts", "drafts", "{}", ""),
        ("/users/me/alert_words", "alert_words", '""', ""),
        ("/typing", "to", "0", "op=start"),
        ("/messages", "to", '""', "type=direct&content=x"),
        ("/messages", "to", "0", "type=channel&topic=t&content=x"),
    ],
)
async def test_a_list_of_very_many_values_is_rejected_before_it_is_read(
    server: TestServer, path: str, name: str, value: str, others: str
) -> None:
    body = f"{others}&{name}=[{','.join([value] * TOO_MANY)}]"
    assert "too many values" in await rejection(server, "hugo", path, body)


async def test_many_recipients_separated_by_commas_are_rejected_before_they_are_read(
    server: TestServer,
) -> None:
    body = "type=direct&content=x&to=" + "a," * TOO_MANY
    assert "too many values" in await rejection(server, "hugo", "/messages", body)


async def test_several_lists_of_many_values_are_rejected_together(server: TestServer) -> None:
    lists = [f"can_{name}_group=[{','.join('0' * 99_000)}]" for name in ("send_message", "subscribe")]
    path = f"/streams/{server.channel('general')}"
    body = "&".join(lists).encode()
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    response = await server.raw("hugo", "PATCH", path, content=body, headers=form)
    assert "too many values" in response.json()["msg"]


@pytest.mark.parametrize("operator", ["dm", "dm-including"])
@pytest.mark.parametrize("as_pair", [False, True])
async def test_a_narrow_with_very_many_addresses_is_rejected_before_they_are_looked_up(
    hiding: TestServer, operator: str, as_pair: bool
) -> None:
    operand = f"{hiding.user('hugo').delivery_email}," * 50_000
    terms = json.dumps([[operator, operand] if as_pair else {"operator": operator, "operand": operand}])
    body = f"anchor=newest&num_before=1&num_after=0&op=add&flag=read&narrow={terms}"
    assert "too long" in await rejection(hiding, "hugo", "/messages/flags/narrow", body)


async def test_a_narrow_of_many_addresses_does_not_block_the_server(hiding: TestServer) -> None:
    organization = hiding.organization
    with organization.transaction():
        people = [create_user(organization, email=f"p{n}@x.example", full_name=f"P {n}") for n in range(200)]
        subscribe(organization, [organization.channels[hiding.channel("design")]], people)
    operand = f"{hiding.user('hugo').delivery_email}," * 500
    narrow = json.dumps([{"operator": "dm-including", "operand": operand}] * 50)
    fields = {"anchor": "newest", "num_before": 1, "num_after": 0, "op": "add", "flag": "read"}
    with held() as watch:
        await hiding.call("hugo", "POST", "/messages/flags/narrow", {**fields, "narrow": Bare(narrow)})
    assert watch.longest < HELD_SECONDS, watch


async def test_recipients_in_a_text_in_quotes_are_rejected_if_there_are_very_many(server: TestServer) -> None:
    body = 'type=direct&content=x&to="' + "a," * TOO_MANY + '"'
    assert "Too many" in await rejection(server, "hugo", "/messages", body)


async def test_commas_in_a_text_do_not_count_as_values(server: TestServer) -> None:
    bot = await server.create_bot("elif")
    storage = {"numbers": '1,2,\\",3' * 40_000}
    auth = ("helper-bot@demo.example", bot["api_key"])
    form = {"storage": json.dumps(storage)}
    stored = await server.client.put(f"{server.url}/api/v1/bot_storage", auth=auth, data=form)
    assert stored.json()["result"] == "success", stored.text
    kept = await server.client.get(f"{server.url}/api/v1/bot_storage", auth=auth)
    assert kept.json()["storage"] == storage


@pytest.mark.parametrize("separator", [",", "%0A", "<"])
async def test_a_very_long_list_of_invited_addresses_is_rejected_quickly(
    server: TestServer, separator: str
) -> None:
    body = "stream_ids=[]&invitee_emails=" + f"a{separator}" * (TOO_MANY // 2)
    assert "too " in await rejection(server, "ada", "/invites", body)


async def test_one_recipient_named_40_000_times_is_one_recipient(hiding: TestServer) -> None:
    to = json.dumps([hiding.user("elif").delivery_email] * 40_000)
    fields = {"type": "direct", "to": Bare(to), "content": "x"}
    with held() as watch:
        sent = (await hiding.call("hugo", "POST", "/messages", fields))["id"]
    assert watch.longest < HELD_SECONDS, watch
    assert (await hiding.call("elif", "GET", f"/messages/{sent}"))["message"]["type"] == "private"


async def test_more_message_ids_than_a_page_are_rejected(server: TestServer) -> None:
    limit = server.organization.config.limits.max_messages_fetched
    for flag, operation in (("read", "add"), ("read", "remove"), ("starred", "add"), ("collapsed", "remove")):
        response = await server.refusal(
            "hugo",
            "POST",
            "/messages/flags",
            {"messages": list(range(1, limit + 2)), "op": operation, "flag": flag},
        )
        assert response["msg"] == f"Too many messages requested (maximum {limit})."


async def test_many_scheduled_messages_due_at_once_are_sent_between_other_requests(
    server: TestServer,
    clock: VirtualClock,
) -> None:
    organization, dario = server.organization, server.user("dario")
    with organization.transaction():
        for number in range(300):
            schedule(
                organization,
                dario,
                ScheduledTarget(server.channel("general"), "late"),
                f"no {number}",
                organization.now() + 5,
            )
    with held() as watch:
        # Advance one second, not ten: each sleeper that wakes lets some be sent before the first request.
        clock.jump(10)
        await clock.advance(1)
        order = []
        while left := organization.store.integer("SELECT count(*) FROM scheduled_messages"):
            await server.call("hugo", "GET", "/users/me")
            order.append(left)
    # Other requests were served while the messages were sent.
    assert len(order) > 3
    assert max(before - after for before, after in pairwise(order)) < 60
    assert watch.longest < HELD_SECONDS, watch
    sent = organization.store.integer("SELECT count(*) FROM messages WHERE topic = 'late'")
    assert sent == 300


async def test_a_process_that_takes_too_long_is_killed() -> None:
    workers = Workers()
    results = await workers.compute("highlight", [("java", "a\n" * 4_900)], 0.2)
    assert results == [None]
    assert workers.processes == []


async def test_a_process_is_reused_after_success() -> None:
    workers = Workers()
    for _ in range(2):
        assert (await workers.compute("highlight", [("c", "1")], 1.0))[0] is not None
    assert len(workers.processes) == 1
    await workers.rest()
    assert len(workers.processes) == 1
    await workers.rest()
    assert workers.processes == []


async def test_a_cancelled_job_leaves_no_process() -> None:
    workers = Workers()
    job = asyncio.create_task(workers.compute("highlight", [("java", "a\n" * 4_900)], 30.0))
    await until(lambda: workers.busy)
    job.cancel()
    await asyncio.gather(job, return_exceptions=True)
    assert (await workers.compute("highlight", [("c", "1")], 1.0))[0] is not None
    assert len(workers.processes) == 1
    await workers.stop()


async def test_stopping_waits_for_the_process_of_a_cancelled_job() -> None:
    workers = Workers()
    before = children("narrowcast_server.computing.child")
    job = asyncio.create_task(workers.compute("highlight", [("java", "a\n" * 4_900)], 30.0))
    await until(lambda: workers.busy)
    begun = children("narrowcast_server.computing.child") - before
    job.cancel()
    await asyncio.gather(job, return_exceptions=True)
    await workers.stop()
    assert begun
    assert not begun & children("narrowcast_server.computing.child")


async def test_jobs_beyond_the_limit_of_the_queue_are_rejected_at_once() -> None:
    workers = Workers()
    jobs = [asyncio.create_task(workers.compute("highlight", [("c", str(n))], 1.0)) for n in range(60)]
    done = await asyncio.gather(*jobs)
    refused = [results for results in done if results == [None]]
    assert 40 <= len(refused) < 60
    await workers.stop()


@pytest.mark.parametrize("hurt", ["\x00", "\ud800", "a" * 9_000, "\\" * 9_000, "(" * 9_000, "'" * 9_000])
async def test_no_source_crashes_the_process(hurt: str) -> None:
    workers = Workers()
    for language in ("python", "java", "perl", "html", "json", "sql"):
        await workers.compute("highlight", [(language, hurt), ("c", "1")], 1.0)
        assert (await workers.compute("highlight", [("c", "1")], 1.0))[0] is not None, language
    await workers.stop()


async def test_limits_of_flags_follow_the_configuration(tmp_path: Path) -> None:
    config = ServerConfig(limits=ServiceLimits(max_messages_fetched=2))
    async with running_server(tmp_path, config=config) as server:
        ids = [await server.send("ada", "general", "t") for _ in range(3)]
        flags = {"op": "add", "flag": "read"}
        await server.refusal("ada", "POST", "/messages/flags", {"messages": json.dumps(ids), **flags})
        await server.call("ada", "POST", "/messages/flags", {"messages": json.dumps(ids[:2]), **flags})


async def test_highlighting_a_search_for_many_words_does_not_block_the_server(server: TestServer) -> None:
    words = ["".join(letters) for letters in product("abcdefghij", repeat=3)]
    source = " ".join(f"*{word}*" for word in words)
    sent = [await server.send("dario", "general", "words", source) for _ in range(6)]
    narrow = [{"operator": "search", "operand": " ".join(words[k : k + 20])} for k in range(0, 1_000, 20)]
    page = {"anchor": "newest", "num_before": 10, "num_after": 0, "narrow": narrow}
    with held() as watch:
        response = await server.call("elif", "GET", "/messages", page)
        await server.call("elif", "GET", "/messages/matches_narrow", {"msg_ids": sent, "narrow": narrow})
    found = [message["match_content"].count("highlight") for message in response["messages"]]
    assert found == [20] * 6
    assert watch.longest < HELD_SECONDS, watch
