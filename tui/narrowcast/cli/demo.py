"""``narrowcast demo``: starts a demo server with its own data, and the app logged in to it."""

from __future__ import annotations

import argparse

from narrowcast.cli.open_app import run_app
from narrowcast.terminal.paths import Paths
from narrowcast_api.storage.folders import expand_home


def run(args: argparse.Namespace) -> int:
    """Opens the demo; without ``--data`` its data is deleted on exit."""
    data = expand_home(args.data).absolute() if args.data else None
    return run_app("demo", Paths.of_user(), demo_data=data, extensions=not args.no_extensions)
