"""The presence of others in the responses to the own reports."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs

import httpx2

from narrowcast_api.resources.presence import Seen
from support.clock import VirtualClock
from support.live import BRUNO, CHIYO
from support.scripted import unread
from support.session_service import Service, live_session
from support.sessions import until

REPORT = "/api/v1/users/me/presence"


class PresenceService(Service):
    """Responds to reports of presence with `changes` as number `newest`; `known` are the numbers in the reports."""

    def __init__(self) -> None:
        super().__init__()
        self.known: list[str] = []
        self.newest = 1
        self.changes: dict[str, object] = {}

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if request.url.path != REPORT:
            return await super().handle_async_request(request)
        self.known += parse_qs((await request.aread()).decode())["last_update_id"]
        response = {"presences": self.changes, "presence_last_update_id": self.newest, "server_timestamp": 5}
        return unread(httpx2.Response(200, json={"result": "success", "msg": "", **response}))


async def test_only_what_changed_since_the_snapshot_or_the_last_response_is_requested(
    tmp_path: Path, clock: VirtualClock
) -> None:
    service = PresenceService()
    service.snapshot |= {
        "presences": {str(BRUNO): {"active_timestamp": 5, "idle_timestamp": 6}},
        "presence_last_update_id": 40,
    }
    service.changes, service.newest = {str(CHIYO): {"active_timestamp": 7, "idle_timestamp": 8}}, 41
    async with live_session(tmp_path, service, clock, present=True) as session:
        await until(lambda: session.state.presence.seen(CHIYO) == Seen(7, 8))
        assert session.state.presence.seen(BRUNO) == Seen(5, 6)
        await clock.advance(60)
        await until(lambda: "41" in service.known)
        service.lose_queue(presence_last_update_id=17)
        await until(lambda: session.state.presence.seen(BRUNO) is None)
        await clock.advance(60)
        await until(lambda: "17" in service.known)
    assert list(dict.fromkeys(service.known)) == ["40", "41", "17"]


async def test_all_presences_are_requested_if_the_snapshot_does_not_number_them(tmp_path: Path) -> None:
    service = PresenceService()
    async with live_session(tmp_path, service, present=True):
        await until(lambda: bool(service.known))
    assert service.known[0] == "-1"
