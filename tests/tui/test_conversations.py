"""Recent conversations and the inbox."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from narrowcast.config.config import Config
from narrowcast.screens.account.signed_in import SignedInScreen
from narrowcast.screens.channels.browse import ChannelsScreen
from narrowcast.screens.conversations.listing import Conversation
from narrowcast.screens.conversations.rows import ConversationRow
from narrowcast.screens.conversations.screen import InboxScreen, RecentScreen
from narrowcast.screens.dialogs.manage_list import ManageList
from narrowcast.screens.dialogs.picker import Picker
from narrowcast_api.narrow.destinations import DirectDestination
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.protocols.change_bus import Listener
from narrowcast_api.wire.vocabulary import VisibilityPolicy
from support.screens import at_once, choose, screen_rows, screen_text
from support.sessions import until
from support.stage import Stage, on_stage, run


def shown(stage: Stage) -> list[tuple[str, int, str]]:
    """Name, number of unread messages, and last message of each row."""
    rows = []
    for row in listed(stage).items:
        assert isinstance(row, ConversationRow)
        rows.append((row.text, row.unread, f"{row.sender}: {row.excerpt}" if row.sender else row.excerpt))
    return rows


def listed(stage: Stage) -> ManageList[Conversation | None]:
    screen = stage.app.screen
    assert isinstance(screen, InboxScreen | RecentScreen)
    return screen.list


async def talk(stage: Stage) -> None:
    """Creates messages in two topics and a direct conversation; the direct message is sent between the
    topics'.
    """
    await stage.go(Narrow.mentions())  # an empty view, in which nothing becomes read
    await stage.server.send("bruno", "general", "lunch", "Soup **again**")
    await stage.server.send("chiyo", "general", "lunch", "No &amp; never")
    await stage.server.send_direct("dario", ["ada"], "Are you in?")
    last = await stage.server.send("bruno", "engineering", "builds", "Green")
    await until(lambda: last in stage.session.state.messages)


async def test_the_inbox_groups_what_is_unread_by_channel(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await talk(stage)
        await stage.press("I")
        assert shown(stage) == [
            ("Direct messages", 1, ""),
            ("Dario Vance", 1, "Are you in?"),
            ("engineering", 1, ""),
            ("builds", 1, "Bruno Castell: Green"),
            ("general", 2, ""),
            ("lunch", 2, "Chiyo Tanaka: No & never"),
        ]
        await stage.press("enter")
        assert stage.screen.narrow == Narrow.direct(frozenset({stage.server.id("dario")}))


async def test_a_row_says_how_many_mentions_and_that_an_alert_word_is_in_it(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.server.call("ada", "POST", "/users/me/alert_words", {"alert_words": '["soup"]'})
        await until(lambda: stage.session.state.users.alert_words == ("soup",))
        await talk(stage)
        last = await stage.server.send("bruno", "general", "lunch", "Really, @**Ada Moreno**")
        await until(lambda: last in stage.session.state.messages)
        await stage.press("I")
        assert ("lunch · alert word", 3) in [row[:2] for row in shown(stage)]
        assert ("builds", 1) in [row[:2] for row in shown(stage)]
        assert "@3" in screen_text(stage.app.screen)


@pytest.mark.parametrize(
    ("only", "names"),
    [
        ("Unread", ["engineering › builds", "Dario Vance", "general › lunch"]),
        ("Direct", ["Dario Vance"]),
        ("Muted", []),
        ("Participated", []),
    ],
)
async def test_only_some_conversations_are_listed_by_key(tmp_path: Path, only: str, names: list[str]) -> None:
    async with on_stage(tmp_path) as stage:
        await talk(stage)
        await stage.press("t", "v")
        await choose(stage, only)
        await until(lambda: [row[0] for row in shown(stage)] == names)
        assert f"Recent conversations: {only.lower()}" in screen_text(stage.app.screen)


async def test_recent_conversations_come_newest_first_read_or_not(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await talk(stage)
        stage.session.outbox.send(DirectDestination(frozenset({stage.server.id("elif")})), "Hi")
        await until(lambda: not stage.session.outbox.entries())
        await stage.press("t")
        assert [row[0] for row in shown(stage)] == [
            "Elif Kaya",
            "engineering › builds",
            "Dario Vance",
            "general › lunch",
        ]


async def test_a_conversation_is_marked_read_and_muted_in_place(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await talk(stage)
        state = stage.session.state
        await stage.press("I", "Z")
        await until(lambda: state.unreads.count_directs() == 0)
        await until(lambda: shown(stage)[0][0] == "engineering")
        channel_id = stage.server.channel("engineering")
        await stage.press("g", "down", "M")
        await until(lambda: state.topics.visibility(channel_id, "builds") is VisibilityPolicy.MUTED)
        await until(lambda: [row[0] for row in shown(stage)] == ["general", "lunch"])
        await until(
            lambda: "Topic muted: #engineering › builds. u takes it back" in screen_text(stage.app.screen)
        )


async def test_marking_as_read_and_muting_are_taken_back_by_one_key(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await talk(stage)
        state, engineering = stage.session.state, stage.server.channel("engineering")
        await stage.press("I")
        everything = shown(stage)
        await stage.press("Z")
        await until(lambda: state.unreads.count_directs() == 0)
        await stage.press("u")
        await until(lambda: state.unreads.count_directs() == 1)
        await until(lambda: shown(stage) == everything)
        listed(stage).select_key((None, ("channel", engineering, "builds")))
        await stage.press("M")
        await until(lambda: len(shown(stage)) == 4)
        await stage.press("u")
        await until(lambda: shown(stage) == everything)
        assert state.topics.visibility(engineering, "builds") is VisibilityPolicy.NONE
        await until(lambda: "Topic unmuted again." in screen_text(stage.app.screen))
        await stage.press("u")
        assert "There is no change to take back." in screen_text(stage.app.screen)


async def test_a_text_typed_into_the_inbox_says_how_to_write_and_does_nothing_more(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await talk(stage)
        await stage.press("I")
        everything = shown(stage)
        await at_once(stage, "hi Maddie, zZ ,")
        assert shown(stage) == everything
        assert isinstance(stage.app.screen, InboxScreen)
        assert not stage.session.state.is_muted(stage.server.channel("engineering"), "builds")
        await stage.told(
            "No command has the key h here. c writes to a channel, x to a person, F1 lists all keys."
        )


async def test_several_conversations_and_whole_groups_are_marked_as_read_or_muted_together(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path) as stage:
        await talk(stage)
        state, engineering = stage.session.state, stage.server.channel("engineering")
        await stage.server.send("bruno", "engineering", "tests", "Red")
        await until(lambda: state.unreads.count_topic(engineering, "tests") == 1)
        await stage.press("I", "comma")  # Dario
        listed(stage).select_key((None, ("channel", engineering, "tests")))
        await stage.press("comma")
        assert "2 conversations selected" in screen_text(stage.app.screen)
        assert screen_text(stage.app.screen).count("✓") == 2
        await stage.press("Z")
        await until(
            lambda: (state.unreads.count_directs(), state.unreads.count_topic(engineering, "tests")) == (0, 0)
        )
        await until(lambda: "Marked as read: 2 conversations." in screen_text(stage.app.screen))
        await stage.server.send("bruno", "engineering", "tests", "Red")
        await until(lambda: [row[0] for row in shown(stage)][:3] == ["engineering", "tests", "builds"])
        listed(stage).select_key(("heading", None, engineering))
        await stage.press("M")
        assert "Select topics to mute them." in screen_text(stage.app.screen)
        await stage.press("down", "comma", "comma", "M")
        await until(lambda: all(state.is_muted(engineering, topic) for topic in ("tests", "builds")))


@pytest.mark.parametrize("way", ["channel list", "command", "recent conversations"])
async def test_a_topic_in_a_muted_channel_is_unmuted_and_muted_alike_everywhere(
    tmp_path: Path, way: str
) -> None:
    async with on_stage(tmp_path) as stage:
        await talk(stage)
        state, listed = stage.session.state, stage.screen.navigation.list
        channel_id = stage.server.channel("general")
        await stage.go(Narrow.topic(channel_id, "lunch"))
        if not stage.screen.plan.shows_navigation:
            await run(stage, "pane.navigation")
        stage.screen.set_focus(listed)
        listed.select_key(("channel", channel_id))
        await stage.press("M")
        await until(lambda: (channel := state.channels.get(channel_id)) is not None and channel.is_muted)
        assert state.is_muted(channel_id, "lunch")
        if way == "channel list":
            listed.select_key(("topic", channel_id, "lunch"))
        elif way == "command":
            stage.screen.focus_messages()
        else:
            stage.screen.focus_messages()
            await stage.press("t")
            screen = stage.app.screen
            assert isinstance(screen, RecentScreen)
            row = next(row for row in screen.list.items if row.text.startswith("general › lunch"))
            screen.list.select_key(row.key)
        await stage.press("M")
        await until(lambda: state.topics.visibility(channel_id, "lunch") is VisibilityPolicy.UNMUTED)
        assert not state.is_muted(channel_id, "lunch")
        await stage.press("M")
        await until(lambda: state.topics.visibility(channel_id, "lunch") is VisibilityPolicy.MUTED)
        if way != "recent conversations":
            assert stage.notices[-1] == "Muted: #general › lunch"


async def test_letters_filter_the_list_only_after_a_slash(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await talk(stage)
        await stage.press("t")
        everything = shown(stage)
        await stage.press("o", "y", "u")
        assert shown(stage) == everything
        await stage.press("home", "slash")
        await stage.type("lunch")
        screen = stage.app.screen
        assert isinstance(screen, RecentScreen)
        assert [row.text for row in screen.list.shown] == ["general › lunch"]


async def test_keys_of_the_main_screen_lead_out_of_the_inbox(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await talk(stage)
        await stage.press("I", "f")
        assert stage.app.screen is stage.screen
        assert stage.screen.narrow == Narrow.starred()
        await stage.press("I", "escape")
        assert stage.app.screen is stage.screen
        assert stage.screen.narrow == Narrow.starred(), "Escape only closes"
        for key, opened in (("ctrl+k", Picker), ("ctrl+p", Picker)):
            await stage.press("I", key)
            assert isinstance(stage.app.screen, opened)
            await stage.press("escape")
            assert stage.app.screen is stage.screen
        await stage.press("I", "p")
        assert stage.screen.narrow == Narrow.direct(frozenset({stage.server.id("dario")}))
        await stage.press("I", "n")
        assert stage.screen.narrow == Narrow.topic(stage.server.channel("engineering"), "builds")
        await stage.press("I", "c")
        await until(lambda: stage.screen.writing.has_focus_within)
        await stage.press("escape")
        for key, screen in (("C", ChannelsScreen), ("alt+s", SignedInScreen)):
            await stage.press("I", key)
            await until(lambda screen=screen: isinstance(stage.app.screen, screen))  # type: ignore[misc]
            await stage.press("escape")


async def test_new_messages_are_added_to_the_list(tmp_path: Path) -> None:
    async with on_stage(tmp_path, config=Config()) as stage:
        await stage.press("I")
        assert shown(stage) == []
        await talk(stage)
        await until(lambda: len(shown(stage)) == 6)
        heights = [listed(stage).rows_of(item) for item in listed(stage).items]
        assert heights == [1, 1, 2, 1, 2, 1], "one row each, and a blank one between groups"


async def test_behind_another_dialog_the_list_waits(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.go(Narrow.mentions())  # an empty view, in which nothing becomes read
        await stage.press("I")
        inbox = stage.app.screen
        assert isinstance(inbox, InboxScreen)
        await stage.press("f1")
        assert stage.app.screen is not inbox
        last = await stage.server.send("bruno", "general", "lunch", "Soup")
        await until(lambda: last in stage.session.state.messages and not stage.screen.frames.is_due)
        assert list(inbox.list.items) == []
        await stage.press("escape")
        assert stage.app.screen is inbox
        assert [row[0] for row in shown(stage)] == ["general", "lunch"]


async def test_enter_on_a_heading_folds_its_group(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await talk(stage)
        await stage.press("I", "up", "enter")
        assert [row[0] for row in shown(stage)] == [
            "Direct messages",
            "engineering",
            "builds",
            "general",
            "lunch",
        ]
        await stage.press("enter")
        assert len(shown(stage)) == 6


async def test_unread_mentions_are_counted_beside_their_conversation(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.go(Narrow.mentions())
        await stage.server.send("chiyo", "general", "lunch", "nothing")
        last = await stage.server.send("bruno", "general", "lunch", "@**Ada Moreno** soup?")
        await until(lambda: last in stage.session.state.messages)
        await stage.press("I")
        assert "@2" in screen_text(stage.app.screen)


@pytest.mark.parametrize("size", [(40, 12), (80, 24), (120, 40), (200, 60)])
async def test_every_row_keeps_its_columns_at_any_width(tmp_path: Path, size: tuple[int, int]) -> None:
    async with on_stage(tmp_path, size=size) as stage:
        await stage.go(Narrow.mentions())
        last = await stage.server.send("bruno", "general", "a topic that is long " * 2, "word " * 60)
        await until(lambda: last in stage.session.state.messages)
        await stage.press("I")
        row = next(line for line in screen_rows(stage.app.screen) if "a topic" in line)
        assert row.rstrip().endswith(("am", "pm")) or row.rstrip()[-3] == ":"
        assert " 1 " in row


async def test_numbers_end_in_one_column_however_long_the_time_is(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(120, 40)) as stage:
        await talk(stage)
        await stage.press("I")
        row = next(row for row in listed(stage).items if row.text == "lunch")
        assert isinstance(row, ConversationRow)
        ends = []
        for when in ("9:05", "yesterday", "12:23 pm", "Thu 26 Nov", "30.11.2025"):
            (strip,) = listed(stage).render_item(replace(row, when=when, mentions=1), 80, False)
            number, _, rest = strip.text.partition("@2")
            assert rest.rstrip() == rest.strip().rjust(12), "two blanks before the longest"
            ends.append(len(number))
        assert len(set(ends)) == 1


async def test_the_keys_of_both_views_lead_from_one_to_the_other_and_back(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.press("t")
        assert isinstance(stage.app.screen, RecentScreen)
        await stage.press("I")
        assert isinstance(stage.app.screen, InboxScreen)
        await stage.press("t")
        assert isinstance(stage.app.screen, RecentScreen)
        await stage.press("t")
        await until(lambda: stage.app.screen_stack[-1] is stage.screen)


def marked(stage: Stage) -> list[str]:
    """The rows of the channel list that are drawn as the open view."""
    listed = stage.screen.navigation.list
    look = listed.part_style("navigation--current")
    return [
        item.text
        for item in listed.shown
        if any(
            segment.text.strip() == item.text and segment.style == look
            for strip in listed.render_item(item, 40, selected=False)
            for segment in strip
        )
    ]


async def test_the_channel_list_marks_the_view_that_lies_over_the_messages(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(120, 40)) as stage:
        await stage.go(Narrow.mentions())
        assert marked(stage) == ["Mentions"]
        await stage.press("I")
        assert marked(stage) == ["Inbox"]
        await stage.press("t")
        await until(lambda: marked(stage) == ["Recent conversations"])
        await stage.press("escape")
        await until(lambda: marked(stage) == ["Mentions"])
        await run(stage, "go.drafts")
        assert marked(stage) == ["Drafts"]
        await stage.press("escape")
        await until(lambda: marked(stage) == ["Mentions"])


@pytest.mark.parametrize("width", [80, 96, 120])
async def test_the_keys_of_the_inbox_take_one_row_at_any_width(tmp_path: Path, width: int) -> None:
    async with on_stage(tmp_path, size=(width, 24)) as stage:
        await talk(stage)
        await stage.press("I")
        inbox = stage.app.screen
        assert isinstance(inbox, InboxScreen)
        await until(lambda: bool(inbox.key_line.region))
        assert inbox.key_line.region.height == 1
        (keys,) = (row for row in screen_rows(inbox) if "Enter opens" in row)
        assert keys.rstrip().endswith("/ filters")
        if width != 96:
            assert ", selects" in keys


async def test_above_the_first_conversation_its_heading_is_shown_on_the_lowest_terminal(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path, size=(80, 8)) as stage:
        await talk(stage)
        await stage.press("I")
        await until(lambda: "Direct messages" in screen_text(stage.app.screen))
        assert listed(stage).selected_item == listed(stage).items[1]


@pytest.mark.parametrize("key", ["I", "t"])
async def test_a_closed_list_of_conversations_is_not_told_of_changes_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.go(Narrow.mentions())
        subscribe = stage.session.subscribe
        told: list[Listener] = []

        def noted(listener: Listener) -> Callable[[], None]:
            told.append(listener)
            unsubscribe = subscribe(listener)

            def end() -> None:
                unsubscribe()
                told.remove(listener)

            return end

        monkeypatch.setattr(stage.session, "subscribe", noted)
        await stage.press(key)
        assert len(told) == 1
        closed = stage.app.screen
        assert isinstance(closed, InboxScreen | RecentScreen)
        await stage.press("escape")
        await until(lambda: not told and not closed.is_attached)
        followed: list[object] = []
        monkeypatch.setattr(closed, "_on_new_state", lambda: followed.append(closed))
        await talk(stage)
        await until(lambda: "4 unread" in stage.status_line)
        assert followed == []
