"""One's own account: muted people, password, key, and the server."""

from __future__ import annotations

from pathlib import Path

from narrowcast.screens.dialogs.picker import Picker
from narrowcast.screens.main.screen import MainScreen
from narrowcast.screens.messages.picture_file import PictureFileScreen
from narrowcast.screens.start.welcome import WelcomeScreen
from support.screens import PIXEL, choose, fill, rows
from support.sessions import until
from support.stage import on_stage, run
from support.world import PASSWORD


async def test_people_are_muted_and_shown_again_in_a_list(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "people.muted")
        await stage.press("n")
        await fill(stage, people="Bruno Castell, Dario Vance")
        await until(lambda: len(rows(stage)) == 2)
        await stage.press("x")
        await choose(stage, "Unmute")
        await until(lambda: len(rows(stage)) == 1)


async def test_the_key_is_shown_only_when_asked_for(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        key = stage.server.account("ada").key.reveal()
        await run(stage, "account.key")
        assert not any(key in choice.text for choice in stage.app.screen._list.items)  # type: ignore[attr-defined]
        await choose(stage, "Show API key")
        await until(lambda: isinstance(stage.app.screen, Picker) and _shows(stage.app.screen, key))


def _shows(picker: Picker[object], text: str) -> bool:
    return any(text in choice.text for choice in picker._list.items)


async def test_a_new_key_is_stored_and_the_account_goes_on_with_it(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        old = stage.server.account("ada").key.reveal()
        await run(stage, "account.key")
        await choose(stage, "Generate new API key")
        await choose(stage, "Generate new key")
        await until(lambda: stage.server.account("ada").key.reveal() != old)
        new = stage.server.account("ada").key.reveal()
        await until(lambda: stage.app.session is not None and stage.session.account.key.reveal() == new)
        await until(lambda: stage.session.is_live)
        assert new in (tmp_path / "ada.zuliprc").read_text()


async def test_a_password_is_changed_with_the_old_one(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        old = stage.server.account("ada").key.reveal()
        await run(stage, "account.password")
        await fill(stage, old=PASSWORD, new="a long secret", again="another secret")
        await until(lambda: not stage.app.screen._sending)  # type: ignore[attr-defined]
        await fill(stage, again="a long secret")
        await until(lambda: stage.server.account("ada").key.reveal() != old)
        new = stage.server.account("ada").key.reveal()
        await until(lambda: stage.app.session is not None and stage.session.account.key.reveal() == new)
        await until(lambda: stage.session.is_live)
        assert new in (tmp_path / "ada.zuliprc").read_text()
        email = stage.server.user("ada").delivery_email
        params = {"username": email, "password": "a long secret"}
        answer = await stage.server.call(None, "POST", "/fetch_api_key", params)
        assert answer["api_key"] == stage.server.account("ada").key.reveal()


async def test_the_servers_information_names_what_it_lacks(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(120, 40)) as stage:
        await run(stage, "organization.server")
        assert any("Feature level" in row and "372" in row for row in rows(stage))
        assert any("needs 407" in row for row in rows(stage))


async def test_ones_own_account_is_ended_after_a_question(tmp_path: Path) -> None:
    async with on_stage(tmp_path, person="dario", size=(80, 24)) as stage:
        await run(stage, "account.deactivate")
        await choose(stage, "Cancel")
        assert stage.server.user("dario").is_active
        await run(stage, "account.deactivate")
        await choose(stage, "Deactivate account")
        await until(lambda: isinstance(stage.app.screen, WelcomeScreen))
        assert not any(isinstance(screen, MainScreen) for screen in stage.app.screen_stack)
        assert not stage.server.user("dario").is_active


async def test_a_picture_is_set_and_removed(tmp_path: Path) -> None:
    picture = tmp_path / "me.png"
    picture.write_bytes(PIXEL)
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "account.picture")
        await choose(stage, "Upload new picture")
        asked = stage.app.screen
        assert isinstance(asked, PictureFileScreen)
        asked.editor.text = str(picture)
        await stage.press("enter")
        await until(lambda: stage.server.user("ada").avatar_url)
        await run(stage, "account.picture")
        await choose(stage, "Delete profile picture")
        await until(lambda: not stage.server.user("ada").avatar_url)
