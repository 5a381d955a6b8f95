"""What terminals with sixteen colours, or with none, get instead of grounds and hues."""

from __future__ import annotations

from pathlib import Path

import pytest

from narrowcast.config.config import Appearance, Config
from narrowcast.config.themes import TERMINAL
from narrowcast.widgets.strips import THUMB, thumb_strip
from support.screens import screen_rows, screen_text
from support.sessions import until
from support.stage import Stage, on_stage

SIXTEEN = Config(appearance=Appearance(theme="terminal"))


async def react(stage: Stage, person: str, emoji: str) -> None:
    message_id = stage.screen.messages.selected_id
    await stage.server.call(person, "POST", f"/messages/{message_id}/reactions", {"emoji_name": emoji})


async def test_own_reactions_stand_in_brackets_and_those_of_others_in_parentheses(tmp_path: Path) -> None:
    async with on_stage(tmp_path, config=SIXTEEN) as stage:
        await stage.in_topic()
        for person, emoji in (("ada", "tada"), ("bruno", "heart")):
            await react(stage, person, emoji)
        await until(lambda: "[🎉\u00a0You]" in screen_text(stage.screen))
        await until(lambda: "\u00a0Bruno\u00a0Castell)" in screen_text(stage.screen))


async def test_without_colours_an_at_sign_marks_what_mentions_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with on_stage(tmp_path, config=Config()) as stage:
        assert stage.app.theme == "terminal", "nothing relies on a ground"
        await stage.in_topic("general", "lunch", "@**Ada Moreno** soup?\n\nOr bread?")
        await stage.server.send("bruno", "general", "lunch", "Now.")
        await until(lambda: "Now." in screen_text(stage.screen))
        await stage.press("end")
        left = stage.screen.messages.list.region.x
        await until(lambda: "Or bread?" in screen_text(stage.screen))

        def signs() -> list[str]:
            return [row[left] for row in screen_rows(stage.screen) if row[left : left + 1] == "@"]

        assert len(signs()) == 1, "only where the message begins"
        await stage.press("up")
        assert not signs(), "the bar of the selection is there"


async def test_bars_and_thumbs_are_reversed_blanks_which_meet_in_any_font(tmp_path: Path) -> None:
    async with on_stage(tmp_path, config=SIXTEEN) as stage:
        await stage.in_topic("general", "lunch", "Soup?\n\nOr bread?")
        view = stage.screen.messages.list
        rows = [next(iter(view.row_at(y))) for y in range(view.content_size.height)]
        bars = [cell for cell in rows if cell.style is not None and cell.style.reverse]
        assert len(bars) >= 3, "its heading and its text"
        thumb = [*thumb_strip(True, view.base_style + view.part_style(THUMB))]
        assert all(
            cell.text == " " and cell.style is not None and cell.style.reverse for cell in (*bars, *thumb)
        )


def test_the_sixteen_colours_in_use_are_readable_or_not_of_text() -> None:
    inks = {TERMINAL.foreground, TERMINAL.warning, TERMINAL.error, TERMINAL.variables["text-primary"]}
    assert inks == {"ansi_default", "ansi_red"}
