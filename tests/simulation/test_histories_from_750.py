"""Histories 750 to 949: nothing written is lost or duplicated, and everything agrees once the network is
back.

`make soak` runs those after the last of them. To replay a failing seed: `cd tests && python -m simulation
--first SEED --count 1`.
"""

from __future__ import annotations

from simulation.many import quarter, wrong_from


@quarter(3)
def test_every_history_ends_well(first: int) -> None:
    assert wrong_from(first) == {}
