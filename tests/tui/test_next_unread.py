"""Going from one conversation with unread messages to the next."""

from __future__ import annotations

from pathlib import Path

from support.sessions import until
from support.stage import on_stage

LONG = "line\n" * 60


async def test_p_reaches_each_direct_conversation_even_if_its_messages_stay_unread(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        people = ["bruno", "chiyo", "dario"]
        for person in people * 2:  # the second message of each is below the screen
            await stage.server.send_direct(person, ["ada"], LONG)
        await until(lambda: len(list(stage.session.state.unreads.directs())) == 3)
        visited = [stage.screen.narrow]
        for _ in people:
            await stage.press("p")
            await until(lambda: stage.screen.narrow != visited[-1])
            visited.append(stage.screen.narrow)
        assert len(set(visited)) == 4
        assert len(list(stage.session.state.unreads.directs())) == 3


async def test_each_key_names_the_other_one_if_only_that_finds_something(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await stage.in_topic("general", "soup")
        await stage.server.send_direct("bruno", ["ada"])
        await until(lambda: list(stage.session.state.unreads.directs()))
        await stage.press("n")
        await stage.told("No unread topics. p goes to unread direct messages.")
        await stage.press("escape", "p")
        await until(lambda: stage.screen.narrow is not None and stage.screen.narrow.direct_user_ids)
        await until(lambda: not list(stage.session.state.unreads.directs()))
        await stage.press("n")
        await stage.told("No unread topics.")
        await stage.server.send("bruno", "general", "stew")
        await until(lambda: list(stage.session.state.unreads.topics()))
        await stage.press("up", "p")
        await stage.told("No unread direct messages. n goes to unread topics.")
