"""The simulation itself: a seed reproduces a history, and losses are detected."""

from __future__ import annotations

import asyncio

import pytest

from simulation import history
from simulation.plan import plan
from simulation.running import run, shrunk
from simulation.window import Window


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
