"""``make terminals``: tests the app in each installed terminal, and writes the table of docs/terminals.md.

Screenshots of each check are kept in ``.terminals/``. Exits with an error if a check failed; terminals that
are not installed are reported, and keep their row of an earlier run.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from support.processes import Late
from terminals.checks import CHECKS, TerminalUnderTest, Wrong
from terminals.display import Display, missing
from terminals.kinds import Kind, kinds
from terminals.table import write_table
from terminals.world import World

SHELL = (
    "sh",
    "-c",
    """set -m; "$@"; while [ $? = 147 ] && read -r line; do eval "$line"; done""",  # 147: stopped by SIGSTOP
    "sh",
)
"""A shell with job control that runs the command appended to it, and reads commands only while it is stopped."""
KEPT = Path(__file__).parents[2] / ".terminals"


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def tried(kind: Kind, display: Display, world: World, home: Path) -> dict[str, str]:
    """Returns the result of each check; a failed one starts with "FAILED"."""
    environment = {**kind.environment, "HOME": str(home), "LC_ALL": "C.UTF-8"}
    settings = home / ".config" / "narrowcast" / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(kind.config)
    colours = () if kind.name.startswith("screen") else ("env", "COLORTERM=truecolor")
    app = [*SHELL, *colours, sys.executable, "-m", "narrowcast", "open", "--rc", str(world.rc), world.link]
    seen: dict[str, str] = {}
    with kind.window(display, [*kind.command, *app], environment, home / "log") as window:
        terminal = TerminalUnderTest(kind, window, world, KEPT)
        for check, run in CHECKS:
            try:
                seen[check] = run(terminal)
            except Late as late:
                seen[check] = f"FAILED: {late}"
            except Wrong as wrong:
                seen[check] = f"FAILED: {wrong}"
            if seen[check].startswith("FAILED"):
                terminal.keep(f"{check} failed")
            say(f"  {check}: {seen[check]}")
        window.press("Escape", "ctrl+q")
    return seen


def main(arguments: Sequence[str]) -> int:
    if absent := missing():
        say(f"not installed: {', '.join(absent)} (packages xvfb, xdotool, xclip, x11-utils)")
        return 2
    KEPT.mkdir(exist_ok=True)
    results: dict[str, dict[str, str]] = {}
    with tempfile.TemporaryDirectory(prefix="narrowcast-terminals-") as name:
        folder = Path(name)
        for number, kind in enumerate(kinds(folder)):
            if arguments and kind.name not in arguments:
                continue
            if kind.missing:
                say(f"{kind.name}: not installed: {', '.join(kind.missing)}")
                continue
            say(kind.name)
            own = folder / str(number)
            own.mkdir()
            with Display() as display, World(own) as world:
                try:
                    results[kind.name] = tried(kind, display, world, own)
                except Late as late:  # the app did not start
                    results[kind.name] = dict.fromkeys((name for name, _ in CHECKS), f"FAILED: {late}")
    if results:
        write_table(results)
    failed = [
        f"{kind}: {check}"
        for kind, seen in results.items()
        for check, text in seen.items()
        if "FAILED" in text
    ]
    say("\n".join(["failed:", *failed]) if failed else f"{len(results)} terminals, all well")
    return 1 if failed or not results else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
