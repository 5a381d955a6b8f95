"""How far the property tests explore: the same short way each time, or as far as one asks.

NARROWCAST_EXAMPLES=500 explores 500 random ways in each; without it every run tries the same ones.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, settings

_ASKED = int(os.environ.get("NARROWCAST_EXAMPLES", "0"))
_SAME = settings(
    derandomize=not _ASKED,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
"""No deadline and no judgement of speed: a busy machine proves nothing about the code."""


def load_profile() -> None:
    """For every test that says nothing else."""
    settings.register_profile("narrowcast", examples(100))
    settings.load_profile("narrowcast")


def examples(many: int) -> settings:
    """So many examples, or as many as were asked for."""
    return settings(_SAME, max_examples=_ASKED or many)


def exploring(steps: int) -> settings:
    """Settings for a state machine of at most so many steps. Without a wish a failure is shown as it was found,
    because shrinking can take minutes.
    """
    phases = list(Phase) if _ASKED else [Phase.explicit, Phase.generate]
    return settings(examples(40), stateful_step_count=steps, phases=phases)


def seeds(many: int) -> range:
    """So many seeds for what is tried at random without Hypothesis, or as many as were asked for."""
    return range(_ASKED or many)
