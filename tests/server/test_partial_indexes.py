"""Queries by flag use the flag's partial index, however many messages a user has.

SQLite uses such an index only if the query contains its condition literally; with a parameter instead of the
number, or another form of the same condition, it would read everything that was ever delivered.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pytest

from narrowcast_server.actions.missed_mail import missed
from narrowcast_server.storage.store import Reading, Store, Value
from support.server import TestServer

_BY_FLAG = re.compile(r"\bflags & ")
_BY_MESSAGE = re.compile(r"\bmessage_id (=|IN)")


class Statements:
    """Records a store's statements that select messages by flag alone, to show how SQLite executes them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._asked: list[tuple[str, Sequence[Value]]] = []
        for owner, name in ((Reading, "one"), (Reading, "all"), (Reading, "integers"), (Store, "execute")):
            monkeypatch.setattr(owner, name, self._noting(getattr(owner, name)))

    def _noting(self, method: Callable[..., object]) -> Callable[..., object]:
        def noted(store: Reading, sql: str, *values: Value) -> object:
            if "user_messages" in sql and _BY_FLAG.search(sql) and not _BY_MESSAGE.search(sql):
                self._asked.append((sql, values))
            return method(store, sql, *values)

        return noted

    def plans(self, store: Store) -> list[str]:
        """For each statement since the last call, the step of its plan that reads `user_messages`."""
        asked, self._asked = self._asked, []
        return [
            next(
                step
                for (*_, step) in store.connection.execute(f"EXPLAIN QUERY PLAN {sql}", values)
                if re.match(r"(SEARCH|SCAN) (um|user_messages)\b", step)
            )
            for sql, values in asked
        ]


def through(index: str) -> re.Pattern[str]:
    """A search by user; a scan would read the rows of all users."""
    return re.compile(rf"SEARCH \w+ USING (COVERING )?INDEX {index} \(user_id=\?")


@pytest.mark.parametrize(
    ("operand", "index"),
    [
        ("unread", "unread_messages"),
        ("starred", "starred_messages"),
        ("mentioned", "mentioning_messages"),
        ("alerted", "mentioning_messages"),
    ],
)
async def test_a_view_by_flag_uses_the_partial_index(
    server: TestServer, monkeypatch: pytest.MonkeyPatch, operand: str, index: str
) -> None:
    statements = Statements(monkeypatch)
    await server.call(
        "ada",
        "GET",
        "/messages",
        {
            "anchor": "first_unread",
            "num_before": 10,
            "num_after": 10,
            "narrow": [{"operator": "is", "operand": operand}],
        },
    )
    plans = statements.plans(server.organization.store)
    assert len(plans) >= 3, "before, at and after the anchor"
    assert all(through(index).search(plan) for plan in plans), plans


async def test_finding_the_first_unread_message_uses_the_partial_index(
    server: TestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    statements = Statements(monkeypatch)
    await server.call(
        "ada", "GET", "/messages", {"anchor": "first_unread", "num_before": 1, "num_after": 1, "narrow": []}
    )
    (plan,) = statements.plans(server.organization.store)
    assert through("unread_messages").search(plan), plan


async def test_registration_uses_the_partial_indexes(
    server: TestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    statements = Statements(monkeypatch)
    await server.listen("ada")
    plans = statements.plans(server.organization.store)
    for index in ("unread_messages", "starred_messages"):
        assert any(through(index).search(plan) for plan in plans), plans
    assert all(through(r"\w+").search(plan) for plan in plans), plans


@pytest.mark.parametrize("path", ["mark_all_as_read", "mark_stream_as_read", "mark_topic_as_read"])
async def test_marking_as_read_uses_the_partial_index(
    server: TestServer, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    await server.send("bruno", "general", "lunch")
    statements = Statements(monkeypatch)
    named = {"stream_id": server.channel("general"), "topic_name": "lunch"}
    taken = {"mark_all_as_read": 0, "mark_stream_as_read": 1, "mark_topic_as_read": 2}[path]
    await server.call("ada", "POST", f"/{path}", dict(list(named.items())[:taken]))
    plans = statements.plans(server.organization.store)
    assert plans
    assert all(through("unread_messages").search(plan) for plan in plans), plans


async def test_leaving_a_channel_and_muting_a_user_use_the_partial_index(
    server: TestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    statements = Statements(monkeypatch)
    await server.call("ada", "POST", f"/users/me/muted_users/{server.id('bruno')}")
    await server.call("ada", "DELETE", "/users/me/subscriptions", {"subscriptions": ["general"]})
    plans = statements.plans(server.organization.store)
    assert len(plans) >= 2
    assert all(through("unread_messages").search(plan) for plan in plans), plans


async def test_finding_missed_messages_for_emails_uses_the_partial_index(
    server: TestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    statements = Statements(monkeypatch)
    missed(server.organization, server.user("ada"), 0)
    (plan,) = statements.plans(server.organization.store)
    assert through("unread_messages").search(plan), plan
