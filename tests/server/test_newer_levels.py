"""What the server does from levels beyond the contract on, and what it does one level before."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from narrowcast_api.wire.levels import SERVED_LEVEL, Gate
from support.server import TestServer


def sides(gate: Gate) -> pytest.MarkDecorator:
    """The level before a gate's, and its own."""
    assert gate.level <= SERVED_LEVEL
    return pytest.mark.parametrize(
        ("level", "has"), [(gate.level - 1, False), (gate.level, True)], ids=["before", "from"]
    )


@sides(Gate.FILE_TIMES_IN_SECONDS)
async def test_times_of_uploads_are_in_seconds(server: TestServer, level: int, has: bool) -> None:
    server.set_level(level)
    listener = await server.listen("ada", event_types=["attachment"])
    upload = (await server.raw("ada", "POST", "/user_uploads", files={"f": ("a.txt", b"hello")})).json()
    await server.send("ada", "general", "t", f"[a]({upload['url']})")
    (row,) = (await server.call("ada", "GET", "/attachments"))["attachments"]
    unit = 1 if has else 1000
    assert row["create_time"] // unit == pytest.approx(server.now(), abs=60)
    assert row["messages"][0]["date_sent"] // unit == pytest.approx(server.now(), abs=60)
    added = (await listener.events())[0]["attachment"]
    assert added["create_time"] == row["create_time"]


@sides(Gate.SETTINGS_OF_OTHERS)
async def test_administrators_change_settings_of_others(server: TestServer, level: int, has: bool) -> None:
    server.set_level(level)
    dario, elif_ = server.id("dario"), server.id("elif")
    group = (
        await server.call(
            "ada", "POST", "/user_groups/create", {"name": "g", "description": "", "members": [elif_]}
        )
    )["group_id"]
    await server.call("dario", "PATCH", "/settings", {"web_font_size_px": 20})
    target = {"user_ids": [dario], "group_ids": [group], "skip_if_already_edited": True}
    fields = {"web_font_size_px": 18, "twenty_four_hour_time": True, "target_users": target}
    response = await server.call("ada", "PATCH", "/settings", fields)
    assert ("target_users" in response.get("ignored_parameters_unsupported", [])) is not has
    changed = {
        name: (
            server.user(name).settings.get("web_font_size_px"),
            "twenty_four_hour_time" in server.user(name).settings,
        )
        for name in ("ada", "dario", "elif")
    }
    assert changed == (
        {"ada": (None, False), "dario": (20, True), "elif": (18, True)}
        if has
        else {"ada": (18, True), "dario": (20, False), "elif": (None, False)}
    )


async def test_settings_of_others_are_changed_by_administrators_and_for_all_users_named(
    server: TestServer,
) -> None:
    dario = server.id("dario")
    target = {"user_ids": [dario], "group_ids": [], "skip_if_already_edited": False}
    await server.call("dario", "PATCH", "/settings", {"web_font_size_px": 20})
    await server.call("ada", "PATCH", "/settings", {"web_font_size_px": 18, "target_users": target})
    assert server.user("dario").settings["web_font_size_px"] == 18
    await server.refusal("elif", "PATCH", "/settings", {"web_font_size_px": 30, "target_users": target})
    for fields in ({"send_read_receipts": False}, {"full_name": "Somebody"}):
        await server.refusal("ada", "PATCH", "/settings", {**fields, "target_users": target})
    await server.call("ada", "DELETE", f"/users/{server.id('greta')}")
    gone = {**target, "user_ids": [server.id("greta")]}
    await server.call("ada", "PATCH", "/settings", {"web_font_size_px": 17, "target_users": gone})
    assert "web_font_size_px" not in server.user("greta").settings
    unknown = {**target, "user_ids": [99_999]}
    await server.refusal("ada", "PATCH", "/settings", {"web_font_size_px": 1, "target_users": unknown})
    assert server.user("dario").full_name.startswith("Dario")


@sides(Gate.ANCHOR_DATE)
async def test_a_date_is_an_anchor(server: TestServer, level: int, has: bool) -> None:
    ids = [await server.send("ada", "general", "t", str(number)) for number in range(3)]
    with server.organization.transaction():
        for day, identity in enumerate(ids, start=1):
            noon = datetime(2026, 1, day, 12, tzinfo=UTC)
            server.organization.store.execute(
                "UPDATE messages SET timestamp = ? WHERE id = ?", int(noon.timestamp()), identity
            )
    server.set_level(level)
    page = {"anchor": "date", "num_before": 0, "num_after": 0}
    if not has:
        await server.refusal("ada", "GET", "/messages", {**page, "anchor_date": "2026-01-02"})
        return
    for moment, found in {
        "2026-01-01": ids[0],
        "2026-01-02": ids[1],
        "2026-01-02T12:00:00": ids[1],
        "2026-01-02T13:00:00+01:00": ids[1],
        "2026-01-02T12:00:01Z": ids[2],
    }.items():
        answer = await server.call("ada", "GET", "/messages", {**page, "anchor_date": moment})
        assert [message["id"] for message in answer["messages"]] == [found], moment
    last = await server.call(
        "ada", "GET", "/messages", {**page, "num_before": 1, "anchor_date": "2027-01-01"}
    )
    assert [message["id"] for message in last["messages"]] == [ids[2]]
    await server.refusal("ada", "GET", "/messages", page)
    await server.refusal("ada", "GET", "/messages", {**page, "anchor_date": "soon"})


@sides(Gate.TERM_MENTIONS)
async def test_the_operator_mentions(server: TestServer, level: int, has: bool) -> None:
    elif_ = server.user("elif")
    sent = await server.send("ada", "general", "t", f"@**{elif_.full_name}**")
    await server.send("ada", "general", "t", f"@_**{elif_.full_name}** @**all**")
    await server.send("ada", "general", "t", "nobody")
    server.set_level(level)
    for operand in (elif_.id, elif_.delivery_email):
        fields = {
            "anchor": "newest",
            "num_before": 10,
            "num_after": 0,
            "narrow": [{"operator": "mentions", "operand": operand}],
        }
        if has:
            found = await server.call("dario", "GET", "/messages", fields)
            assert [message["id"] for message in found["messages"]] == [sent]
        else:
            assert (await server.refusal("dario", "GET", "/messages", fields))["code"] == "BAD_NARROW"


@sides(Gate.BOT_SHORT_NAME)
async def test_the_email_address_of_a_bot_changes(server: TestServer, level: int, has: bool) -> None:
    server.set_level(level)
    bot = (await server.call("dario", "POST", "/bots", {"full_name": "B", "short_name": "old"}))["user_id"]
    await server.call("dario", "PATCH", f"/bots/{bot}", {"short_name": "new"})
    domain = server.organization.setting("domain", str)
    assert server.organization.users[bot].delivery_email == f"{'new' if has else 'old'}-bot@{domain}"
    if has:
        await server.call("dario", "POST", "/bots", {"full_name": "C", "short_name": "taken"})
        for wrong in ("taken", "a b", ""):
            await server.refusal("dario", "PATCH", f"/bots/{bot}", {"short_name": wrong})


@sides(Gate.CHANNEL_EMAIL_OF_POSTERS)
async def test_only_users_who_may_post_get_the_email_address_of_a_channel(
    server: TestServer, level: int, has: bool
) -> None:
    channel = server.channel("general")
    group = server.group("role:administrators")
    await server.call("ada", "PATCH", f"/streams/{channel}", {"can_send_message_group": {"new": group}})
    server.set_level(level)
    path = f"/streams/{channel}/email_address"
    await server.call("ada", "GET", path)
    if has:
        await server.refusal("dario", "GET", path)
    else:
        await server.call("dario", "GET", path)


@sides(Gate.EXPORT_TYPE_WORDS)
async def test_types_of_exports_are_words(server: TestServer, level: int, has: bool) -> None:
    server.set_level(level)
    for wrong in ("more", 2 if has else "public"):
        await server.refusal("ada", "POST", "/export/realm", {"export_type": wrong})
    await server.call("ada", "POST", "/export/realm", {"export_type": "full_with_consent" if has else 2})
    (export,) = (await server.call("ada", "GET", "/export/realm"))["exports"]
    assert export["export_type"] == ("full_with_consent" if has else 2)


@sides(Gate.INVALID_TIME_AS_TEXT)
async def test_an_invalid_time_is_text(server: TestServer, level: int, has: bool) -> None:
    server.set_level(level)
    sent = await server.send("ada", "general", "t", "<time:*soon*>")
    (message,) = (await server.call("ada", "GET", "/messages", {"message_ids": [sent]}))["messages"]
    error = '<span class="timestamp-error">Invalid time format: *soon*</span>'
    assert message["content"] == (f"<p>{'&lt;time:*soon*&gt;' if has else error}</p>")


@sides(Gate.GIF_RATING_POLICY)
async def test_the_rating_of_gifs_is_renamed(server: TestServer, level: int, has: bool) -> None:
    server.set_level(level)
    name, other = "gif_rating_policy", "giphy_rating"
    if not has:
        name, other = other, name
    listener = await server.listen("ada")
    options = {"gif_rating_policy_options": has, "gif_rating_options": not has}
    assert {key: key in listener.snapshot for key in options} == options
    changed = await server.call("ada", "PATCH", "/realm", {name: 2, other: 3})
    assert (changed[name], changed["ignored_parameters_unsupported"]) == (2, [other])
    (event,) = await listener.events()
    assert (event["property"], event["value"]) == (name, 2)
    snapshot = (await server.listen("ada")).snapshot
    assert snapshot[f"realm_{name}"] == 2
    assert f"realm_{other}" not in snapshot


@sides(Gate.RECENT_VIEW_NAME)
async def test_a_home_view_is_renamed(server: TestServer, level: int, has: bool) -> None:
    server.set_level(level)
    listener = await server.listen("ada", event_types=["user_settings", "realm_user_settings_defaults"])
    name = "recent" if has else "recent_topics"
    for given in (name, "inbox", "recent_topics"):
        await server.call("ada", "PATCH", "/settings", {"web_home_view": given})
    await server.call("ada", "PATCH", "/realm/user_settings_defaults", {"web_home_view": name})
    if not has:
        for path in ("/settings", "/realm/user_settings_defaults"):
            await server.refusal("ada", "PATCH", path, {"web_home_view": "recent"})
    assert [event["value"] for event in await listener.events()] == [name, "inbox", name, name]
    snapshot = (await server.listen("ada")).snapshot
    for key in ("user_settings", "realm_user_settings_defaults"):
        assert snapshot[key]["web_home_view"] == name
