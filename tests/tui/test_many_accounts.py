"""Several accounts in one app: all live, unread counts of each, switching, and one account that fails."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual import events

from narrowcast.app.notifications import WindowTitle
from narrowcast.config import account_files
from narrowcast.config.config import Accounts, Config
from narrowcast.panes.navigation.rows import Kind
from narrowcast.screens.dialogs.picker import Picker
from narrowcast.terminal.paths import Paths
from narrowcast_api.account import Account
from narrowcast_api.http.secret import Secret
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.protocols.notifications import unread_badge
from support.journals import Held
from support.screens import choose, edit_opened, pick, rows
from support.server import running_server
from support.sessions import until
from support.stage import Stage, all_live, file_of, on_screen, on_stage, run


def listed(stage: Stage) -> list[tuple[str, int, str]]:
    """The rows of the other accounts in the navigation: text, unread, mark."""
    items = stage.screen.navigation.list.items
    return [(row.text, row.unread, row.mark) for row in items if row.kind is Kind.ACCOUNT]


async def test_all_stored_accounts_are_live_and_the_navigation_counts_what_is_unread(tmp_path: Path) -> None:
    async with on_stage(tmp_path, stored=["bruno", "dario"]) as stage:
        await all_live(stage, 3)
        bruno, dario = file_of(stage, "bruno").stem, file_of(stage, "dario").stem
        await until(lambda: listed(stage) == [(bruno, 0, "●"), (dario, 0, "●")])
        await stage.server.send_direct("ada", ["dario"], "soup?")
        await stage.server.send_direct("ada", ["dario"], "@**Dario Vance** soup!")
        await until(lambda: listed(stage)[1] == (f"{dario} @1", 2, "●"))


async def test_people_in_another_account_have_the_presence_that_this_account_sees(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        await server.call("ada", "PATCH", "/settings", {"presence_enabled": "false"})
        async with on_stage(tmp_path, server=server, stored=["dario"]) as stage:
            await all_live(stage, 2)
            await stage.server.send_direct("ada", ["dario"], "soup?")
            await run(stage, "go.inbox")
            await until(lambda: any("Ada Moreno" in text for text in rows(stage)))
            items = stage.app.screen.list.items  # type: ignore[attr-defined]
            assert [row.mark for row in items if row.text == "Ada Moreno"] == ["○"]


async def test_going_to_another_account_and_back_keeps_both_live_and_the_draft(tmp_path: Path) -> None:
    async with on_stage(tmp_path, stored=["bruno"]) as stage:
        await all_live(stage, 2)
        mine, queue = stage.session, stage.session.queue_id
        await stage.go(Narrow.topic(stage.server.channel("general"), "lunch"))
        await stage.press("c")
        await stage.type("half a thought")
        await run(stage, "account.switch")
        await pick(stage, file_of(stage, "bruno"))
        await on_screen(stage, "bruno")
        assert stage.session.state.me == stage.server.id("bruno")
        assert stage.screen.writing.text.text == ""
        assert mine.is_live
        await run(stage, "account.switch")
        await pick(stage, file_of(stage, "ada"))
        await on_screen(stage, "ada")
        assert (stage.session, stage.session.queue_id) == (mine, queue)
        assert stage.screen.narrow == Narrow.topic(stage.server.channel("general"), "lunch")
        await until(lambda: [draft.content for draft in mine.drafts.all()] == ["half a thought"])


async def test_the_loop_never_waits_for_the_disk_of_another_or_a_closing_account(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result, loop_thread = Future.result, threading.current_thread()

    def at_once(future: Future[Any], timeout: float | None = None) -> Any:
        assert future.done() or threading.current_thread() is not loop_thread, "the loop waits"
        return result(future, timeout)

    async def write(disk: Held) -> None:
        while True:
            await asyncio.sleep(0)
            disk.write()

    async with on_stage(tmp_path, stored=["bruno"]) as stage:
        await all_live(stage, 2)
        left = stage.session
        await stage.go(Narrow.topic(stage.server.channel("general"), "lunch"))
        await stage.press("c")
        await stage.type("half a thought")
        journal = left.storage.journal
        thread = (disk := Held()).take(journal)
        monkeypatch.setattr(Future, "result", at_once)
        await stage.app.accounts.switch(file_of(stage, "bruno"))
        await on_screen(stage, "bruno")
        writing = asyncio.create_task(write(disk))
        await left.close()
        writing.cancel()
        monkeypatch.undo()
        thread.shutdown()
        assert [draft.content for draft in left.drafts.all()] == ["half a thought"]


async def test_a_change_of_a_message_is_kept_by_its_account_and_becomes_a_draft_at_the_end(
    tmp_path: Path,
) -> None:
    async with running_server(tmp_path / "server") as server:
        async with on_stage(tmp_path, server=server, stored=["bruno"]) as stage:
            await all_live(stage, 2)
            await edit_soup(stage)
            await stage.type(" and bread")
            ada = stage.app.accounts.file
            assert ada is not None
            await stage.app.accounts.switch(file_of(stage, "bruno"))
            await on_screen(stage, "bruno")
            assert "Edit not saved" in stage.notices[-1]
            await stage.app.accounts.switch(ada)
            await on_screen(stage, "ada")
            await edit_soup(stage)
            assert stage.screen.writing.text.text == "Soop and bread"
            await stage.app.accounts.switch(file_of(stage, "bruno"))
            await on_screen(stage, "bruno")
        async with on_stage(tmp_path, server=server, stored=["bruno"]) as stage:
            (draft,) = stage.session.drafts.all()
            assert draft.content == "Soop and bread"
            assert draft.destination == ChannelDestination(server.channel("general"), "lunch")


async def edit_soup(stage: Stage) -> None:
    """Opens one of the user's own messages in a topic for editing."""
    if not stage.session.state.messages:
        await stage.server.send("ada", "general", "lunch", "Soop")
    await stage.go(Narrow.topic(stage.server.channel("general"), "lunch"))
    await until(lambda: stage.screen.messages.selected_id is not None)
    await stage.press("e")
    await edit_opened(stage)


async def test_what_is_typed_after_going_to_another_account_goes_there(tmp_path: Path) -> None:
    async with on_stage(tmp_path, stored=["bruno"]) as stage:
        await all_live(stage, 2)
        await stage.server.send_direct("dario", ["bruno"], "where from?")
        others = frozenset({stage.server.id("dario")})
        await stage.app.accounts.switch(file_of(stage, "bruno"), Narrow.direct(others))
        await on_screen(stage, "bruno")
        assert stage.screen.narrow == Narrow.direct(others)
        await until(lambda: stage.screen.messages.selected_id is not None)
        await stage.press("r")
        await stage.type("from bruno")
        await stage.press("enter")
        messages = stage.session.state.messages
        await until(lambda: any("from bruno" in message.content for message in messages))
        (sent,) = [message for message in messages if "from bruno" in message.content]
        assert sent.sender_id == stage.server.id("bruno")


async def test_the_next_account_with_unread_messages_has_a_key(tmp_path: Path) -> None:
    async with on_stage(tmp_path, stored=["bruno", "dario"]) as stage:
        await all_live(stage, 3)
        await stage.press("alt+u")
        await until(lambda: "No unread messages in other accounts." in stage.notices)
        await stage.server.send_direct("ada", ["dario"], "soup?")
        await until(lambda: any(count for _, count, _ in listed(stage)))
        await stage.press("alt+u")
        await on_screen(stage, "dario")


async def test_the_switcher_reaches_conversations_of_other_accounts(tmp_path: Path) -> None:
    async with on_stage(tmp_path, stored=["bruno"]) as stage:
        await all_live(stage, 2)
        await stage.press("ctrl+k")
        await until(lambda: isinstance(stage.app.screen, Picker))
        bruno = file_of(stage, "bruno").stem
        await stage.type(f"Dario Vance {bruno}")
        await stage.press("enter")
        await on_screen(stage, "bruno")
        await until(lambda: stage.screen.narrow == Narrow.direct(frozenset({stage.server.id("dario")})))


async def test_the_inbox_has_what_is_unread_in_all_accounts(tmp_path: Path) -> None:
    async with on_stage(tmp_path, stored=["bruno"]) as stage:
        await all_live(stage, 2)
        await stage.server.send_direct("dario", ["bruno"], "soup for bruno")
        await until(lambda: any(count for _, count, _ in listed(stage)))
        await run(stage, "go.inbox")
        bruno = file_of(stage, "bruno")
        await until(lambda: any(text.startswith(bruno.stem) for text in rows(stage)))
        where = Narrow.direct(frozenset({stage.server.id("dario")}))
        assert where.destination is not None
        await pick(stage, (bruno, where.destination.key))
        await on_screen(stage, "bruno")
        await until(lambda: stage.screen.narrow == where)


async def test_a_broken_account_does_not_affect_the_others(tmp_path: Path) -> None:
    folder = Paths.under(tmp_path / "home-ada").accounts
    async with running_server(tmp_path / "server") as server:
        gone = account_files.store(replace(server.account("dario"), site="http://127.0.0.1:9"), folder)
        (folder / "aaa.zuliprc").write_text("nothing")
        refused = account_files.store(replace(server.account("elif"), key=Secret("wrong" * 8)), folder)
        async with on_stage(tmp_path, server=server, stored=["bruno"]) as stage:
            await _has_three_broken_ones(stage, gone, refused)


async def _has_three_broken_ones(stage: Stage, gone: Path, refused: Path) -> None:
    await until(lambda: len(listed(stage)) == 4)
    await until(lambda: (refused.stem, 0, "!") in listed(stage))
    marks = {text: mark for text, _, mark in listed(stage)}
    assert marks["aaa"] == "!"
    assert marks[gone.stem] == "◌"
    assert stage.session.is_live
    await run(stage, "account.switch")
    await until(lambda: any("aaa not open" in text for text in rows(stage)))


async def test_another_account_is_logged_out_and_the_one_on_screen_stays(tmp_path: Path) -> None:
    async with on_stage(tmp_path, stored=["bruno"]) as stage:
        await all_live(stage, 2)
        mine, bruno = stage.session, file_of(stage, "bruno")
        await run(stage, "account.switch")
        await until(lambda: len(rows(stage)) == 2)
        stage.app.screen.list.select_key(bruno)  # type: ignore[attr-defined]
        await stage.press("x")
        await choose(stage, "Log out")
        await until(lambda: not bruno.exists())
        await all_live(stage, 1)
        assert stage.session is mine
        await until(lambda: listed(stage) == [])


async def test_the_order_of_accounts_is_changed_and_kept(tmp_path: Path) -> None:
    async with on_stage(tmp_path, stored=["bruno", "dario"]) as stage:
        await all_live(stage, 3)
        bruno, dario = file_of(stage, "bruno").stem, file_of(stage, "dario").stem
        await until(lambda: [text for text, _, _ in listed(stage)] == [bruno, dario])
        await run(stage, "account.switch")
        await until(lambda: len(rows(stage)) == 3)
        stage.app.screen.list.select_key(file_of(stage, "dario"))  # type: ignore[attr-defined]
        await stage.press("minus")
        await until(lambda: [text.split()[0] for text in rows(stage)][1:] == [dario, bruno])
        assert stage.app.config.accounts.order[1:] == [dario, bruno]
        assert f'"{dario}", "{bruno}"' in stage.app.paths.config_file.read_text()


async def test_only_one_is_open_where_the_configuration_says_so(tmp_path: Path) -> None:
    config = Config(accounts=Accounts(open="one"))
    async with on_stage(tmp_path, stored=["bruno"], config=config) as stage:
        mine = stage.session
        await run(stage, "account.switch")
        await pick(stage, file_of(stage, "bruno"))
        await on_screen(stage, "bruno")
        await until(lambda: len(stage.app.accounts.live()) == 1)
        assert stage.session is not mine
        await until(lambda: listed(stage) == [])


async def test_files_of_accounts_are_read_once_and_not_on_the_loop_that_draws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = Config(accounts=Accounts(open="one"))
    async with on_stage(tmp_path, stored=["bruno"], config=config) as stage:
        read: list[threading.Thread] = []

        def from_zuliprc(path: Path) -> Account:
            read.append(threading.current_thread())
            return stage.server.account("bruno")

        monkeypatch.setattr(Account, "from_zuliprc", from_zuliprc)
        await run(stage, "account.switch")
        await until(lambda: any("bruno@demo.example" in text for text in rows(stage)))
        stage.app.screen.refresh_rows()  # type: ignore[attr-defined]
        assert len(read) == 1
        assert read[0] is not threading.main_thread()


async def test_keys_wait_for_the_account_that_they_are_meant_for(tmp_path: Path) -> None:
    config = Config(accounts=Accounts(open="one"))
    async with on_stage(tmp_path, stored=["bruno"], config=config) as stage:
        mine = stage.session
        for key in ("alt+s", "j", "enter", "x", "d", "a"):
            stage.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await on_screen(stage, "bruno")
        await until(lambda: stage.screen.writing.target.to.text == "da")
        assert mine.drafts.all() == []


async def test_the_title_counts_unread_messages_and_mentions_of_all_accounts(tmp_path: Path) -> None:
    async with on_stage(tmp_path, stored=["bruno"]) as stage:
        await all_live(stage, 2)
        titles: list[str] = []
        title = WindowTitle(lambda: [one.session.state for one in stage.app.accounts.live()], titles.append)
        title.refresh()
        name = stage.session.state.organization.text("name")
        for to, mention in (("bruno", "Bruno Castell"), ("ada", "Ada Moreno")):
            before = title_of(stage)
            await stage.server.send_direct("dario", [to], f"@**{mention}** soup")
            await until(lambda before=before: title_of(stage) != before)  # type: ignore[misc]
            title.refresh()
            title.refresh()
        assert titles == [name, f"(1 @1) {name}", f"(2 @2) {name}"]


async def test_the_title_says_that_a_count_is_incomplete(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        unreads = stage.session.state.unreads
        unreads.add_topic(stage.server.channel("general"), "soup", range(1_000_000, 1_050_000))
        unreads.old_missing = True
        titles: list[str] = []
        WindowTitle(lambda: [stage.session.state], titles.append).refresh()
        assert titles == [f"(50,000+) {stage.session.state.organization.text('name')}"]


def title_of(stage: Stage) -> list[tuple[int, int]]:
    """The unread badge of each account."""
    return [unread_badge(one.session.state) for one in stage.app.accounts.live()]
