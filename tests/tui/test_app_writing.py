"""Writing in the app, on a live account of the embedded server."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events

from narrowcast.config.config import Compose, Config
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.narrow.narrow import Narrow
from support.screens import at_once, edit_newest, edit_opened, edit_own, screen_text
from support.server import JsonObject, Listener
from support.sessions import until
from support.stage import on_stage


async def next_event(listener: Listener, kind: str) -> object:
    """The op of the next event of a type."""
    found: list[JsonObject] = []

    async def came() -> bool:
        found.extend(await listener.events(kind))
        return bool(found)

    await until(came)
    return found[0]["op"]


async def test_enter_sends_what_was_written_and_empties_compose(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        where = await stage.in_topic("general", "lunch")
        await stage.press("c")
        await stage.type("Soup for me")
        assert stage.screen.writing.text.text == "Soup for me"
        await stage.press("enter")
        assert stage.screen.writing.text.text == ""
        view = stage.session.view(Narrow.from_destination(where))
        await until(lambda: len(view.ids) == 2)
        message = stage.session.state.messages.get(view.ids[-1])
        assert message is not None
        assert "Soup for me" in message.content
        assert stage.session.drafts.all() == []


async def test_a_setting_makes_enter_break_the_line_and_ctrl_j_send(tmp_path: Path) -> None:
    config = Config(compose=Compose(enter="newline"))
    async with on_stage(tmp_path, config=config) as stage:
        await stage.in_topic("general", "lunch")
        await stage.press("c")
        await stage.type("one")
        await stage.press("enter")
        await stage.type("two")
        assert stage.screen.writing.text.text == "one\ntwo"
        await stage.press("ctrl+j")
        assert stage.screen.writing.text.text == ""


async def test_ctrl_j_breaks_the_line_where_enter_sends(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic("general", "lunch")
        await stage.press("c")
        await stage.type("one")
        await stage.press("ctrl+j")
        await stage.type("two")
        assert stage.screen.writing.text.text == "one\ntwo"


async def test_keys_that_follow_at_once_land_in_the_field_that_the_first_key_opened(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic("general", "lunch")
        for character in "chad a thought":
            key = "space" if character == " " else character
            stage.app.post_message(events.Key(key, character))
        await until(lambda: stage.screen.writing.text.text == "had a thought")


async def test_what_is_pasted_is_one_text_and_sends_nothing(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic("general", "lunch")
        stage.app.post_message(events.Paste("first\r\nsecond\x1b[31m"))
        await until(lambda: stage.screen.writing.text.text == "first\nsecond\x1b[31m")
        assert stage.app.focused is stage.screen.writing.text
        assert stage.session.outbox.entries() == []
        shown = screen_text(stage.app.screen)
        assert "\x1b" not in shown


async def test_a_draft_is_kept_for_each_conversation_and_comes_back_with_it(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic("general", "lunch")
        await stage.press("c")
        await stage.type("half a thought")
        await stage.in_topic("engineering", "music")
        assert stage.screen.writing.text.text == ""
        await stage.go(Narrow.topic(stage.server.channel("general"), "lunch"))
        assert stage.screen.writing.text.text == "half a thought"
        assert [draft.content for draft in stage.session.drafts.all()] == ["half a thought"]


async def test_the_next_start_takes_up_what_was_being_written(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        server = stage.server
        await stage.press("x")
        await stage.type("Bruno Castell")
        await stage.press("tab", "tab")
        await stage.type("Have you seen")
        assert stage.screen.writing.text.text == "Have you seen"
        await stage.app.accounts.close()
        async with on_stage(tmp_path, server=server) as again:
            await until(lambda: again.screen.writing.text.text == "Have you seen")
            assert again.screen.writing.target.is_direct


@pytest.mark.parametrize(
    ("key", "known", "unknown", "notice"),
    [
        ("x", "bruno", "lunch at noon?", "No unique user matches 'lunch at noon?'"),
        ("c", "", "nowhere", "No channel named 'nowhere'"),
    ],
    ids=["people", "channel"],
)
async def test_enter_in_an_address_field_stays_there_while_a_name_is_unknown(
    tmp_path: Path, key: str, known: str, unknown: str, notice: str
) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.press(key)
        field = stage.app.focused
        if known:
            await stage.type(known)
            await stage.press("tab")  # takes the completion
        await stage.type(unknown)
        await stage.press("enter")
        assert stage.app.focused is field
        assert notice in stage.notices[-1]
        await stage.press("tab")
        assert stage.app.focused is not field, "nothing blocks the way to the text"


async def test_nothing_is_sent_to_a_channel_that_does_not_exist(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        writing = stage.screen.writing
        await stage.press("c")
        writing.target.channel.text = "nowhere"
        writing.text.text = "hello"
        await stage.press("ctrl+d")
        assert writing.text.text == "hello"
        assert "No channel named 'nowhere'" in stage.notices[-1]


async def test_a_message_over_the_limit_is_not_sent_and_the_count_says_so(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic("general", "lunch")
        await stage.press("c")
        limit = stage.session.state.limits.max_message_length
        stage.screen.writing.text.insert("x" * (limit + 3))
        await stage.pilot.pause()
        assert "3 over the limit" in stage.screen.writing.target.hint.plain
        await stage.press("enter")
        assert len(stage.screen.writing.text.text) == limit + 3
        assert "3 characters over the limit" in stage.notices[-1]
        stage.screen.writing.text.text = ""
        stage.screen.writing.text.insert(" " + "x" * limit + " \n")
        await stage.pilot.pause()
        assert stage.screen.writing.target.hint.plain.strip() == "0 characters left"


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("ask @bru", "ask @**Bruno Castell** "),
        ("see #engi", "see #**engineering** "),
        ("nice :tada", "nice :tada: "),
    ],
)
async def test_tab_completes_people_channels_and_emoji(tmp_path: Path, typed: str, completed: str) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic("general", "lunch")
        await stage.press("c")
        await stage.type(typed)
        assert stage.screen.writing.has_class("-offering")
        await stage.press("tab")
        assert stage.screen.writing.text.text == completed


async def test_tab_in_the_text_indents_and_what_follows_is_text(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic("general", "lunch")
        await stage.press("c")
        await at_once(stage, "- one", "ctrl+j", "\t- two", "ctrl+j", "ab\td")
        writing = stage.screen.writing
        assert stage.app.screen is stage.screen
        assert writing.text.text == "- one\n    - two\nab  d"
        await stage.press("up", "shift+tab")
        assert writing.text.text == "- one\n- two\nab  d"
        await stage.press("shift+tab")
        assert writing.target.topic.has_focus
        await stage.press("tab")
        assert writing.text.has_focus


async def test_tab_in_the_text_completes_again_what_was_closed(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic("general", "lunch")
        await stage.press("c")
        await stage.type("ask @bru")
        await stage.press("escape", "tab", "tab")
        assert stage.screen.writing.text.text == "ask @**Bruno Castell** "


async def test_the_tab_keys_do_not_leave_an_edit(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await edit_own(stage)
        await stage.press("tab", "d", "shift+tab", "d")
        assert stage.app.screen is stage.screen
        assert stage.screen.writing.text.text == "Soop    dd"


async def test_a_click_takes_a_completion(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic("general", "lunch")
        await stage.press("c")
        await stage.type("@c")
        offered = stage.screen.writing.completion.list
        second = offered.items[1]
        await stage.pilot.click(offered, offset=(4, 2))
        await stage.pilot.pause()
        assert stage.screen.writing.text.text == second.value.insert
        await stage.type("hi")
        assert stage.screen.writing.text.text == f"{second.value.insert}hi"


async def test_a_click_on_a_channel_goes_on_to_the_topic(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.press("c")
        await stage.type("eng")
        await stage.pilot.click(stage.screen.writing.completion.list, offset=(4, 1))
        await stage.pilot.pause()
        assert stage.screen.writing.target.channel.text == "engineering"
        assert stage.screen.writing.target.topic.has_focus


async def test_other_people_see_that_one_types_and_that_one_stopped(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        listener = await stage.server.listen("bruno")
        await stage.press("x")
        await stage.type("Bruno Castell")
        await stage.press("tab", "tab")
        await stage.type("hm")
        assert await next_event(listener, "typing") == "start"
        await stage.press("ctrl+u")
        assert await next_event(listener, "typing") == "stop"


async def test_a_sent_message_is_taken_back_while_it_is_held(tmp_path: Path) -> None:
    async with on_stage(tmp_path, config=Config(compose=Compose(undo_send=20))) as stage:
        await stage.in_topic("general", "lunch")
        await stage.press("r")
        await stage.type("Oops")
        await stage.press("enter")
        writing = stage.screen.writing
        assert writing.text.text == ""
        await until(lambda: "Esc in the compose box takes it back" in screen_text(stage.app.screen))
        await stage.press("escape")
        assert writing.text.text == "Oops"
        assert stage.session.outbox.entries() == []
        await stage.press("escape")
        assert not writing.has_focus_within


async def test_a_quote_comes_after_what_was_written_wherever_the_cursor_was(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic("general", "lunch", "Soup?")
        await stage.press("c")
        await stage.type("hello world")
        await stage.press("alt+b", "escape", "greater_than_sign")
        await until(lambda: "Soup?" in stage.screen.writing.text.text)
        await stage.type("Yes.")
        first, *_, last = stage.screen.writing.text.text.splitlines()
        assert (first, last) == ("hello world", "Yes.")


async def test_the_caret_is_behind_what_was_typed_while_a_quote_was_fetched(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic("general", "lunch", "Soup?")
        await stage.press("r")
        await stage.type("so")
        stage.screen.writing.begin.insert_quote(0, "> Soup?")
        text = stage.screen.writing.text
        assert text.text == "> Soup?\nso"
        assert text.caret is not None
        assert text.caret.x == len("so")


async def test_the_users_own_message_is_edited_in_place_and_the_draft_comes_back(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic("general", "lunch")
        message_id = await stage.server.send("ada", "general", "lunch", "Soop **for** me")
        await stage.press("c")
        await stage.type("and bread")
        await stage.press("escape")
        await edit_newest(stage, message_id)
        assert stage.screen.writing.text.text == "Soop **for** me"
        stage.screen.writing.text.text = "Soup for me"
        await stage.press("ctrl+d")
        assert stage.screen.writing.text.text == "and bread"

        def content() -> str:
            message = stage.session.state.messages.get(message_id)
            return message.content if message is not None else ""

        await until(lambda: "Soup for me" in content())
        await until(lambda: stage.session.storage.journal.edits() == [])


async def test_a_sent_message_scrolls_into_view_unless_unread_messages_lie_before_it(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(120, 24)) as stage:
        where = await stage.in_topic("general", "lunch")
        for number in range(22):
            stage.session.outbox.send(where, f"earlier {number}")
        view = stage.session.view(Narrow.from_destination(where))
        await until(lambda: len(view.ids) == 23 and not stage.session.outbox.entries())
        position = stage.screen.messages.list.position
        position.jump(view.ids[2])
        await stage.pilot.pause()
        assert not position.following
        await stage.press("c")
        await stage.type("seen")
        await stage.press("enter")
        assert position.following
        position.jump(view.ids[2])
        await stage.pilot.pause()
        await stage.server.send("bruno", "general", "lunch", "unread")
        await until(lambda: len(view.ids) == 25)
        await stage.type("below")
        await stage.press("enter")
        assert not position.following
        assert stage.notices[-1] == "Message sent, below unread messages. Alt-g goes to it."
        await stage.press("alt+g")
        await until(lambda: position.following)


async def test_a_message_sent_elsewhere_says_where_it_is_and_a_key_goes_there(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic("general", "lunch")
        here = stage.screen.narrow
        where = ChannelDestination(stage.server.channel("engineering"), "music")
        stage.screen.writing.begin.reply(where)
        await stage.type("More cowbell")
        await stage.press("enter")
        assert stage.screen.narrow == here, "one stays where one is"
        assert stage.notices[-1] == "Sent to #engineering › music. Alt-g goes there."
        await stage.press("alt+g")
        assert stage.screen.narrow == Narrow.from_destination(where)
        await until(lambda: len(stage.session.view(Narrow.from_destination(where)).ids) == 1)


async def test_the_key_to_the_message_sent_last_says_when_there_is_none(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.press("alt+g")
        assert "You have not sent a message" in stage.notices[-1]


async def test_an_edit_that_was_left_comes_back_with_its_message(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        message_id = await edit_own(stage)
        await stage.type(" and bread")
        await stage.go(Narrow.all())
        assert "Edit not saved" in stage.notices[-1]
        assert stage.screen.writing.editing is None
        await stage.go(Narrow.topic(stage.server.channel("general"), "lunch"))
        await edit_newest(stage, message_id)
        assert stage.screen.writing.text.text == "Soop and bread"
        assert stage.session.drafts.all() == []


async def test_an_edit_of_a_text_that_was_changed_meanwhile_becomes_a_draft(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        message_id = await edit_own(stage)
        await stage.type(" and bread")
        await stage.press("escape")
        await stage.server.call("ada", "PATCH", f"/messages/{message_id}", {"content": "Noodles"})
        await stage.press("e")
        await edit_opened(stage, message_id)
        assert stage.screen.writing.text.text == "Noodles"
        assert [one.content for one in stage.session.drafts.all()] == ["Soop and bread"]
        assert "is in Drafts" in stage.notices[-1]
