"""``/table``: lines with tabs or commas, as from a spreadsheet, become a Markdown table; the first is the header."""

from __future__ import annotations

import csv
import io

from narrowcast.extend import App, Card, Code, Extension, Refused

extension = Extension("table", "Tables from pasted cells")


def rows(text: str) -> list[list[str]]:
    """The cells of each line."""
    delimiter = "\t" if "\t" in text else ","
    return [row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if any(row)]


@extension.slash("table", "send pasted cells as a table")
def table(app: App[None], text: str) -> str:
    """Returns the Markdown table for pasted cells."""
    cells = rows(text)
    if len(cells) < 2:
        raise Refused("Paste the cells after /table: a header line, then one line per row.")
    width = max(len(row) for row in cells)
    header, *body = [
        [cell.strip().replace("|", "\\|") for cell in row] + [""] * (width - len(row)) for row in cells
    ]
    return "\n".join("| " + " | ".join(row) + " |" for row in [header, ["---"] * width, *body])


@extension.code_card("csv", "tsv")
def card(app: App[None], code: Code) -> Card | None:
    """Shows a long block of cells as its size and header row."""
    cells = rows(code.source)
    if len(cells) < 20:
        return None
    return Card(f"{len(cells) - 1} rows of {code.language}", " · ".join(cells[0]))
