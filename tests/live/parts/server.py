"""Calls about the server itself and its event queues."""

from __future__ import annotations

from typing import Any

from live.call_recorder import CallRecorder
from narrowcast_api.http.secret import Secret


async def server(t: CallRecorder) -> None:
    """The server's settings, fetching a key with a password, registrations and their queues."""
    account = t.site.accounts["dario"]
    await t("dario", "server.settings")
    await t(
        "dario",
        "server.fetch_api_key",
        username=account.email,
        password=Secret("wrong"),
        refused="password is incorrect",
    )
    for wanted in (True, False, "partial"):
        await t("dario", "registration.register", include_subscribers=wanted)
    response = await t(
        "dario",
        "registration.register",
        event_types=["message", "reaction"],
        fetch_event_types=["message", "realm_user"],
        client_gravatar=False,
        narrow=[{"operator": "is", "operand": "dm"}],
        all_public_streams=False,
    )
    queue: dict[str, Any] = {"queue_id": response["queue_id"]}
    await t("dario", "events.get", **queue, last_event_id=response["last_event_id"], dont_block=True)
    await t("dario", "events.delete_queue", **queue)
