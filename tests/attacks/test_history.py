"""History that is hidden from new subscribers, and texts that were edited away, stay hidden."""

from __future__ import annotations

import pytest

from support.server import JsonObject, TestServer

MODES = ("change_one", "change_later", "change_all")


async def page(server: TestServer, name: str, channel: str) -> list[int]:
    """Ids of the messages in a channel that a user can read."""
    fields = {
        "anchor": "newest",
        "num_before": 100,
        "num_after": 0,
        "narrow": [{"operator": "channel", "operand": server.channel(channel)}],
    }
    return [row["id"] for row in (await server.call(name, "GET", "/messages", fields))["messages"]]


async def newcomer(server: TestServer, name: str = "elif", channel: str = "operations") -> None:
    """Bruno subscribes a user to his private channel with protected history."""
    await server.subscribe("bruno", channel, name)


@pytest.fixture
async def ids(server: TestServer) -> list[int]:
    """Two messages from before Elif was subscribed to `operations`, and two from after."""
    before = [await server.send("bruno", "operations", "plans", f"old {n}") for n in range(2)]
    await newcomer(server)
    return before + [await server.send("bruno", "operations", "plans", f"new {n}") for n in range(2)]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("target", ["general", "engineering", "support", None, "leads"])
@pytest.mark.parametrize("mover", ["elif", "chiyo"])
async def test_a_new_subscriber_moves_only_visible_messages(
    server: TestServer, ids: list[int], mode: str, target: str | None, mover: str
) -> None:
    if mover == "chiyo":
        await newcomer(server, "chiyo")
        ids = [*ids[:2], *[await server.send("bruno", "operations", "plans", f"newer {n}") for n in range(2)]]
    if target == "leads":
        await _let_into_leads(server, mover)
    fields: dict[str, object] = {"propagate_mode": mode, "topic": "elsewhere"}
    if target is not None:
        fields["stream_id"] = server.channel(target)
    await server.call(mover, "PATCH", f"/messages/{ids[2]}", fields)
    for hidden in ids[:2]:
        row = server.organization.store.one("SELECT channel_id, topic FROM messages WHERE id = ?", hidden)
        assert row is not None
        assert (row["channel_id"], row["topic"]) == (server.channel("operations"), "plans")
        for name in (mover, "greta", "hugo", "ada"):
            await server.refusal(name, "GET", f"/messages/{hidden}")
            await server.refusal(name, "GET", f"/messages/{hidden}/history")
    expected = ids[2:3] if mode == "change_one" else ids[2:]
    where = {
        row["id"]
        for row in server.organization.store.all("SELECT id FROM messages WHERE topic = 'elsewhere'")
    }
    assert set(expected) <= where
    assert not where & set(ids[:2])


async def _let_into_leads(server: TestServer, name: str) -> None:
    fields = {"subscriptions": [{"name": "leads"}], "principals": [server.id(name)]}
    if name != "chiyo":
        await server.call("ada", "POST", "/users/me/subscriptions", fields)


@pytest.mark.parametrize("mode", ["change_later", "change_all"])
async def test_an_event_names_only_messages_that_its_reader_can_see(
    server: TestServer, ids: list[int], mode: str
) -> None:
    insider, outsider = await server.listen("dario"), await server.listen("elif")
    fields = {"propagate_mode": mode, "topic": "renamed"}
    await server.call("bruno", "PATCH", f"/messages/{ids[0]}", fields)
    (told,) = await insider.events("update_message")
    assert told["message_ids"] == ids
    (told,) = await outsider.events("update_message")
    assert told["message_ids"] == ids[2:]
    assert told["message_id"] in ids[2:]


async def test_an_edit_with_a_move_sends_its_text_only_to_users_who_can_see_it(
    server: TestServer, ids: list[int]
) -> None:
    outsider = await server.listen("elif")
    fields = {"propagate_mode": "change_all", "topic": "renamed", "content": "a secret from before"}
    await server.call("bruno", "PATCH", f"/messages/{ids[0]}", fields)
    (told,) = await outsider.events("update_message")
    assert "a secret from before" not in str(told)
    assert "old 0" not in str(told)


async def test_a_move_is_not_sent_to_users_who_never_had_the_messages(
    server: TestServer, ids: list[int]
) -> None:
    outsider = await server.listen("elif")
    await server.call("bruno", "PATCH", f"/messages/{ids[0]}", {"topic": "renamed"})
    assert await outsider.events("update_message") == []


async def test_events_of_a_move_out_of_a_channel_name_only_messages_that_a_newcomer_had(
    server: TestServer, ids: list[int]
) -> None:
    outsider = await server.listen("elif")
    await server.subscribe("bruno", "vault", invite_only=True)
    fields = {"propagate_mode": "change_all", "stream_id": server.channel("vault")}
    await server.call("bruno", "PATCH", f"/messages/{ids[0]}", fields)
    deleted = await outsider.events("delete_message", "update_message")
    assert sorted(_named_ids(deleted)) == ids[2:]
    assert await page(server, "elif", "operations") == []


def _named_ids(events: list[JsonObject]) -> list[int]:
    named: list[int] = []
    for event in events:
        named += event.get("message_ids", [])
        named += [event["message_id"]] if "message_ids" not in event else []
    return named


async def test_the_error_of_a_late_move_counts_only_visible_messages(
    server: TestServer, ids: list[int]
) -> None:
    with server.organization.transaction():
        server.organization.store.execute("UPDATE messages SET timestamp = timestamp - 1000000")
    fields = {"propagate_mode": "change_all", "topic": "renamed"}
    refusal = await server.refusal("elif", "PATCH", f"/messages/{ids[2]}", fields)
    assert refusal["code"] == "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED"
    assert refusal["total_messages_in_topic"] == 2


@pytest.mark.parametrize("mode", MODES)
async def test_resolving_a_topic_does_not_reveal_messages_to_a_new_subscriber(
    server: TestServer, ids: list[int], mode: str
) -> None:
    fields = {"propagate_mode": mode, "topic": "✔ plans"}
    await server.call("elif", "PATCH", f"/messages/{ids[3]}", fields)
    assert not set(await page(server, "elif", "operations")) & set(ids[:2])


@pytest.mark.parametrize(
    ("method", "path", "fields"),
    [
        ("GET", "/messages/{id}", None),
        ("GET", "/messages/{id}/history", None),
        ("GET", "/messages/{id}/read_receipts", None),
        ("PATCH", "/messages/{id}", {"topic": "mine"}),
        ("PATCH", "/messages/{id}", {"content": "mine"}),
        ("DELETE", "/messages/{id}", None),
        ("POST", "/messages/{id}/reactions", {"emoji_name": "tada"}),
        ("DELETE", "/messages/{id}/reactions", {"emoji_name": "tada"}),
        ("POST", "/messages/{id}/typing", {"op": "start"}),
        ("POST", "/reminders", {"message_id": "{id}", "scheduled_delivery_timestamp": 2_000_000_000}),
        ("POST", "/messages/{id}/report", {"report_type": "spam"}),
    ],
)
async def test_messages_before_the_subscription_are_treated_as_missing(
    server: TestServer, ids: list[int], method: str, path: str, fields: dict[str, object] | None
) -> None:
    def at(message_id: int) -> tuple[str, dict[str, object] | None]:
        filled = None if fields is None else {k: message_id if v == "{id}" else v for k, v in fields.items()}
        return path.format(id=message_id), filled

    hidden, missing = at(ids[0]), at(10_000_000)
    responses = [(await server.raw("elif", method, where, what)).json() for where, what in (hidden, missing)]
    assert responses[0]["result"] == "error"
    assert responses[0] == responses[1]


@pytest.mark.parametrize("flag", ["starred", "collapsed"])
async def test_setting_a_flag_does_not_make_hidden_messages_visible(
    server: TestServer, ids: list[int], flag: str
) -> None:
    fields = {"messages": ids, "op": "add", "flag": flag}
    await server.refusal("elif", "POST", "/messages/flags", fields)
    assert not set(await page(server, "elif", "operations")) & set(ids[:2])


@pytest.mark.parametrize(
    "narrow",
    [
        [{"operator": "search", "operand": "old"}],
        [{"operator": "channel", "operand": "operations"}, {"operator": "topic", "operand": "plans"}],
        [{"operator": "sender", "operand": "bruno@demo.example"}],
        [{"operator": "channels", "operand": "public"}],
        [{"operator": "is", "operand": "dm", "negated": True}],
        [{"operator": "is", "operand": "unread", "negated": True}],
        [],
    ],
)
async def test_no_narrow_finds_messages_before_the_subscription(
    server: TestServer, ids: list[int], narrow: list[JsonObject]
) -> None:
    fields = {"anchor": "oldest", "num_before": 0, "num_after": 100, "narrow": narrow}
    rows = (await server.call("elif", "GET", "/messages", fields))["messages"]
    assert not {row["id"] for row in rows} & set(ids[:2])
    matching = {"msg_ids": ids, "narrow": narrow}
    response = await server.call("elif", "GET", "/messages/matches_narrow", matching)
    assert not {int(identity) for identity in response["messages"]} & set(ids[:2])


async def test_rejoining_does_not_show_messages_sent_in_between(server: TestServer, ids: list[int]) -> None:
    await server.call("elif", "DELETE", "/users/me/subscriptions", {"subscriptions": ["operations"]})
    between = await server.send("bruno", "operations", "plans", "between")
    await newcomer(server)
    assert between not in await page(server, "elif", "operations")
    await server.refusal("elif", "GET", f"/messages/{between}")


@pytest.mark.parametrize("policy", ["none", "moves"])
async def test_a_removed_text_is_not_sent_in_events(server: TestServer, policy: str) -> None:
    await server.call("ada", "PATCH", "/realm", {"message_edit_history_visibility_policy": policy})
    message_id = await server.send("dario", "general", "t", "my password is plum")
    listener = await server.listen("elif")
    await server.call("dario", "PATCH", f"/messages/{message_id}", {"content": "never mind"})
    await server.call("dario", "PATCH", f"/messages/{message_id}", {"topic": "other"})
    assert "plum" not in str(await listener.events())
    assert "plum" not in str(await server.call("elif", "GET", f"/messages/{message_id}"))
    newest = {"anchor": "newest", "num_before": 5, "num_after": 0}
    assert "plum" not in str(await server.call("elif", "GET", "/messages", newest))
    history = await server.raw("elif", "GET", f"/messages/{message_id}/history")
    assert "plum" not in history.text
    if policy == "moves":
        versions = history.json()["message_history"]
        assert [version["topic"] for version in versions] == ["t", "other"]


async def test_users_who_left_a_channel_lose_messages_moved_away_from_it(
    server: TestServer,
) -> None:
    await newcomer(server, "farid")
    message_id = await server.send("bruno", "operations", "plans")
    people = {"principals": [server.id("farid")]}
    await server.call(
        "bruno", "DELETE", "/users/me/subscriptions", {"subscriptions": ["operations"], **people}
    )
    await server.subscribe("bruno", "vault", invite_only=True)
    fields = {"stream_id": server.channel("vault"), "send_notification_to_new_thread": False}
    await server.call("bruno", "PATCH", f"/messages/{message_id}", fields)
    await server.call("bruno", "PATCH", f"/messages/{message_id}", {"content": "secret"})
    await newcomer(server, "farid", "vault")
    await server.refusal("farid", "GET", f"/messages/{message_id}")
    assert await page(server, "farid", "vault") == []
