"""Scheduled messages, reminders and snippets, checked by what the server stores afterwards."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from narrowcast.screens.later.reminders import RemindersScreen
from narrowcast.screens.later.scheduled import ScheduledScreen, why_not
from narrowcast.screens.later.snippets import SnippetsScreen
from narrowcast.text.formats import has_long_clock, moment
from narrowcast_api.model.topics import Topic
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.resources.scheduled_messages import ScheduledMessage
from narrowcast_api.wire.vocabulary import Role
from support.fault_proxy import Fault
from support.live import GENERAL
from support.permissions import FRIENDS, set_channel, state_as
from support.screens import confirm, form_of, said, screen_text
from support.server import JsonObject
from support.sessions import until
from support.stage import Stage, behind_proxy, on_stage, run

LATER = int(time.time()) + 7200


async def scheduled(stage: Stage) -> list[JsonObject]:
    response = await stage.server.call("ada", "GET", "/scheduled_messages")
    rows: list[JsonObject] = response["scheduled_messages"]
    return rows


async def schedule(stage: Stage, content: str, at: int = LATER) -> None:
    """Schedules a message of Ada's from another client."""
    params = {
        "type": "channel",
        "to": stage.server.channel("general"),
        "topic": "soup",
        "content": content,
        "scheduled_delivery_timestamp": at,
    }
    await stage.server.call("ada", "POST", "/scheduled_messages", params)
    await until(lambda: any(one.content == content for one in stage.session.state.scheduled_messages.all()))


async def test_the_text_in_compose_can_be_scheduled(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await stage.go(Narrow.topic(stage.server.channel("general"), "soup"))
        await stage.press("c")
        content = "Good morning" + "!" * 100
        stage.screen.writing.begin.insert(content)
        await run(stage, "write.schedule")
        await stage.type("yesterday")
        await stage.press("enter")
        form = await form_of(stage)
        assert "!…" in screen_text(form), "the note says that it is only the beginning"
        assert "is not a time" in form.shown_problems
        await stage.press("ctrl+u")
        await stage.type("+30d 1h")
        await stage.press("enter")
        await stage.closed()
        (row,) = await scheduled(stage)
        at = row["scheduled_delivery_timestamp"]
        when = moment(at, time.time(), long=has_long_clock(stage.session.state))
        await stage.told(f"Message scheduled for {when}.")
        assert (row["content"], row["topic"]) == (content, "soup")
        assert abs(at - time.time() - 30 * 86400 - 3600) < 60
        await until(lambda: stage.screen.writing.text.text == "")
        await until(lambda: stage.session.drafts.all() == [])


async def test_nothing_is_lost_when_the_server_refuses_to_send_later(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24), person="dario") as stage:
        await stage.go(Narrow.topic(stage.server.channel("announcements"), "news"))
        await stage.press("c")
        await stage.type("Hear hear")
        await run(stage, "write.schedule")
        await stage.type("+2h")
        await stage.press("enter")
        form = await form_of(stage)
        await until(lambda: "permission to post" in form.shown_problems)
        await stage.press("escape", "escape")
        assert stage.screen.writing.text.text == "Hear hear"


async def test_a_scheduled_message_is_edited_sent_now_and_deleted(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        for content in ("first", "second", "third"):
            await schedule(stage, content)
        await run(stage, "go.scheduled")
        screen = stage.app.screen
        assert isinstance(screen, ScheduledScreen)
        assert [row.note for row in screen.list.items] == ["first", "second", "third"]
        await stage.press("enter", "tab", "tab", "tab")
        await stage.type("!")
        await stage.press("ctrl+d")
        await until(lambda: stage.app.screen is screen)
        await until(lambda: screen.list.items[0].note == "first!")
        await stage.press("down", "s")
        await confirm(stage)
        await until(lambda: "Sending" in screen.key_line.plain)
        await stage.press("x", "down", "enter")
        await until(lambda: len(screen.list.items) == 1)
        (left,) = await scheduled(stage)
        assert left["content"] == "first!"
        await until(
            lambda: stage.session.outbox.entries() == [] or not stage.session.outbox.entries()[0].error
        )
        view = stage.session.view(Narrow.topic(stage.server.channel("general"), "soup"))
        await view.open()
        await until(lambda: len(view.ids) == 1)
        message = stage.session.state.messages.get(view.ids[0])
        assert message is not None
        assert "second" in message.content


async def send_now(stage: Stage) -> ScheduledScreen:
    """Sends the only scheduled message, from the list."""
    await schedule(stage, "Soup at noon")
    await run(stage, "go.scheduled")
    screen = stage.app.screen
    assert isinstance(screen, ScheduledScreen)
    await stage.press("s")
    await confirm(stage)
    return screen


@pytest.mark.parametrize("fault", [Fault.LOST_AFTERWARDS, Fault.FAILED_AFTERWARDS, Fault.CUT_IN_BODY])
async def test_a_message_whose_sending_now_was_interrupted_is_a_draft(tmp_path: Path, fault: Fault) -> None:
    async with behind_proxy(tmp_path, size=(80, 24)) as (stage, proxy):
        proxy.fail(fault, "DELETE", "/api/v1/scheduled_messages")
        screen = await send_now(stage)
        await until(lambda: "is in Drafts" in said(stage))
        assert [draft.content for draft in stage.session.drafts.all()] == ["Soup at noon"]
        await until(lambda: len(screen.list.items) == 0)
        assert await scheduled(stage) == []


async def test_a_message_that_stays_scheduled_leaves_no_draft(tmp_path: Path) -> None:
    async with behind_proxy(tmp_path, size=(80, 24)) as (stage, proxy):
        proxy.fail(Fault.TOO_MANY, "DELETE", "/api/v1/scheduled_messages")
        await send_now(stage)
        await until(lambda: "Rate limit" in said(stage))
        assert stage.session.drafts.all() == []
        assert len(await scheduled(stage)) == 1


async def test_a_scheduled_message_that_was_sent_now_is_no_draft(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await send_now(stage)
        await until(lambda: "Sending" in said(stage))
        assert stage.session.drafts.all() == []
        await until(lambda: stage.session.outbox.entries() == [])


async def failed_messages(stage: Stage) -> ScheduledScreen:
    """The scheduled messages, after the only one could not be sent."""
    (row,) = stage.session.state.scheduled_messages.all()
    stage.session.state.scheduled_messages.put([row._replace(failed=True)])
    await run(stage, "go.scheduled")
    screen = stage.app.screen
    assert isinstance(screen, ScheduledScreen)
    return screen


async def test_a_message_that_could_not_be_sent_says_why_and_takes_a_new_time(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await schedule(stage, "late")
        with stage.server.organization.transaction():
            stage.server.organization.store.execute("UPDATE scheduled_messages SET failed = 1")
        screen = await failed_messages(stage)
        assert screen.list.items[0].note == "Failed to send: the server was down, or refused it · late"
        await stage.press("enter")
        await stage.type("tomorrow 9:00")
        await stage.press("ctrl+d")
        await until(lambda: stage.app.screen is screen)
        assert not (await scheduled(stage))[0]["failed"]


def test_a_message_whose_topic_is_gone_says_that_its_sender_may_not_create_topics() -> None:
    state = state_as(Role.MEMBER)
    set_channel(state, GENERAL, permissions={"can_create_topic_group": FRIENDS})
    state.topics.load(GENERAL, [Topic("stew", 50)], since=50)
    message = ScheduledMessage(1, ChannelDestination(GENERAL, "soup"), "late", "", LATER, failed=True)
    assert why_not(state, message).startswith("only friends can create topics in #general")


async def test_a_reminder_is_set_leads_to_its_message_and_goes(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        message_id = await stage.server.send("bruno", "general", "soup", "Buy leeks")
        await until(lambda: stage.screen.messages.selected_id == message_id)
        await run(stage, "message.remind")
        await stage.type("tomorrow 9:00")
        await stage.press("enter")
        await stage.type("at the market")
        await stage.press("enter")
        await stage.closed()
        await stage.told("Reminder set for tomorrow 9:00 am.")
        (row,) = (await stage.server.call("ada", "GET", "/reminders"))["reminders"]
        assert row["reminder_target_message_id"] == message_id
        await until(lambda: len(stage.session.state.reminders) == 1)
        await run(stage, "go.reminders")
        screen = stage.app.screen
        assert isinstance(screen, RemindersScreen)
        shown = screen.list.items[0].text
        assert "general > soup" in shown
        assert "at the market" in shown
        assert "**" not in shown
        await stage.press("enter")
        await until(lambda: stage.screen.narrow == Narrow.topic(stage.server.channel("general"), "soup"))
        await run(stage, "go.reminders")
        await stage.press("x", "down", "enter")
        await until(lambda: len(stage.session.state.reminders) == 0)
        assert not (await stage.server.call("ada", "GET", "/reminders"))["reminders"]


async def test_a_snippet_is_made_of_compose_edited_inserted_and_deleted(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await stage.go(Narrow.topic(stage.server.channel("general"), "soup"))
        await stage.press("c")
        await stage.type("Have a look")
        await run(stage, "write.save-snippet")
        await stage.type("Review")
        await stage.press("ctrl+d")
        await until(lambda: len(stage.session.state.saved_snippets) == 1)
        await stage.closed()
        await run(stage, "write.snippets")
        screen = stage.app.screen
        assert isinstance(screen, SnippetsScreen)
        await stage.press("e", "end")
        await stage.type("s")
        await stage.press("ctrl+d")
        await until(lambda: screen.is_current and [row.text for row in screen.list.items] == ["Reviews"])
        await stage.press("enter")
        assert stage.screen.writing.text.text == "Have a lookHave a look"
        (row,) = (await stage.server.call("ada", "GET", "/saved_snippets"))["saved_snippets"]
        assert (row["title"], row["content"]) == ("Reviews", "Have a look")
        await run(stage, "write.snippets")
        await stage.press("x", "down", "enter")
        await until(lambda: len(stage.session.state.saved_snippets) == 0)


async def test_a_snippet_that_was_made_in_the_list_is_selected(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await stage.server.call("ada", "POST", "/saved_snippets", {"title": "Old", "content": "text"})
        await until(lambda: len(stage.session.state.saved_snippets) == 1)
        await run(stage, "write.snippets")
        screen = stage.app.screen
        assert isinstance(screen, SnippetsScreen)
        await stage.press("n")
        await stage.type("About")
        await stage.press("tab")
        await stage.type("words")
        await stage.press("ctrl+d")
        await until(lambda: len(screen.list.items) == 2)
        assert screen.selected is not None
        assert screen.selected.title == "About"


async def test_old_servers_have_snippets_that_stay_as_they_are(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await stage.server.call("ada", "POST", "/saved_snippets", {"title": "Old", "content": "text"})
        await until(lambda: len(stage.session.state.saved_snippets) == 1)
        stage.session.state.server = replace(stage.session.state.server, level=300)
        await run(stage, "write.snippets")
        screen = stage.app.screen
        assert isinstance(screen, SnippetsScreen)
        await stage.press("e")
        assert screen.is_current
        assert "needs 368" in screen.key_line.plain
