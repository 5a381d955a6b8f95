"""The generated table of docs/terminals.md."""

from __future__ import annotations

from pathlib import Path

from terminals.checks import CHECKS

PAGE = Path(__file__).parents[2] / "docs" / "terminals.md"
BEGIN, END = "<!-- tried by make terminals -->", "<!-- end -->"


def write_table(results: dict[str, dict[str, str]]) -> None:
    """Writes the results between the marks of the page; those of terminals that were not tried this time stay."""
    checks = [name for name, _ in CHECKS]
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    table, _, after = rest.partition(END)
    head, _, *rows = [line.strip("| ").split(" | ") for line in table.strip().splitlines()]
    both = {row[0]: dict(zip(head[1:], row[1:], strict=True)) for row in rows} | results
    lines = [f"| terminal | {' | '.join(checks)} |", "|---" * (len(checks) + 1) + "|"]
    for kind, seen in both.items():
        lines.append(f"| {kind} | {' | '.join(seen.get(check, 'not tried') for check in checks)} |")
    PAGE.write_text(f"{before}{BEGIN}\n\n" + "\n".join(lines) + f"\n\n{END}{after}", encoding="utf-8")
