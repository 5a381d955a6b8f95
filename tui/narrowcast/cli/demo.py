"""``narrowcast demo``: a server of its own with the demo world, and the app signed in to it."""

from __future__ import annotations

import argparse
from pathlib import Path

from narrowcast.cli.open_app import run_app
from narrowcast.terminal.paths import Paths


def run(args: argparse.Namespace) -> int:
    """Open the demo; without ``--data`` nothing of it is left."""
    data = Path(args.data).expanduser().absolute() if args.data else None
    return run_app("demo", Paths.of_user(), demo_data=data, extensions=not args.no_extensions)
