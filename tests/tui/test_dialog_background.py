"""What lies behind a dialog stays in sight, and true."""

from __future__ import annotations

from pathlib import Path

from support.message_stage import staged


async def test_a_dialog_shows_what_changes_behind_it_and_sends_no_tint(tmp_path: Path) -> None:
    async with staged(tmp_path, (100, 30)) as stage:
        await stage.server.send("bruno", "general", "soup", "before")
        await stage.show(stage.topic, "newest")
        await stage.see("before")
        await stage.press("ctrl+f")
        dialog = stage.app.screen

        def behind() -> str:
            return "\n".join(strip.text for strip in dialog._compositor.render_strips())

        await stage.pilot.pause()
        assert "before" in behind()
        await stage.server.send("bruno", "general", "soup", "after")
        await stage.see("after")
        await stage.pilot.pause()
        assert "after" in behind()
