"""The matrix of faults and results as Markdown. `python -m faults.matrix` in tests/ writes it again."""

from __future__ import annotations

import os
from pathlib import Path

from faults.cases import CASES
from faults.scenarios import SCENARIOS

FILE = Path(__file__).with_name("MATRIX.md")

_INTRO = """# What happens when things break

Each line is a test: a session behind a proxy that breaks, against the embedded server, with the clocks ten times
as fast. During the fault Ada sends three messages to one topic and one to another and writes a draft; Bruno, on a
good connection, sends two. Then the fault ends.

- Not lost: each message of hers is on the server, in the order of writing; the draft is there; both of Bruno's
  messages are in her open view; nothing is left in her journal.
- Not doubled: none of that is there twice.
- Not frozen: no call of the app waited, and the loop never stood still for a second.

"""


def matrix() -> str:
    """Returns the text of MATRIX.md."""
    lines = [
        "| fault | handling | the user is offered | lost | doubled | frozen |",
        "|---|---|---|---|---|---|",
        *(f"| {s.name} | {s.handling} | {s.offers.value} | no | no | no |" for s in SCENARIOS),
    ]
    others = [
        "| case | what is shown |",
        "|---|---|",
        *(f"| {name} | {shown} |" for name, shown in CASES.items()),
    ]
    return _INTRO + "\n".join(lines) + "\n\n## Ends, devices and files\n\n" + "\n".join(others) + "\n"


if __name__ == "__main__":
    temporary = FILE.with_suffix(".new")
    temporary.write_text(matrix(), encoding="utf-8")
    os.replace(temporary, FILE)
