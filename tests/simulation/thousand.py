"""The thousand histories of `make test`, which are spread over files so that several processes share them."""

from __future__ import annotations

import pytest

from simulation.running import run

IN_A_FILE, IN_A_TEST = 250, 50


def quarter(number: int) -> pytest.MarkDecorator:
    """The `first` seed of each test of a file."""
    start = number * IN_A_FILE
    return pytest.mark.parametrize("first", range(start, start + IN_A_FILE, IN_A_TEST))


def wrong_from(first: int) -> dict[int, list[str]]:
    """What is wrong after the histories of a test, by seed."""
    return {
        seed: report.problems for seed in range(first, first + IN_A_TEST) if (report := run(seed)).problems
    }
