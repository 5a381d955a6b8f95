"""The user's own account: muted people, password, API key, and the server."""

from __future__ import annotations

from pathlib import Path

import pytest

from narrowcast.config import account_files
from narrowcast.config.config import Accounts, Config
from narrowcast.screens.dialogs.form_fields import UnusableValue
from narrowcast.screens.main.screen import MainScreen
from narrowcast.screens.messages.picture_file import read_picture
from narrowcast.screens.start.welcome import WelcomeScreen
from narrowcast.terminal import last_screen
from narrowcast_api.errors import AccountError
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.wire.levels import SERVED_LEVEL
from narrowcast_server.routes import server_settings
from support.altered_servers import offering
from support.screens import answer, choices, choose, fill, form_of, pick, rows
from support.sessions import until
from support.stage import file_of, on_stage, run
from support.uploads import PIXEL
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


def test_an_account_is_meant_by_the_beginning_of_its_name_or_organization(tmp_path: Path) -> None:
    for name in ("ada-chat.example.com", "ada-work.example.org", "bruno-work.example.org"):
        (tmp_path / f"{name}.zuliprc").touch()

    def meant(typed: str) -> str | None:
        try:
            found = account_files.default(tmp_path, typed)
        except AccountError:
            return None
        return found.stem if found is not None else None

    assert meant("bru") == "bruno-work.example.org"
    assert meant("chat") == meant("Chat.Ex") == "ada-chat.example.com"
    assert meant("ada") is meant("work") is meant("zulip") is None
    assert meant("ada-w") == "ada-work.example.org"
    with pytest.raises(AccountError, match=r"'ada' begins the names of ada-chat.* and ada-work.*: name one"):
        account_files.default(tmp_path, "ada")


async def test_the_key_is_shown_only_when_asked_for(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        key = stage.server.account("ada").key.reveal()
        await run(stage, "account.key")
        assert choices(stage)
        assert not any(key in choice.text for choice in choices(stage))
        await choose(stage, "Show API key")
        await until(lambda: any(key in choice.text for choice in choices(stage)))


async def test_a_new_key_is_stored_and_the_account_goes_on_with_it(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        old = stage.server.account("ada").key.reveal()
        await run(stage, "account.key")
        await choose(stage, "Generate new API key")
        await choose(stage, "Generate new key")
        await until(lambda: stage.server.account("ada").key.reveal() != old)
        new = stage.server.account("ada").key.reveal()
        await until(
            lambda: stage.app.accounts.session is not None and stage.session.account.key.reveal() == new
        )
        await until(lambda: stage.session.is_live)
        assert new in (tmp_path / "ada.zuliprc").read_text()


async def test_a_password_is_changed_with_the_old_one(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        old = stage.server.account("ada").key.reveal()
        await run(stage, "account.password")
        await fill(stage, old=PASSWORD, new="short", again="short")
        form = await form_of(stage)
        await until(lambda: "at least 8 characters" in form.shown_problems)
        assert form.row("new").has_problem
        await fill(stage, new=" a long secret ", again="another secret")
        await until(lambda: "Passwords do not match" in form.shown_problems)
        await fill(stage, again=" a long secret ")
        await until(lambda: stage.server.account("ada").key.reveal() != old)
        new = stage.server.account("ada").key.reveal()
        await until(
            lambda: stage.app.accounts.session is not None and stage.session.account.key.reveal() == new
        )
        await until(lambda: stage.session.is_live)
        assert new in (tmp_path / "ada.zuliprc").read_text()
        email = stage.server.user("ada").delivery_email
        params = {"username": email, "password": " a long secret "}
        response = await stage.server.call(None, "POST", "/fetch_api_key", params)
        assert response["api_key"] == stage.server.account("ada").key.reveal()


async def test_the_servers_information_names_what_it_lacks(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(120, 40)) as stage:
        await run(stage, "organization.server")
        assert any("Feature level" in row and str(SERVED_LEVEL) in row for row in rows(stage))
        assert any("needs 459" in row for row in rows(stage))
        assert not any("needs 407" in row for row in rows(stage))


async def test_the_servers_information_has_what_it_says_to_anybody(tmp_path: Path) -> None:
    says = {
        "service_feature_level": SERVED_LEVEL,
        "service_version": "13.0-dev+git",
        "service_merge_base": "12.0-rc1",
        "realm_description": "<p>For <em>all</em> &lt;of&gt; us.</p>",
        "realm_icon": "/user_avatars/2/realm/icon.png?version=2",
        "is_incompatible": True,
    }
    with offering("/server_settings", routes=server_settings.routes) as offered:
        async with on_stage(tmp_path, size=(120, 40)) as stage:
            offered.response = says
            await run(stage, "organization.server")
            await until(lambda: any("For all <of> us." in row for row in rows(stage)))
            assert any("Based on" in row and "12.0-rc1" in row for row in rows(stage))
            icon = f"{stage.server.url}/user_avatars/2/realm/icon.png?version=2"
            assert any("Icon" in row and icon in row for row in rows(stage))
            assert any("no longer supports this version" in row for row in rows(stage))


async def test_the_only_owner_is_told_to_make_another_one(tmp_path: Path) -> None:
    async with on_stage(tmp_path, person="ada", size=(80, 24)) as stage:
        await run(stage, "account.deactivate")
        assert "only owner" in stage.notices[-1]
        assert isinstance(stage.app.screen, MainScreen)


async def test_the_own_account_is_deactivated_after_a_question(tmp_path: Path) -> None:
    async with on_stage(tmp_path, person="dario", size=(80, 24)) as stage:
        await run(stage, "account.deactivate")
        await choose(stage, "Cancel")
        assert stage.server.user("dario").is_active
        await run(stage, "account.deactivate")
        await choose(stage, "Deactivate account")
        await until(lambda: isinstance(stage.app.screen, WelcomeScreen))
        assert not any(isinstance(screen, MainScreen) for screen in stage.app.screen_stack)
        assert not stage.server.user("dario").is_active


@pytest.mark.parametrize(
    ("size", "reason"),
    [(2**20, "Not a PNG, JPEG, GIF or WebP image."), (2**20 + 1, "The image is larger than 1 MiB.")],
)
async def test_a_picture_is_as_large_as_the_server_takes_at_most(
    tmp_path: Path, size: int, reason: str
) -> None:
    picture = tmp_path / "me.png"
    picture.write_bytes(bytes(size))
    with pytest.raises(UnusableValue) as refused:
        await read_picture(str(picture), max_mib=1)
    assert refused.value.text == reason


async def test_a_picture_is_set_and_removed(tmp_path: Path) -> None:
    picture = tmp_path / "me.png"
    picture.write_bytes(PIXEL)
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "account.picture")
        await choose(stage, "Upload new picture")
        await answer(stage, str(picture))
        await until(lambda: stage.server.user("ada").avatar_url)
        await run(stage, "account.picture")
        await choose(stage, "Delete profile picture")
        await choose(stage, "Delete picture")
        await until(lambda: not stage.server.user("ada").avatar_url)


async def test_another_stored_account_is_opened_in_place_and_drafts_are_kept(tmp_path: Path) -> None:
    async with on_stage(tmp_path, stored=["bruno"], config=Config(accounts=Accounts(open="one"))) as stage:
        ada, bruno = file_of(stage, "ada"), file_of(stage, "bruno")
        await stage.go(Narrow.topic(stage.server.channel("general"), "lunch"))
        await stage.press("c")
        await stage.type("half a thought")
        await run(stage, "account.switch")
        await pick(stage, bruno)
        await until(lambda: stage.app.accounts.file == bruno and stage.app.accounts.session is not None)
        await until(lambda: stage.session.is_live and stage.app.screen is stage.app.accounts.screen)
        assert stage.session.state.me == stage.server.id("bruno")
        assert stage.screen.writing.text.text == ""
        await run(stage, "account.switch")
        await pick(stage, ada)
        await until(lambda: stage.app.accounts.file == ada and stage.app.accounts.session is not None)
        await until(lambda: [draft.content for draft in stage.session.drafts.all()] == ["half a thought"])


async def test_an_account_that_cannot_be_read_leaves_the_open_one_alone(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        folder = stage.app.paths.accounts
        folder.mkdir(parents=True)
        (folder / "broken.zuliprc").write_text("nothing")
        session = stage.session
        await run(stage, "account.switch")
        await pick(stage, folder / "broken.zuliprc")
        await until(lambda: stage.notices)
        assert stage.app.accounts.session is session


async def test_logging_out_forgets_the_account_and_opens_another_or_the_welcome(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    kept = Path(last_screen.cache_folder()) / last_screen.FOLDER / "kept.screen"
    kept.parent.mkdir(parents=True)
    kept.touch()
    async with on_stage(tmp_path) as stage:
        folder = stage.app.paths.accounts
        bruno = account_files.store(stage.server.account("bruno"), folder)
        ada = account_files.store(stage.server.account("ada"), folder)
        await stage.app.accounts.switch(bruno)
        await until(lambda: stage.app.screen is stage.app.accounts.screen)
        await run(stage, "account.sign-out")
        await choose(stage, "Log out")
        await until(lambda: stage.app.accounts.file == ada and stage.app.screen is stage.app.accounts.screen)
        assert not bruno.exists()
        assert not kept.exists()
        await until(lambda: stage.session.is_live)
        await run(stage, "account.sign-out")
        await choose(stage, "Log out")
        await until(lambda: isinstance(stage.app.screen, WelcomeScreen))
        assert account_files.names(folder) == []


async def test_an_account_file_that_was_named_by_its_user_is_not_deleted(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await run(stage, "account.sign-out")
        await choose(stage, "Log out")
        await until(lambda: isinstance(stage.app.screen, WelcomeScreen))
        assert (tmp_path / "ada.zuliprc").exists()
        assert "was not deleted" in stage.app.accounts.problem
