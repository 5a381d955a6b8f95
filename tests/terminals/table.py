"""The generated table of docs/terminals.md."""

from __future__ import annotations

from pathlib import Path

from terminals.checks import CHECKS

PAGE = Path(__file__).parents[2] / "docs" / "terminals.md"
BEGIN, END = "<!-- tried by make terminals -->", "<!-- end -->"


def write_table(results: dict[str, dict[str, str]]) -> None:
    """Writes the results between the marks of the page."""
    checks = [name for name, _ in CHECKS]
    lines = [f"| terminal | {' | '.join(checks)} |", "|---" * (len(checks) + 1) + "|"]
    lines += [f"| {kind} | {' | '.join(seen[check] for check in checks)} |" for kind, seen in results.items()]
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n\n" + "\n".join(lines) + f"\n\n{END}{after}", encoding="utf-8")
