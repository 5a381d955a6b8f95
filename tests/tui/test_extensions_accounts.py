"""Extensions with several accounts open: hooks run for all of them and are told which one; what concerns the
screen applies to the account on screen.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from narrowcast.extensions import running
from narrowcast_api.narrow.narrow import Narrow
from support.extensions import HEAD, compose, extended
from support.sessions import until
from support.stage import Stage, all_live, file_of

WHO = """
heard = []

def note(app, what):
    heard.append(f"{app.account.split('@')[0]}{'' if app.on_screen else ' beside'}: {what}")

@extension.on_start
async def start(app):
    note(app, "start")

@extension.command("tell", "Tell", keys=["f12"])
def tell(app):
    app.tell("heard: " + " / ".join(sorted(heard)))
    heard.clear()
"""


async def test_hooks_run_for_every_account_and_are_told_which_one(tmp_path: Path) -> None:
    source = (
        HEAD
        + WHO
        + """
@extension.on_message
async def message(app, message):
    note(app, app.text(message))

@extension.on_mention
async def mention(app, message):
    note(app, "mention")

@extension.on_status
async def status(app, user, status):
    note(app, f"{user.full_name.split()[0]} is {status.text}")

@extension.on_connection
async def connection(app, connection):
    note(app, connection.kind.value)
"""
    )
    async with extended(tmp_path, {"one": source}, stored=["bruno"]) as stage:
        server = stage.server
        await both_at_work(stage)
        await server.send_direct("dario", ["bruno"], f"@**{server.user('bruno').full_name}** soup?")
        await heard(stage, "bruno beside: @Bruno Castell soup?", "bruno beside: mention")
        await server.call("chiyo", "POST", "/users/me/status", {"status_text": "cooking"})
        await heard(stage, "ada: Chiyo is cooking", "bruno beside: Chiyo is cooking")
        await server.call("bruno", "POST", "/users/me/api_key/regenerate")
        await heard(stage, "bruno beside: refused")


async def both_at_work(stage: Stage) -> None:
    """Waits until an extension that records its hooks has started for both open accounts."""
    await all_live(stage, 2)
    await heard(stage, "ada: start", "bruno beside: start")


async def heard(stage: Stage, *expected: str) -> None:
    """Waits until hooks have recorded exactly this since the last call."""
    seen: set[str] = set()

    async def are_enough() -> bool:
        await stage.press("f12")
        seen.update(set((await answer(stage)).split(" / ")) - {""})
        return not seen < set(expected)

    await until(are_enough, what=" / ".join(expected))
    assert seen == set(expected)


async def answer(stage: Stage) -> str:
    """The next answer of the extension's command, ignoring other notices."""
    found: list[str] = []

    def is_said() -> bool:
        found.extend(one for one in stage.notices if one.startswith("heard: "))
        return bool(found)

    await until(is_said)
    stage.app.clear_notifications()
    return found[0].removeprefix("heard: ")


async def test_a_hook_that_fails_for_an_account_beside_turns_only_its_extension_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The failing extension exceeds its time at once and others never do, however slow the machine is."""
    monkeypatch.setattr(running, "STEP_SECONDS", 600)
    failing = HEAD + "import signal\n@extension.on_message\nasync def hear(app, message):\n"
    failing += "    signal.raise_signal(signal.SIGALRM)\n    time.sleep(30)"
    other = HEAD.replace('"one"', '"two"') + WHO + "@extension.on_message\n"
    other += "async def hear(app, message):\n    note(app, app.text(message))"
    async with extended(tmp_path, {"one": failing, "two": other}, stored=["bruno"]) as stage:
        await both_at_work(stage)
        for text in ("soup?", "bread?"):
            await stage.server.send_direct("dario", ["bruno"], text)
            await heard(stage, f"bruno beside: {text}")
        host = stage.app.extensions.host
        assert host is not None
        assert [(one.name, one.is_on) for one in host.running] == [("one", False), ("two", True)]
        assert host.running[0].why_off == "on_message held up the app for 600 s"


async def test_what_concerns_the_screen_is_for_the_account_on_it(tmp_path: Path) -> None:
    source = (
        HEAD
        + """
@extension.on_start
async def start(app):
    app.tell("here")

@extension.segment()
def segment(app):
    return f"for {app.me.full_name.split()[0]}"

@extension.on_message
async def act(app, message):
    if app.on_screen:
        return
    app.log.warning("%r %r", app.here, app.written)
    match app.text(message):
        case "tell":
            app.tell("soup")
        case "write":
            app.write("soup")
        case "open":
            app.open(app.conversation(message), message.id)
"""
    )
    async with extended(tmp_path, {"one": source}, stored=["bruno"]) as stage:
        bruno = file_of(stage, "bruno").stem
        await stage.told(f"{bruno}: here")
        await until(lambda: "for Ada" in stage.status_line)
        await compose(stage, "half a thought")
        await stage.server.send_direct("dario", ["bruno"], "tell")
        await stage.told(f"{bruno}: soup")
        await stage.server.send_direct("dario", ["bruno"], "write")
        await stage.told(f"one: {bruno} is not on screen; nothing was inserted.")
        assert stage.screen.writing.text.text == "half a thought"
        await stage.server.send_direct("dario", ["bruno"], "open")
        await until(lambda: stage.session.state.me == stage.server.id("bruno"))
        where = Narrow.direct(frozenset({stage.server.id("dario")}))
        await until(lambda: stage.app.accounts.screen is not None and stage.screen.narrow == where)
        await until(lambda: "for Bruno" in stage.status_line)
        host = stage.app.extensions.host
        assert host is not None
        assert host.running[0].is_on


async def test_hooks_and_tasks_of_a_closed_account_end(tmp_path: Path) -> None:
    source = (
        HEAD
        + WHO
        + """
@extension.on_start
async def begin(app):
    app.start(forever(app))

async def forever(app):
    try:
        await app.sleep(1000)
    finally:
        note(app, "ended")
        app.start(again(app))

async def again(app):
    note(app, "again")
"""
    )
    async with extended(tmp_path, {"one": source}, stored=["bruno"]) as stage:
        await both_at_work(stage)
        await stage.app.accounts.sign_out(file_of(stage, "bruno"))
        await heard(stage, "bruno beside: ended")
        await stage.press("f12")
        assert await answer(stage) == "", "nothing was begun again"
