"""Figures that got worse are reported."""

from __future__ import annotations

from pathlib import Path

from bench.kept import keep, load, worse
from bench.results import Row


def row(ratio: float, what: str = "arrivals: CPU") -> Row:
    return Row(what, "1 ms", "zulip-terminal 1 ms", ratio, against="zulip-terminal")


def test_a_ratio_that_got_worse_by_a_quarter_is_told_and_a_smaller_change_is_not(tmp_path: Path) -> None:
    path = tmp_path / "ratios.json"
    keep([row(0.8), row(2.0, "letters")], path)
    assert worse([row(0.99), row(1.0, "letters")], load(path)) == []
    (told,) = worse([row(1.0)], load(path))
    assert told == "arrivals: CPU / zulip-terminal: 1.00, kept 0.80"


def test_what_was_not_measured_this_time_stays_kept(tmp_path: Path) -> None:
    path = tmp_path / "ratios.json"
    keep([row(0.8)], path)
    keep([row(2.0, "letters")], path)
    assert sorted(load(path).values()) == [0.8, 2.0]


def test_without_an_earlier_run_nothing_is_worse(tmp_path: Path) -> None:
    assert worse([row(9.0)], load(tmp_path / "none.json")) == []


def test_a_figure_of_the_run_in_the_name_of_a_row_does_not_hide_it(tmp_path: Path) -> None:
    path = tmp_path / "ratios.json"
    keep([row(0.8, "show 2,000 messages (20,000: 73.0 ms)")], path)
    (told,) = worse([row(1.2, "show 2,000 messages (20,000: 99.1 ms)")], load(path))
    assert told == "show 2,000 messages (20,000: …) / zulip-terminal: 1.20, kept 0.80"
