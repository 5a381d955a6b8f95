"""A topic that is moved or resolved while it is open or written to: view, text and drafts go along."""

from __future__ import annotations

from pathlib import Path

import pytest

from narrowcast.screens.main.title import TitleLine
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.narrow.narrow import Narrow
from support.delays import hold
from support.screens import edit_opened
from support.server import running_server
from support.sessions import fetched, until
from support.stage import Stage, all_live, behind_proxy, file_of, on_screen, on_stage, run

WIDE = (180, 40)


async def moves(
    stage: Stage, message_id: int, topic: str, *, mode: str = "change_all", **more: object
) -> None:
    """Bruno moves a message, and others of its topic with it."""
    params = {"topic": topic, "propagate_mode": mode, **more}
    await stage.server.call("bruno", "PATCH", f"/messages/{message_id}", params)


def selected(stage: Stage) -> int:
    message_id = stage.screen.messages.selected_id
    assert message_id is not None
    return message_id


async def test_who_writes_in_a_topic_goes_along_when_another_user_resolves_it(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        where = await stage.in_topic()
        message_id = selected(stage)
        await stage.press("c")
        await stage.type("me ")
        await moves(stage, message_id, "✔ lunch")
        await stage.told("#general › lunch was moved to #general › ✔ lunch. The text you are writing goes")
        new = ChannelDestination(where.channel_id, "✔ lunch")
        assert stage.screen.narrow == Narrow.from_destination(new)
        assert stage.screen.query_one(TitleLine).plain.strip().startswith("#general › ✔ lunch")
        await stage.type("too")
        assert stage.screen.writing.text.text == "me too"
        assert [(draft.destination, draft.content) for draft in stage.session.drafts.all()] == [
            (new, "me too")
        ]
        await stage.shows(message_id)
        assert selected(stage) >= message_id
        await stage.press("enter")
        await until(lambda: any("me too" in one.content for one in stage.session.state.messages))
        (sent,) = [one for one in stage.session.state.messages if "me too" in one.content]
        assert sent.topic == "✔ lunch"


async def test_a_topic_of_which_only_the_case_changes_is_shown_and_written_to_in_its_new_form(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path) as stage:
        where = await stage.in_topic()
        message_id = selected(stage)
        await stage.press("c")
        await stage.type("me too")
        await moves(stage, message_id, "Lunch")
        await stage.told("#general › lunch was moved to #general › Lunch. The text you are writing goes")
        assert stage.screen.query_one(TitleLine).plain.strip().startswith("#general › Lunch")
        assert stage.screen.writing.destination()[0] == ChannelDestination(where.channel_id, "Lunch")
        assert selected(stage) == message_id


async def test_a_reader_goes_along_to_another_channel_and_back_does_not_lead_to_the_old_place(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.go(Narrow.mentions())
        await stage.in_topic()
        await moves(stage, selected(stage), "supper", stream_id=stage.server.channel("engineering"))
        await stage.told("was moved to #engineering › supper.")
        new = Narrow.topic(stage.server.channel("engineering"), "supper")
        assert stage.screen.narrow == new
        await stage.go(Narrow.starred())
        await run(stage, "go.back")
        assert stage.screen.narrow == new
        await run(stage, "go.back")
        assert stage.screen.narrow == Narrow.mentions()


async def test_a_move_to_a_channel_with_more_readers_warns_who_is_writing(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        server = stage.server
        message_id = await server.send("chiyo", "leads", "plans")
        await stage.go(Narrow.topic(server.channel("leads"), "plans"))
        await stage.shows(message_id)
        await stage.press("c")
        await stage.type("not for all")
        to = {"stream_id": server.channel("general"), "propagate_mode": "change_all"}
        await server.call("chiyo", "PATCH", f"/messages/{message_id}", to)
        await stage.told("Users who cannot read the old channel can read this one.")
        assert stage.screen.writing.text.text == "not for all"
        assert stage.screen.query_one(TitleLine).plain.strip().startswith("#general › plans")


async def test_a_part_of_the_topic_on_screen_that_is_moved_is_reported(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        first = await stage.server.send("bruno", "general", "lunch", "First")
        where = await stage.in_topic()
        await stage.press("c")
        await stage.type("me too")
        await moves(stage, first, "supper", mode="change_one")
        await stage.told("1 message moved from #general › lunch to #general › supper.")
        assert stage.screen.narrow == Narrow.from_destination(where)
        assert stage.screen.writing.destination()[0] == where


async def test_a_topic_whose_messages_all_went_one_by_one_is_followed(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic(topic="rare")
        await moves(stage, selected(stage), "common", mode="change_one")
        await stage.told("was moved to #general › common.")
        assert stage.screen.narrow == Narrow.topic(stage.server.channel("general"), "common")


async def test_a_reply_written_in_another_view_goes_to_the_new_place(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        message_id = await stage.server.send("bruno", "general", "lunch", "Anybody?")
        await stage.go(Narrow.all(), message_id)
        await stage.shows(message_id)
        await stage.press("r")
        await stage.type("me too")
        await moves(stage, message_id, "supper")
        await stage.told("The text you are writing goes there too.")
        assert stage.screen.narrow == Narrow.all()
        assert stage.screen.writing.destination()[0] == ChannelDestination(
            stage.server.channel("general"), "supper"
        )
        assert stage.screen.writing.text.text == "me too"


async def test_a_message_that_waits_for_the_connection_goes_to_the_new_place(tmp_path: Path) -> None:
    async with behind_proxy(tmp_path) as (stage, proxy):
        server = stage.server
        where = await stage.in_topic()
        message_id = selected(stage)
        await proxy.refuse()
        await until(lambda: not stage.session.is_live)
        await stage.press("c")
        await stage.type("me too")
        await stage.press("enter")
        await moves(stage, message_id, "supper")
        await proxy.listen()
        stage.session.reconnect()
        await stage.told("#general › lunch was moved to #general › supper.")
        new = ChannelDestination(where.channel_id, "supper")
        await until(lambda: not stage.session.outbox.unsent())
        assert [(one["subject"], one["content"]) for one in await server.newest("ada", 1)] == [
            (new.topic, "me too")
        ]


async def test_a_message_that_waits_for_a_private_channel_is_not_sent_to_another_channel(
    tmp_path: Path,
) -> None:
    async with behind_proxy(tmp_path) as (stage, proxy):
        server = stage.server
        message_id = await server.send("chiyo", "leads", "plans")
        await stage.go(Narrow.topic(server.channel("leads"), "plans"))
        await stage.shows(message_id)
        await proxy.refuse()
        await until(lambda: not stage.session.is_live)
        await stage.press("c")
        await stage.type("not for all")
        await stage.press("enter")
        to = {"stream_id": server.channel("general"), "propagate_mode": "change_all"}
        await server.call("chiyo", "PATCH", f"/messages/{message_id}", to)
        await proxy.listen()
        stage.session.reconnect()
        await until(lambda: stage.session.is_live and not stage.session.outbox.unsent())
        (newest,) = await server.newest("ada", 1)
        assert (newest["content"], newest["stream_id"]) == ("not for all", server.channel("leads"))


async def test_a_saved_draft_is_found_at_the_new_place(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        where = await stage.in_topic()
        message_id = selected(stage)
        await stage.press("c")
        await stage.type("later")
        await stage.press("escape")
        await stage.go(Narrow.mentions())
        await moves(stage, message_id, "supper")
        new = ChannelDestination(where.channel_id, "supper")
        await until(lambda: [one.destination for one in stage.session.drafts.all()] == [new])
        await stage.go(Narrow.from_destination(new))
        assert stage.screen.writing.text.text == "later"


async def test_an_edit_goes_on_when_its_topic_is_moved_and_the_text_before_it_is_restored(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path) as stage:
        where = await stage.in_topic()
        await stage.press("c")
        await stage.type("Mine.")
        await stage.press("enter")
        await until(lambda: any("Mine." in one.content for one in stage.session.state.messages))
        (own,) = [one.id for one in stage.session.state.messages if "Mine." in one.content]
        await stage.shows(own)
        await stage.type("before")
        await stage.press("escape")
        stage.screen.messages.list.position.select(own)
        await stage.press("e")
        await edit_opened(stage, own)
        await moves(stage, own, "supper")
        await stage.told("was moved to #general › supper.")
        assert stage.screen.writing.editing == own
        assert stage.screen.writing.text.text == "Mine."
        assert "Editing message" in stage.screen.writing.target.sign.plain
        await stage.press("escape")
        assert stage.screen.writing.text.text == "before"
        assert stage.screen.writing.destination()[0] == ChannelDestination(where.channel_id, "supper")


async def test_the_old_topic_can_be_opened_again(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        where = await stage.in_topic()
        await moves(stage, selected(stage), "✔ lunch")
        await stage.told("was moved to #general › ✔ lunch.")
        await stage.go(Narrow.from_destination(where))
        await stage.press("c")
        await stage.type("Once more")
        await stage.drawn()
        assert stage.screen.narrow == Narrow.from_destination(where)
        assert stage.screen.writing.destination()[0] == where


async def test_both_conversations_follow_and_the_focus_stays(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=WIDE) as stage:
        await stage.in_topic()
        message_id, left = selected(stage), stage.screen.conversation
        stage.screen.open_beside(Narrow.topic(stage.server.channel("general"), "supper"))
        await until(lambda: stage.screen.conversation is not left and stage.screen.messages.has_focus_within)
        await fetched(stage.screen.messages.view)
        await stage.press("c")
        await stage.type("right")
        focused = stage.app.focused
        await moves(stage, message_id, "✔ lunch")
        await stage.told("#general › lunch was moved to #general › ✔ lunch.")
        assert left.narrow == Narrow.topic(stage.server.channel("general"), "✔ lunch")
        assert stage.screen.conversation is not left
        assert stage.app.focused is focused
        assert stage.screen.writing.text.text == "right"
        assert {view.narrow for view in stage.session.views_on_screen} == {
            one.narrow for one in stage.screen.side.all
        }


async def test_a_topic_that_is_open_beside_already_is_not_shown_twice(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=WIDE) as stage:
        where = await stage.in_topic()
        message_id, left = selected(stage), stage.screen.conversation
        supper = ChannelDestination(where.channel_id, "supper")
        await stage.press("c")
        await stage.type("on the left")
        stage.screen.open_beside(Narrow.from_destination(supper))
        await until(lambda: stage.screen.conversation is not left)
        await moves(stage, message_id, "supper")
        await stage.told("was moved to #general › supper. The text you are writing goes there too.")
        assert left.narrow == Narrow.from_destination(where)
        assert left.writing.text.text == "on the left"
        assert left.writing.destination()[0] == supper


async def test_a_text_written_beside_stays_there_when_the_topic_of_an_empty_compose_box_is_moved_to_it(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path, size=WIDE) as stage:
        where = await stage.in_topic()
        message_id, left = selected(stage), stage.screen.conversation
        stage.screen.open_beside(Narrow.topic(where.channel_id, "supper"))
        await until(lambda: stage.screen.conversation is not left)
        right = stage.screen.conversation
        await stage.press("c")
        await stage.type("on the right")
        await stage.press("escape")
        await moves(stage, message_id, "supper")
        await stage.told("was moved to #general › supper.")
        assert (left.writing.text.text, right.writing.text.text) == ("", "on the right")


async def test_a_topic_that_was_searched_for_by_its_name_first_is_followed(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        message_id = await stage.server.send("bruno", "general", "lunch", "Anybody?")
        await stage.press("slash")
        await stage.type("topic:lunch channel:general ")
        await stage.press("enter")
        await stage.closed()
        await stage.shows(message_id)
        await moves(stage, message_id, "supper")
        await stage.told("was moved to #general › supper.")
        assert stage.screen.narrow == Narrow.topic(stage.server.channel("general"), "supper")


async def test_a_topic_that_was_resolved_while_the_app_was_closed_is_followed(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        async with on_stage(tmp_path, server=server) as stage:
            await stage.in_topic()
            message_id = selected(stage)
            await stage.press("c")
            await stage.type("me too")
        await moves(stage, message_id, "✔ lunch")
        async with on_stage(tmp_path, server=server) as stage:
            await stage.told("was moved to #general › ✔ lunch. The text you are writing goes there too.")
            new = ChannelDestination(server.channel("general"), "✔ lunch")
            assert stage.screen.narrow == Narrow.from_destination(new)
            assert stage.screen.writing.text.text == "me too"
            assert stage.screen.writing.destination()[0] == new


async def resolved_behind(stage: Stage) -> None:
    """Shows Bruno's account; then the topic is resolved in which Ada is writing."""
    await all_live(stage, 2)
    where = await stage.in_topic()
    message_id = selected(stage)
    await until(lambda: not stage.session.state.unreads.count_topic(where.channel_id, where.topic))
    await stage.go(Narrow.mentions())
    await stage.go(Narrow.from_destination(where))  # without an unread line now
    await stage.press("c")
    await stage.type("me too")
    state = stage.session.state
    await stage.app.accounts.switch(file_of(stage, "bruno"))
    await moves(stage, message_id, "✔ lunch")
    await until(lambda: any(one.topic == "✔ lunch" for one in state.messages))


async def test_a_topic_is_not_followed_on_the_screen_of_another_account(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with on_stage(tmp_path, stored=["bruno"]) as stage:
        held = hold(monkeypatch, stage.session.client.messages, "get")
        await resolved_behind(stage)
        await stage.app.accounts.switch(file_of(stage, "ada"))
        await until(lambda: held.waiting)
        await stage.app.accounts.switch(file_of(stage, "bruno"))
        await on_screen(stage, "bruno")
        await held.arrive(stage)
        assert stage.notices == []
        await stage.app.accounts.switch(file_of(stage, "ada"))
        await stage.told("was moved to #general › ✔ lunch. The text you are writing goes there too.")


async def test_a_topic_that_was_resolved_while_another_account_was_on_screen_is_followed(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path, stored=["bruno"]) as stage:
        await resolved_behind(stage)
        await stage.app.accounts.switch(file_of(stage, "ada"))
        await stage.told("was moved to #general › ✔ lunch. The text you are writing goes there too.")
        new = ChannelDestination(stage.server.channel("general"), "✔ lunch")
        assert stage.screen.narrow == Narrow.from_destination(new)
        assert stage.screen.writing.text.text == "me too"
        assert stage.screen.writing.destination()[0] == new


async def test_a_topic_whose_messages_were_all_deleted_stays_open(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        where = await stage.in_topic(topic="rare")
        await stage.server.call("bruno", "DELETE", f"/messages/{selected(stage)}")
        await until(lambda: not stage.session.view(Narrow.from_destination(where)).ids)
        await stage.drawn()
        assert stage.screen.narrow == Narrow.from_destination(where)


async def test_words_typed_until_the_response_to_the_own_request_to_resolve_stay_in_compose(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path) as stage:
        where = await stage.in_topic()
        await stage.press("c")
        await stage.type("I thi")
        await run(stage, "topic.resolve")
        await stage.told("Topic resolved.")
        await stage.type("nk")
        new = ChannelDestination(where.channel_id, "✔ lunch")
        assert stage.screen.narrow == Narrow.from_destination(new)
        assert stage.screen.writing.text.text == "I think"
        assert stage.screen.writing.destination()[0] == new
        assert [draft.destination for draft in stage.session.drafts.all()] == [new]
