"""How many examples the property tests try: a few fixed ones by default, or as many as requested.

NARROWCAST_EXAMPLES=500 tries 500 random examples in each; without it every run tries the same ones.
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
"""No deadline and no health checks of speed: a busy machine proves nothing about the code."""


def load_profile() -> None:
    """The settings of every test that does not choose its own."""
    settings.register_profile("narrowcast", examples(100))
    settings.load_profile("narrowcast")


def examples(many: int) -> settings:
    """Settings for this many examples, or as many as were requested."""
    return settings(_SAME, max_examples=_ASKED or many)


def exploring(steps: int) -> settings:
    """Settings for a state machine of at most this many steps. Unless more examples were requested, failures
    are not shrunk, because shrinking can take minutes.
    """
    phases = list(Phase) if _ASKED else [Phase.explicit, Phase.generate]
    return settings(examples(40), stateful_step_count=steps, phases=phases)


def seeds(many: int) -> range:
    """Returns this many seeds for random tests without Hypothesis, or as many as were requested."""
    return range(_ASKED or many)
