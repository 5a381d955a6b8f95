"""The plan of a history: the user actions and faults that follow from a seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

WEIGHTS = {
    "write": 8,
    "draft": 4,
    "read": 4,
    "react": 2,
    "star": 2,
    "other_says": 5,
    "other_changes": 3,
    "take_back": 1,
    "retry": 1,
    "network_changes": 6,
    "half_open": 2,
    "lose_outcomes": 1,
    "look": 3,
    "queue_expires": 1,
    "kill": 2,
    "power_loss": 1,
    "quit": 1,
    "wait": 6,
}
"""Methods of `History`, and how often each is run."""


@dataclass(frozen=True)
class Act:
    """One step of a plan: the action, its window, the seed of its own choices, and the pause after it."""

    name: str
    window: int
    seed: int
    pause: float


def plan(seed: int) -> list[Act]:
    """Returns the actions of a seed."""
    return acts_of(Random(seed), WEIGHTS)


def acts_of(chance: Random, often: Mapping[str, int]) -> list[Act]:
    """Returns some actions. `often`: methods of a history, and how often each is run."""
    names, weights = list(often), list(often.values())
    return [
        Act(
            chance.choices(names, weights)[0],
            chance.randrange(12),
            chance.randrange(2**32),
            chance.choice((0.0, 0.0, 0.05, 0.5)),
        )
        for _ in range(chance.randrange(10, 40))
    ]
