"""Bugs that random histories have found, each as a short script for two windows, of one home or of two."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import suppress

import pytest

from narrowcast_api.errors import NarrowcastError
from narrowcast_api.http.exchange import PreparedRequest, RawResponse
from narrowcast_api.model.messages import Reaction
from narrowcast_api.protocols.draft_store import SAVE_AFTER
from narrowcast_api.storage.records import OutboxState
from simulation.disk import SLOWEST
from simulation.two_windows import PLACE, Two, play
from simulation.window import ME, Window


def test_a_window_that_is_closed_keeps_a_draft_that_another_one_was_faster_with() -> None:
    async def script(two: Two) -> None:
        two.first.session.drafts.save(two.draft_id, PLACE, "written in the window that is left")
        two.first.journal_writer.catch_up()
        two.second.session.drafts.save(two.draft_id, PLACE, "written in the window that was closed")
        await two.second.quit()
        await asyncio.sleep(30)
        assert two.drafts() == ["written in the window that is left", "written in the window that was closed"]

    play(script)


def test_a_window_that_is_killed_has_kept_a_draft_that_another_one_was_faster_with() -> None:
    async def script(two: Two) -> None:
        two.first.session.drafts.save(two.draft_id, PLACE, "written in the window that is left")
        two.first.journal_writer.catch_up()
        two.second.session.drafts.save(two.draft_id, PLACE, "written in the window that was killed")
        await asyncio.sleep(0.5)
        await two.second.kill()
        await asyncio.sleep(30)
        assert two.drafts() == ["written in the window that is left", "written in the window that was killed"]

    play(script)


def test_a_draft_that_another_window_writes_on_in_is_not_deleted() -> None:
    async def script(two: Two) -> None:
        two.second.session.drafts.save(two.draft_id, PLACE, "written on")
        two.second.journal_writer.catch_up()
        two.first.session.drafts.delete(two.draft_id)
        await asyncio.sleep(30)
        assert two.drafts() == ["written on"]

    play(script)


async def _loses_its_queue_unawares(two: Two) -> None:
    """The second window waits on a half-open connection for the events of a queue that has expired."""
    network = two.second.network

    async def half_open(request: PreparedRequest) -> RawResponse:
        if request.path == "/events":
            await asyncio.get_running_loop().create_future()
        return await network.carry(request)

    connection = two.second.session.client.connection
    connection.exchange = half_open
    two.service.say(3, ("stream", 11, "soup"), "said")  # its current request has its response
    await asyncio.sleep(1)
    two.service.expire_queues(ME)
    await asyncio.sleep(1)
    assert two.second.session.queue_id is not None


def test_words_that_came_without_an_event_are_not_written_over() -> None:
    async def script(two: Two) -> None:
        await _loses_its_queue_unawares(two)
        two.first.session.drafts.save(two.draft_id, PLACE, "written on one device")
        await asyncio.sleep(10)
        (here,) = two.second.session.drafts.all()
        two.second.session.drafts.save(here.draft_id, PLACE, "written on the other one")
        await asyncio.sleep(10)
        two.second.session.client.connection.exchange = two.second.network.carry
        await asyncio.sleep(120)
        assert two.drafts() == ["written on one device", "written on the other one"]

    play(script, homes=2)


def test_drafts_go_to_the_server_only_while_there_is_an_event_queue() -> None:
    async def script(two: Two) -> None:
        network, released = two.second.network, asyncio.Event()

        async def slow(request: PreparedRequest) -> RawResponse:
            if request.path == "/register":
                await released.wait()
            return await network.carry(request)

        two.second.session.client.connection.exchange = slow
        two.service.expire_queues(ME)
        await asyncio.sleep(1)
        assert (two.second.session.is_live, two.second.session.queue_id) == (True, None)
        (here,) = two.second.session.drafts.all()
        two.second.session.drafts.save(here.draft_id, PLACE, "written before there is a queue")
        await asyncio.sleep(8)
        assert [draft["content"] for _, draft in two.service.drafts.values()] == ["as it was"]
        released.set()
        await asyncio.sleep(60)
        assert two.drafts() == ["written before there is a queue"]

    play(script, homes=2)


def test_words_that_came_without_an_event_are_not_deleted() -> None:
    async def script(two: Two) -> None:
        await _loses_its_queue_unawares(two)
        two.first.session.drafts.save(two.draft_id, PLACE, "written on")
        await asyncio.sleep(10)
        (here,) = two.second.session.drafts.all()
        two.second.session.drafts.delete(here.draft_id)
        await asyncio.sleep(10)
        two.second.session.client.connection.exchange = two.second.network.carry
        await asyncio.sleep(120)
        assert two.drafts() == ["written on"]

    play(script, homes=2)


def test_a_star_that_was_refused_does_not_come_back_with_what_was_done_after_it() -> None:
    async def script(two: Two) -> None:
        message_id = two.service.say(3, ("stream", 11, "soup"), "said")
        await asyncio.sleep(1)
        two.first.network.is_down = True
        two.service.delete(message_id)
        for starred in (True, False):
            with suppress(NarrowcastError):
                await two.first.session.message_actions.flag(message_id, "starred", starred)
        two.service.expire_queues(ME)
        await asyncio.sleep(1)
        two.first.network.is_down = False
        await asyncio.sleep(120)
        assert two.first.session.message_actions.waiting == 0
        assert two.first.session.state.starred == set()

    play(script)


def test_a_star_that_is_refused_goes_in_the_other_windows_too() -> None:
    async def script(two: Two) -> None:
        message_id = two.service.say(3, ("stream", 11, "soup"), "said")
        await asyncio.sleep(1)
        two.first.network.is_down = two.second.network.is_down = True
        with suppress(NarrowcastError):
            await two.first.session.message_actions.flag(message_id, "starred", True)
        await asyncio.sleep(1.1)
        assert two.second.session.state.starred == {message_id}
        two.service.delete(message_id)
        two.first.network.is_down = False
        await asyncio.sleep(60)
        assert two.first.session.state.starred == set()
        assert two.second.session.state.starred == set()

    play(script)


def test_a_star_that_was_refused_does_not_come_back_with_a_reaction_before_it() -> None:
    async def script(two: Two) -> None:
        message_id = two.service.say(3, ("stream", 11, "soup"), "said")
        await asyncio.sleep(1)
        two.first.network.is_down = True
        acts = two.first.session.message_actions
        for work in (
            acts.reaction(message_id, Reaction("tada", "1f389", "unicode_emoji", ME), True),
            acts.flag(message_id, "starred", True),
        ):
            with suppress(NarrowcastError):
                await work
        two.service.delete(message_id)
        two.service.expire_queues(ME)
        await asyncio.sleep(1)
        two.first.network.is_down = False
        await asyncio.sleep(120)
        assert acts.waiting == 0
        assert two.first.session.state.starred == set()

    play(script)


def test_a_star_that_is_taken_stays_in_the_other_windows() -> None:
    async def script(two: Two) -> None:
        message_id = two.service.say(3, ("stream", 11, "soup"), "said")
        await asyncio.sleep(1)
        two.first.network.is_down = True
        with suppress(NarrowcastError):
            await two.first.session.message_actions.flag(message_id, "starred", True)
        await asyncio.sleep(1.1)
        two.first.network.is_down = False
        await asyncio.sleep(60)
        assert two.second.session.state.starred == {message_id}

    play(script)


async def _unless_refused(work: Awaitable[None]) -> None:
    with suppress(NarrowcastError):
        await work


def test_what_is_typed_is_written_in_time_also_while_other_drafts_go_to_the_server() -> None:
    async def script(two: Two) -> None:
        drafts = two.first.session.drafts
        drafts.save(None, PLACE, "goes to the server two seconds later")
        await asyncio.sleep(1.8)
        draft_id = drafts.save(None, PLACE, "typed")
        drafts.save(draft_id, PLACE, "typed on")
        await asyncio.sleep(SAVE_AFTER + 2 * SLOWEST)
        await two.first.kill()
        await two.first.start()
        assert "typed on" in {draft.content for draft in two.first.session.drafts.all()}

    play(script)


def test_a_message_that_is_edited_before_its_outcome_is_known_is_not_sent_again() -> None:
    async def script(two: Two) -> None:
        session, network = two.first.session, two.first.network

        async def silent_after(request: PreparedRequest) -> RawResponse:
            response = await network.carry(request)
            if (request.method, request.path) == ("POST", "/messages"):
                two.service.expire_queues(ME)
                await asyncio.get_running_loop().create_future()
            return response

        session.client.connection.exchange = silent_after
        session.outbox.send(PLACE, "words")
        await asyncio.sleep(10)
        (sent,) = two.service.messages
        await session.client.messages.edit(message_id=sent, content="corrected", expected_content="words")
        await asyncio.sleep(60)
        assert [message.content for message in two.service.messages.values()] == ["corrected"]
        assert session.outbox.entries() == []

    play(script)


@pytest.mark.parametrize("events_take", [0.0, 6.0], ids=["events come", "events are late"])
@pytest.mark.parametrize("pause", [0.5, 6.0], ids=["the first is looked for", "the first had failed"])
def test_the_same_words_of_two_windows_are_two_messages_when_no_response_comes(
    events_take: float, pause: float
) -> None:
    async def script(two: Two) -> None:
        def responses_are_lost(window: Window, *, carried_out: bool) -> None:
            carry = window.session.client.connection.exchange

            async def mute(request: PreparedRequest) -> RawResponse:
                is_message = (request.method, request.path) == ("POST", "/messages")
                response = await carry(request) if carried_out or not is_message else None
                if request.path == "/events":
                    await asyncio.sleep(events_take)
                return RawResponse(502, {}, b"bad gateway") if response is None or is_message else response

            window.session.client.connection.exchange = mute

        responses_are_lost(two.first, carried_out=False)
        responses_are_lost(two.second, carried_out=True)
        two.service.say(3, ("stream", 11, "soup"), "what ends the polls that are under way")
        await asyncio.sleep(10)
        two.first.session.outbox.send(PLACE, "the same")
        await asyncio.sleep(pause)
        two.second.session.outbox.send(PLACE, "the same")
        await asyncio.sleep(120)
        entries = {
            entry.local_id: entry for one in (two.first, two.second) for entry in one.session.outbox.entries()
        }
        assert [content for _, content in two.service.sends].count("the same") == 1
        assert [(entry.content, entry.state) for entry in entries.values()] == [
            ("the same", OutboxState.FAILED)
        ]

    play(script)


@pytest.mark.parametrize("first_stars", [True, False])
@pytest.mark.parametrize("was_starred", [True, False])
def test_a_star_set_in_one_window_and_cleared_in_another_is_not_left_when_both_are_refused(
    first_stars: bool, was_starred: bool
) -> None:
    async def script(two: Two) -> None:
        message_id = two.service.say(3, ("stream", 11, "soup"), "a message")
        windows = (two.first, two.second)
        if was_starred:
            two.service.messages[message_id].flags[ME] = {"starred"}
            two.service.expire_queues(ME)
        await asyncio.sleep(5)
        for window in windows:
            window.network.is_down = True
        two.service.expire_queues(ME)
        await asyncio.sleep(5)
        for window, on in zip(windows, (first_stars, not first_stars), strict=True):
            window.session.spawn(
                _unless_refused(window.session.message_actions.flag(message_id, "starred", on)), "a star"
            )
        await asyncio.sleep(3)  # each has read the other's changes
        for window in windows:
            assert (message_id in window.session.state.starred) is (
                message_id in two.first.session.state.starred
            )
        two.service.delete(message_id)
        two.first.network.is_down = False
        await asyncio.sleep(30)
        two.second.network.is_down = False
        await asyncio.sleep(60)
        for window in windows:
            assert window.session.message_actions.waiting == 0
            assert message_id not in window.session.state.starred

    play(script)


@pytest.mark.parametrize("later", [0.0, 0.01, 0.03, 0.05, 0.07])
def test_a_window_that_is_closed_while_it_hears_that_another_one_was_faster_keeps_its_words(
    later: float,
) -> None:
    async def script(two: Two) -> None:
        two.first.journal_writer.fastest = two.first.journal_writer.slowest = 0.04
        two.second.journal_writer.fastest = two.second.journal_writer.slowest = 0.05
        two.first.session.drafts.save(two.draft_id, PLACE, "written in the window that is left")
        two.second.session.drafts.save(two.draft_id, PLACE, "written in the window that was closed")
        await asyncio.sleep(later)
        await two.second.quit()
        await asyncio.sleep(30)
        assert two.drafts() == ["written in the window that is left", "written in the window that was closed"]

    play(script)
