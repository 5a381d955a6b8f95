"""The app on a terminal of 40 columns and 15 rows: what one writes, and the keys, stay visible."""

from __future__ import annotations

from pathlib import Path

from narrowcast.screens.messages.drafts import ConflictScreen
from narrowcast_api.narrow.narrow import Narrow
from support.screens import edit_opened, form_of, screen_rows, screen_text
from support.stage import on_stage, run


async def test_the_topic_is_shown_instead_of_keys(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(40, 15)) as stage:
        await stage.in_topic("announcements", "lunch today")
        target = stage.screen.writing.target
        assert target.topic.render_line(0).text.strip() == "lunch today"
        await stage.press("c")
        await stage.type("Soup")
        await stage.drawn()
        assert target.topic.render_line(0).text.strip() == "lunch today"
        assert target.channel.render_line(0).text.strip() == "announcements"
        limits = stage.session.state.limits
        stage.session.state.limits = limits._replace(max_message_length=3)
        await stage.type("s")
        await stage.drawn()
        assert "2 over the limit" in screen_text(stage.screen), "not cut off at the border"


async def test_an_edit_shows_what_it_is_and_how_to_end_it(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(40, 15)) as stage:
        await stage.in_topic("general", "lunch")
        own = await stage.server.send("ada", "general", "lunch", "mine")
        await stage.shows(own)
        await stage.press("G", "e")
        await edit_opened(stage, own)
        await stage.drawn()
        target = stage.screen.writing.target
        assert target.sign.render_line(0).text.strip().startswith("Edit")
        assert "Enter saves  Esc cancels" in target.hint.render_line(0).text


async def test_values_stand_below_their_labels_and_take_all_of_the_width(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(120, 40)) as stage:
        await stage.go(Narrow.channel(stage.server.channel("announcements")))
        await run(stage, "channel.edit")
        form = await form_of(stage)
        control = form.row("name").control
        assert control.region.y == form.row("name").label.region.y + 1
        wide = control.region.width
        await stage.pilot.resize_terminal(40, 15)
        await stage.pilot.pause()
        assert control.region.width == 35
        shown = "\n".join(screen_rows(stage.app.screen))
        assert "Ctrl-d saves" in shown
        assert "Esc cancels" in shown
        await stage.pilot.resize_terminal(120, 40)
        await stage.pilot.pause()
        assert control.region.width == wide


async def test_the_keys_of_a_dialog_take_as_many_lines_as_they_need(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(40, 15)) as stage:
        await run(stage, "go.search")
        rows = [row.strip(" │▌─╰╯╭╮") for row in screen_rows(stage.app.screen)]
        assert "Search messages" in rows
        keys = rows.index("Enter searches  Tab completes")
        assert rows[keys + 1] == "Esc cancels"


async def test_both_versions_of_a_draft_are_shown_with_the_keys_that_keep_them(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(40, 15)) as stage:
        drafts = stage.session.drafts
        mine = drafts.get(drafts.save(None, None, "soup here"))
        theirs = drafts.get(drafts.save(None, None, "soup there"))
        assert mine is not None
        assert theirs is not None
        await stage.app.push_screen(ConflictScreen(stage.session, (mine, theirs)))
        await stage.pilot.pause()
        shown = "\n".join(screen_rows(stage.app.screen))
        for text in ("1 keeps the first  2 the second", "Esc decides later", "soup here", "soup there"):
            assert text in shown


async def test_a_question_shows_all_its_keys(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(40, 15)) as stage:
        await stage.in_topic("general", "lunch")
        await run(stage, "channel.archive")
        await stage.pilot.pause()
        shown = "\n".join(screen_rows(stage.app.screen))
        for text in ("[n Cancel]", "[y Archive channel]", "Tab next  Enter presses", "Esc cancels"):
            assert text in shown


async def test_no_list_covers_the_conversation_that_has_the_focus(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await stage.in_topic("general", "lunch")
        for show in ("f2", "f3"):
            for leave in (["tab"], ["shift+tab"], ["x"], ["c"]):
                await stage.press(show)
                assert len({"-no-navigation", "-no-people"} & stage.screen.classes) == 1, show
                await stage.press(*leave)
                assert stage.screen.conversation.has_focus_within
                assert {"-no-navigation", "-no-people"} <= stage.screen.classes, (show, leave)
                if not stage.screen.messages.has_focus_within:
                    await stage.press("escape")
