"""Messages that could not be sent, and the screen that lists them, on a live account of the test server."""

from __future__ import annotations

from pathlib import Path

import pytest

from narrowcast.screens.messages.outbox import OutboxScreen
from narrowcast_api.events.status import ConnectionKind
from narrowcast_api.narrow.destinations import ChannelDestination, DirectDestination
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.protocols.outbox_item import OutboxState
from support.delays import hold
from support.fault_proxy import Fault
from support.screens import said
from support.sessions import until
from support.stage import all_live, behind_proxy, file_of, on_screen, on_stage


async def test_a_failed_message_is_taken_back_into_compose_with_its_words(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        where = ChannelDestination(stage.server.channel("general"), "x" * 500)
        stage.session.outbox.send(where, "words that matter")
        await stage.press("f9")
        assert stage.screen.writing.text.text == "words that matter"
        assert stage.session.outbox.entries() == []


async def test_a_message_that_is_taken_back_comes_after_what_is_being_written(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        where = await stage.in_topic("general", "lunch")
        stage.session.synchronizer.on_status(stage.session.status._replace(kind=ConnectionKind.OFFLINE))
        stage.session.outbox.send(where, "words that matter")
        await stage.press("c")
        await stage.type("hello world")
        await stage.press("alt+b", "escape", "f9")
        await stage.type("!")
        assert stage.screen.writing.text.text == "hello world\nwords that matter!"


async def test_what_failed_in_a_conversation_is_sent_again_together_by_one_key(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        where = await stage.in_topic("general", "lunch")
        state = stage.session.state
        usual = state.limits
        state.limits = usual._replace(max_message_length=1)  # temporarily too long
        for words in ("one", "two"):
            stage.session.outbox.send(where, words)
        elsewhere = ChannelDestination(where.channel_id, "elsewhere")
        stage.session.outbox.send(elsewhere, "three")
        state.limits = usual
        await stage.press("f8")
        await until(lambda: [entry.content for entry in stage.session.outbox.entries()] == ["three"])


async def test_the_outbox_lists_what_is_not_sent_why_and_gives_it_back(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        where = await stage.in_topic("general", "lunch")
        far = ChannelDestination(where.channel_id, "x" * 500)
        for words in ("words that matter", "more words"):
            stage.session.outbox.send(far, words)
        await stage.press("B")
        screen = stage.app.screen
        assert isinstance(screen, OutboxScreen)
        shown = "\n".join(strip.text for strip in screen.list.render_item(screen.list.items[0], 80, False))
        assert "words that matter" in shown
        assert "Failed to send: The topic is" in shown
        await stage.press("s", "x")
        assert stage.screen.writing.text.text == "words that matter"
        assert [entry.content for entry in stage.session.outbox.entries()] == ["more words"]
        await stage.press("escape", "B")
        stage.session.outbox.cancel(stage.session.outbox.entries()[0].local_id)
        await stage.drawn()
        assert isinstance(stage.app.screen, OutboxScreen)
        assert not stage.app.screen.list.items, "the list follows the outbox"


async def test_the_outbox_leads_to_the_conversation(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic("general", "lunch")
        bruno = stage.server.account("bruno").email
        (user,) = [user for user in stage.session.state.users.active() if user.email == bruno]
        stage.session.outbox.send(DirectDestination(frozenset({user.user_id})), "x" * 20_000)
        await stage.press("B", "enter")
        assert stage.screen.narrow == Narrow.direct(frozenset({user.user_id}))


async def test_keys_are_named_for_an_unconfirmed_message_only_if_they_act_on_it(tmp_path: Path) -> None:
    async with behind_proxy(tmp_path) as (stage, proxy):
        where = await stage.in_topic("general", "lunch")
        proxy.fail(Fault.LOST_BEFORE, "POST", "/api/v1/messages")
        proxy.fail(Fault.REFUSED_BY_GATEWAY, "GET", "/api/v1/messages")
        stage.session.outbox.send(where, "words that matter")
        await until(lambda: "1 unconfirmed" in stage.status_line)
        assert "1 unconfirmed: checking whether it arrived; F9 cancels, B lists" in stage.status_line
        assert "F8" not in stage.status_line
        reason = "This message may have arrived. Narrowcast checks that first."
        await stage.press("B", "s")
        assert said(stage) == reason
        await stage.press("escape", "f8")
        await stage.told(reason)
        await stage.press("f9")
        assert stage.screen.writing.text.text == "words that matter"


async def test_without_a_connection_a_message_that_was_being_sent_waits_like_the_one_behind_it(
    tmp_path: Path,
) -> None:
    async with behind_proxy(tmp_path) as (stage, proxy):
        where = await stage.in_topic("general", "lunch")
        proxy.fail(Fault.HELD_BEFORE, "POST", "/api/v1/messages")
        for words in ("one", "two"):
            stage.session.outbox.send(where, words)
        states = [OutboxState.SENDING, OutboxState.WAITING]
        await until(lambda: [entry.state for entry in stage.session.outbox.entries()] == states)
        assert "waiting to be sent" not in stage.status_line
        stage.session.synchronizer.on_status(stage.session.status._replace(kind=ConnectionKind.OFFLINE))
        await until(lambda: "2 waiting to be sent" in stage.status_line)


async def test_a_message_stays_unsent_if_another_account_is_on_screen_when_it_could_be_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with on_stage(tmp_path, stored=["bruno"]) as stage:
        await all_live(stage, 2)
        session = stage.session
        session.outbox.send(
            ChannelDestination(stage.server.channel("general"), "x" * 500), "words that matter"
        )
        claim = hold(monkeypatch, session.outbox, "claim")
        await stage.press("f9")
        await until(lambda: claim.waiting)
        await stage.app.accounts.switch(file_of(stage, "bruno"))
        await on_screen(stage, "bruno")
        claim.release()
        await until(lambda: not claim.waiting)
        await stage.pilot.pause()
        assert [entry.content for entry in session.outbox.entries()] == ["words that matter"]
        assert stage.screen.writing.text.text == ""
