"""Hostile JSON for property tests: what a broken or malicious server could send and ``json.loads`` accepts."""

from __future__ import annotations

import math

from hypothesis import strategies as st

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
