"""Writing in the app, on a live account of the embedded server."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from textual import events
from textual.geometry import Region

from narrowcast.app.config import Config, Writing
from narrowcast.screens.messages.outbox import OutboxScreen
from narrowcast.widgets.one_line import OneLine
from narrowcast_api.narrow.destinations import ChannelDestination, DirectDestination
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.protocols.outbox_item import MessageLimits
from support.server import Listener, running_server
from support.sessions import until
from support.stage import Stage, on_stage


async def next_event(listener: Listener, kind: str) -> object:
    """The op of the next event of a kind."""
    while not (events := await listener.events(kind)):
        await asyncio.sleep(0.01)
    return events[0]["op"]


async def in_topic(stage: Stage, channel: str, topic: str) -> ChannelDestination:
    """Opens a topic that has a message of Bruno's."""
    await stage.server.send("bruno", channel, topic, "Anybody?")
    where = ChannelDestination(stage.server.channel(channel), topic)
    stage.screen.go(Narrow.topic(where.channel_id, topic))
    view = stage.session.view(Narrow.topic(where.channel_id, topic))
    await until(lambda: view.ids and not view.loading)
    await stage.pilot.pause()
    return where


async def test_enter_sends_what_was_written_and_empties_compose(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        where = await in_topic(stage, "general", "lunch")
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


async def test_the_other_enter_is_a_new_line_and_a_configuration_swaps_them(tmp_path: Path) -> None:
    config = Config(compose=Writing(enter="newline"))
    async with on_stage(tmp_path, config=config) as stage:
        await in_topic(stage, "general", "lunch")
        await stage.press("c")
        await stage.type("one")
        await stage.press("enter")
        await stage.type("two")
        assert stage.screen.writing.text.text == "one\ntwo"
        await stage.press("ctrl+j")
        assert stage.screen.writing.text.text == ""


async def test_ctrl_j_breaks_the_line_where_enter_sends(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await in_topic(stage, "general", "lunch")
        await stage.press("c")
        await stage.type("one")
        await stage.press("ctrl+j")
        await stage.type("two")
        assert stage.screen.writing.text.text == "one\ntwo"


async def test_keys_that_follow_at_once_land_in_the_field_that_the_first_key_opened(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await in_topic(stage, "general", "lunch")
        for character in "chad a thought":
            key = "space" if character == " " else character
            stage.app.post_message(events.Key(key, character))
        await until(lambda: stage.screen.writing.text.text == "had a thought")


async def test_what_is_pasted_is_one_text_and_sends_nothing(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await in_topic(stage, "general", "lunch")
        stage.app.post_message(events.Paste("first\r\nsecond\x1b[31m"))
        await until(lambda: stage.screen.writing.text.text == "first\nsecond\x1b[31m")
        assert stage.app.focused is stage.screen.writing.text
        assert stage.session.outbox.entries() == []
        shown = "".join(strip.text for strip in stage.app.screen._compositor.render_strips())
        assert "\x1b" not in shown


async def test_a_draft_is_kept_for_each_conversation_and_comes_back_with_it(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await in_topic(stage, "general", "lunch")
        await stage.press("c")
        await stage.type("half a thought")
        await in_topic(stage, "engineering", "music")
        assert stage.screen.writing.text.text == ""
        stage.screen.go(Narrow.topic(stage.server.channel("general"), "lunch"))
        await stage.pilot.pause()
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
        await in_topic(stage, "general", "lunch")
        await stage.press("c")
        limit = stage.session.state.limits.max_message_length
        stage.screen.writing.text.insert("x" * (limit + 3))
        await stage.pilot.pause()
        assert "3 over the limit" in stage.screen.writing.target.hint.plain
        await stage.press("enter")
        assert len(stage.screen.writing.text.text) == limit + 3
        assert "3 characters over the limit" in stage.notices[-1]


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
        await in_topic(stage, "general", "lunch")
        await stage.press("c")
        await stage.type(typed)
        assert stage.screen.writing.has_class("-offering")
        await stage.press("tab")
        assert stage.screen.writing.text.text == completed


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


async def test_ones_own_message_is_edited_in_place_and_the_draft_comes_back(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        where = await in_topic(stage, "general", "lunch")
        message_id = await stage.server.send("ada", "general", "lunch", "Soop **for** me")
        view = stage.session.view(Narrow.from_destination(where))
        await until(lambda: message_id in view.ids)
        await stage.press("c")
        await stage.type("and bread")
        await stage.press("escape")
        await stage.press("G", "e")
        await until(lambda: stage.screen.writing.editing == message_id)
        assert stage.screen.writing.text.text == "Soop **for** me"
        stage.screen.writing.text.text = "Soup for me"
        await stage.press("ctrl+d")
        assert stage.screen.writing.text.text == "and bread"

        def content() -> str:
            message = stage.session.state.messages.get(message_id)
            return message.content if message is not None else ""

        await until(lambda: "Soup for me" in content())


async def test_a_file_is_attached_and_its_link_stands_in_the_text(tmp_path: Path) -> None:
    path = tmp_path / "plan.txt"
    path.write_text("the plan")
    async with on_stage(tmp_path) as stage:
        await in_topic(stage, "general", "lunch")
        await stage.press("c")
        await stage.type("See ")
        await stage.press("ctrl+t")
        await stage.type(str(path))
        await stage.press("enter")
        await until(lambda: "plan.txt](/user_uploads/" in stage.screen.writing.text.text)
        assert stage.screen.writing.text.text.startswith("See [plan.txt](")


class SlowUpload:
    """Sends half of a file and waits until it may go on."""

    def __init__(self) -> None:
        self.go_on = asyncio.Event()
        self.starts: list[str | None] = []

    async def __call__(
        self,
        path: Path,
        *,
        progress: Callable[[int, int], None],
        resume_from: str | None,
        resumable: Callable[[str], None],
    ) -> str:
        self.starts.append(resume_from)
        progress(50, 100)
        resumable("/api/v1/tus/1")
        await self.go_on.wait()
        return f"[{path.name}](/user_uploads/{path.name})"


def row_of(stage: Stage) -> str:
    """The row of the newest upload."""
    rows = stage.screen.writing.uploads.query(OneLine)
    return re.sub(" +", " ", rows.last().plain) if rows else ""


async def attach(stage: Stage, path: Path) -> SlowUpload:
    """Chooses a file of 100 bytes for what is written; half of it arrives."""
    path.write_bytes(b"x" * 100)
    slow = SlowUpload()
    stage.session.uploads._upload = slow
    stage.screen.writing.uploads.start(path, stage.screen.writing.target.read(stage.session.state)[0], None)
    await until(lambda: slow.starts)
    stage.screen.writing.uploads.refresh_rows()
    await stage.pilot.pause()
    return slow


async def test_an_upload_shows_its_progress_is_stopped_resumed_and_dropped(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await in_topic(stage, "general", "lunch")
        await stage.press("c")
        slow = await attach(stage, tmp_path / "plan.txt")
        assert "plan.txt ████████ ░░░░░░░░ 50% of 100 B" in row_of(stage)
        assert "Ctrl-x pauses" in row_of(stage)
        await stage.press("ctrl+x")
        assert "paused" in row_of(stage)
        assert "Ctrl-x resumes" in row_of(stage)
        await stage.press("ctrl+x")
        await until(lambda: slow.starts == [None, "/api/v1/tus/1"])
        await stage.press("alt+x")
        assert stage.session.uploads.all() == []
        assert not stage.screen.writing.uploads.query(OneLine)


async def test_who_sends_before_a_file_is_there_is_told_and_finds_its_link_in_the_next_text(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path) as stage:
        await in_topic(stage, "general", "lunch")
        await stage.press("c")
        slow = await attach(stage, tmp_path / "plan.txt")
        await stage.type("See")
        await stage.press("enter")
        assert "Sent without plan.txt" in stage.notices[-1]
        slow.go_on.set()
        await until(lambda: stage.screen.writing.text.text == "[plan.txt](/user_uploads/plan.txt) ")


async def test_a_link_goes_into_the_draft_of_its_conversation_when_one_writes_elsewhere(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path) as stage:
        await in_topic(stage, "general", "lunch")
        await stage.press("c")
        await stage.type("See")
        slow = await attach(stage, tmp_path / "plan.txt")
        await stage.press("escape")
        await in_topic(stage, "general", "tea")
        assert "for #general › lunch" in row_of(stage)
        slow.go_on.set()
        await until(lambda: stage.session.uploads.all() == [])
        assert stage.screen.writing.text.text == ""
        assert [draft.content for draft in stage.session.drafts.all()] == [
            "See [plan.txt](/user_uploads/plan.txt) "
        ]
        await until(lambda: any("Its link is in your draft to" in notice for notice in stage.notices))


async def test_a_row_that_was_just_removed_paints_nothing_and_ends_nothing(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        line = OneLine()
        await stage.screen.writing.uploads.mount(line)
        line.show_pieces([("a file", "")])
        await stage.pilot.pause()
        await line.remove()
        strips = line.render_lines(Region(0, 0, 30, 1))
        assert [strip.text.strip() for strip in strips] == [""]


async def test_an_upload_goes_on_after_a_restart_and_its_link_finds_its_draft(tmp_path: Path) -> None:
    path = tmp_path / "plan.txt"
    async with running_server(tmp_path / "server") as server:
        async with on_stage(tmp_path, server=server) as stage:
            await in_topic(stage, "general", "lunch")
            await stage.press("c")
            await stage.type("See")
            await attach(stage, path)
        async with on_stage(tmp_path, server=server) as stage:
            await until(lambda: stage.session.uploads.all() == [])
            await until(lambda: "plan.txt](/user_uploads/" in stage.screen.writing.text.text)
            assert stage.screen.writing.text.text.startswith("See")


async def test_a_file_that_changed_before_the_restart_says_so_in_its_row(tmp_path: Path) -> None:
    path = tmp_path / "plan.txt"
    async with running_server(tmp_path / "server") as server:
        async with on_stage(tmp_path, server=server) as stage:
            await in_topic(stage, "general", "lunch")
            await attach(stage, path)
        path.write_bytes(b"another plan")
        async with on_stage(tmp_path, server=server, size=(160, 40)) as stage:
            await until(lambda: "has changed since it was attached" in row_of(stage))
            assert "Go on to send it as it is now, or drop it." in stage.notices[-1]
            await stage.press("c", "ctrl+x")
            await until(lambda: stage.session.uploads.all() == [])


async def test_a_failed_message_is_taken_back_into_compose_with_its_words(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        where = ChannelDestination(stage.server.channel("general"), "x" * 500)
        stage.session.outbox.send(where, "words that matter")
        await stage.press("f9")
        assert stage.screen.writing.text.text == "words that matter"
        assert stage.session.outbox.entries() == []


async def test_what_failed_in_a_conversation_is_sent_again_together_by_one_key(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        where = await in_topic(stage, "general", "lunch")
        stage.session.outbox._limits = lambda: MessageLimits(1, 60)  # for a while the server takes less
        for words in ("one", "two"):
            stage.session.outbox.send(where, words)
        elsewhere = ChannelDestination(where.channel_id, "elsewhere")
        stage.session.outbox.send(elsewhere, "three")
        stage.session.outbox._limits = lambda: MessageLimits(1000, 60)
        await stage.press("f8")
        await until(lambda: [entry.content for entry in stage.session.outbox.entries()] == ["three"])


async def test_the_outbox_lists_what_is_not_sent_why_and_gives_it_back(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        where = await in_topic(stage, "general", "lunch")
        far = ChannelDestination(where.channel_id, "x" * 500)
        for words in ("words that matter", "more words"):
            stage.session.outbox.send(far, words)
        await stage.press("B")
        screen = stage.app.screen
        assert isinstance(screen, OutboxScreen)
        shown = "\n".join(strip.text for strip in screen.list.render_item(screen.list.items[0], 80, False))
        assert "words that matter" in shown
        assert "Failed to send: The topic is" in shown
        await stage.press("s", "x")
        assert stage.screen.writing.text.text == "words that matter"
        assert [entry.content for entry in stage.session.outbox.entries()] == ["more words"]
        await stage.press("escape", "B")
        stage.session.outbox.cancel(stage.session.outbox.entries()[0].local_id)
        await stage.pilot.pause()
        assert isinstance(stage.app.screen, OutboxScreen)
        assert not stage.app.screen.list.items, "the list follows the outbox"


async def test_the_outbox_leads_to_the_conversation(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await in_topic(stage, "general", "lunch")
        bruno = stage.server.account("bruno").email
        (user,) = [user for user in stage.session.state.users.active() if user.email == bruno]
        stage.session.outbox.send(DirectDestination(frozenset({user.user_id})), "x" * 20_000)
        await stage.press("B", "enter")
        assert stage.screen.narrow == Narrow.direct(frozenset({user.user_id}))


async def test_what_one_sends_comes_into_view_unless_unread_messages_lie_before_it(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(120, 24)) as stage:
        where = await in_topic(stage, "general", "lunch")
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
        assert "G goes to the newest" in stage.notices[-1]


async def test_a_message_sent_elsewhere_says_where_it_is_and_a_key_goes_there(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await in_topic(stage, "general", "lunch")
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


async def test_after_saving_an_edit_the_cursor_is_where_it_is_after_sending(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        where = await in_topic(stage, "general", "lunch")
        message_id = await stage.server.send("ada", "general", "lunch", "Soop")
        view = stage.session.view(Narrow.from_destination(where))
        await until(lambda: message_id in view.ids)
        await stage.press("G", "e")
        await until(lambda: stage.screen.writing.editing == message_id)
        stage.screen.writing.text.text = "Soup"
        await stage.press("enter")
        assert stage.app.focused is stage.screen.writing.text


async def test_an_edit_that_was_left_comes_back_with_its_message(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        where = await in_topic(stage, "general", "lunch")
        message_id = await stage.server.send("ada", "general", "lunch", "Soop")
        view = stage.session.view(Narrow.from_destination(where))
        await until(lambda: message_id in view.ids)
        await stage.press("G", "e")
        await until(lambda: stage.screen.writing.editing == message_id)
        await stage.type(" and bread")
        stage.screen.go(Narrow.all())
        await stage.pilot.pause()
        assert "Edit not saved" in stage.notices[-1]
        assert stage.screen.writing.editing is None
        stage.screen.go(Narrow.from_destination(where))
        await stage.press("G", "e")
        await until(lambda: stage.screen.writing.editing == message_id)
        assert stage.screen.writing.text.text == "Soop and bread"
        assert stage.session.drafts.all() == []
