"""What a new user relies on: the screen says which keys to press, and they work."""

from __future__ import annotations

from pathlib import Path

from narrowcast.screens.messages.drafts import ConflictScreen, TextLines
from support.screens import choices
from support.sessions import until
from support.stage import on_stage


async def test_the_status_line_shows_the_keys_of_the_focused_pane(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.press("c")
        assert "Ctrl-j new line" in stage.status_line
        await stage.press("escape")
        assert "r reply" in stage.status_line
        await stage.press("h")
        assert "- topics" in stage.status_line


async def test_a_deleted_draft_comes_back_when_one_says_so(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        stage.session.drafts.save(None, None, "precious words")
        await stage.press("d")
        await stage.press("x")
        assert not stage.session.drafts.all()
        await stage.press("u")
        assert [draft.content for draft in stage.session.drafts.all()] == ["precious words"]


async def test_both_versions_of_a_draft_are_shown_to_their_ends(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        drafts = stage.session.drafts
        mine = drafts.get(drafts.save(None, None, "mine " * 40 + "here it ends"))
        theirs = drafts.get(drafts.save(None, None, "本" * 100 + "\n\nthere it ends"))
        assert mine is not None
        assert theirs is not None
        await stage.app.push_screen(ConflictScreen(stage.session, (mine, theirs)))
        await stage.pilot.pause()
        for shown, end in zip(
            stage.app.screen.query(TextLines), ("here it ends", "there it ends"), strict=True
        ):
            rows = " ".join(shown.compose_row(row).text for row in range(shown.size.height))
            assert end in " ".join(rows.split())


async def test_the_reactions_that_everybody_uses_stand_first(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.server.send("bruno", "general", "soup", "Taste it")
        await until(lambda: stage.screen.messages.selected_id is not None)
        await stage.press(":")
        assert choices(stage)[0].text == "+1"


async def test_a_text_that_makes_compose_grow_is_shown_from_as_high_as_there_is_room(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.press("c")
        editor = stage.screen.writing.text
        editor.focus()
        await stage.pilot.pause()
        editor.insert("\n".join(f"row {number}" for number in range(6)))
        await until(lambda: editor.size.height == 6)
        await stage.pilot.pause()
        assert [editor.render_line(row).text.strip() for row in range(6)] == [
            f"row {row}" for row in range(6)
        ]
