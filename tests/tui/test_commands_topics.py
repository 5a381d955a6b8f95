"""Commands on topics, from the palette and by keys, checked by what the server stores afterwards."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from narrowcast.screens.dialogs.confirm import ConfirmScreen
from narrowcast.screens.dialogs.form import FormScreen
from narrowcast.screens.dialogs.picker import Picker
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.state.changes import MessagesRemoved
from support.fault_proxy import Fault
from support.screens import confirm, form_of, screen_text
from support.sessions import until
from support.stage import Stage, behind_proxy, on_stage, run


async def topics(stage: Stage, channel: str) -> list[str]:
    response = await stage.server.call("ada", "GET", f"/users/me/{stage.server.channel(channel)}/topics")
    return [topic["name"] for topic in response["topics"]]


async def in_topic(stage: Stage, channel: str, topic: str, count: int = 2) -> list[int]:
    """Opens a topic with some messages and returns their ids."""
    ids = [await stage.server.send("bruno", channel, topic, f"message {number}") for number in range(count)]
    channel_id = stage.server.channel(channel)
    await stage.go(Narrow.topic(channel_id, topic))
    await stage.shows(ids[-1])
    await until(lambda: stage.screen.messages.selected_id is not None)
    return ids


async def test_a_topic_is_renamed_and_its_reader_goes_along(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await in_topic(stage, "general", "soup")
        await stage.press("m")
        assert isinstance(stage.app.screen, FormScreen)
        await stage.press("end")
        await stage.type(" and bread")
        await stage.press("ctrl+d")
        await until(
            lambda: stage.screen.narrow == Narrow.topic(stage.server.channel("general"), "soup and bread")
        )
        assert "soup and bread" in await topics(stage, "general")


async def test_a_message_alone_is_moved_to_another_channel(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        ids = await in_topic(stage, "general", "soup")
        selected = stage.screen.messages.selected_id
        await stage.press("m")
        await stage.press("tab", "ctrl+u")
        await stage.type("engineering")
        await stage.press("tab", "left")
        await stage.press("ctrl+d")
        await stage.closed()
        places = [
            (await stage.server.call("ada", "GET", f"/messages/{one}"))["message"]["stream_id"] for one in ids
        ]
        wanted = [stage.server.channel("engineering" if one == selected else "general") for one in ids]
        assert places == wanted


async def test_a_topic_is_resolved_and_opened_again(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await in_topic(stage, "general", "soup")
        await run(stage, "topic.resolve")
        await until(lambda: stage.screen.narrow == Narrow.topic(stage.server.channel("general"), "✔ soup"))
        assert "✔ soup" in await topics(stage, "general")
        await run(stage, "topic.resolve")
        await until(lambda: stage.screen.narrow == Narrow.topic(stage.server.channel("general"), "soup"))


async def test_a_topic_is_muted_and_followed_by_the_word(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await in_topic(stage, "general", "soup")
        channel_id = stage.server.channel("general")
        seen = stage.session.state.topics.visibility
        await stage.press("M")
        await until(lambda: int(seen(channel_id, "soup")) == 1)
        await stage.press("M")
        await until(lambda: int(seen(channel_id, "soup")) == 0)
        await run(stage, "topic.follow")
        await until(lambda: int(seen(channel_id, "soup")) == 3)
        listener = await stage.server.listen("ada", fetch_event_types=["user_topic"])
        assert [row["visibility_policy"] for row in listener.snapshot["user_topics"]] == [3]


async def test_a_topic_is_unread_again_and_read_again(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        ids = await in_topic(stage, "general", "soup")
        unreads = stage.session.state.unreads
        channel_id = stage.server.channel("general")
        await until(lambda: not unreads.count_topic(channel_id, "soup"))
        await run(stage, "topic.mark-unread")
        await until(lambda: unreads.count_topic(channel_id, "soup") == len(ids))
        await run(stage, "topic.mark-read")
        await until(lambda: not unreads.count_topic(channel_id, "soup"))


async def test_the_unread_line_of_a_feed_goes_to_the_first_message_of_a_topic_that_is_unread_again(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path) as stage:
        soup = await in_topic(stage, "general", "soup")
        channel_id, unreads = stage.server.channel("general"), stage.session.state.unreads
        await until(lambda: not unreads.count_topic(channel_id, "soup"))
        await in_topic(stage, "general", "bread", count=1)
        await until(lambda: not any(unreads.count_topic(channel_id, topic) for topic in ("soup", "bread")))
        view = await stage.go(Narrow.channel(channel_id), soup[-1])
        await until(lambda: stage.screen.messages.selected_id == soup[-1])
        await run(stage, "topic.mark-unread")
        await stage.told(f"{len(soup)} messages marked as unread")
        assert view.first_unread == soup[0]


async def test_a_topic_is_deleted_after_a_question(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await in_topic(stage, "general", "soup")
        await run(stage, "topic.delete")
        assert isinstance(stage.app.screen, ConfirmScreen)
        await stage.press("enter")
        assert "soup" in await topics(stage, "general")
        await run(stage, "topic.delete")
        await confirm(stage)
        await stage.told(" deleted")
        assert "soup" not in await topics(stage, "general")


async def test_while_a_topic_is_deleted_the_messages_that_have_gone_are_counted(tmp_path: Path) -> None:
    async with behind_proxy(tmp_path, size=(80, 24)) as (stage, proxy):
        await in_topic(stage, "general", "soup")
        proxy.fail(Fault.HELD_BEFORE, "POST", "/api/v1/streams")
        await run(stage, "topic.delete")
        await confirm(stage)
        await until(lambda: proxy.held)
        for start in (0, 1000):
            stage.session.publish(MessagesRemoved(tuple(range(10**6 + start, 10**6 + start + 1000))))
        await until(lambda: " 2,000 messages" in screen_text(stage.app.screen))
        await stage.press("escape")
        await until(lambda: "2,000 messages  Stopping…" in screen_text(stage.app.screen))


async def moved_away(stage: Stage, dialog: str) -> None:
    """Opens a dialog about a topic, whose only message then goes to a larger topic."""
    await stage.server.send("bruno", "general", "large", "another matter")
    (message_id,) = await in_topic(stage, "general", "soup", 1)
    await run(stage, dialog)
    await stage.server.call("bruno", "PATCH", f"/messages/{message_id}", {"topic": "large"})

    def is_moved() -> bool:
        message = stage.session.state.messages.get(message_id)
        return message is not None and message.topic == "large"

    await until(is_moved)


MOVED = "The message was moved to #general › large meanwhile. Start again from there."


async def test_a_topic_is_not_moved_if_its_message_went_to_another_one_meanwhile(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await moved_away(stage, "topic.move")
        await stage.type("s")
        await stage.press("ctrl+d")
        form = await form_of(stage)
        await until(lambda: MOVED in form.shown_problems)
        assert "large" in await topics(stage, "general")


async def test_a_topic_is_not_deleted_if_its_message_went_to_another_one_meanwhile(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await moved_away(stage, "topic.delete")
        await confirm(stage)
        await stage.told(MOVED)


async def test_a_feature_that_an_old_server_lacks_is_refused_with_the_level(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await in_topic(stage, "general", "soup")
        stage.session.state.server = replace(stage.session.state.server, level=200)
        await stage.press("ctrl+p")
        await stage.type("unfollow topic")
        shown = screen_text(stage.app.screen)
        assert "not supported by this server" in shown
        await stage.press("enter")
        assert "not supported by this server (level 200; needs 219)" in stage.notices[-1]
        await stage.press("enter")
        assert isinstance(stage.app.screen, Picker)


async def test_a_new_name_of_a_topic_is_not_replaced_by_that_of_another_one(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.server.send("bruno", "general", "quick start card", "Is it printed?")
        await in_topic(stage, "general", "lunch")
        for keys, name in (((), "quick"), (("down",), "quick start card")):
            await run(stage, "topic.move")
            await form_of(stage)
            await stage.type("quick")
            assert "quick (new topic) · quick start card" in screen_text(stage.app.screen)
            await stage.press(*keys, "enter")
            form = await form_of(stage)
            assert form.row("topic").typed == name
            assert not form.row("topic").control.has_focus
            await stage.press("escape", "escape")


async def test_a_completion_of_a_new_name_is_left_with_tab_as_it_was_typed(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.server.send("bruno", "general", "quick start card", "Is it printed?")
        await in_topic(stage, "general", "lunch")
        await run(stage, "topic.move")
        form = await form_of(stage)
        await stage.type("quick")
        await stage.press("tab")
        assert form.row("topic").typed == "quick"
        assert form.row("channel").control.has_focus


async def test_messages_that_are_not_too_old_are_moved_after_the_server_rejects_the_others(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path, person="dario", size=(80, 24)) as stage:
        await stage.server.call("ada", "PATCH", "/realm", {"move_messages_within_stream_limit_seconds": 60})
        old = await stage.server.send("dario", "general", "soup", "old")
        store = stage.server.organization.store
        with store.transaction():
            store.execute("UPDATE messages SET timestamp = timestamp - 900 WHERE id = ?", old)
        new = [await stage.server.send("dario", "general", "soup", text) for text in ("new", "newer")]
        await stage.in_topic("general", "soup")
        await stage.press("G")
        await run(stage, "topic.move")
        await form_of(stage)
        await stage.type("broth")
        await stage.press("ctrl+d")
        question = "Move only the newest 3 of 4 messages?"
        await until(lambda: question in screen_text(stage.app.screen))
        await confirm(stage)
        await stage.told("3 messages moved.")
        topic_of = {row["id"]: row["subject"] for row in await stage.server.newest("dario")}
        assert [topic_of[one] for one in (old, *new)] == ["soup", "broth", "broth"]
