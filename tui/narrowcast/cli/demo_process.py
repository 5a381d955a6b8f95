"""The process of the demo's server, which ends with the app, however the app ends.

Started by `app/demo.py` as `python -m narrowcast.cli.demo_process FOLDER keep|drop`; ``drop`` deletes the
folder at the end.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading

from narrowcast.cli.main import main as command_line


def _end_with_parent(folder: str, keep: bool) -> None:
    """Ends this process with its parent, even after a kill -9: the parent holds our standard input open."""
    while os.read(0, 4096):
        pass
    if not keep:
        shutil.rmtree(folder, ignore_errors=True)
    os.kill(os.getpid(), signal.SIGTERM)


def main(folder: str, keep: bool) -> int:
    """Serves the demo data until the parent ends; returns the exit code."""
    threading.Thread(target=_end_with_parent, args=(folder, keep), daemon=True).start()
    return command_line(["serve", "--demo", "--port", "0", "--data", folder])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2] == "keep"))
