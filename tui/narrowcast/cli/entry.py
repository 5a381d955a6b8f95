"""The entry point of the program: it shows the saved screen first and imports everything else afterwards."""

from __future__ import annotations

import gc
import sys

from narrowcast.terminal import last_screen


def main() -> int:
    """Runs the command line with the arguments of the process, and returns the exit code."""
    last_screen.show(sys.argv[1:])
    gc.disable()  # imports leave no garbage to collect
    # The lists of an organization with 20,000 people make many objects that hold no garbage: with Python's 700 the
    # whole heap is looked through every second or two, each time for longer than a key may take.
    gc.set_threshold(5_000, 10, 10)
    try:
        from narrowcast.cli.main import main as command_line  # after the saved screen is shown

        return command_line()
    except BaseException:
        last_screen.give_back()  # the traceback must not disappear with the alternate screen
        raise
