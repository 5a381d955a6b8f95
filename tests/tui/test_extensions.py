"""Extensions in the running app: what they can do, and that their errors never affect the app."""

from __future__ import annotations

import logging
import sys
import threading
from pathlib import Path

import pytest

from narrowcast.keys.registry import by_id
from narrowcast.screens.dialogs.palette import palette
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.server_info import ServerInfo
from support.extensions import (
    HEAD,
    compose,
    example,
    extended,
    messages_text,
    offered,
    sees,
    submit,
    text_of,
    write,
)
from support.screens import answer, pick, rows, screen_text
from support.sessions import until
from support.stage import on_stage, run


async def test_a_command_is_in_palette_and_help_and_has_the_keys_that_are_free(tmp_path: Path) -> None:
    source = (
        HEAD
        + """
@extension.command("hello", "Say hello\\x1b]0;x\\x07", keys=["f12", "j"])
def hello(app):
    app.tell(f"Hello, {app.me.full_name}")

@extension.command("open", "Open the mentions")
async def open_mentions(app):
    app.open(Narrow.mentions())
"""
    )
    keys = '[keys]\n"extension.one.open" = "N"\n"extension.absent.x" = "f11"\n'
    async with extended(tmp_path, {"one": source}, keys) as stage:
        await stage.told("Extension one: j is already used by navigation.down")
        chosen = {
            choice.value.command.id: choice.text
            for choice in palette(stage.app.keys, ServerInfo()).list.items
        }
        assert chosen["extension.one.hello"] == "Say hello␛]0;x␇"
        assert stage.app.keys["extension.one.hello"] == ("f12",)
        await stage.press("f12")
        await stage.told("Hello, Ada")
        assert "N" not in stage.app.keys["go.next-unread-followed"], (
            "the user's own key is taken from a default"
        )
        await stage.press("N")
        await until(lambda: stage.screen.narrow == Narrow.mentions())
    assert not [command_id for command_id in by_id() if command_id.startswith("extension.")]


async def test_without_extensions_none_is_loaded(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        assert stage.app.extensions.host is None


async def test_a_slash_command_sends_what_it_gives_back(tmp_path: Path) -> None:
    source = (
        HEAD
        + """
@extension.slash("up", "shout")
async def up(app, text):
    await asyncio.sleep(0)
    return text.upper()

@extension.slash("quiet", "send nothing")
def quiet(app, text):
    app.tell(f"heard {text}")

@extension.slash("no", "refuse")
def no(app, text):
    raise Refused("Not today.")
"""
    )
    async with extended(tmp_path, {"one": source}) as stage:
        await stage.in_topic()
        stage.screen.writing.focus_text()
        await stage.type("/")
        assert offered(stage) == ["/me", "/poll", "/todo", "/up", "/quiet", "/no"]
        await stage.type("u")
        await stage.press("enter")
        assert stage.screen.writing.text.text == "/up "
        await stage.type("ramen")
        await stage.press("enter")
        await sees(stage, "RAMEN")
        assert stage.screen.writing.text.text == ""
        await submit(stage, "/quiet now")
        await stage.told("heard now")
        await until(lambda: stage.screen.writing.text.text == "")
        await submit(stage, "/no way")
        await stage.told("Not today.")
        assert stage.screen.writing.text.text == "/no way"
        await submit(stage, "/me waits")
        await sees(stage, "waits")
        assert stage.app.extensions.host is not None
        assert [running.is_on for running in stage.app.extensions.host.running] == [True]


async def test_completions_and_the_status_line_are_filtered(tmp_path: Path) -> None:
    source = (
        HEAD
        + """
@extension.completion(r"!(\\w*)")
def offer(app, typed):
    return (Offer(f"{n}! ", f"{n}\\x1b[31m\\u202e", "d") for n in range(1000) if str(n).startswith(typed[1]))

@extension.segment()
def segment(app):
    return "red \\x1b[31m" + "x" * 99
"""
    )
    async with extended(tmp_path, {"one": source}) as stage:
        assert "red ␛[31mxxx" in stage.status_line
        assert "x" * 30 not in stage.status_line
        stage.screen.writing.focus_text()
        await stage.type("a !4")
        assert len(offered(stage)) == 7
        await stage.press("down", "enter")
        assert stage.screen.writing.text.text == "a 40! "


async def test_links_and_code_become_cards(tmp_path: Path) -> None:
    source = (
        HEAD
        + """
@extension.link_card(r"https://tickets\\.example/(\\d+)")
def ticket(app, link):
    return Card(f"Ticket {link.match[1]}\\x1b[2J", "Too\\nmuch salt")

@extension.code_card("Chart")
def chart(app, code):
    return Card("A chart", url="https://charts.example/") if "bad" not in code.source else None
"""
    )
    text = (
        "See https://tickets.example/42 and https://other.example/1\n```chart\n1 2 3\n```\n```chart\nbad\n```"
    )
    async with extended(tmp_path, {"one": source}) as stage:
        await stage.in_topic(content=text)
        await sees(stage, "◆ Ticket 42␛[2J  one")
        shown = messages_text(stage)
        assert "Too much salt" in shown
        assert "◆ A chart  one" in shown
        assert "1 2 3" not in shown
        assert "bad" in shown
        key = stage.screen.messages.list.selected
        assert key is not None
        links = [target.value for target in stage.screen.messages.list.rows.targets_of(key)]
        assert links.count("https://tickets.example/42") == 2
        assert "https://charts.example/" in links


async def test_hooks_hear_what_happens_in_order(tmp_path: Path) -> None:
    source = (
        HEAD
        + """
heard = []

@extension.on_start
async def start(app):
    heard.append("start")

@extension.on_message
async def message(app, message):
    heard.append(f"message {app.text(message)} in {app.name(app.conversation(message))}")

@extension.on_mention
async def mention(app, message):
    heard.append("mention")

@extension.on_status
async def status(app, user, status):
    heard.append(f"{user.full_name.split()[0]} is {status.text}")

@extension.on_connection
async def connection(app, connection):
    heard.append(connection.kind.value)
    while "live" in heard:  # it may have been so before
        heard.remove("live")

@extension.segment()
def segment(app):
    return str(len(heard))

@extension.command("tell", "Tell", keys=["f12"])
def tell(app):
    app.tell(" / ".join(heard))
"""
    )
    async with extended(tmp_path, {"one": source}) as stage:
        await stage.server.send("bruno", "general", "lunch", "Soup?")
        me = stage.server.user("ada").full_name
        await stage.server.send("bruno", "general", "lunch", f"@**{me}** you too?")
        await stage.server.call("bruno", "POST", "/users/me/status", {"status_text": "cooking"})
        bruno = stage.server.id("bruno")
        await until(lambda: stage.session.state.statuses.get(bruno))
        await stage.pilot.pause()
        await stage.press("f12")
        await stage.told(
            f"start / message Soup? in #general › lunch / message @{me} you too? in #general › lunch / mention / "
            "Bruno is cooking",
        )


async def test_what_goes_wrong_turns_the_extension_off_and_not_the_app(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    source = (
        HEAD
        + """
@extension.command("go", "Go", keys=["f12"])
async def go(app):
    time.sleep(30)

@extension.segment()
def segment(app):
    return "I am on"
"""
    )
    other = (
        HEAD.replace('"one"', '"two"')
        + """
@extension.segment()
def segment(app):
    return "so am I"
"""
    )
    async with extended(tmp_path, {"one": source, "two": other}) as stage:
        assert "I am on" in stage.status_line
        await stage.press("f12")
        await stage.told(
            "The extension one is turned off until the next start: the command go held up the app"
        )
        await until(lambda: "I am on" not in stage.status_line)
        assert "so am I" in stage.status_line
        assert any("extension one is turned off" in record.message for record in caplog.records)
        await stage.press("f12")
        await stage.told("The extension one is turned off: ")
        await compose(stage, "still here")
        assert stage.screen.writing.text.text == "still here"


async def test_a_failing_card_segment_completion_and_slash_leave_everything_as_it_was(tmp_path: Path) -> None:
    failing = {
        "a": '@extension.link_card("h")\ndef f(app, link):\n    return "text"',
        "b": "@extension.segment()\ndef f(app):\n    return 3",
        "c": '@extension.completion("s")\ndef f(app, typed):\n    yield 1',
        "d": '@extension.slash("x", "y")\ndef f(app, text):\n    return 1 / 0',
        "e": "@extension.on_message\nasync def f(app, message):\n    app.reply(message, 3)",
    }
    files = {name: HEAD.replace('"one"', f'"{name}"') + body for name, body in failing.items()}
    async with extended(tmp_path, files) as stage:
        await stage.in_topic(content="See https://tickets.example/42")
        await sees(stage, "https://tickets.example/42")
        await submit(stage, "/x")
        await stage.type(" s")
        host = stage.app.extensions.host
        assert host is not None
        await until(lambda: not [running.name for running in host.running if running.is_on])
        assert stage.screen.writing.text.text == "/x s"
        whys = {running.name: running.why_off.partition(" (")[2] for running in host.running}
        assert whys["a"].startswith("TypeError: a card function must return a Card")
        assert whys["b"].startswith("TypeError: a segment must be a string")
        assert whys["c"].startswith("TypeError: a completion must return Offers")
        assert whys["d"].startswith("ZeroDivisionError")


async def test_errors_of_the_service_turn_nothing_off(tmp_path: Path) -> None:
    source = (
        HEAD
        + """
@extension.command("go", "Go", keys=["f12"])
async def go(app):
    await app.client.messages.delete(message_id=999999)
"""
    )
    async with extended(tmp_path, {"one": source}) as stage:
        await stage.press("f12")
        await stage.told("one: ")
        assert stage.app.extensions.host is not None
        assert stage.app.extensions.host.running[0].is_on


async def test_an_extension_that_is_interrupted_leaves_the_connection_to_the_app(tmp_path: Path) -> None:
    source = (
        HEAD
        + """
@extension.command("go", "Go", keys=["f12"])
async def go(app):
    async with app.client as client:
        await client.users.me()
    await asyncio.gather(app.client.users.me(), burn())

async def burn():
    await asyncio.sleep(0)
    time.sleep(30)
"""
    )
    async with extended(tmp_path, {"one": source}) as stage:
        await stage.press("f12")
        await stage.told("The extension one is turned off")
        me = await stage.session.client.users.me()
        assert me.user_id == stage.server.id("ada")
        await stage.server.send("bruno", "general", "lunch", "Still live?")
        await until(
            lambda: any("Still live" in one.content for one in stage.session.state.messages.known(range(99)))
        )


async def test_work_in_the_background_ends_with_the_account(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    source = (
        HEAD
        + """
@extension.on_start
async def start(app):
    app.start(forever(app))

async def forever(app):
    app.log.warning("begun in %s", app.folder.name)
    try:
        await app.sleep(1000)
    finally:
        app.log.warning("ended")
"""
    )
    with caplog.at_level(logging.WARNING):
        async with extended(tmp_path, {"one": source}) as stage:
            await until(lambda: any("begun in one" in record.message for record in caplog.records))
            assert (tmp_path / "home-ada" / "data" / "extensions" / "one").is_dir()
            assert stage.app.extensions.host is not None
        assert any(record.message == "ended" for record in caplog.records)
        assert not any("turned off" in record.message for record in caplog.records)


async def test_settings_of_extensions_are_on_the_settings_screen_and_checked(tmp_path: Path) -> None:
    async with extended(tmp_path, {"pomodoro": example("pomodoro")}) as stage:
        await run(stage, "app.settings")
        assert any("minutes 25" in " ".join(row.split()) for row in rows(stage))
        screen = stage.app.screen
        await pick(stage, "extensions.pomodoro.minutes")
        for typed, problem in (
            ("999", "minutes and break_minutes are numbers from 1 to 180"),
            ("x", "valid integer"),
        ):
            ask = await answer(stage, typed)
            assert problem in screen_text(ask)
            assert stage.app.screen is ask
        await answer(stage, "50")
        await until(lambda: stage.app.screen is screen)
        assert stage.app.config.extensions == {"pomodoro": {"minutes": 50}}
        assert "[extensions.pomodoro]\nminutes = 50" in stage.app.paths.config_file.read_text()
        await pick(stage, "extensions.pomodoro.enabled")
        await until(lambda: stage.app.config.extensions["pomodoro"].get("enabled") is False)


async def test_cards_are_in_both_of_two_conversations(tmp_path: Path) -> None:
    source = (
        HEAD
        + """
@extension.link_card(r"https://tickets")
def ticket(app, link):
    return Card("A ticket")
"""
    )
    async with extended(tmp_path, {"one": source}, size=(180, 40)) as stage:
        await stage.in_topic(content="See https://tickets.example/42")
        await stage.server.send("bruno", "general", "supper", "Or https://tickets.example/43")
        stage.screen.open_beside(Narrow.topic(stage.server.channel("general"), "supper"))
        await until(lambda: len(stage.screen.side.all) == 2)
        for conversation in stage.screen.side.all:
            await until(lambda one=conversation: "◆ A ticket" in text_of(one.messages.list))  # type: ignore[misc]


async def test_an_extension_that_hangs_while_loading_does_not_delay_quitting(tmp_path: Path) -> None:
    hanging = "import threading\nthreading.Event().wait(30)"
    write(tmp_path / "home-ada" / "config" / "extensions", hanging=hanging)
    async with on_stage(tmp_path) as stage:
        await until(lambda: "narrowcast.extensions.loading" in sys.modules)
    assert stage.app.extensions.host is None
    loading = [thread for thread in threading.enumerate() if thread.name == "load extensions"]
    assert loading
    assert all(thread.daemon for thread in loading)
