"""Reading and moving around in the app, on a live account of the embedded server."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from narrowcast.config.config import Config
from narrowcast.content.inlines import Target, TargetKind
from narrowcast.panes.navigation.rows import Kind
from narrowcast.screens.dialogs.confirm import ConfirmScreen
from narrowcast.screens.dialogs.help import HelpScreen
from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.picker import Picker
from narrowcast.screens.later.scheduled import ScheduledScreen
from narrowcast.screens.messages.drafts import DraftsScreen
from narrowcast.widgets.strips import plain_text
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.state.changes import UnreadsChanged
from support.screens import screen_text
from support.sessions import until
from support.stage import Stage, on_stage, run


async def test_navigation_shows_channels_and_counts_what_is_unread(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.go(Narrow.mentions())
        await stage.server.send("bruno", "engineering", "build", "It is green.")
        await until(lambda: stage.session.state.unreads.count_all() == 1)
        stage.screen.navigation.refresh_rows()
        rows = {row.text: row for row in stage.screen.navigation.list.items}
        assert rows["Inbox"].unread == 1
        assert rows["engineering"].unread == 1
        assert rows["general"].unread == 0


async def test_a_count_that_is_incomplete_says_so(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        unreads = stage.session.state.unreads
        unreads.add_topic(stage.server.channel("general"), "soup", range(1_000_000, 1_050_000))
        unreads.old_missing = True
        stage.session.publish(UnreadsChanged())
        await until(lambda: "50,000+ unread" in stage.status_line)
        inbox = next(row for row in screen_text(stage.screen).split("\n") if "Inbox" in row)
        assert "50,000+" in inbox
        await run(stage, "own.read-all")
        assert "Mark 50,000+ unread messages as read?" in screen_text(stage.app.screen)


async def test_the_switcher_goes_to_a_channel_by_a_few_letters(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.press("ctrl+k")
        await stage.type("engin")
        await stage.press("enter")
        await until(lambda: stage.screen.narrow == Narrow.channel(stage.server.channel("engineering")))


def is_open(stage: Stage, narrow: Narrow) -> bool:
    return stage.screen.narrow == narrow


async def test_the_switcher_takes_a_channel_as_it_is_written_in_messages(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        engineering, general = stage.server.channel("engineering"), stage.server.channel("general")
        sent = await stage.server.send("bruno", "engineering", "build", "red")
        await stage.server.send("bruno", "general", "leads", "soup")
        await until(lambda: sent in stage.session.state.messages)
        for typed, narrow in {
            "#engineering": Narrow.channel(engineering),
            "#leads": Narrow.channel(stage.server.channel("leads")),
            "#engineering bui": Narrow.topic(engineering, "build"),
            "#general": Narrow.channel(general),
            "leads": Narrow.channel(stage.server.channel("leads")),
        }.items():
            await stage.press("ctrl+k")
            await stage.type(typed)
            await stage.press("enter")
            await until(partial(is_open, stage, narrow))


async def test_n_goes_from_unread_topic_to_unread_topic_and_back_returns(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.go(Narrow.mentions())
        first = await stage.server.send("bruno", "engineering", "build", "red")
        second = await stage.server.send("bruno", "general", "lunch", "soup")
        await until(lambda: {first, second} <= set(stage.session.state.unreads))
        await stage.press("n")
        one = stage.screen.narrow
        await stage.press("n")
        two = stage.screen.narrow
        topics = {
            Narrow.topic(stage.server.channel("engineering"), "build"),
            Narrow.topic(stage.server.channel("general"), "lunch"),
        }
        assert {one, two} == topics
        await stage.press("alt+left")
        assert stage.screen.narrow == one


async def test_z_marks_the_whole_view_as_read_and_the_combined_feed_after_asking(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        server, bruno = stage.server, frozenset({stage.server.id("bruno")})
        general = server.channel("general")
        await stage.go(Narrow.starred())
        soup = [await server.send("bruno", "general", "soup", f"spoon {number}") for number in range(150)]
        bread = await server.send("bruno", "general", "bread", f"@**|{server.id('ada')}** fresh")
        other = await server.send("bruno", "engineering", "build", "red")
        direct = await server.send_direct("bruno", ["ada"], "psst")
        unreads = stage.session.state.unreads
        await until(lambda: {*soup, bread, other, direct} <= set(unreads))
        for narrow, gone in (
            (Narrow.topic(general, "soup"), {*soup}),
            (Narrow.mentions(), {bread}),
            (Narrow.direct(bruno), {direct}),
        ):
            await stage.go(narrow, "newest")
            await stage.press("Z")
            await until(partial(gone.isdisjoint, unreads))
        assert set(unreads) == {other}
        await stage.go(Narrow.all())
        await stage.press("Z")
        assert isinstance(stage.app.screen, ConfirmScreen)


async def test_every_view_has_its_key(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        views = {"#": Narrow.mentions(), "f": Narrow.starred(), "P": Narrow.directs(), "a": Narrow.all()}
        for key, narrow in views.items():
            await stage.press(key)
            assert stage.screen.narrow == narrow
        await stage.press("d")
        assert isinstance(stage.app.screen, DraftsScreen)


@pytest.mark.parametrize(
    ("size", "navigation", "people"),
    [((80, 24), False, False), ((120, 40), True, False), ((200, 60), True, True)],
)
async def test_panes_fold_by_width_and_leave_sixty_columns_of_text(
    tmp_path: Path, size: tuple[int, int], navigation: bool, people: bool
) -> None:
    async with on_stage(tmp_path, size=size) as stage:
        screen = stage.screen
        assert screen.navigation.display is navigation
        assert screen.people.display is people
        assert screen.messages.size.width >= 60
        await stage.press("f2")
        assert screen.navigation.display is not navigation


async def test_help_lists_every_command_of_the_registry(tmp_path: Path) -> None:
    from narrowcast.keys.registry import REGISTRY

    async with on_stage(tmp_path) as stage:
        await stage.press("question_mark")
        screen = stage.app.screen
        assert isinstance(screen, HelpScreen)
        shown = {row.detail for row in screen.list.items}
        assert {command.id for command in REGISTRY} <= shown


async def test_the_first_steps_name_the_keys_of_the_configuration(tmp_path: Path) -> None:
    config = Config(keys={"message.down": "f7", "message.enter": "f12"})
    async with on_stage(tmp_path, config=config) as stage:
        await stage.press("question_mark")
        screen = stage.app.screen
        assert isinstance(screen, HelpScreen)
        shown = [(row.keys, row.title) for row in screen.list.items]
        assert ("F7", "Next message; F12 opens what is selected") in shown


async def test_help_begins_anew_each_time(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        for keys in (["G", "escape"], ["slash", *"reply", "down", "enter"], ["escape"]):
            await stage.press("question_mark")
            screen = stage.app.screen
            assert isinstance(screen, HelpScreen)
            assert screen.focused is screen.list
            assert screen.list.selected_item == screen.list.items[1]
            assert "First steps" in screen.list.row_at(0).text
            await stage.press(*keys)
            await stage.closed()


async def test_the_palette_does_what_is_chosen(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.press("ctrl+p")
        assert isinstance(stage.app.screen, Picker)
        await stage.type("starred messages")
        await stage.press("enter")
        await until(lambda: stage.screen.narrow == Narrow.starred())


async def test_find_in_the_channel_list_opens_the_best_match(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await stage.press("q")
        await stage.type("announ")
        await stage.press("enter")
        assert stage.screen.narrow == Narrow.channel(stage.server.channel("announcements"))
        assert stage.screen.navigation.display is False


async def test_muting_a_channel_from_the_list_reaches_the_server(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        navigation = stage.screen.navigation
        channel_id = stage.server.channel("announcements")
        navigation.list.select_key(("channel", channel_id))
        navigation.list.focus()
        await stage.pilot.pause()
        await stage.press("M")

        def muted() -> bool:
            channel = stage.session.state.channels.get(channel_id)
            return channel is not None and channel.is_muted

        await until(muted)


@pytest.mark.parametrize("command", ["channel.mute", "channel.pin"])
async def test_who_is_not_subscribed_to_a_channel_is_told_why_it_is_not_muted_or_pinned(
    tmp_path: Path, command: str
) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic("general", "lunch")
        await stage.server.call("ada", "DELETE", "/users/me/subscriptions", {"subscriptions": ["general"]})
        channel_id = stage.server.channel("general")
        state = stage.session.state
        await until(lambda: (one := state.channels.get(channel_id)) is not None and not one.is_subscribed)
        await run(stage, command)
        await stage.told("You are not subscribed to this channel.")


async def test_topics_unfold_under_their_channel(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.server.send("bruno", "general", "lunch", "soup")
        navigation = stage.screen.navigation
        channel_id = stage.server.channel("general")
        navigation.refresh_rows()
        navigation.list.select_key(("channel", channel_id))
        navigation.list.focus()
        await stage.pilot.pause()
        await stage.press("minus")
        await until(
            lambda: any(row.kind is Kind.TOPIC and row.text == "lunch" for row in navigation.list.items)
        )


async def test_the_status_line_says_who_types(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        bruno = stage.server.id("bruno")
        await stage.go(Narrow.direct(frozenset({bruno})))
        await stage.server.call(
            "bruno", "POST", "/typing", {"op": "start", "type": "direct", "to": [stage.server.id("ada")]}
        )
        await until(lambda: "Bruno Castell is typing" in stage.status_line)


async def test_a_message_shows_who_is_editing_it(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic(content="Soup, or noodles?")
        feed = stage.screen.messages.list.feed
        assert feed is not None
        message = feed.ids[-1]

        def shows(text: str) -> bool:
            return text in screen_text(stage.screen)

        await stage.server.call("bruno", "POST", f"/messages/{message}/typing", {"op": "start"})
        await until(lambda: shows("Bruno Castell is editing this message…"))
        await stage.server.call("bruno", "PATCH", f"/messages/{message}", {"content": "Noodles."})
        await stage.server.call("bruno", "POST", f"/messages/{message}/typing", {"op": "stop"})
        await until(lambda: shows("Noodles.") and not shows("is editing"))


async def test_a_failure_in_the_background_is_told_and_ends_nothing(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:

        async def fail() -> None:
            raise RuntimeError("no")

        stage.app.spawn(fail(), "count the sheep")
        await stage.told("Could not count the sheep")
        assert stage.app.is_running


async def test_server_text_is_shown_without_markup_or_escapes(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.server.send("bruno", "general", "[@click=app.quit]x[/foo]", "a\u202eb")
        channel_id = stage.server.channel("general")
        await stage.session.loader.topics(channel_id)
        topic = stage.session.state.topics.of(channel_id)[0].name
        await stage.go(Narrow.topic(channel_id, topic))
        shown = screen_text(stage.app.screen)
        assert "[@click=app.quit]x[/foo]" in shown
        assert not any(character in shown for character in "\u202e\u0007\x1b")


async def test_a_link_to_scheduled_messages_opens_them_here(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        stage.screen.messages.parts.links.follow(
            0, Target(TargetKind.LINK, "#scheduled", "View scheduled messages")
        )
        await until(lambda: isinstance(stage.app.screen, ScheduledScreen))


async def test_a_notice_shows_untrusted_text_without_markup(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        stage.app.notify("[red]a\x1b[31mb\u202ec")
        await until(lambda: stage.notices)
        notice = stage.notices[-1]
        assert notice.startswith("[red]a")
        assert not set("\x1b\u202e") & set(notice)


async def test_a_notice_is_shown_once_and_only_the_newest_are(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        for text in ("one", "two", "two", "three", "four", "three"):
            stage.app.notify(text)
        await stage.drawn()
        assert stage.notices == ["two", "four", "three"]


async def test_the_switcher_finds_public_channels_that_one_is_not_in(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        assert stage.session.state.channels.id_of("design") is not None
        await stage.press("ctrl+k")
        await stage.type("design")
        await stage.press("enter")
        await until(lambda: stage.screen.narrow == Narrow.channel(stage.server.channel("design")))


async def test_a_filter_that_nothing_matches_says_so(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await run(stage, "channel.browse")
        screen = stage.app.screen
        assert isinstance(screen, ManageScreen)
        await stage.press("slash")
        await stage.type("zzz")
        rows = plain_text(screen.list.compose_row(y) for y in range(screen.list.room.height))
        assert "Nothing matches 'zzz'" in rows


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("ctrl+k", "For commands, press Esc and Ctrl-p."),
        ("ctrl+p", "For channels, topics and people, press Esc and Ctrl-k."),
    ],
)
async def test_names_and_commands_are_found_by_who_looks_in_the_wrong_list(
    tmp_path: Path, key: str, hint: str
) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.press(key)
        await stage.type("zzz")
        picker = stage.app.screen
        assert isinstance(picker, Picker)
        rows = plain_text(picker.list.compose_row(y) for y in range(picker.list.room.height))
        assert hint in " ".join(rows.split())


async def test_a_click_on_the_heading_of_a_conversation_opens_it(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        message_id = await stage.server.send("bruno", "general", "lunch", "Soup")
        await stage.server.send("bruno", "engineering", "builds", "Green")
        await until(lambda: message_id in stage.session.state.messages)
        await stage.go(Narrow.all())
        rows = stage.screen.messages.list
        lines: list[str] = []

        def shown() -> bool:
            lines[:] = [rows.render_line(y).text for y in range(rows.size.height)]
            return all(any(name in line for line in lines) for name in ("#general › lunch", "Green"))

        await until(shown)
        y = next(y for y, line in enumerate(lines) if "#general › lunch" in line)
        await stage.pilot.click(rows, offset=(lines[y].index("lunch") + 1, y))
        await stage.pilot.pause()
        assert stage.screen.narrow == Narrow.topic(stage.server.channel("general"), "lunch")


async def test_escape_in_the_channel_list_ends_the_filter_then_leads_back_to_the_messages(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        here = Narrow.topic(stage.server.channel("general"), "lunch")
        await stage.go(here)
        await stage.press("q")
        await stage.type("eng")
        await stage.press("escape")
        assert stage.screen.navigation.list.has_focus
        assert len(stage.screen.navigation.list.shown) > 3
        await stage.press("q")
        await stage.type("e")
        first = stage.screen.navigation.list.selected_item
        await stage.press("down")
        assert stage.screen.navigation.list.selected_item is not first
        await stage.press("up", "down", "up")
        assert stage.screen.navigation.list.selected_item is first
        await stage.press("w")
        assert stage.screen.navigation.has_focus_within  # typed into the filter
        await stage.press("ctrl+u", "escape")
        await stage.press("down", "escape")
        assert stage.screen.messages.has_focus_within
        assert not stage.screen.plan.shows_navigation
        assert stage.screen.narrow == here


async def test_a_click_on_a_row_of_the_filtered_channel_list_ends_the_filter(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.press("q")
        await stage.type("engineering")
        rows = stage.screen.navigation.list
        y = next(y for y in range(rows.size.height) if "engineering" in rows.render_line(y).text)
        await stage.pilot.click(rows, offset=(5, y))
        await until(lambda: stage.screen.narrow == Narrow.channel(stage.server.channel("engineering")))
        assert {row.text for row in rows.shown} >= {"engineering", "general"}
        assert not stage.screen.navigation.leave_find()


async def test_the_keys_of_matches_and_of_offers_are_those_of_the_configuration(tmp_path: Path) -> None:
    config = Config(preset="emacs", keys={"found.older": "b"})
    async with on_stage(tmp_path, config=config) as stage:
        ids = [await stage.server.send("bruno", "general", "lunch", f"leek {n}") for n in range(3)]
        await stage.in_topic("general", "lunch")
        await until(lambda: stage.screen.messages.selected_id in ids)
        await stage.press("G", "ctrl+s", *"leek", "enter")
        assert stage.screen.messages.mode_hint.startswith("Esc closes · b older · N newer")
        await stage.press("b", "b")
        await until(lambda: stage.screen.messages.selected_id == ids[0])
        await stage.press("ctrl+g")
        assert stage.screen.messages.mode_hint == ""
        await stage.press("c")
        await stage.type("@")
        offers = stage.screen.writing.completion
        first = offers.list.selected_item
        await stage.press("ctrl+n")
        assert offers.list.selected_item is not first
        await stage.press("ctrl+p")
        assert offers.list.selected_item is first


async def test_reload_asks_the_server_again_also_where_nothing_seems_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        where = await stage.in_topic("general", "lunch", "Anybody?")
        view = stage.session.view(Narrow.from_destination(where))
        fetched: list[bool] = []
        fetch = stage.session.pages.fetch

        async def counted(*args: Any, **more: Any) -> Any:
            fetched.append(True)
            return await fetch(*args, **more)

        monkeypatch.setattr(stage.session.pages, "fetch", counted)
        await run(stage, "message.reload")
        await until(lambda: fetched and not view.loading)
