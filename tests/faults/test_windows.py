"""Windows of one account in processes of their own: whatever happens, they, the journal and the server agree.

The long form: `cd tests && python -m faults.many_windows --seed N`.
"""

from __future__ import annotations

from pathlib import Path

from faults.many_windows import run


async def test_windows_that_are_killed_and_cut_off_agree_in_the_end(tmp_path: Path) -> None:
    await run(tmp_path, seed=2, windows=3, acts=60)
