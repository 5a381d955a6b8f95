"""Every performance budget of the design, measured against a yardstick of the same run.

PYTHONPATH=tests python -m bench [--incumbent COMMAND] [--keep] [SUBJECT...]

Without a subject: all, and RESULTS.md is written. A ratio that is worse than the stored one by a quarter
fails the run; if none is stored, or with --keep, the ratios of this run are stored.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bench import (
    burst,
    history,
    kept,
    keys,
    many_clients,
    memory,
    message_list,
    running,
    serving,
    snapshot,
    start,
)
from bench.results import Row, markdown
from bench.servers import Served, say, served

RESULTS = Path(__file__).with_name("RESULTS.md")
HEAD = """# Budgets

`make bench` wrote this. Ratios are against the yardstick of the same run; "work" is CPU time of all
threads. Of a key and of a switch there are two: of the thread which paints, until the first bytes of the
answer; and of all threads, until nothing more comes. The incumbent (zulip-terminal) is measured on the same
server in the same turns where `--incumbent` (`make bench BENCH_ARGS=...`) names its command.
{machine}

"""


class Bench:
    """The servers, started when a subject first needs them."""

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
        """A folder for the home directories of one subject."""
        path = self.folder / "homes" / name
        path.mkdir(parents=True, exist_ok=True)
        return path


SUBJECTS: dict[str, Callable[[Bench], list[Row]]] = {
    "start": lambda bench: [
        *start.measure(bench.server("demo"), bench.home("start"), "demo"),
        *start.measure(bench.server("middle"), bench.home("start-middle"), "20,000 people, 300 channels"),
    ],
    "bytes": lambda bench: keys.measure_bytes(bench.server("demo"), bench.home("bytes")),
    "keys": lambda bench: keys.measure_busy(bench.server("busy"), bench.home("keys")),
    "list": lambda bench: message_list.measure(),
    "memory": lambda bench: [
        *memory.measure(bench.server("demo"), bench.home("memory"), "demo", 60_000_000),
        *memory.measure(
            bench.server("middle"), bench.home("memory-middle"), "20,000 users, 300 channels", 80_000_000
        ),
    ],
    "running": lambda bench: [
        *running.measure(bench.server("demo"), bench.home("running"), "demo"),
        *running.measure(bench.server("people"), bench.home("running-people"), "300 people"),
        *running.measure(bench.server("middle"), bench.home("running-middle"), "20,000 people, 300 channels"),
    ],
    "burst": lambda bench: burst.measure(bench.server("demo"), bench.home("burst")),
    "large": lambda bench: snapshot.measure(bench.server("large"), bench.server("demo"), bench.home("large")),
    "history": lambda bench: history.measure(
        bench.server("10,000 messages"), bench.server("1,000,000 messages")
    ),
    "clients": lambda bench: many_clients.measure(bench.server("clients")),
    "server": lambda bench: serving.measure(bench.server("demo"), bench.server("large")),
}


@contextmanager
def benches() -> Iterator[Bench]:
    """Temporary folders and servers."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder, ExitStack() as stack:
        yield Bench(Path(folder), stack)


def _load() -> str:
    """How many processes competed for a core during the last minute."""
    return f"{os.getloadavg()[0]:.1f}"


def main(arguments: list[str]) -> int:
    """Measures, prints, writes; returns 1 if a budget is exceeded or a ratio got worse."""
    parser = argparse.ArgumentParser(prog="bench")
    parser.add_argument("--incumbent", help="the command of zulip-terminal, to be measured in the same turns")
    parser.add_argument("--keep", action="store_true", help="keep the ratios of this run, whatever they are")
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT", help=", ".join(SUBJECTS))
    options = parser.parse_args(arguments)
    if options.incumbent:
        os.environ[start.INCUMBENT] = options.incumbent
    rows: list[Row] = []
    before = _load()
    with benches() as bench:
        for name in options.subjects or SUBJECTS:
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
    if not options.subjects:
        RESULTS.write_text(text)
    got_worse = kept.worse(rows, kept.load())
    for line in got_worse:
        say(f"worse by a quarter: {line}")
    if options.keep or not got_worse:
        kept.keep(rows)
    return 0 if not got_worse and all(row.met is not False for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
