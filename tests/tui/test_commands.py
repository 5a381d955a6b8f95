"""The command line's commands, run as a user runs them."""

from __future__ import annotations

import asyncio
import json
import stat
import sys
from pathlib import Path

import pytest

from narrowcast_api.account import Account
from narrowcast_api.http.secret import Secret
from narrowcast_api.sync.session import Session
from support import world
from support.command_line import rc_of, run
from support.server import running_server
from support.sessions import until
from support.terminal import home


async def test_send_reads_standard_input_and_read_shows_it(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        rc = rc_of(server, tmp_path)
        sent = await run(
            tmp_path,
            "--rc",
            rc,
            "send",
            "--channel",
            "general",
            "--topic",
            "lunch",
            "--json",
            stdin="Soup **today**\n",
        )
        assert (sent.code, sent.err) == (0, "")
        message_id = json.loads(sent.out)["id"]
        result = await run(tmp_path, "read", "--rc", rc, "channel:general", "topic:lunch", "--json")
        record = json.loads(result.out)
        assert record["id"] == message_id
        assert (record["channel"], record["topic"], record["content"]) == (
            "general",
            "lunch",
            "Soup **today**",
        )
        shown = await run(tmp_path, "read", "--rc", rc)
        assert "Ada Moreno  #general › lunch\n    Soup **today**\n" in shown.out


async def test_people_and_channels_are_named_exactly_or_the_candidates_are_told(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        rc = rc_of(server, tmp_path)
        bruno = f"Bruno Castell|{server.id('bruno')}"
        for arguments, words in (
            (["send", "--to", "castell", "hi"], f"No user matches 'castell' exactly; candidates: {bruno}."),
            (["send", "--to", "Bruno", "hi"], f"No user matches 'Bruno' exactly; candidates: {bruno}."),
            (
                ["send", "--channel", "engin", "hi"],
                "No channel matches 'engin' exactly; candidates: #engineering.",
            ),
            (["read", "dm:bruno"], f"candidates: {bruno}."),
            (["search", "soup", "from:bruno"], f"candidates: {bruno}."),
            (["export", "channel:engin"], "candidates: #engineering."),
        ):
            result = await run(tmp_path, "--rc", rc, *arguments)
            assert (result.code, result.out) == (2, ""), result
            assert words in result.err
        assert await server.newest("bruno") == []


async def test_send_finds_people_by_name_or_email(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        rc = rc_of(server, tmp_path)
        sent = await run(
            tmp_path,
            "--rc",
            rc,
            "send",
            "--to",
            "bruno castell",
            "--to",
            "dario@demo.example",
            "Hello you two",
        )
        assert sent.code == 0
        result = await run(tmp_path, "read", "--rc", rc, "dm:Bruno Castell,Dario Vance", "--json")
        names = {person["full_name"] for person in json.loads(result.out)["recipients"]}
        assert names == {"Ada Moreno", "Bruno Castell", "Dario Vance"}


async def test_people_are_found_by_the_address_that_they_sign_in_with(tmp_path: Path) -> None:
    async with running_server(tmp_path / "data") as server:
        rc = rc_of(server, tmp_path)
        for name in ("ada", "bruno"):
            await server.call(name, "PATCH", "/settings", {"email_address_visibility": 3})
        mine, hers = server.user("ada").delivery_email, server.user("bruno").delivery_email
        for address in (mine, hers):
            sent = await run(tmp_path, "send", "--rc", rc, "--to", address, "hello there")
            assert sent.code == 0, sent
            found = await run(tmp_path, "read", "--rc", rc, f"dm:{address}")
            assert "hello there" in found.out, found
        by_me = await run(tmp_path, "search", "--rc", rc, f"sender:{mine}", f"dm-including:{hers},{mine}")
        assert "hello there" in by_me.out, by_me


async def test_the_empty_topic_has_its_name_for_people_and_none_for_scripts(tmp_path: Path) -> None:
    async with running_server(tmp_path / "data") as server:
        rc = rc_of(server, tmp_path)
        await server.send("ada", "general", "", "who is in?")
        shown = await run(tmp_path, "read", "--rc", rc, "channel:general")
        assert "#general › general chat" in shown.out
        record = json.loads((await run(tmp_path, "read", "--rc", rc, "channel:general", "--json")).out)
        assert record["topic"] == ""
        exported = await run(tmp_path, "export", "--rc", rc, "channel:general", "--format", "markdown")
        assert "#general › general chat" in exported.out


@pytest.mark.parametrize(
    ("source", "end"),
    [
        ("look:\n```python\nprint(1)", "print(1)\n```"),
        ("~~~~\n```\n~~~", "~~~\n~~~~"),
        ("1. so\n   ```\n   code", "code\n   ```"),
        ("```\ncode\n```", "code\n```"),
        ("~~~ `a`\ncode\n~~~~  ", "code\n~~~~"),
        ("``` is ```", "``` is ```"),
        ("````\n```\n````", "```\n````"),
    ],
)
async def test_a_code_block_without_an_end_ends_with_its_message_in_markdown(
    tmp_path: Path, source: str, end: str
) -> None:
    async with running_server(tmp_path / "data") as server:
        rc = rc_of(server, tmp_path)
        for text in (source, "the next one"):
            await server.send("bruno", "general", "lunch", text)
        exported = await run(tmp_path, "export", "--rc", rc, "topic:lunch", "--format", "markdown")
        first, _, last = exported.out.rpartition("### ")
        assert last.endswith("the next one\n\n")
        assert first.endswith(f"{end}\n\n")


@pytest.mark.task("Export messages to a file")
async def test_search_asks_the_server_and_export_writes_a_private_file_once(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        rc = rc_of(server, tmp_path)
        for text in ("soup is hot", "stew is late", "more soup"):
            await server.send("bruno", "general", "lunch", text)
        found = await run(tmp_path, "search", "--rc", rc, "soup", "--json")
        assert [json.loads(line)["content"] for line in found.out.splitlines()] == [
            "soup is hot",
            "more soup",
        ]
        nothing = await run(tmp_path, "search", "--rc", rc, "porridge")
        assert (nothing.code, nothing.out, nothing.err) == (0, "", "narrowcast: no messages match\n")
        target = tmp_path / "lunch.jsonl"
        written = await run(tmp_path, "export", "--rc", rc, "topic:lunch", "-o", str(target))
        assert written.code == 0
        assert len(target.read_text().splitlines()) == 3
        assert stat.S_IMODE(target.stat().st_mode) == 0o600
        again = await run(tmp_path, "export", "--rc", rc, "topic:lunch", "-o", str(target))
        assert (again.code, again.out) == (2, "")
        assert "already exists" in again.err


async def test_an_export_to_a_folder_that_is_missing_fails_before_it_asks_the_server(tmp_path: Path) -> None:
    rc = tmp_path / "a.zuliprc"
    Account("http://127.0.0.1:9", "a@b.example", Secret("key")).write_zuliprc(rc)
    target = tmp_path / "gone" / "lunch.jsonl"
    failed = await run(tmp_path, "export", "--rc", str(rc), "-o", str(target))
    assert (failed.code, failed.err) == (2, f"narrowcast: {target.parent}: no such folder\n")


@pytest.mark.task("Find out why something does not work")
@pytest.mark.parametrize("secret", ["password", "key"])
async def test_login_stores_an_account_that_only_its_owner_can_read(tmp_path: Path, secret: str) -> None:
    async with running_server(tmp_path / "server") as server:
        account = server.account("ada")
        typed = world.PASSWORD if secret == "password" else account.key.reveal()
        flags = ["--api-key"] if secret == "key" else []
        result = await run(
            tmp_path, "login", server.url, "--email", "ada@demo.example", *flags, stdin=typed + "\n"
        )
        assert result.code == 0, result.err
        (stored,) = (tmp_path / "config" / "narrowcast" / "accounts").glob("*.zuliprc")
        assert stat.S_IMODE(stored.stat().st_mode) == 0o600
        assert account.key.reveal() not in result.out + result.err
        checked = await run(tmp_path, "doctor", "--json")
        assert any(
            finding["area"] == "server" and finding["level"] == "ok"
            for finding in map(json.loads, checked.out.splitlines())
        )


async def test_an_invitation_makes_an_account_and_stores_it(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        made = await server.call("ada", "POST", "/invites/multiuse", {"invite_as": 400})
        result = await run(
            tmp_path,
            "login",
            made["invite_link"],
            "--name",
            "Nora New",
            "--email",
            "nora@demo.example",
            stdin="a long new passphrase\n",
        )
        assert result.code == 0, result.err
        sent = await run(tmp_path, "send", "--channel", "general", "--topic", "hello", "I am new here")
        assert sent.code == 0, sent.err


async def test_errors_are_one_line_that_says_what_to_do_with_an_exit_code(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        rc = rc_of(server, tmp_path)
        wrong = tmp_path / "wrong.zuliprc"
        wrong.write_text(Path(rc).read_text().replace("key=", "key=x"))
        wrong.chmod(0o600)
        open_to_all = tmp_path / "open.zuliprc"
        open_to_all.write_text(Path(rc).read_text())
        open_to_all.chmod(0o644)
        cases = [
            (["read"], 3, "narrowcast login URL"),
            (["--rc", str(tmp_path / "none"), "read"], 2, "none"),
            (["--rc", str(open_to_all), "read"], 2, "chmod 600"),
            (["--rc", str(wrong), "read"], 3, ""),
            (["--rc", str(tmp_path), "read"], 2, "not a file"),
            (
                ["--rc", rc, "send", "--channel", "nowhere", "--topic", "x", "hi"],
                2,
                "No channel matches 'nowhere'",
            ),
            (["--rc", rc, "send", "hi"], 2, "--channel NAME"),
            (["--rc", rc, "send", "--to", "nobody", "hi"], 2, "No user matches 'nobody'"),
            (["--rc", rc, "--account", "x"], 2, "terminal"),
            ([], 2, "narrowcast send"),
            (["login", server.url, "--email", "ada@demo.example"], 3, ""),
        ]
        for arguments, code, words in cases:
            result = await run(tmp_path, *arguments, stdin="not the password\n")
            assert result.code == code, (arguments, result)
            assert words in result.err, (arguments, result)
            assert result.err.count("\n") == 1, (arguments, result)
            assert "Traceback" not in result.err
        account = server.account("ada")
    unreachable = await run(tmp_path, "--rc", rc, "read")
    assert unreachable.code == 4
    assert account.key.reveal() not in unreachable.err


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        ("ALL_PROXY", "socks5://127.0.0.1:9", "through the proxy of ALL_PROXY"),
        ("HTTP_PROXY", "http://127.0.0.1:9", "through the proxy of HTTP_PROXY"),
        ("http_proxy", "ftp://127.0.0.1:9", "http_proxy: a proxy of the kind 'ftp' is not supported"),
    ],
)
async def test_a_proxy_that_does_not_work_is_named_in_one_line(
    tmp_path: Path, variable: str, value: str, words: str
) -> None:
    rc = tmp_path / "zuliprc"
    Account("http://chat.example", "ada@demo.example", Secret("canary-key")).write_zuliprc(rc)
    for arguments in (["read"], ["send", "--to", "bruno", "hi"], ["search", "soup"]):
        result = await run(tmp_path, "--rc", str(rc), *arguments, env={variable: value})
        assert result.code == 4, result
        assert words in result.err, result
        assert result.err.count("\n") == 1, result


async def test_what_scripts_print_cannot_command_a_terminal(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        rc = rc_of(server, tmp_path)
        await server.send("bruno", "general", "lunch", "a\x1b]52;c;eA==\x07b \x9b31m \u202ec")
        for arguments in (
            ["read"],
            ["search", "c"],
            ["export", "--format", "text"],
            ["export", "--format", "markdown"],
        ):
            result = await run(tmp_path, *arguments[:1], "--rc", rc, *arguments[1:])
            assert not set(result.out) & set("\x1b\x07\x9b\u202e"), arguments


async def test_a_bad_configuration_is_refused_with_line_and_key(tmp_path: Path) -> None:
    folder = tmp_path / "config" / "narrowcast"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text('[compose]\nenter = "maybe"\n')
    result = await run(tmp_path, "read")
    assert result.code == 2
    assert "config.toml:2: compose.enter:" in result.err


async def test_the_doctor_takes_external_for_copying_only_from_the_tmux_on_that_hands_it_on(
    tmp_path: Path,
) -> None:
    tmux = tmp_path / "tmux"
    for version, mark in (("3.1c", "·"), ("3.2", "✓"), ("next-3.5", "✓")):
        tmux.write_text(f"#!/bin/sh\n[ $1 = -V ] && echo 'tmux {version}' || echo external\n")
        tmux.chmod(0o755)
        told = await run(
            tmp_path, "doctor", "--offline", env={"TMUX": "1", "PATH": f"{tmp_path}:/usr/bin:/bin"}
        )
        assert f"{mark} tmux set-clipboard external" in told.out, version


async def test_any_locale_can_print_what_people_write(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        rc = rc_of(server, tmp_path)
        await server.send("bruno", "general", "lunch", "crème brûlée 🍮")
        for encoding in ("ascii", "latin-1"):
            locale = {"PYTHONIOENCODING": encoding}
            text = await run(tmp_path, "read", "--rc", rc, env=locale)
            assert (text.code, text.err) == (0, ""), encoding
            result = await run(tmp_path, "read", "--rc", rc, "--json", env=locale)
            assert json.loads(result.out)["content"] == "crème brûlée 🍮", encoding
            assert (await run(tmp_path, "doctor", "--offline", env=locale)).code == 0


async def test_streams_that_the_caller_closed_are_no_defect(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        rc = rc_of(server, tmp_path)
        await server.send("bruno", "general", "lunch", "soup")
        send = f"{sys.executable} -m narrowcast --rc {rc} send --channel general --topic lunch"
        read = f"{sys.executable} -m narrowcast --rc {rc} read"
        for line, code in ((f"{send} <&-", 2), (f"{read} >&-", 0), (f"{read} 2>&-", 0)):
            process = await asyncio.create_subprocess_shell(
                line, stderr=asyncio.subprocess.PIPE, env={"PATH": "/usr/bin:/bin", **home(tmp_path)}
            )
            _, err = await process.communicate()
            assert (process.returncode, b"Traceback" in err) == (code, False), (line, err)


async def test_an_endless_message_is_refused_before_memory_is_full(tmp_path: Path) -> None:
    rc = tmp_path / "rc"
    rc.write_text("\ufeff[api]\nemail=a@example.com\nkey=k\nsite=http://127.0.0.1:1\n", encoding="utf-8")
    rc.chmod(0o600)
    endless = f"yes | {sys.executable} -m narrowcast --rc {rc} send --channel general --topic lunch"
    process = await asyncio.create_subprocess_shell(
        endless, stderr=asyncio.subprocess.PIPE, env={"PATH": "/usr/bin:/bin", **home(tmp_path)}
    )
    _, err = await asyncio.wait_for(process.communicate(), 30)
    assert process.returncode == 2
    assert b"the message is too long" in err


async def test_a_reader_that_leaves_early_is_not_told_of(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        rc = rc_of(server, tmp_path)
        for number in range(30):
            await server.send("bruno", "general", "lunch", f"{number} " + "x" * 9000)
        line = f"{sys.executable} -m narrowcast --rc {rc} export | head -c 10; exit ${{PIPESTATUS[0]}}"
        process = await asyncio.create_subprocess_exec(
            "bash",
            "-c",
            line,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={"PATH": "/usr/bin:/bin", **home(tmp_path)},
        )
        out, err = await process.communicate()
        assert (process.returncode, len(out), err) == (1, 10, b"")


async def test_a_local_search_without_a_hit_says_so(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        result = await run(tmp_path, "search", "--rc", rc_of(server, tmp_path), "--local", "nothing")
        assert (result.code, result.out) == (0, "")
        assert "--local" in result.err


async def test_a_local_search_understands_operators_and_names_what_it_cannot_judge(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        rc = rc_of(server, tmp_path)
        data, cache = tmp_path / "data" / "narrowcast", tmp_path / "cache" / "narrowcast"
        session = await Session.open(server.account("ada"), data_dir=data, cache_dir=cache)
        running = asyncio.create_task(session.run())
        await until(lambda: session.is_live)
        soup = await server.send("bruno", "general", "lunch", "Soup")
        last = await server.send("chiyo", "general", "lunch", "Soup too")
        await until(lambda: session.storage.cache.load_messages([soup, last])[1:])
        running.cancel()
        await session.close()
        result = await run(tmp_path, "search", "--rc", rc, "--local", "soup", "from:Bruno Castell", "with:5")
        assert result.out == f"{soup}  Bruno Castell: Soup\n"
        assert "only the server can evaluate it: with:5" in result.err
        result = await run(tmp_path, "search", "--rc", rc, "--local", "from:zzz")
        assert (result.code, result.out) == (2, "")
        assert "No user matches 'zzz'" in result.err


async def test_version_and_help_are_printed_at_once(tmp_path: Path) -> None:
    assert (await run(tmp_path, "--version")).out.startswith("narrowcast ")
    result = await run(tmp_path, "--help")
    for command in ("demo", "serve", "login", "send", "read", "search", "export", "doctor"):
        assert f"\n    {command} " in result.out
