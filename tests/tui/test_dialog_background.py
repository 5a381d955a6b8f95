"""What lies behind a dialog stays in sight, and true."""

from __future__ import annotations

from pathlib import Path

from support.message_stage import staged
from support.screen_text import screen_rows, screen_text
from support.sessions import until
from support.stage import on_stage, run


async def test_two_dialogs_and_what_lies_behind_them_follow_the_size_of_the_terminal(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "people.muted")
        await stage.press("n")
        await stage.pilot.resize_terminal(120, 40)
        await until(lambda: "live" in screen_rows(stage.app.screen)[-1])
        assert "n mutes" in screen_rows(stage.app.screen)[35]
        assert "Mute users" in screen_rows(stage.app.screen)[2]


async def test_a_dialog_shows_what_changes_behind_it_and_sends_no_tint(tmp_path: Path) -> None:
    async with staged(tmp_path, (100, 30)) as stage:
        await stage.server.send("bruno", "general", "soup", "before")
        await stage.show(stage.topic, "newest")
        await stage.see("before")
        await stage.press("ctrl+f")
        dialog = stage.app.screen
        await stage.pilot.pause()
        assert "before" in screen_text(dialog)
        await stage.server.send("bruno", "general", "soup", "after")
        await stage.see("after")
        await stage.pilot.pause()
        assert "after" in screen_text(dialog)
