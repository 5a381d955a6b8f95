"""Many clients and many messages at once: nothing lost, nothing out of order.

`NARROWCAST_SOAK_SECONDS=60 pytest tests/server/test_soak.py` runs the whole soak; without the variable a
short one runs.
"""

from __future__ import annotations

import os
from pathlib import Path

from support.server import running_server
from support.soak import populate, soak

SECONDS = float(os.environ.get("NARROWCAST_SOAK_SECONDS", "2"))
CLIENTS = 200 if SECONDS >= 60 else 40
RATE = 50


async def test_many_clients_receive_every_message_in_order(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        crowd = populate(server.organization, CLIENTS)
        report = await soak(server.url, crowd, rate=RATE, messages=int(SECONDS * RATE), patience=30)
    assert report.sent == int(SECONDS * RATE)
    assert report.is_clean, report
