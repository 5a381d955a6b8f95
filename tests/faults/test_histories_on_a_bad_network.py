"""Random histories with random network faults: in the end every session equals a fresh one."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from narrowcast_api.client import Client
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.state.state import State
from narrowcast_api.sync.session import Session
from narrowcast_api.wire.vocabulary import Anchor
from support.fault_proxy import Fault, FaultProxy
from support.histories import History
from support.history_steps import STEPS
from support.server import TestServer, running_server
from support.sessions import QUICK, sessions, until
from support.state_facts import differences, facts

_STEPS = 60
_SAFE = sorted(set(STEPS) - {"person"})
_POLLS = ("GET", "/api/v1/events")
_FAULTS = [
    fault for fault in Fault if fault not in {Fault.TOO_MANY, Fault.HELD_BEFORE, Fault.HELD_AFTERWARDS}
]  # faults without a duration


async def disturb(proxy: FaultProxy, server: TestServer, session: Session, chance: random.Random) -> None:
    """Runs one of the faults of networks and servers."""
    kind = chance.randrange(6)
    if kind == 0:
        await proxy.cut()
    elif kind == 1:
        await proxy.refuse()
    elif kind == 2:
        await proxy.refuse()
        await proxy.listen()
    elif kind == 3:
        await server.raw("dario", "DELETE", "/events", {"queue_id": session.queue_id or "none"})
    else:
        proxy.fail(chance.choice(_FAULTS), *_POLLS, times=1)


async def untrue(client: Client, session: Session) -> object:
    """Returns the errors of the session, in its state or in the view of all messages; empty if there are none."""
    fresh = State.from_snapshot(await client.registration.register())
    page = await client.messages.list(anchor=Anchor.NEWEST, num_before=1000)
    there = {message.id: message for message in page.messages}
    view = session.view(Narrow.all())
    known = {message_id: session.state.messages.get(message_id) for message_id in view.ids}
    wrong = differences({**facts(session.state), "messages": known}, {**facts(fresh), "messages": there})
    return wrong or view.gaps


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("polling", [True, False], ids=["long poll", "websocket"])
async def test_whatever_breaks_the_session_ends_up_with_the_truth(
    tmp_path: Path, seed: int, polling: bool
) -> None:
    chance = random.Random(seed)
    async with (
        running_server(tmp_path / "server", config=QUICK) as server,
        FaultProxy(server.url) as proxy,
        sessions(server, tmp_path, "dario", site=proxy.url, polling=polling) as (dario,),
    ):
        history = History(server)
        await dario.view(Narrow.all()).open()
        for _ in range(_STEPS):
            if chance.random() < 0.3:
                await disturb(proxy, server, dario, chance)
            who, where, what = (chance.randrange(50) for _ in range(3))
            await history.step((chance.choice(_SAFE), who, where, what))
        proxy.clear_faults()
        await proxy.refuse()
        await proxy.listen()
        dario.reconnect()
        async with Client.open(server.account("dario")) as client:
            wrong: object = None
            for _ in range(20):
                await until(lambda: dario.is_live and not dario.view(Narrow.all()).loading, 30)
                wrong = await untrue(client, dario)
                if not wrong:
                    return
                await dario.clock.sleep(0.3)
            pytest.fail(str(wrong))
