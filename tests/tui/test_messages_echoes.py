"""The user's own messages that are still being sent."""

from __future__ import annotations

import pytest

from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.protocols.outbox_item import OutboxEntry, OutboxState
from support import live
from support.message_views import FIRST_TIME, ListApp, short

SOUP = ChannelDestination(live.GENERAL, "tests")


@pytest.mark.parametrize(
    ("state", "age", "more", "note"),
    [
        (OutboxState.SENDING, 0.1, {}, None),
        (OutboxState.WAITING, 2.0, {}, "waiting to be sent… F9 cancels"),
        (OutboxState.SENDING, 2.0, {}, "sending…"),
        (OutboxState.SENDING, 20.0, {}, "still sending… F9 cancels"),
        (OutboxState.WAITING, 0.5, {"held_for": 4.2}, "sent in 5 s: Esc in the compose box takes it back"),
        (OutboxState.WAITING, 2.0, {"waits_for": "x"}, "waiting for the previous message"),
        (OutboxState.UNCONFIRMED, 2.0, {}, "unconfirmed: checking whether it arrived… F9 cancels"),
        (
            OutboxState.FAILED,
            2.0,
            {"error": "Too long."},
            "not sent: Too long. F8 resends, F9 cancels",
        ),
    ],
)
async def test_a_message_on_its_way_says_how_it_is(
    state: OutboxState, age: float, more: dict[str, str], note: str | None
) -> None:
    app = ListApp([short(1)])
    entry = OutboxEntry("l1", SOUP, "from me\n\x1b[31m**so**", state, FIRST_TIME - age, **more)  # type: ignore[arg-type]  # its optional fields
    app.feed.echoes = [entry]
    async with app.run_test(size=(70, 9)) as pilot:
        await pilot.pause()
        rows = [row.removeprefix("▌").strip() for row in app.rows() if row.strip()]
        begin = rows.index("from me")
        assert rows[begin - 1].startswith("Ada")
        assert rows[begin + 1] == "␛[31m**so**"
        assert rows[begin + 2 :] == [] if note is None else " ".join(rows[begin + 2 :]).startswith(note)
