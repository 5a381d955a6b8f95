"""Property tests: how many examples they try, and hostile JSON.

NARROWCAST_EXAMPLES=500 tries 500 random examples in each; without it every run tries the same few ones.
"""

from __future__ import annotations

import math
import os

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

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


_LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([10**400, -(10**400), 2**63, -(2**63) - 1, 0, -1]),
    st.sampled_from([math.nan, math.inf, -math.inf, 1e308, 0.5]),
    st.text(max_size=8),
    st.sampled_from(["\ud800", "\x00", "\x1b]52;c;eA==\x07", "‮", "9" * 5000, "12", "-3", "true"]),
)

_KEYS = st.one_of(
    st.text(max_size=6), st.sampled_from(["7", "id", "user_id", "\ud800", "name", "type", "op"])
)


def deep(depth: int) -> object:
    """Returns lists nested this deep."""
    value: object = []
    for _ in range(depth):
        value = [value]
    return value


def hostile_json() -> st.SearchStrategy[object]:
    """Any JSON value, including the worst likely ones; not nested very deep, see `deep`."""
    return st.recursive(
        _LEAVES,
        lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(_KEYS, inner, max_size=4)),
        max_leaves=12,
    )
