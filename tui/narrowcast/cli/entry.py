"""The entry point of the program: it shows the saved screen first and imports everything else afterwards."""

from __future__ import annotations

import gc
import sys

from narrowcast.terminal import last_screen


def main() -> int:
    """Runs the command line with the arguments of the process, and returns the exit code."""
    last_screen.show(sys.argv[1:])
    gc.disable()  # imports leave no garbage to collect
    try:
        from narrowcast.cli.main import main as command_line  # after the saved screen is shown

        return command_line()
    except BaseException:
        last_screen.give_back()  # the traceback must not disappear with the alternate screen
        raise
