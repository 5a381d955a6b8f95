"""All fault scenarios: what breaks, when, and how it ends."""

from __future__ import annotations

import enum
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from faults.world import World
from support.fault_proxy import Fault
from support.journals import connection_of, refuse

Act = Callable[[World], Awaitable[None]]


class Offer(enum.Enum):
    """What the user is asked. A message that may have arrived is not sent again without asking."""

    NOTHING = "nothing: sent automatically"
    AGAIN = "'send again' or 'cancel', after a search"
    PERHAPS = "nothing, or 'send again' after a search"


@dataclass(frozen=True, slots=True)
class Scenario:
    """`breaks` starts the fault, `heals` ends it after `lasts` seconds; `offers` is what the user is asked."""

    name: str
    handling: str
    breaks: Act
    lasts: float = 10.0
    heals: Act | None = None
    offers: Offer = Offer.NOTHING
    server_is_up: bool = True
    """Whether others can write during the fault."""
    hits: Fault | None = None
    """The fault that a message must meet, or the test proves nothing."""
    cuts: bool = False
    """Whether the event stream is cut as soon as the fault has occurred: a client that noticed that first
    would send none.
    """


async def _heal(world: World) -> None:
    await world.proxy.heal()


def _all(fault: Fault) -> Act:
    """All requests fail, and no events arrive."""

    async def breaks(world: World) -> None:
        world.proxy.silence_events()
        world.proxy.fail(fault)

    return breaks


def _writes(fault: Fault, times: int | None) -> Act:
    """Messages and drafts fail, events arrive."""

    async def breaks(world: World) -> None:
        world.proxy.fail(fault, "POST", "/api/v1/messages", times)
        world.proxy.fail(fault, "POST", "/api/v1/drafts", times)

    return breaks


async def _refuse(world: World) -> None:
    await world.proxy.refuse()


async def _hang(world: World) -> None:
    world.proxy.hang()


async def _cut(world: World) -> None:
    await world.proxy.cut()


async def _flap(world: World) -> None:
    for _ in range(5):
        await world.proxy.refuse()
        await world.passes(1)
        await world.proxy.listen()
        await world.passes(1)


async def _slow(world: World) -> None:
    world.proxy.delay = 0.2  # two seconds of the accelerated clock, each way


async def _queue_expires(world: World) -> None:
    world.server.organization.hub.end_all_of(world.server.id("ada"))


async def _refuse_and_queue_expires(world: World) -> None:
    await world.proxy.refuse()
    await _queue_expires(world)


def _unheard(fault: Fault) -> Act:
    """Writes fail, and the event stream is half-open: no event can settle them."""

    async def breaks(world: World) -> None:
        world.proxy.silence_events()
        await _writes(fault, None)(world)

    return breaks


async def _heal_with_another_queue(world: World) -> None:
    await _queue_expires(world)
    await world.proxy.heal()


async def _no_websocket(world: World) -> None:
    world.proxy.fail(Fault.REFUSED_BY_GATEWAY, "GET", "/api/v1/events/stream")
    await world.proxy.cut()


async def _server_goes(world: World) -> None:
    await world.proxy.cut()
    await world.stop_server()


async def _server_comes(world: World) -> None:
    await world.start_server()


async def _server_restarts(world: World) -> None:
    await _server_goes(world)
    await world.start_server()


async def _disk_full(world: World) -> None:
    journal = world.session.storage.journal
    connection_of(journal).execute("PRAGMA max_page_count=1")
    refuse(journal)


async def _disk_has_room(world: World) -> None:
    journal = world.session.storage.journal
    assert any("cannot be saved" in warning for warning in world.session.warnings)
    refuse(journal, False)
    connection_of(journal).execute("PRAGMA max_page_count=1000000")
    journal.retry()


SCENARIOS = [
    Scenario("no fault", "the reference", _writes(Fault.TOO_MANY, 0), lasts=0.0),
    Scenario("connections refused", "retries automatically", _refuse, heals=_heal),
    Scenario("connections refused for a minute", "shows 'offline', then as above", _refuse, 60.0, _heal),
    Scenario(
        "network comes and goes", "jittered backoff, same queue", _flap, heals=_heal, offers=Offer.PERHAPS
    ),
    Scenario(
        "half-open connection: no data, no error",
        "detected at the first request without a response; searched for, then sent again automatically",
        _hang,
        120.0,
        _heal,
    ),
    Scenario(
        "all connections cut once",
        "reconnects to the same queue at once",
        _cut,
        heals=_heal,
        offers=Offer.PERHAPS,
    ),
    Scenario(
        "connection lost within the body of every response",
        "outcome unknown: found by its event or by a search",
        _all(Fault.CUT_IN_BODY),
        heals=_heal,
        offers=Offer.PERHAPS,
        hits=Fault.CUT_IN_BODY,
        cuts=True,
    ),
    Scenario("latency of 2 s each way", "local echo; nothing blocks", _slow, 20.0, _heal),
    Scenario(
        "429 for messages and drafts",
        "waits as long as the response says",
        _writes(Fault.TOO_MANY, 2),
        heals=_heal,
        hits=Fault.TOO_MANY,
    ),
    Scenario(
        "502 for everything, before any effect",
        "searched for, not found: offered",
        _all(Fault.REFUSED_BY_GATEWAY),
        heals=_heal,
        offers=Offer.PERHAPS,
        hits=Fault.REFUSED_BY_GATEWAY,
        cuts=True,
    ),
    Scenario(
        "502 for a message, before any effect",
        "searched for twice, not found: offered",
        _writes(Fault.REFUSED_BY_GATEWAY, 1),
        heals=_heal,
        offers=Offer.AGAIN,
        hits=Fault.REFUSED_BY_GATEWAY,
    ),
    Scenario(
        "502 for messages, after they were stored",
        "settled by the event with the local id",
        _writes(Fault.FAILED_AFTERWARDS, None),
        heals=_heal,
        hits=Fault.FAILED_AFTERWARDS,
    ),
    Scenario(
        "502 for everything, after the effect",
        "searched for when the server responds again",
        _all(Fault.FAILED_AFTERWARDS),
        heals=_heal,
        offers=Offer.PERHAPS,
        hits=Fault.FAILED_AFTERWARDS,
        cuts=True,
    ),
    Scenario(
        "response to a message lost, message stored",
        "settled by the event",
        _writes(Fault.LOST_AFTERWARDS, None),
        heals=_heal,
        hits=Fault.LOST_AFTERWARDS,
    ),
    Scenario(
        "responses lost, messages stored, event stream silent",
        "events are polled at once",
        _unheard(Fault.LOST_AFTERWARDS),
        30.0,
        _heal,
        hits=Fault.LOST_AFTERWARDS,
    ),
    Scenario(
        "502 after they were stored, event stream silent, then the queue expired",
        "found by a search; the view is fetched again",
        _unheard(Fault.FAILED_AFTERWARDS),
        30.0,
        _heal_with_another_queue,
        hits=Fault.FAILED_AFTERWARDS,
    ),
    Scenario(
        "message lost in transit, connection lost",
        "searched for, not found: offered",
        _writes(Fault.LOST_BEFORE, 1),
        heals=_heal,
        offers=Offer.AGAIN,
        hits=Fault.LOST_BEFORE,
    ),
    Scenario(
        "captive portal for all requests",
        "responses rejected; new snapshot afterwards",
        _all(Fault.PORTAL),
        heals=_heal,
        offers=Offer.PERHAPS,
        hits=Fault.PORTAL,
        cuts=True,
    ),
    Scenario(
        "captive portal for a message",
        "outcome unknown: searched for, offered",
        _writes(Fault.PORTAL, 1),
        heals=_heal,
        offers=Offer.AGAIN,
        hits=Fault.PORTAL,
    ),
    Scenario(
        "garbage instead of HTTP",
        "like a lost connection",
        _all(Fault.NOT_HTTP),
        heals=_heal,
        offers=Offer.PERHAPS,
        hits=Fault.NOT_HTTP,
        cuts=True,
    ),
    Scenario("event queue expired", "new snapshot, open views fetched again", _queue_expires),
    Scenario("event queue expired while offline", "as above", _refuse_and_queue_expires, heals=_heal),
    Scenario("no WebSocket through a gateway", "long poll", _no_websocket, heals=_heal),
    Scenario("server restarts", "new snapshot", _server_restarts, offers=Offer.PERHAPS),
    Scenario(
        "server down for half a minute",
        "waits, new snapshot",
        _server_goes,
        30.0,
        _server_comes,
        Offer.PERHAPS,
        server_is_up=False,
    ),
    Scenario(
        "disk full",
        "kept in memory, with a warning; written when there is space",
        _disk_full,
        heals=_disk_has_room,
    ),
]
