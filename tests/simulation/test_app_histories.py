"""Histories in which the windows of a user are apps: text written with keys is neither lost nor sent twice,
and in the end the screen shows what the session has.

More of them: `cd tests && python -m simulation --app --first SEED --count N`.
"""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from narrowcast.panes.compose.session import ComposeSession
from simulation.app_window import AppWindow
from simulation.history import Report
from simulation.many import garbage_left
from simulation.running import run

EACH = 3
TESTS = Path(__file__).parents[1]


@cache
def history(seed: int) -> Report:
    """The history of a seed, run once."""
    with garbage_left():
        return run(seed, kind=AppWindow)


@pytest.mark.parametrize("first", range(0, 9, EACH))
def test_every_history_in_the_app_ends_well(first: int) -> None:
    reports = [history(seed) for seed in range(first, first + EACH)]
    assert {report.seed: report.problems for report in reports if report.problems} == {}


def test_a_history_ends_well_in_the_first_app_of_a_process() -> None:
    """Its lists and compose stayed empty; apps that were opened after it in the same process were complete."""
    command = [sys.executable, "-m", "simulation", "--app", "--first", "11", "--count", "1"]
    ended = subprocess.run(command, cwd=TESTS, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout


def test_a_seed_gives_the_same_history_in_the_app_again() -> None:
    assert run(7, kind=AppWindow) == history(7)


def test_an_app_that_keeps_no_drafts_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ComposeSession, "keep", lambda self: None)
    problems = (problem for seed in range(20) for problem in run(seed, kind=AppWindow).problems)
    assert any("drafts are lost" in problem for problem in problems)
