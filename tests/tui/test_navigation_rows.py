"""How the rows of the channel list look: columns, counts, signs."""

from __future__ import annotations

from pathlib import Path

from narrowcast.config.config import Config
from narrowcast.panes.navigation.rows import Kind
from narrowcast_api.narrow.narrow import Narrow
from support.sessions import until
from support.stage import Stage, on_stage


def shown(stage: Stage, text: str) -> str:
    """The row with this name as it stands on the screen."""
    listed = stage.screen.navigation.list
    index = next(index for index, row in enumerate(listed.shown) if row.text == text)
    return listed.row_at(index).text


async def test_numbers_end_in_one_column_and_names_of_a_kind_begin_in_one(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.go(Narrow.starred())
        await stage.server.send_direct("bruno", ["ada"], "Lunch?")
        await stage.server.send("bruno", "engineering", "build", "@**Ada Moreno** it is green.")
        for number in range(11):
            await stage.server.send("bruno", "general", "soup", f"Leek {number}")
        await until(lambda: stage.session.state.unreads.count_all() == 13)
        await stage.drawn()
        width = stage.screen.navigation.list.size.width
        ends = {text: len(shown(stage, text).rstrip()) for text in ("Inbox", "general", "engineering")}
        assert set(ends.values()) == {width - 2}, "the last digit is two columns before the last one"
        assert shown(stage, "Mentions").rstrip().endswith("@1")
        assert len(shown(stage, "Mentions").rstrip()) == width - 2
        names = ("Inbox", "Mentions", "engineering", "Bruno Castell")
        assert {shown(stage, name).index(name) for name in names} == {4}


async def test_a_group_has_the_number_of_its_members_as_its_sign(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.server.send_direct("bruno", ["ada", "chiyo"], "Lunch?")
        group = Narrow.direct(frozenset({stage.server.id("bruno"), stage.server.id("chiyo")}))
        listed = stage.screen.navigation.list
        await until(lambda: any(row.narrow == group for row in listed.items))
        row = next(row for row in listed.items if row.narrow == group)
        assert shown(stage, row.text)[2] == "3"


async def test_blank_rows_are_stepped_over_and_do_not_answer_the_mouse(tmp_path: Path) -> None:
    async with on_stage(tmp_path, config=Config()) as stage:
        listed = stage.screen.navigation.list
        place = max(index for index, row in enumerate(listed.shown) if row.kind is Kind.GAP)
        listed.select_key(listed.shown[place - 1].key)
        listed.focus()
        await stage.press("down")
        assert listed.selected_item == listed.shown[place + 1]
        before = (stage.screen.narrow, listed.selected_item)
        await stage.pilot.click(listed, offset=(5, place))
        await stage.pilot.pause()
        assert (stage.screen.narrow, listed.selected_item) == before
