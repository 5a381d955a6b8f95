"""``narrowcast serve``: the embedded server in the foreground."""

from __future__ import annotations

import argparse
from pathlib import Path

from narrowcast.commands.outcome import CommandError, Exit
from narrowcast.platform.paths import Paths


def run(args: argparse.Namespace) -> int:
    """Serve until interrupted."""
    if bool(args.tls_cert) != bool(args.tls_key):
        raise CommandError("--tls-cert and --tls-key go together", Exit.USAGE)
    data = Path(args.data).expanduser() if args.data else Paths.of_user().data / "server"
    from narrowcast_server import serve

    return serve.run(
        host=args.host,
        port=args.port,
        data=data,
        demo=args.demo,
        feature_level=args.feature_level,
        dialect=args.dialect,
    )
