"""Where the program begins: the screen as it was left comes first, everything else is imported after it."""

from __future__ import annotations

import gc
import sys

from narrowcast.terminal import last_screen


def main() -> int:
    """Run the command line with the arguments of the process; returns the exit code."""
    last_screen.show(sys.argv[1:])
    gc.disable()  # nothing of the imports is garbage
    # httpx would load its own command line with click, rich and pygments: a third of the time that it takes.
    sys.modules["httpx._main"] = None  # type: ignore[assignment]
    try:
        from narrowcast.cli import kept_code, late_imports

        if last_screen.shown() is not None:
            kept_code.use()
        late_imports.install()
        from narrowcast.cli.main import main as command_line

        return command_line()
    except BaseException:
        last_screen.give_back()  # what Python says of the error must not vanish with the screen
        raise
