"""Every budget of the design, measured against a yardstick of the same run.

PYTHONPATH=tests python -m bench [SUBJECT...]      with no subject: all, and RESULTS.md is written
"""

from __future__ import annotations

import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bench import burst, keys, memory, message_list, serving, snapshot, start
from bench.results import Row, markdown
from bench.servers import Served, say, served

RESULTS = Path(__file__).with_name("RESULTS.md")
HEAD = """# Budgets

`make bench` wrote this. Ratios are against the yardstick of the same run; "work" is CPU time of all
threads. Of a key and of a switch there are two: of the thread which paints, until the first bytes of the
answer; and of all threads, until nothing more comes. The incumbent (zulip-terminal) is measured on the same
server in the same turns where BENCH_INCUMBENT names its command.
{machine}

"""


class Bench:
    """The servers, started when a subject first asks for them."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder = folder
        self._stack = stack
        self._servers: dict[str, Served] = {}

    def server(self, kind: str) -> Served:
        """A running server of an organization of `bench.worlds`."""
        if kind not in self._servers:
            say(f"  making the organization: {kind}")
            self._servers[kind] = self._stack.enter_context(served(self.folder / kind, kind))
        return self._servers[kind]

    def home(self, name: str) -> Path:
        """A folder for the homes of one subject."""
        path = self.folder / "homes" / name
        path.mkdir(parents=True, exist_ok=True)
        return path


SUBJECTS: dict[str, Callable[[Bench], list[Row]]] = {
    "start": lambda bench: start.measure(bench.server("demo"), bench.home("start")),
    "bytes": lambda bench: keys.measure_bytes(bench.server("demo"), bench.home("bytes")),
    "keys": lambda bench: keys.measure_busy(bench.server("busy"), bench.home("keys")),
    "list": lambda bench: message_list.measure(),
    "memory": lambda bench: [
        *memory.measure(bench.server("demo"), bench.home("memory"), "demo", 80_000_000),
        *memory.measure(
            bench.server("middle"), bench.home("memory-middle"), "20,000 users, 300 channels", 130_000_000
        ),
    ],
    "burst": lambda bench: burst.measure(bench.server("demo"), bench.home("burst")),
    "large": lambda bench: snapshot.measure(bench.server("large"), bench.server("demo"), bench.home("large")),
    "server": lambda bench: serving.measure(bench.server("demo"), bench.server("large")),
}


@contextmanager
def benches() -> Iterator[Bench]:
    """Folders and servers that are gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder, ExitStack() as stack:
        yield Bench(Path(folder), stack)


def _load() -> str:
    """How many processes wanted a core during the last minute."""
    return f"{os.getloadavg()[0]:.1f}"


def main(wanted: list[str]) -> int:
    """Measures, prints, writes; 1 where a budget is not met."""
    rows: list[Row] = []
    before = _load()
    with benches() as bench:
        for name in wanted or SUBJECTS:
            say(f"measuring: {name}")
            found = SUBJECTS[name](bench)
            say(markdown(found))
            rows += found
    python = f"{platform.python_implementation()} {platform.python_version()}"
    machine = (
        f"{python}, {os.cpu_count()} cores, {platform.system()}; load {before} before and {_load()} after."
    )
    text = HEAD.format(machine=machine) + markdown(rows)
    sys.stdout.write(text)
    if not wanted:
        RESULTS.write_text(text)
    return 0 if all(row.met is not False for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
