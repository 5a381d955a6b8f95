"""Bots: made, changed and deactivated; each act is checked by what the server then stores."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

from narrowcast.screens.dialogs.picker import Picker
from narrowcast.screens.people.accounts import BotsScreen
from narrowcast.screens.people.card import PersonScreen
from narrowcast_api.wire.vocabulary import BotType
from narrowcast_server.http.routing import ResponseBody
from narrowcast_server.resources import bots
from support.altered_servers import changed, offering
from support.screens import choices, choose, fill, form_of, rows, said
from support.sessions import until
from support.stage import on_stage, run


async def test_the_short_name_of_a_bot_is_changed(tmp_path: Path) -> None:
    with offering("/bots/{bot_id}", {}, routes=bots.routes, method="PATCH") as offered:
        async with on_stage(tmp_path, size=(80, 24)) as stage:
            params = {"full_name": "Kettle", "short_name": "kettle"}
            bot = (await stage.server.call("ada", "POST", "/bots", params))["user_id"]
            await until(lambda: stage.session.state.users.get(bot) is not None)
            stage.at_level(447)
            stage.app.push_screen(PersonScreen(stage.session, bot))
            await until(lambda: isinstance(stage.app.screen, PersonScreen))
            await stage.press("a")
            await choose(stage, "Short name")
            await fill(stage, short="pot")
            await until(lambda: offered.asked == {"short_name": "pot"})


async def test_a_bot_is_made_its_key_replaced_and_itself_deactivated(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "account.bots")
        await stage.press("n")
        await fill(stage, name="Kettle", short="kettle")
        await until(lambda: choices(stage))
        key = stage.server.user("kettle").api_key
        assert any(key in choice.text for choice in choices(stage))
        await stage.press("escape")
        await until(lambda: any("Kettle" in row for row in rows(stage)))
        await until(lambda: stage.session.state.users.id_of("Kettle") is not None)
        await stage.press("s")
        await until(lambda: any(key in choice.text for choice in choices(stage)))
        await stage.press("escape", "r")
        await choose(stage, "Generate new key")
        await until(lambda: stage.server.user("kettle").api_key != key)
        await until(lambda: isinstance(stage.app.screen, Picker))
        await stage.press("escape")
        await stage.press("x")
        await choose(stage, "Deactivate bot")
        await until(lambda: not stage.server.user("kettle").is_active)


async def test_the_key_of_a_bot_is_fetched_by_itself_where_lists_may_lack_it(tmp_path: Path) -> None:
    known = bots.routes.endpoints
    (new_key,) = (one for one in known if one.path == "/bots/{bot_id}/api_key/regenerate")
    fetched: ResponseBody = {"api_key": "k" * 32}
    key = dataclasses.replace(
        new_key, method="GET", path="/bots/{bot_id}/api_key", handler=lambda call: fetched
    )
    with (
        changed(bots.routes, [*known, key]),
        offering("/bots", routes=bots.routes, method="GET") as listed,
    ):
        async with on_stage(tmp_path, size=(80, 24)) as stage:
            params = {"full_name": "Kettle", "short_name": "kettle"}
            made = await stage.server.call("ada", "POST", "/bots", params)
            await until(lambda: stage.session.state.users.get(made["user_id"]) is not None)
            listed.response = {"bots": [{"user_id": made["user_id"], "full_name": "Kettle"}]}
            await run(stage, "account.bots")
            await until(lambda: any("Kettle" in row for row in rows(stage)))
            await stage.press("s")
            await until(lambda: "Generate a new one" in said(stage))
            stage.at_level(463)
            await stage.press("s")
            await until(lambda: any("k" * 32 in choice.text for choice in choices(stage)))


async def test_an_outgoing_webhook_needs_what_it_calls(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "account.bots")
        await stage.press("n")
        await fill(stage, name="Echo", short="echo", type=3)
        form = await form_of(stage)
        await until(lambda: form.row("url").has_problem)
        await fill(stage, short="an echo", url="echo.example/hook")
        await until(lambda: "begins with https:// or http://" in form.shown_problems)
        await fill(stage, url="https://echo.example/hook")
        await until(lambda: "and no spaces" in form.shown_problems)
        assert form.row("short").has_problem
        await fill(stage, short="echo", interface=2)
        await until(lambda: isinstance(stage.app.screen, Picker))
        listener = await stage.server.listen("ada")
        bots = {bot["full_name"]: bot for bot in listener.snapshot["realm_bots"]}
        (service,) = bots["Echo"]["services"]
        assert (service["base_url"], service["interface"]) == ("https://echo.example/hook", 2)


async def test_who_may_make_bots_that_only_write_is_asked_for_no_address(tmp_path: Path) -> None:
    async with on_stage(tmp_path, person="dario", size=(80, 24)) as stage:
        owners = next(group.id for group in stage.session.state.user_groups if group.name == "role:owners")
        await stage.server.call(
            "ada", "PATCH", "/realm", {"can_create_bots_group": json.dumps({"new": owners})}
        )
        await until(lambda: not stage.session.state.has_permission("can_create_bots_group"))
        await run(stage, "account.bots")
        await stage.press("n")
        form = await form_of(stage)
        assert [row.field.name for row in form.rows] == ["name", "short", "type"]
        await fill(stage, name="Hook", short="hook")
        await until(lambda: isinstance(stage.app.screen, Picker))
        assert stage.server.user("hook").bot_type == BotType.INCOMING_WEBHOOK


async def test_the_endpoint_of_an_outgoing_webhook_is_changed_from_its_card(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        params = {
            "full_name": "Echo",
            "short_name": "echo",
            "bot_type": 3,
            "payload_url": "https://a.example/",
        }
        made = await stage.server.call("ada", "POST", "/bots", params)
        bots = stage.session.state.managed_bots
        await until(lambda: (bot := bots.get(made["user_id"])) is not None and bot.payload_url != "")
        stage.app.push_screen(PersonScreen(stage.session, made["user_id"]))
        await until(lambda: isinstance(stage.app.screen, PersonScreen))
        await until(lambda: "https://a.example/" in "".join(rows(stage)))
        await stage.press("a")
        await choose(stage, "Endpoint URL")
        form = await form_of(stage)
        assert form.row("url").typed == "https://a.example/"
        await fill(stage, url="https://b.example/hook", interface=2)
        await until(
            lambda: (
                (bot := bots.get(made["user_id"])) is not None
                and (bot.payload_url, bot.interface_type) == ("https://b.example/hook", 2)
            )
        )


async def test_an_administrator_finds_what_the_webhook_of_somebody_else_calls(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        url = "https://a.example/slack"
        params = {"full_name": "Echo", "short_name": "echo", "bot_type": 3, "payload_url": url}
        made = await stage.server.call("dario", "POST", "/bots", {**params, "interface_type": 2})
        await until(lambda: stage.session.state.managed_bots.get(made["user_id"]) is not None)
        stage.app.push_screen(PersonScreen(stage.session, made["user_id"]))
        await until(lambda: isinstance(stage.app.screen, PersonScreen))
        await stage.press("a")
        await choose(stage, "Endpoint URL")
        form = await form_of(stage)
        assert form.row("url").typed == url
        assert form.read()["interface"] == 2


async def test_the_token_of_a_webhook_is_shown_beside_its_key(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        client = stage.session.client
        url = "https://a.example/"
        echo = await client.bots.create(
            full_name="Echo", short_name="echo", bot_type=BotType.OUTGOING_WEBHOOK, payload_url=url
        )
        other = await client.bots.create(full_name="Plain", short_name="plain")
        assert echo.user_id is not None
        assert other.user_id is not None
        limits = client.connection.limits
        token = (await client.bots.webhook_token(bot_id=echo.user_id)).reveal()
        assert len(token) >= 20
        assert not await client.bots.webhook_token(bot_id=other.user_id)
        assert client.connection.limits is limits
        await run(stage, "account.bots")
        screen = stage.app.screen
        assert isinstance(screen, BotsScreen)
        await until(lambda: {"Echo", "Plain"} <= {row.text for row in screen.list.items})
        screen.refresh_rows(select=next(row.key for row in screen.list.items if row.text == "Echo"))
        await stage.press("s")
        await until(lambda: any(choice.text == token for choice in choices(stage)))
        await choose(stage, "Copy webhook token")
        assert stage.notices[-1].startswith("Webhook token copied.")


async def test_a_guest_is_told_who_has_bots_and_asks_the_server_nothing(tmp_path: Path) -> None:
    async with on_stage(tmp_path, person="hugo", size=(80, 24)) as stage:
        await run(stage, "account.bots")
        await stage.press("n")
        assert "Only members can have bots." in said(stage)
        assert "guest users" not in said(stage)
