"""The same user actions under every fault."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path

import pytest

from faults.matrix import FILE, matrix
from faults.scenarios import SCENARIOS, Offer, Scenario
from faults.world import FROZEN, SPEED, World, world_at
from narrowcast_api.errors import NoResponse
from narrowcast_api.events.stream import EventStream
from narrowcast_api.http.connection import REQUEST_SECONDS, Connection
from narrowcast_api.protocols import outbox_unconfirmed
from narrowcast_api.protocols.outbox_item import OutboxItem
from narrowcast_api.protocols.outbox_unconfirmed import UnconfirmedMessages
from narrowcast_api.sync.message_view import MessageView
from narrowcast_api.sync.session import Session
from support.sessions import until
from support.timing import no_blocking_calls

MINE = ["mine 0", "mine 1", "mine 2"]
HERS = ["hers 0", "hers 1"]


@pytest.fixture(autouse=True)
def shorter_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Request timeouts are in real time; here they are shortened by the factor of the clocks."""
    defaults = {**(Connection.request.__kwdefaults__ or {}), "timeout": REQUEST_SECONDS / SPEED}
    monkeypatch.setattr(Connection.request, "__kwdefaults__", defaults)


async def others_write(world: World) -> None:
    for content in HERS:
        await world.server.send("bruno", "general", "soup", content)


def user_writes(world: World, session: Session) -> None:
    """Runs the user's actions during the fault, none of which may wait for anything."""
    with no_blocking_calls():
        for content in MINE:
            session.outbox.send(world.soup, content)
        session.outbox.send(world.tea, "elsewhere")
        session.drafts.save(None, world.soup, "half a thought")


async def nothing_is_lost_or_doubled(world: World, session: Session, view: MessageView) -> None:
    assert await world.contents("soup", "ada") == MINE
    assert await world.contents("tea", "ada") == ["elsewhere"]
    assert sorted(await world.contents("soup", "bruno")) == HERS
    assert await world.server_drafts() == ["half a thought"]
    assert [draft.content for draft in session.drafts.all()] == ["half a thought"]
    wanted = await world.message_ids("soup")
    await until(lambda: list(view.ids) == wanted and not view.gaps, what="the view has every message")

    def unread() -> int:
        return session.state.unreads.count_topic(world.channel, "soup")

    await until(lambda: unread() == len(HERS), what="exactly the messages of others are unread")
    assert session.storage.journal.flush(2)
    assert session.storage.journal.load_outbox() == []
    assert session.warnings == ()


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name.replace(" ", "-"))
async def test_nothing_is_lost_nothing_doubled_nothing_frozen(scenario: Scenario, tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        session = world.session = await world.open_session()
        view = await world.view(session)
        world.worst_pause = 0.0
        await scenario.breaks(world)
        user_writes(world, session)
        if scenario.hits is not None:
            met = f"POST /api/v1/messages {scenario.hits.name}"
            await until(lambda: met in world.proxy.seen, what="the fault meets a message")
        if scenario.cuts:
            await world.proxy.cut()
        if scenario.server_is_up:
            await others_write(world)
        await world.passes(scenario.lasts)
        if scenario.heals is not None:
            await scenario.heals(world)
        if not scenario.server_is_up:
            await others_write(world)
        offered = await world.calm(session)
        await nothing_is_lost_or_doubled(world, session, view)
        if scenario.offers is Offer.NOTHING:
            assert offered == []
        elif scenario.offers is Offer.AGAIN:
            assert offered
        assert all(entry.error and entry.content for entry in offered)
        assert world.worst_pause < FROZEN


def test_the_story_notices_a_call_that_waits_for_the_disk() -> None:
    with pytest.raises(AssertionError, match="result was called"), no_blocking_calls():
        Future[None]().result(0.01)


async def test_the_story_notices_a_client_that_sends_again_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add = UnconfirmedMessages.add

    def careless(unconfirmed: UnconfirmedMessages, item: OutboxItem, error: BaseException) -> None:
        """As if the request had been lost in transit."""
        add(unconfirmed, item, NoResponse("lost"))

    monkeypatch.setattr(UnconfirmedMessages, "add", careless)
    monkeypatch.setattr(outbox_unconfirmed, "matching", lambda *_: None)  # nor does it see existing messages
    # Events that arrive at once would usually confirm what was sent.
    monkeypatch.setattr(EventStream, "poll_now", lambda stream: None)
    (scenario,) = [
        scenario for scenario in SCENARIOS if scenario.name.startswith("responses lost, messages stored")
    ]
    with pytest.raises(AssertionError, match="mine 0"):
        await test_nothing_is_lost_nothing_doubled_nothing_frozen(scenario, tmp_path)


def test_the_matrix_in_the_docs_is_current() -> None:
    """Written by `python -m faults.matrix` in tests/."""
    assert FILE.read_text(encoding="utf-8") == matrix()
