"""Histories of people with several machines and a phone: one truth on all of them, and each planted fault is found.

More of them: `cd tests && python -m simulation --machines [--app] --first SEED --count N`.
"""

from __future__ import annotations

import pytest

from simulation.app_window import AppWindow
from simulation.machines import MachinesHistory
from simulation.many import garbage_left
from simulation.planted import FAULTS, Fault, is_found
from simulation.running import run

WINDOWS, APPS = 24, 2


def test_every_history_of_several_machines_ends_well() -> None:
    with garbage_left():
        reports = [run(seed, history=MachinesHistory) for seed in range(WINDOWS)]
    assert {report.seed: report.problems for report in reports if report.problems} == {}


def test_every_history_of_several_machines_ends_well_in_the_app() -> None:
    with garbage_left():
        reports = [run(seed, kind=AppWindow, history=MachinesHistory) for seed in range(APPS)]
    assert {report.seed: report.problems for report in reports if report.problems} == {}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.what)
def test_a_fault_that_is_put_back_is_found(fault: Fault) -> None:
    with fault.put_back(), garbage_left():
        assert is_found(fault, fault.seed)
