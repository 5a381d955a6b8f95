"""Notices never cover what is written, completions or dialogs, and can always be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.geometry import Region, Size

from narrowcast.config.config import Config
from narrowcast.screens.conversations.screen import ConversationsScreen
from narrowcast.screens.dialogs.picker import Choice, Picker
from narrowcast.terminal.textual_fixes import end_notice
from narrowcast.terminal.textual_reads import notices_of
from narrowcast_api.narrow.narrow import Narrow
from support.screens import screen_rows
from support.sessions import until
from support.stage import Stage, on_stage, run

LONG = "This cannot be chosen, for a reason of many, many words, which do not fit into one row"


def places(stage: Stage) -> list[Region]:
    """Where the notices of the uppermost screen stand, from top to bottom."""
    return [toast.region for toast in stage.app.screen.query("Toast") if toast.region]


async def told(stage: Stage, *texts: str, stand: int = 0) -> list[Region]:
    """Shows only these notices; returns their places, of which there are ``stand`` if not all of them are visible."""
    for notice in notices_of(stage.app):
        end_notice(stage.app, notice)
    await until(lambda: not places(stage))
    for text in texts:
        stage.app.tell(text, seconds=600)
        await stage.pilot.pause()
    await until(lambda: len(places(stage)) == (stand or len(texts)))
    await stage.pilot.pause()
    return places(stage)


def is_above_compose(stage: Stage) -> bool:
    """Whether the lowest notice stands directly above compose, beside the scroll bar."""
    compose, place = stage.screen.writing.region, places(stage)[-1]
    return (place.right, place.bottom) == (compose.right - 1, compose.y)


@pytest.mark.parametrize("size", [(160, 45), (80, 24)])
async def test_notices_stand_above_compose_however_large_that_is(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with on_stage(tmp_path, size=size, shows_notices=True) as stage:
        await stage.in_topic()
        (before,) = await told(stage, "Saved.")
        assert is_above_compose(stage)
        await stage.press("c", *"ab", "ctrl+j", "ctrl+j", "ctrl+j")
        await until(lambda: is_above_compose(stage) and places(stage)[0].bottom < before.bottom)
        one, two = await told(stage, "Saved.", LONG)
        assert is_above_compose(stage)
        assert (one.bottom, two.height) == (two.y, 2)
        stage.screen.lines.status.styles.height = 3  # more below the panes, as while files are downloaded
        await until(lambda: is_above_compose(stage) and places(stage)[-1].bottom < two.bottom)
        await stage.pilot.resize_terminal(40, 20)
        await until(lambda: is_above_compose(stage) and places(stage)[-1].width < 40)
        assert all(stage.app.size.region.contains_region(place) for place in places(stage))


async def test_a_click_on_a_notice_removes_it_and_does_nothing_else(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24), shows_notices=True) as stage:
        await stage.in_topic()
        await stage.press("c", *"ab")
        selected, focused = stage.screen.messages.selected_id, stage.app.focused
        _, place = await told(stage, "Saved.", LONG)
        await stage.pilot.click(offset=(place.x + 3, place.y + 1))
        await until(lambda: stage.notices == ["Saved."] and len(places(stage)) == 1)
        assert stage.app.screen is stage.screen
        assert (stage.screen.messages.selected_id, stage.app.focused) == (selected, focused)
        assert stage.screen.writing.text.text == "ab"
        await stage.app.push_screen(Picker("Which", [Choice(number, str(number)) for number in range(40)]))
        (place,) = await told(stage, "Saved.")
        await stage.pilot.click(offset=(place.x + 3, place.y))
        await until(lambda: not places(stage))
        assert isinstance(stage.app.screen, Picker)


async def test_notices_do_not_cover_completions(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24), shows_notices=True) as stage:
        await stage.in_topic()
        (place,) = await told(stage, LONG)
        await stage.press("c", "@")
        offers = stage.screen.writing.completion.list
        await until(lambda: offers.region and is_above_compose(stage))
        both = offers.region.intersection(places(stage)[0])
        assert both
        assert place.height == 2
        assert stage.app.screen.get_widget_at(*both.offset)[0] is offers


async def test_notices_stand_above_both_of_two_conversations(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(180, 40), shows_notices=True) as stage:
        await stage.in_topic()
        left = stage.screen.conversation
        stage.screen.open_beside(Narrow.all(), keys=False)
        await until(lambda: stage.screen.side.other is not None and stage.screen.side.other.writing.region)
        await told(stage, "Saved.")
        assert places(stage)[0].right == 179
        stage.screen.side.enter(left)
        await stage.press("c", *"ab", "ctrl+j", "ctrl+j", "ctrl+j")
        await until(lambda: left.writing.region.height > 4)
        await until(lambda: places(stage)[0].bottom == left.writing.region.y)


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
async def test_below_a_dialog_notices_stand_once(tmp_path: Path, size: tuple[int, int]) -> None:
    async with on_stage(tmp_path, size=size, shows_notices=True) as stage:
        await stage.in_topic()
        await told(stage, "Saved.")
        dialog = Picker("Which", [Choice(number, f"choice {number}") for number in range(40)])
        await stage.app.push_screen(dialog)
        await until(lambda: places(stage))
        assert not [toast for toast in stage.screen.query("Toast") if toast.region]
        for texts in (["Saved."], [LONG * 2], [LONG * 5], ["One.", LONG * 2, "Three."]):
            (place,) = await told(stage, *texts, stand=1)
            assert place.y >= dialog.frame.region.bottom
            assert place.bottom == size[1]
        assert "Three." in screen_rows(dialog)[-1]
        stage.app.pop_screen()
        await until(lambda: stage.app.screen is stage.screen and len(places(stage)) == 3)
        assert is_above_compose(stage)


async def test_where_nothing_is_free_below_a_dialog_it_makes_room_for_notices(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 16), shows_notices=True) as stage:
        await stage.app.push_screen(Picker("Which", [Choice(number, str(number)) for number in range(40)]))
        picker = stage.app.screen
        assert isinstance(picker, Picker)
        bottom = picker.frame.region.bottom
        (place,) = await told(stage, LONG * 2)
        assert Size(80, 16).region.contains_region(place)
        await until(lambda: picker.frame.region.bottom <= place.y)
        await told(stage)
        await until(lambda: picker.frame.region.bottom == bottom)
        await stage.close_all()
        await run(stage, "go.inbox")
        inbox = stage.app.screen
        assert isinstance(inbox, ConversationsScreen)
        await told(stage, "Done.")
        await until(lambda: places(stage)[0].bottom == inbox.key_line.region.y)
        await until(lambda: inbox.list.region.bottom == places(stage)[0].y)


@pytest.mark.parametrize("size", [(160, 45), (80, 24)])
async def test_notices_cover_no_message_and_leave_the_rows_again(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with on_stage(tmp_path, size=size, config=Config(), shows_notices=True) as stage:
        await stage.in_topic()
        listed = stage.screen.messages
        before = listed.region.bottom
        for texts in (["Saved."], ["Saved.", LONG]):
            top = (await told(stage, *texts))[0].y
            await until(lambda top=top: listed.region.bottom == min(before, top))  # type: ignore[misc]
        await told(stage)
        await until(lambda: listed.region.bottom == before)


async def test_while_rows_come_below_compose_notices_stand_above_it(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24), shows_notices=True) as stage:
        await stage.in_topic()
        await told(stage, "Saved.")
        stage.screen.lines.status.styles.height = 3  # as while files are downloaded
        await until(lambda: stage.screen.lines.status.region.height == 3)
        await stage.pilot.pause()
        assert is_above_compose(stage)


async def test_many_notices_leave_most_rows_to_the_messages(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 20), shows_notices=True) as stage:
        await stage.in_topic()
        height = stage.screen.messages.region.height
        await told(stage, LONG, LONG * 2, LONG * 3)
        await until(lambda: stage.screen.messages.region.height < height)
        assert stage.screen.messages.region.height >= height * 2 // 3


async def test_of_two_conversations_only_the_one_below_notices_makes_room(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(180, 40), config=Config(), shows_notices=True) as stage:
        await stage.in_topic()
        stage.screen.open_beside(Narrow.all(), keys=False)
        await until(lambda: stage.screen.side.other is not None and stage.screen.side.other.writing.region)
        left, right = stage.screen.side.all
        before = left.messages.region.bottom
        top = (await told(stage, "One.", "Two."))[0].y
        await until(lambda: right.messages.region.bottom == top)
        assert left.messages.region.bottom == before
