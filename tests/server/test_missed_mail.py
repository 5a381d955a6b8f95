"""Emails about messages that a user has missed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from narrowcast_server.actions.missed_mail import email_missed, marks
from support.clock import VirtualClock
from support.server import TestServer, running_server


class Away:
    """Elif, who wants emails, and the clock."""

    def __init__(self, server: TestServer, clock: VirtualClock) -> None:
        self.server = server
        self.clock = clock

    async def wants(self, **settings: object) -> None:
        given = {"enable_offline_email_notifications": True, **settings}
        await self.server.call("elif", "PATCH", "/settings", given)
        self.look()

    def look(self) -> None:
        user = self.server.user("elif")
        email_missed(self.server.organization, user, marks(self.server.organization).get(user.id))

    def mails(self, after: float = 121) -> list[tuple[str, str]]:
        """Advances the clock, then returns subject and text of the emails since the last call."""
        self.clock.jump(after)
        self.look()
        rows = self.server.organization.store.all("SELECT subject, body FROM sent_emails ORDER BY id")
        with self.server.organization.transaction():
            self.server.organization.store.execute("DELETE FROM sent_emails")
        return [(row["subject"], row["body"]) for row in rows]


@pytest.fixture
async def away(tmp_path: Path) -> AsyncIterator[Away]:
    clock = VirtualClock()
    async with running_server(tmp_path, clock=clock) as server:
        yield Away(server, clock)


async def test_all_missed_messages_are_in_one_email_after_the_chosen_time(away: Away) -> None:
    server = away.server
    await server.send_direct("dario", ["elif"], "before she wanted mail")
    await away.wants()
    await server.send_direct("dario", ["elif"], "lunch?")
    await server.send("ada", "general", "plans", "@**Elif Kaya** what do you think?\nReally.")
    await server.send("ada", "general", "plans", "not for her")
    assert away.mails(after=100) == []
    ((subject, body),) = away.mails(after=30)
    assert subject == "2 messages from Dario Vance, Ada Moreno"
    assert "> lunch?" in body
    assert "#general > plans" in body
    assert "> Really." in body
    assert "not for her" not in body
    assert "before she wanted mail" not in body
    assert f"narrowcast open '{server.url}/#narrow/channel/" in body
    assert "My settings" in body
    assert away.mails() == []


@pytest.mark.parametrize(
    ("zone", "shown"), [("", "UTC"), ("Asia/Tokyo", "JST"), ("Atlantis/Capital", "UTC"), ("../etc", "UTC")]
)
async def test_times_in_emails_are_in_the_time_zone_of_the_reader_or_utc(
    away: Away, zone: str, shown: str
) -> None:
    """Time zones are sometimes removed; one that no longer exists must not stop emails to others."""
    await away.wants()
    away.server.organization.users.update(away.server.id("elif"), timezone=zone)
    await away.server.send_direct("dario", ["elif"], "lunch?")
    ((_, body),) = away.mails()
    assert f" {shown}:\n" in body


async def test_messages_that_were_read_or_sent_before_the_last_activity_are_not_emailed(away: Away) -> None:
    server = away.server
    await away.wants()
    read = await server.send_direct("dario", ["elif"], "read")
    await server.call("elif", "POST", "/messages/flags", {"messages": [read], "op": "add", "flag": "read"})
    await server.send_direct("dario", ["elif"], "seen")
    away.clock.jump(5)
    await server.call("elif", "POST", "/users/me/presence", {"status": "active"})
    assert away.mails() == []
    await server.send_direct("dario", ["elif"], "missed")
    ((_, body),) = away.mails()
    assert "missed" in body
    assert "seen" not in body


async def test_settings_decide_which_messages_are_emailed(away: Away) -> None:
    server = away.server
    await away.wants(enable_stream_email_notifications=False, wildcard_mentions_notify=False)
    await server.send("ada", "general", "t", "@**all** look")
    assert away.mails() == []
    await away.wants(message_content_in_email_notifications=False)
    await server.send_direct("dario", ["elif"], "a secret")
    ((subject, body),) = away.mails()
    assert subject == "A message for you"
    assert "secret" not in body
    assert "Dario" not in body
    await away.wants(enable_stream_email_notifications=True)
    await server.send("ada", "general", "t", "plain talk")
    assert len(away.mails()) == 1
    await away.wants(enable_stream_email_notifications=False, enable_offline_email_notifications=False)
    await server.send_direct("dario", ["elif"], "into the void")
    assert away.mails() == []
    await away.wants()
    assert away.mails() == []


async def test_messages_that_are_muted_or_inaccessible_by_then_are_not_emailed(away: Away) -> None:
    server = away.server
    await away.wants()
    fields = {"stream_id": server.channel("general"), "topic": "noise", "visibility_policy": 1}
    await server.call("elif", "POST", "/user_topics", fields)
    await server.send("ada", "general", "noise", "@**Elif Kaya** hey")
    await server.subscribe("bruno", "operations", "elif")
    await server.send("bruno", "operations", "t", "@**Elif Kaya** secret")
    remove = {"subscriptions": ["operations"], "principals": [server.id("elif")]}
    await server.call("bruno", "DELETE", "/users/me/subscriptions", remove)
    assert [body for _, body in away.mails() if "secret" in body or "hey" in body] == []
