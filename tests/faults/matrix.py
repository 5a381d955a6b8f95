"""The matrix of faults and results as Markdown. `python -m faults.matrix` in tests/ writes it again."""

from __future__ import annotations

import os
from pathlib import Path

from faults.cases import CASES
from faults.scenarios import SCENARIOS

FILE = Path(__file__).with_name("MATRIX.md")

_INTRO = """# Behaviour under faults

Each row is a test: a session behind a proxy with faults, against the embedded server, with clocks that run ten times
as fast. During the fault Ada sends three messages to one topic and one to another and writes a draft; Bruno, on a
connection without faults, sends two. Then the fault ends.

- Not lost: each of Ada's messages is on the server, in the order of writing; so is the draft; both of Bruno's
  messages are in her open view; nothing is left in her journal.
- Not duplicated: none of these exists twice.
- Not frozen: no call of the app blocked, and the event loop was never blocked for a second.

"""


def matrix() -> str:
    """Returns the text of MATRIX.md."""
    lines = [
        "| Fault | Handling | Offered to the user | Lost | Duplicated | Frozen |",
        "|---|---|---|---|---|---|",
        *(f"| {s.name} | {s.handling} | {s.offers.value} | no | no | no |" for s in SCENARIOS),
    ]
    others = [
        "| Case | Result |",
        "|---|---|",
        *(f"| {name} | {shown} |" for name, shown in CASES.items()),
    ]
    return _INTRO + "\n".join(lines) + "\n\n## Kills, devices and files\n\n" + "\n".join(others) + "\n"


if __name__ == "__main__":
    temporary = FILE.with_suffix(".new")
    temporary.write_text(matrix(), encoding="utf-8")
    os.replace(temporary, FILE)
