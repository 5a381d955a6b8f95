"""What scripts rely on: one form of errors, one JSON schema, files, live messages, completion."""

from __future__ import annotations

import asyncio
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from narrowcast.cli.grammar import build_parser
from narrowcast.cli.printing import as_text
from narrowcast.cli.progress import Progress
from narrowcast.cli.records import Finding, MessageRecord, Record, SentRecord
from narrowcast_api.model.messages import FetchedMessage, Message
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.resources.messages import operations as messages
from narrowcast_server.routes import register
from support.altered_servers import offering
from support.command_line import rc_of, run, running
from support.fault_proxy import Fault, FaultProxy
from support.server import running_server
from support.terminal import Terminal, home, narrowcast


def records(out: str) -> list[Record]:
    """Every line, decoded strictly by the one schema."""
    return [msgspec.json.decode(line, type=Record, strict=True) for line in out.splitlines()]


async def test_every_command_prints_records_in_the_one_schema(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        rc = rc_of(server, tmp_path)
        where = ["--channel", "general", "--topic", "lunch"]
        (sent,) = records((await run(tmp_path, "send", "--rc", rc, *where, "--json", "soup")).out)
        assert isinstance(sent, SentRecord)
        direct = await run(tmp_path, "send", "--rc", rc, "--to", "bruno@demo.example", "--json", "hello")
        read = records((await run(tmp_path, "read", "--rc", rc, "--json")).out)
        searched = records((await run(tmp_path, "search", "--rc", rc, "soup", "--json")).out)
        exported = records((await run(tmp_path, "export", "--rc", rc, "topic:lunch")).out)
        for found in (read, searched, exported):
            assert found
            assert all(isinstance(record, MessageRecord) for record in found)
        assert searched == exported
        (soup,) = searched
        assert isinstance(soup, MessageRecord)
        assert (soup.id, soup.type, soup.channel, soup.topic) == (sent.id, "channel", "general", "lunch")
        message = next(r for r in read if isinstance(r, MessageRecord) and r.id == records(direct.out)[0].id)  # type: ignore[union-attr]
        assert message.type == "direct"
        assert isinstance(message.recipients, list)
        doctor = records((await run(tmp_path, "doctor", "--rc", rc, "--json")).out)
        assert {record.area for record in doctor if isinstance(record, Finding)} >= {
            "program",
            "notifications",
        }


async def test_the_address_of_a_sent_message_is_printed_where_the_server_gives_it(tmp_path: Path) -> None:
    there = {"id": 5, "message_url": "https://chat.example/#narrow/near/5", "message_link": "[m](x)"}
    where = ["--channel", "general", "--topic", "lunch"]
    with offering("/messages", there, routes=messages.routes, method="POST") as offered:
        async with running_server(tmp_path / "server") as server:
            rc = rc_of(server, tmp_path)
            (sent,) = records((await run(tmp_path, "send", "--rc", rc, *where, "--json", "soup")).out)
            assert sent == SentRecord(5, [], there["message_url"], there["message_link"])  # type: ignore[arg-type]
            offered.response = None
            plain = (await run(tmp_path, "send", "--rc", rc, *where, "--json", "soup")).out
            assert "message_url" not in plain


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("at <time:2026-03-04T12:00:00Z>!", "at 2026-03-04 HH:00!"),
        ("<time:someday> and `<time:2026-03-04T12:00Z>`", "<time:someday> and `<time:2026-03-04T12:00Z>`"),
        ("```\n<time:2026-03-04T12:00Z>\n```", "```\n    <time:2026-03-04T12:00Z>\n    ```"),
        ("~~~~\n<time:2026-03-04T12:00Z>", "~~~~\n    <time:2026-03-04T12:00Z>"),
        ("one ` only, <time:2026-03-04T12:00Z>", "one ` only, 2026-03-04 HH:00"),
    ],
)
def test_times_are_printed_as_local_ones_outside_of_code(source: str, shown: str) -> None:
    noon = datetime(2026, 3, 4, 12, tzinfo=UTC)
    message = Message(7, 1, "Bruno", "b@x", int(noon.timestamp()), source, channel_id=3, topic="lunch")
    lines = as_text(FetchedMessage(message, "general")).split("\n", 1)
    hour = f"{noon.astimezone():%H}"
    assert lines[0] == f"2026-03-04 {hour}:00  Bruno  #general › lunch"
    assert lines[1] == f"    {shown.replace('HH', hour)}\n"


@pytest.mark.parametrize("source", ["x" + "`" * 9999, "x" + "`" * 5000 + "a" * 5000, "` `` " * 2000])
def test_backticks_without_an_end_are_printed_without_delay(source: str) -> None:
    message = Message(7, 1, "Bruno", "b@x", 0, source, channel_id=3, topic="lunch")
    begun = time.process_time()
    assert source in as_text(FetchedMessage(message, "general"))
    assert time.process_time() - begun < 2


@pytest.mark.parametrize(
    ("terms", "words"),
    [
        (["nonsense:operator"], "'nonsense' is not a search operator; the operators are channel, "),
        (["channel:general", "colour:red"], "'colour' is not a search operator"),
        (["is:bogus"], "bogus"),
        (["has:nothing-known"], "nothing-known"),
        (["channel:nowhere"], "nowhere"),
        (["topic:", "lunch"], "topic: needs a topic"),
    ],
)
async def test_an_invalid_search_exits_with_2_and_the_reason(
    tmp_path: Path, terms: list[str], words: str
) -> None:
    async with running_server(tmp_path / "server") as server:
        for command in ("read", "search", "export"):
            result = await run(tmp_path, command, "--rc", rc_of(server, tmp_path), *terms)
            assert (result.code, result.out) == (2, ""), result
            assert re.fullmatch(rf"narrowcast: [^\n]*{re.escape(words)}[^\n]*\n", result.err), result.err


async def test_quoted_words_and_urls_with_colons_are_searched_for_as_text(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        rc = rc_of(server, tmp_path)
        await run(tmp_path, "send", "--rc", rc, "--channel", "general", "--topic", "x", "note:this at 12:30")
        for terms in (['"note:this"'], ["12:30"], ["http://nowhere.example/"], ["note"]):
            result = await run(tmp_path, "search", "--rc", rc, *terms)
            nothing = "" if result.out else "narrowcast: no messages match\n"
            assert (result.code, result.err) == (0, nothing), terms


async def test_an_archived_channel_is_known_by_its_name_and_takes_no_messages(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        rc = rc_of(server, tmp_path)
        await server.send("ada", "design", "logo", "a bird")
        await server.call("ada", "DELETE", f"/streams/{server.channel('design')}")
        for name in ("design", "#Design", str(server.channel("design"))):
            refused = await run(tmp_path, "send", "--rc", rc, "--channel", name, "hello")
            assert refused.code == 1
            assert refused.err == "narrowcast: #design is archived: nobody can post in it.\n"
        read = await run(tmp_path, "read", "--rc", rc, "channel:design", "topic:logo", "--json")
        assert [message.content for message in records(read.out)] == ["a bird"]  # type: ignore[union-attr]


async def test_without_a_topic_where_one_is_needed_a_script_is_told(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        rc = rc_of(server, tmp_path)
        channel_id = server.channel("general")
        await server.call("ada", "PATCH", f"/streams/{channel_id}", {"topics_policy": "disable_empty_topic"})
        result = await run(tmp_path, "send", "--rc", rc, "--channel", "general", "hello")
        assert result.code == 2
        assert result.err == "narrowcast: #general needs a topic; name one with --topic TOPIC\n"
        command = narrowcast("send", "--rc", rc, "--channel", "general", "hello")

        def at_a_terminal() -> None:
            with Terminal(command, env=home(tmp_path)) as terminal:
                terminal.wait_for("#general needs a topic")
                terminal.wait_for("Topic:")
                terminal.type("lunch\r")
                terminal.wait_for("sent, message")
                assert terminal.wait_end() == 0

        await asyncio.to_thread(at_a_terminal)
        read = await run(tmp_path, "read", "--rc", rc, "topic:lunch", "--json")
        (message,) = records(read.out)
        assert isinstance(message, MessageRecord)
        assert message.content == "hello"


async def test_the_key_of_an_incoming_webhook_sends_to_a_channel_by_name_and_to_addresses(
    tmp_path: Path,
) -> None:
    async with running_server(tmp_path / "server") as server:
        rc = rc_of(server, tmp_path, "jasper")
        sent = await run(tmp_path, "send", "--rc", rc, "--channel", "#general", "--topic", "builds", "done")
        assert (sent.code, sent.err) == (0, "")
        address = server.user("ada").delivery_email
        sent = await run(tmp_path, "send", "--rc", rc, "--to", address, "done for you")
        assert (sent.code, sent.err) == (0, "")
        found = await server.newest("ada", sender=server.id("jasper"))
        assert [(row["subject"], row["content"]) for row in found] == [
            ("builds", "done"),
            ("", "done for you"),
        ]
        refused = await run(tmp_path, "send", "--rc", rc, "--to", "ada", "x")
        assert refused.code == 2
        assert "an incoming webhook can only send to email addresses" in refused.err


async def test_people_are_named_as_they_are_called_commas_and_bots_of_the_system_too(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        rc = rc_of(server, tmp_path)
        await server.call("ada", "PATCH", f"/users/{server.id('bruno')}", {"full_name": "Bruno, the Moor"})
        for names in (
            ["Bruno, the Moor"],
            ["bruno@demo.example"],
            ["Bruno, the Moor", "dario@demo.example"],
        ):
            to = [word for name in names for word in ("--to", name)]
            sent = await run(tmp_path, "send", "--rc", rc, *to, "hello")
            assert (sent.code, sent.err) == (0, "")
        read = records((await run(tmp_path, "read", "--rc", rc, "dm:Bruno, the Moor", "--json")).out)
        assert len(read) == 2
        found = await run(tmp_path, "read", "--rc", rc, "from:Notification Bot")
        assert (found.code, found.out, found.err) == (0, "", "narrowcast: no messages match\n")
        for to, words in (
            (["--to", "nobody@x.example"], "No user matches 'nobody@x.example'."),
            (["--to", "ada", "--channel", "general"], "two destinations; give --channel or --to, not both"),
            ([], "no destination; give --channel NAME [--topic TOPIC], or --to WHO"),
            (["--to", "ada", "--topic", "lunch"], "direct messages have no topic; leave out --topic"),
        ):
            refused = await run(tmp_path, "send", "--rc", rc, *to, "hello")
            assert (refused.code, refused.err) == (2, f"narrowcast: {words}\n")


async def test_text_that_servers_would_truncate_is_rejected_before_it_is_sent(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server, FaultProxy(server.url) as proxy:
        account = replace(server.account("ada"), site=proxy.url)
        account.write_zuliprc(tmp_path / "rc")
        where = ["send", "--rc", str(tmp_path / "rc"), "--channel", "general", "--topic"]
        long = await run(tmp_path, *where, "t", stdin="x" * 10_001)
        assert long.err == "narrowcast: the message is too long: 10001 characters, the server allows 10000\n"
        topic = await run(tmp_path, *where, "x" * 61, "hello")
        assert topic.err == "narrowcast: the topic is too long: 61 characters, the server allows 60\n"
        assert "POST /api/v1/messages" not in proxy.seen


async def test_who_sends_is_told_whether_the_message_may_have_left(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server, FaultProxy(server.url) as proxy:
        replace(server.account("ada"), site=proxy.url).write_zuliprc(tmp_path / "rc")
        send = ["send", "--rc", str(tmp_path / "rc"), "--to", "me", "hello"]
        look = "check before you try again."
        for fault, method, path, words in (
            (Fault.FAILED_AFTERWARDS, "POST", "/api/v1/messages", look),
            (Fault.LOST_AFTERWARDS, "POST", "/api/v1/messages", look),
            (Fault.LOST_BEFORE, "GET", "/api/v1/users", "Try again."),
            (
                Fault.REFUSED_BY_GATEWAY,
                "GET",
                "/api/v1/users",
                "Server error (HTTP 502). Try again in a moment.",
            ),
            (Fault.REFUSED_BY_GATEWAY, "GET", "/api/v1/server_settings", "Try again in a moment."),
        ):
            proxy.fail(fault, method, path, times=1)
            result = await run(tmp_path, *send)
            assert (result.code != 0, result.err.strip().endswith(words)) == (True, True), result.err
        proxy.fail(Fault.LOST_BEFORE, "GET", "/api/v1/messages", times=1)
        read = await run(tmp_path, "read", "--rc", str(tmp_path / "rc"))
        assert (read.code, read.err.strip().endswith("Try again.")) == (4, True), read.err


@pytest.mark.parametrize("command", ["read", "search", "export"])
@pytest.mark.parametrize(
    ("words", "terms"),
    [
        (["channel:general", "--limit", "3", "topic:lunch"], ["channel:general", "topic:lunch"]),
        (["topic:lunch", "-from:bruno", "--limit", "3"], ["topic:lunch", "-from:bruno"]),
        (["-topic:lunch"], ["-topic:lunch"]),
        (["--limit", "3", "--", "-from:ada", "-x"], ["-from:ada", "-x"]),
    ],
)
def test_terms_stand_anywhere_and_may_begin_with_a_minus(
    command: str, words: list[str], terms: list[str]
) -> None:
    assert build_parser().parse_args([command, *words]).narrow == terms


async def test_a_term_with_a_minus_excludes_matches(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        rc = rc_of(server, tmp_path)
        for name, topic in (("ada", "lunch"), ("bruno", "lunch"), ("ada", "logo")):
            await server.send(name, "general", topic, f"{name} of {topic}")
        result = await run(tmp_path, "search", "--rc", rc, "topic:lunch", "-from:Bruno Castell", "--json")
        assert [one.content for one in records(result.out)] == ["ada of lunch"], result  # type: ignore[union-attr]
        for words, complaint in (
            ([], "required: TERM"),
            (["x", "--bogus"], "unrecognized arguments: --bogus"),
        ):
            refused = await run(tmp_path, "search", "--rc", rc, *words)
            assert refused.code == 2
            assert complaint in refused.err


async def test_files_are_sent_with_a_message_and_refused_before_anything_is(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        rc = rc_of(server, tmp_path)
        where = ["send", "--rc", rc, "--channel", "general", "--topic", "files"]
        for name in ("a [1].txt", "b.txt"):
            (tmp_path / name).write_text(name)
        files = ["--file", str(tmp_path / "a [1].txt"), "--file", str(tmp_path / "b.txt")]
        (sent,) = records((await run(tmp_path, *where, *files, "--json", "two files")).out)
        assert isinstance(sent, SentRecord)
        assert len(sent.files) == 2
        alone = await run(tmp_path, *where, "--file", str(tmp_path / "b.txt"), "--quiet")
        assert (alone.code, alone.out, alone.err) == (0, "", "")
        first, second = records((await run(tmp_path, "read", "--rc", rc, "topic:files", "--json")).out)
        assert isinstance(first, MessageRecord)
        assert isinstance(second, MessageRecord)
        assert first.content == f"two files\n[a 1.txt]({sent.files[0]})\n[b.txt]({sent.files[1]})"
        assert second.content.startswith("[b.txt](")
        for missing, why in ((tmp_path / "none", "no such file"), (tmp_path, "not a file")):
            refused = await run(tmp_path, *where, "--file", str(missing), "x")
            assert (refused.code, refused.err) == (2, f"narrowcast: {missing}: {why}\n")


def test_progress_is_one_line_on_a_terminal_and_nothing_elsewhere(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = [0.0]
    silent = Progress("a.bin", quiet=False, monotonic=lambda: clock[0])
    silent(1, 2)
    silent.end()
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(sys, "__stderr__", sys.stderr)
    shown = Progress("a\x1b[2J.bin", quiet=False, monotonic=lambda: clock[0])
    for sent in range(0, 1_000_001, 1000):
        clock[0] += 0.001
        shown(sent, 1_000_000)
    shown.end()
    written = capsys.readouterr().err
    assert written.count("\r") < 15
    assert "\ra␛[2J.bin  100 % of 1.0 MB\x1b[K\r\x1b[K" in written
    counting = Progress("Exporting", quiet=False, monotonic=lambda: clock[0])
    for number in (1_000, 2_000, 3_000):
        clock[0] += 0.06
        counting.count(number, "messages")
    counting.end()
    assert capsys.readouterr().err == "".join(
        f"\r{text}\x1b[K" for text in ("Exporting  1,000 messages", "Exporting  3,000 messages", "")
    )
    Progress("a.bin", quiet=True)(1, 1)
    assert capsys.readouterr().err == ""


async def line_of(process: asyncio.subprocess.Process) -> MessageRecord:
    assert process.stdout is not None
    async with asyncio.timeout(30):
        (record,) = records((await process.stdout.readline()).decode())
    assert isinstance(record, MessageRecord)
    return record


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_new_messages_are_printed_as_they_come_each_once(tmp_path: Path, number: int) -> None:
    async with running_server(tmp_path / "server") as server:
        rc = rc_of(server, tmp_path)
        await server.send("bruno", "general", "lunch", "before")
        arguments = ("read", "--rc", rc, "topic:lunch", "--limit", "1", "--follow", "--json")
        async with running(tmp_path, *arguments) as process:
            assert (await line_of(process)).content == "before"
            await server.send("bruno", "general", "dinner", "elsewhere")
            for text in ("one **two**", "three"):
                await server.send("bruno", "general", "lunch", text)
                assert (await line_of(process)).content == text
            process.send_signal(number)
            out, err = await process.communicate()
            assert process.returncode == (0 if number == signal.SIGTERM else 130)
            assert (out, err) == (b"", b"")


async def test_a_deactivation_is_reported_in_one_line_when_following(tmp_path: Path) -> None:
    words = "Gone away\nnarrowcast: run this \x1b[2J"
    refusal = ServiceError(words, code="USER_DEACTIVATED", status=403)
    with offering("/register", routes=register.routes) as offered:
        async with running_server(tmp_path / "server") as server:
            offered.response = refusal
            result = await run(tmp_path, "read", "--rc", rc_of(server, tmp_path), "topic:lunch", "--follow")
    assert (result.code, result.err) == (3, "narrowcast: Gone away narrowcast: run this ␛[2J.\n")


async def test_what_came_while_there_was_no_network_is_printed_when_it_is_back(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server, FaultProxy(server.url) as proxy:
        rc = tmp_path / "proxied.zuliprc"
        replace(server.account("ada"), site=proxy.url).write_zuliprc(rc)
        await server.send("bruno", "general", "lunch", "before")
        arguments = ("read", "--rc", str(rc), "topic:lunch", "--follow", "--json")
        async with running(tmp_path, *arguments) as process:
            assert (await line_of(process)).content == "before"
            await server.send("bruno", "general", "lunch", "during")
            assert (await line_of(process)).content == "during"
            await proxy.refuse()
            await proxy.cut()
            assert process.stderr is not None
            async with asyncio.timeout(30):
                lost = (await process.stderr.readline()).decode()
            assert lost.startswith("narrowcast: connection lost, reconnecting")
            await server.send("bruno", "general", "lunch", "without a network")
            await proxy.listen()
            assert (await line_of(process)).content == "without a network"
            process.send_signal(signal.SIGTERM)
            out, err = await process.communicate()
            assert (process.returncode, out) == (0, b"")
            assert err.decode() == "narrowcast: connected again\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
async def test_completion_is_a_script_that_knows_the_commands(tmp_path: Path, shell: str) -> None:
    result = await run(tmp_path, "completion", shell)
    assert (result.code, result.err) == (0, "")
    assert all(word in result.out for word in ("doctor", "export", "follow"))


@pytest.mark.task("Complete commands in the shell")
async def test_bash_completes_commands_and_options(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text((await run(tmp_path, "completion", "bash")).out)
    code = f"""
    source {script}
    COMP_WORDS=(narrowcast do); COMP_CWORD=1; _shtab_narrowcast; echo "${{COMPREPLY[@]}}"
    COMP_WORDS=(narrowcast read --f); COMP_CWORD=2; _shtab_narrowcast; echo "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["doctor", "--follow"]


@pytest.mark.task("Run a team server")
async def test_a_server_says_what_to_do_next_also_into_a_file(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *narrowcast("serve", "--port", "0", "--host", "0.0.0.0", "--data", str(tmp_path / "team")),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={"PATH": "/usr/bin:/bin", **home(tmp_path)},
    )
    assert process.stdout is not None
    async with asyncio.timeout(60):
        assert (await process.stdout.readline()).startswith(b"listening on http://")
        assert process.stderr is not None
        said = ""
        while "others log in" not in said:
            said += (await process.stderr.readline()).decode()
    process.terminate()
    await process.communicate()
    assert "narrowcast: passwords, keys and messages travel unencrypted" in said
    assert "owner.zuliprc" in said
    assert "invite others with: narrowcast serve admin invite --data " in said
    assert re.search(r"others log in with: narrowcast login http://\d", said)
