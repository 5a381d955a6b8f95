"""Lists of things to manage: filtering, deleting after a question, errors below the list."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from narrowcast.screens.dialogs.confirm import Question
from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.manage_list import ListRow
from narrowcast_api.errors import BadRequest
from narrowcast_api.state.changes import DraftsChanged
from support.screens import screen_rows
from support.sessions import until
from support.stage import on_stage, run


class Pots(ManageScreen[str]):
    """A management list of test items."""

    TITLE_TEXT = "Pots"
    FOLLOWS = (DraftsChanged,)
    pots: list[str]

    def rows(self) -> Sequence[ListRow[str]]:
        return [ListRow(pot, pot, pot) for pot in self.pots]

    def question(self, item: str) -> Question:
        return Question(f"Break {item}?", "Break it")

    async def delete(self, item: str) -> None:
        if item == "iron":
            raise BadRequest("BAD_REQUEST", "Iron does not break", 400, {})
        self.pots.remove(item)

    def open(self, item: str) -> None:
        self.dismiss(item)


async def test_a_list_of_things_finds_deletes_after_asking_and_opens(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        screen = Pots(stage.session)
        screen.pots = ["clay", "iron", "glass"]
        results: list[object] = []
        await stage.app.push_screen(screen, results.append)
        await stage.press("slash")
        await stage.type("gla")
        await stage.press("down")
        assert screen.selected == "glass"
        await stage.press("escape", "x", "down", "enter")
        await until(lambda: screen.pots == ["clay", "iron"])
        await until(lambda: screen.selected == "iron")
        await stage.press("x", "enter")
        assert screen.pots == ["clay", "iron"]
        await stage.press("x", "down", "enter")
        await until(lambda: "Iron does not break" in screen.key_line.plain)
        screen.pots.append("tin")
        stage.session.drafts.save(None, None, "a change of the state")
        await until(lambda: len(screen.list.items) == 3)
        await stage.press("enter")
        assert results == ["iron"]


async def test_the_keys_below_a_list_are_those_of_the_filter_while_it_has_the_focus(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        screen = Pots(stage.session)
        screen.pots = ["clay", "iron", "glass"]
        results: list[object] = []
        await stage.app.push_screen(screen, results.append)
        for leaves in ("down", "escape"):
            await stage.press("slash")
            assert "clears the filter" in screen.key_line.plain
            await stage.press(leaves)
            assert "clears the filter" not in screen.key_line.plain
        await stage.press("slash")
        await stage.type("gla")
        await stage.press("enter")
        assert results == ["glass"]


class LostPots(Pots):
    """Items that cannot be fetched."""

    is_lost = True

    async def load(self) -> None:
        if self.is_lost:
            raise BadRequest("BAD_REQUEST", "No pots today", 400, {})
        self.pots = ["red pot"]


async def test_a_list_that_cannot_be_fetched_shows_the_error_instead_of_loading(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        screen = LostPots(stage.session)
        screen.pots = []
        await stage.app.push_screen(screen)
        await until(lambda: screen.list.empty.heading == "Could not be loaded")
        await until(lambda: "No pots today" in "\n".join(screen_rows(screen)))
        assert "Ctrl-r tries again" in "\n".join(screen_rows(screen))
        assert not screen.key_line.said
        screen.is_lost = False
        await stage.press("ctrl+r")
        await until(lambda: "red pot" in "\n".join(screen_rows(screen)))


async def test_who_may_change_a_list_is_said_in_full_on_a_small_screen(tmp_path: Path) -> None:
    async with on_stage(tmp_path, person="dario", size=(80, 24)) as stage:
        await run(stage, "organization.linkifiers")
        screen = stage.app.screen
        assert isinstance(screen, ManageScreen)
        await stage.pilot.pause()
        shown = " ".join(row.strip(" │") for row in screen_rows(screen))
        assert screen.refusal()
        assert screen.refusal() in shown
        assert "Esc closes" in shown


async def test_a_long_problem_is_said_in_full_below_a_list(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        screen = Pots(stage.session)
        screen.pots = ["clay"]
        await stage.app.push_screen(screen)
        await stage.pilot.pause()
        problem = "The pots cannot be reached (all of the shelves are too high). Fetch a ladder and try it once more."
        screen.say(problem, bad=True)
        await stage.pilot.pause()
        shown = screen_rows(screen)
        assert any("once more." in row for row in shown)
        assert screen.key_line.said == problem
        await stage.press("j")
        assert "filters" in screen.key_line.plain
        assert "once more" not in screen.key_line.plain
