"""Accounts that are opened again: with a new API key, after another login; and what is typed meanwhile."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from textual import events

from narrowcast.config import account_files
from narrowcast.screens.start.login import LoginScreen
from narrowcast.widgets.editor import Editor
from narrowcast.widgets.status import banner
from narrowcast_api.account import Account, AccountError
from narrowcast_api.events.status import ConnectionKind
from narrowcast_api.http.secret import Secret
from support.delays import hold
from support.screens import choose
from support.sessions import until
from support.stage import Stage, all_live, file_of, on_screen, on_stage, run


async def test_a_new_key_is_stored_for_its_account_though_another_one_is_shown_by_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with on_stage(tmp_path, stored=["bruno"]) as stage:
        request = hold(monkeypatch, stage.session.client.settings, "regenerate_api_key")
        await all_live(stage, 2)
        ada, bruno = file_of(stage, "ada"), file_of(stage, "bruno")
        of_bruno = bruno.read_text()
        await run(stage, "account.key")
        await choose(stage, "Generate new API key")
        await choose(stage, "Generate new key")
        await until(lambda: request.waiting)
        await stage.app.accounts.switch(bruno)
        await on_screen(stage, "bruno")
        shown = stage.session
        request.release()
        await stage.told("New API key generated and saved.")
        assert bruno.read_text() == of_bruno
        assert account_files.read(ada) == stage.server.account("ada")
        await all_live(stage, 2)
        assert stage.session is shown
        background = stage.app.accounts.live()[1]
        assert background.session.account == stage.server.account("ada")


def test_a_key_is_not_stored_in_the_file_of_another_account(tmp_path: Path) -> None:
    rc = tmp_path / "b.zuliprc"
    Account("https://chat.example", "b@chat.example", Secret("old")).write_zuliprc(rc)
    for other in (
        Account("https://chat.example", "a@chat.example", Secret("new")),
        Account("https://else.example", "b@chat.example", Secret("new")),
    ):
        with pytest.raises(AccountError, match="another account"):
            account_files.replace_key(rc, other)
    assert account_files.read(rc).key.reveal() == "old"


async def test_a_deactivated_account_is_closed_though_another_one_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with on_stage(tmp_path, person="dario", stored=["bruno"]) as stage:
        request = hold(monkeypatch, stage.session.client.users, "deactivate_me")
        await all_live(stage, 2)
        await run(stage, "account.deactivate")
        await choose(stage, "Deactivate account")
        await until(lambda: request.waiting)
        await stage.app.accounts.switch(file_of(stage, "bruno"))
        await on_screen(stage, "bruno")
        request.release()
        await stage.told("Your account has been deactivated.")
        await until(lambda: len(stage.app.accounts.live()) == 1)
        assert stage.app.accounts.file == file_of(stage, "bruno")
        assert stage.app.screen is stage.screen


async def test_words_typed_while_an_account_is_opened_again_follow_those_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic("general", "lunch")
        await stage.press("c")
        await stage.type("pre")
        before = stage.session
        closing = hold(monkeypatch, before, "close")
        file = stage.app.accounts.file
        assert file is not None
        reopening = asyncio.create_task(stage.app.accounts.reopen(file))
        await until(lambda: closing.waiting)
        for key in "cious":
            stage.app.post_message(events.Key(key, key))
        closing.release()
        await reopening
        assert stage.session is not before
        await until(lambda: stage.screen.writing.text.text == "precious")
        assert stage.app.focused is stage.screen.writing.text
        await until(lambda: [draft.content for draft in stage.session.drafts.all()] == ["precious"])


async def log_in(stage: Stage, name: str) -> None:
    """Logs in from the list of accounts, with the user's present API key."""
    await run(stage, "account.switch")
    await stage.press("n")
    await until(lambda: isinstance(stage.app.screen, LoginScreen) and stage.app.screen.is_mounted)
    await run(stage, "login.key")
    account = stage.server.account(name)
    fields = {"site": account.site, "email": account.email, "secret": account.key.reveal()}
    for field, text in fields.items():
        stage.app.screen.query_one(f"#{field}", Editor).text = text
    stage.app.screen.query_one("#secret", Editor).focus()
    await stage.press("enter")


@pytest.mark.parametrize("name", ["ada", "bruno"])
async def test_an_account_that_was_logged_out_by_the_server_is_live_after_another_login(
    tmp_path: Path, name: str
) -> None:
    async with on_stage(tmp_path, stored=["bruno"]) as stage:
        await all_live(stage, 2)
        (before,) = [one.session for one in stage.app.accounts.live() if one.file == file_of(stage, name)]
        await stage.server.call(name, "POST", "/users/me/api_key/regenerate")
        await until(lambda: before.status.kind is ConnectionKind.REFUSED)
        assert banner(before, stage.app.keys) == "✕ Logged out by the server. Log in again: Alt-s, then n"
        await log_in(stage, name)
        await on_screen(stage, name)
        await all_live(stage, 2)
        assert stage.session.account == stage.server.account(name)
        assert [one.mark for one in stage.app.accounts.listed()] == ["●", "●"]


async def test_an_account_whose_file_the_user_named_is_replaced_by_its_new_login(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        before = stage.session
        await log_in(stage, "ada")
        await on_screen(stage, "ada")
        assert stage.session is not before
        assert [one.file for one in stage.app.accounts.live()] == [file_of(stage, "ada")]
