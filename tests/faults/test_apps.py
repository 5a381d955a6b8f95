"""Apps in terminals, each with three accounts, are killed and disconnected, and agree in the end.

The long form: `make soak-windows`, or `cd tests && python -m faults.apps --seed N`.
"""

from __future__ import annotations

from pathlib import Path

from faults.apps.run import run


def test_windows_of_three_accounts_that_are_killed_and_cut_off_agree_in_the_end(tmp_path: Path) -> None:
    acts = ("send", "edit", "outage", "send", "draft", "kill", "switch")
    run(tmp_path, 8, acts, windows=2)
