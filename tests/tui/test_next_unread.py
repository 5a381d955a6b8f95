"""Going from one conversation with unread messages to the next."""

from __future__ import annotations

from pathlib import Path

from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.wire.vocabulary import VisibilityPolicy
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


async def test_unread_topics_are_reached_backwards_and_those_that_one_follows_alone(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await stage.go(Narrow.mentions())
        general = stage.server.channel("general")
        for topic in ("bread", "soup", "stew"):
            await stage.server.send("bruno", "general", topic, LONG)
        await until(lambda: len(list(stage.session.state.unreads.topics())) == 3)
        await stage.session.client.topics.set_visibility(
            channel_id=general, topic="bread", policy=VisibilityPolicy.FOLLOWED
        )
        await until(lambda: stage.session.state.topics.visibility(general, "bread") == 3)
        await stage.press("N")
        await until(lambda: stage.screen.narrow == Narrow.topic(general, "bread"))
        await stage.press("N")
        await stage.told("No other unread topics that you follow.")
        seen = []
        for _ in range(3):
            await stage.press("alt+p")
            await stage.pilot.pause()
            here = stage.screen.narrow
            seen.append(here.topic_name if here is not None else None)
        assert seen == ["soup", "stew", "bread"]
        await stage.press("r", *"x", "alt+j")
        await until(lambda: stage.screen.narrow != Narrow.topic(general, "bread"))


async def test_unread_topics_of_an_archived_channel_are_passed_over_as_they_do_not_count(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await stage.go(Narrow.mentions())
        general, engineering = stage.server.channel("general"), stage.server.channel("engineering")
        for channel in ("general", "engineering"):
            await stage.server.send("bruno", channel, "soup", LONG)
        await until(lambda: len(list(stage.session.state.unreads.topics())) == 2)
        await stage.server.call("ada", "DELETE", f"/streams/{engineering}")
        await until(lambda: stage.session.state.channels.get(engineering).is_archived)  # type: ignore[union-attr]
        for key in ("n", "alt+p"):
            await stage.go(Narrow.mentions())
            await stage.press(key)
            await until(lambda: stage.screen.narrow == Narrow.topic(general, "soup"))
        assert list(stage.session.state.unreads.topics()), "some of them are still unread"


async def test_from_any_view_one_key_leads_to_the_conversation_in_compose(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await stage.in_topic("general", "soup")
        await stage.go(Narrow.all())
        await stage.press("r", *"x", "alt+v")
        general = stage.server.channel("general")
        await until(lambda: stage.screen.narrow == Narrow.topic(general, "soup"))
        assert stage.screen.writing.text.text == "x"
        assert stage.app.focused is stage.screen.writing.text


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
