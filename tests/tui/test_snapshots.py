"""Twenty screens at two sizes in 16, 256 and all colours: any unintended change fails here.

After an intended change: `make snapshots`, then review the difference.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from rich.console import Console

from narrowcast.config.config import Appearance, Config
from narrowcast.screens.messages.message_preview import MessagePreview
from narrowcast.terminal import output
from narrowcast.terminal.screen_memory import ScreenMemory
from narrowcast_api.narrow.narrow import Narrow
from support.server import TestServer, running_server
from support.sessions import until
from support.snapshots import difference, settled
from support.stage import Stage, on_stage, run

NOON = 1_795_348_800.0
"""Sunday 22 November 2026, 12:00 in UTC."""
THEMES = {"16": "terminal", "256": "narrowcast", "true": "narrowcast"}

CONSOLE = Console(color_system="truecolor", force_terminal=True)
REPAINT_BYTES, LETTER_BYTES = 16 * 1024, 200
"""The most that is sent to the terminal for a whole screen of 120x40, and for a letter that is typed: over a slow line
more would be felt.
"""

Step = Callable[[Stage], Awaitable[None]]


@pytest.fixture(autouse=True)
def fixed_time(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Freezes time and time zone, whenever and wherever this runs."""
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")
    time.tzset()
    monkeypatch.setattr(time, "time", lambda: NOON)
    yield
    monkeypatch.undo()
    time.tzset()


async def furnish(server: TestServer) -> None:
    """Creates things to show: kinds of messages, unread ones, a status, a group, a snippet."""
    await server.send("bruno", "general", "soup", "Leek **today**, says `menu.txt`:\n\n* leek\n* bread")
    await server.send("chiyo", "general", "soup", "```python\nstir(pot, minutes=20)\n```")
    await server.send("bruno", "general", "soup", "/poll Bread?\nrye\nwheat")
    await server.send("dario", "general", "soup", "| pot | litres |\n|---|---|\n| red | 5 |\n| blue | 7 |")
    await server.send(
        "ada", "general", "soup", "@**Bruno Castell** see [the list](https://soup.example/list)"
    )
    await server.send("elif", "design", "cards", "A new draft of the card is up.")
    await server.send_direct("bruno", ["ada"], "Lunch?")
    await server.call(
        "ada", "POST", "/saved_snippets", {"title": "Review", "content": "Have a look, please."}
    )
    members = [server.id("ada"), server.id("bruno")]
    group = {"name": "kitchen", "description": "Who cooks.", "members": members}
    await server.call("ada", "POST", "/user_groups/create", group)
    await server.call("ada", "POST", "/mark_all_as_read")  # otherwise the read state would depend on timing


def command(command_id: str, *keys: str) -> Step:
    async def step(stage: Stage) -> None:
        await run(stage, command_id)
        for key in keys:
            await stage.press(key)

    return step


def keys(*names: str) -> Step:
    async def step(stage: Stage) -> None:
        for name in names:
            await stage.press(name)

    return step


def sent(stage: Stage, memory: ScreenMemory) -> int:
    """The number of bytes that bring a terminal from what is in ``memory`` to what the screen shows now."""
    screen = stage.app.screen
    text = output.difference(memory, screen._compositor.render_full_update(), CONSOLE)
    assert text is not None
    return len(text.encode())


async def user_card(stage: Stage) -> None:
    from narrowcast.screens.people.card import PersonScreen

    stage.app.push_screen(PersonScreen(stage.session, stage.server.id("bruno")))
    await stage.pilot.pause()


async def switcher(stage: Stage) -> None:
    """Opens the switcher, and waits for the messages beside it where there is room."""
    everything = stage.session.view(Narrow.all())
    await until(lambda: everything.found_newest)
    await run(stage, "go.switcher")
    previews = [one for one in stage.app.screen.query(MessagePreview) if one.display]
    await until(lambda: all(preview.shown.messages for preview in previews))


SCREENS: dict[str, Step] = {
    "conversation": keys(),
    "compose": keys("r", *"hello"),
    "switcher": switcher,
    "commands": command("app.palette"),
    "help": command("app.help"),
    "help-search": command("app.help", "slash", *"unread"),
    "search": command("go.search"),
    "channels": command("channel.browse"),
    "create-channel": command("channel.new"),
    "form-problem": command("channel.new", "ctrl+d"),
    "confirm": command("own.read-all"),
    "subscribers": command("channel.members"),
    "channel-permissions": command("channel.permissions"),
    "user-card": user_card,
    "users": command("people.accounts"),
    "user-groups": command("people.groups"),
    "personal-settings": command("account.settings"),
    "organization-settings": command("organization.settings"),
    "app-settings": command("app.settings"),
    "snippets": command("write.snippets"),
    "set-status": command("own.status"),
    "move-topic": command("topic.move"),
    "channel-list": command("pane.navigation"),
}


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
@pytest.mark.parametrize("system", ["16", "256", "true"])
async def test_the_screens_look_as_they_did(
    tmp_path: Path, size: tuple[int, int], system: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLORTERM", "" if system == "256" else "truecolor")
    config = Config(appearance=Appearance(theme=THEMES[system]))
    differences, sizes = [], {}
    async with running_server(tmp_path / "server") as server:
        await furnish(server)
        async with on_stage(tmp_path, size=size, config=config, server=server) as stage:
            soup = Narrow.topic(server.channel("general"), "soup")
            view = await stage.go(soup, "newest")
            await until(lambda: view.found_newest and stage.screen.messages.selected_id in view.ids)
            for name, step in SCREENS.items():
                stage.app.clear_notifications()
                await step(stage)
                seen = await settled(stage, system)
                differences.append(difference(f"{name}-{size[0]}x{size[1]}-{system}", seen))
                memory = ScreenMemory()
                sizes[name] = sent(stage, memory)
                if name == "compose":
                    await stage.press("x")
                    await stage.drawn()
                    assert 0 < sent(stage, memory) <= LETTER_BYTES
                await stage.close_all()
                stage.screen.writing.text.text = ""
                stage.screen.focus_messages()
                await stage.pilot.pause()
    assert not any(differences), "\n".join(filter(None, differences))
    assert max(sizes.values()) <= REPAINT_BYTES, sizes
