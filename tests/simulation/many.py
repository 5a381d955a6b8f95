"""The 200 histories of `make test`, spread over files so that several processes share them."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from simulation.running import run

APART, IN_A_FILE, IN_A_TEST = 250, 50, 50


def quarter(number: int) -> pytest.MarkDecorator:
    """Returns the `first` seed of each test of a file."""
    start = number * APART
    return pytest.mark.parametrize("first", range(start, start + IN_A_FILE, IN_A_TEST))


def wrong_from(first: int) -> dict[int, list[str]]:
    """Returns the problems after the histories of a test, by seed."""
    with garbage_left():
        return {
            seed: report.problems
            for seed in range(first, first + IN_A_TEST)
            if (report := run(seed)).problems
        }


@contextmanager
def garbage_left() -> Iterator[None]:
    """A history leaves some megabytes of cycles: searching for them all the time takes a tenth of its run time."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.collect()
