"""Dates as people type them."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narrowcast.text.natural_time import day_of

SATURDAY = date(2026, 11, 21)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-11-20", date(2026, 11, 20)),
        (" 2024-2-29 ", date(2024, 2, 29)),
        ("2026-11", date(2026, 11, 1)),
        ("11-20", date(2026, 11, 20)),
        ("11-21", SATURDAY),
        ("12-24", date(2025, 12, 24)),
        ("02-29", date(2024, 2, 29)),
        ("Today", SATURDAY),
        ("yesterday", date(2026, 11, 20)),
        ("fri", date(2026, 11, 20)),
        ("saturday", date(2026, 11, 14)),
        ("Monday", date(2026, 11, 16)),
    ],
)
def test_a_date_is_read_as_it_is_meant(text: str, day: date) -> None:
    assert day_of(text, SATURDAY) == day


@pytest.mark.parametrize(
    "text", ["", "t", "20", "2026", "2026-13-01", "2026-02-30", "02-30", "next week", "٢٠٢٦-١٣"]
)
def test_an_invalid_date_is_rejected(text: str) -> None:
    with pytest.raises(ValueError, match=r"date|day|month|year|range"):
        day_of(text, SATURDAY)


@given(st.text(max_size=12))
def test_any_text_is_either_a_date_or_a_value_error(text: str) -> None:
    try:
        assert day_of(text, SATURDAY)
    except ValueError:
        return
