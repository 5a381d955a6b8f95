"""The long soak test: 200 clients and 50 messages a second for a minute, with the server in a process of its
own.

cd tests && python -m bench.soak
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
from pathlib import Path

from narrowcast_server.organization.config import ServerConfig
from narrowcast_server.organization.organization import Organization
from support import world
from support.soak import Crowd, Report, populate, soak


def prepare(folder: Path, clients: int) -> Crowd:
    """Creates a data folder with the accounts."""
    folder.mkdir(parents=True, mode=0o700)
    organization = Organization(folder, ServerConfig(durable=False))
    try:
        world.populate(organization)
        return populate(organization, clients)
    finally:
        organization.close()


def serve(folder: Path) -> tuple[subprocess.Popen[str], str]:
    """Starts the server; returns the process and its address."""
    command = [sys.executable, "-m", "narrowcast", "serve", "--port", "0", "--data", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    line = process.stdout.readline()
    return process, line.removeprefix("listening on ").strip()


async def main() -> int:
    """Runs it and prints the result; returns 1 if anything was lost, duplicated or out of order."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        crowd = prepare(data, clients=200)
        process, url = serve(data)
        try:
            report = await soak(url, crowd, rate=50, messages=3000, patience=60)
        finally:
            process.terminate()
            process.wait()
    sys.stdout.write(described(report))
    return 0 if report.is_clean else 1


def described(report: Report) -> str:
    """Formats one line of the result."""
    return (
        f"{report.clients} clients, {report.sent} messages: lost {report.lost}, doubled {report.doubled}, "
        f"out of order {report.disordered}; arrival median {report.latency(0.5) * 1000:.0f} ms, "
        f"95 % {report.latency(0.95) * 1000:.0f} ms\n"
    )


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
