"""A thousand histories: nothing written is lost or doubled, and everything agrees once the network is back.

`make soak` goes on from there. To look at a failing seed: `cd tests && python -m simulation --first SEED --count 1`.
"""

from __future__ import annotations

import asyncio

import pytest

from simulation import history
from simulation.history import plan, run, shrunk
from simulation.window import Window

AT_ONCE = 50


@pytest.mark.parametrize("first", range(0, 1_000, AT_ONCE))
def test_every_history_ends_well(first: int) -> None:
    wrong = {
        seed: report.problems for seed in range(first, first + AT_ONCE) if (report := run(seed)).problems
    }
    assert wrong == {}


def test_a_seed_gives_the_same_history_again() -> None:
    assert plan(7) == plan(7)
    assert run(7) == run(7)


def test_a_client_that_forgets_what_it_wrote_is_noticed_and_its_history_shrinks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def forgetful(self: history.History, window: Window) -> None:
        await asyncio.sleep(1)
        for entry in window.session.outbox.entries():
            window.session.storage.journal.delete_outbox(entry.local_id)
        await asyncio.sleep(1)
        await window.kill()
        await window.start()

    monkeypatch.setattr(history.History, "kill", forgetful)
    seed = next(s for s in range(200) if run(s).problems)
    assert "is lost" in " ".join(run(seed).problems)
    assert len(shrunk(seed)) <= len(plan(seed)) // 2
