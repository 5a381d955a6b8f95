"""Each administrative operation, called twice with the same values: the second call is not in the audit log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from narrowcast_api.wire.vocabulary import BotType, ChannelSetting, ProfileFieldType
from narrowcast_server.actions.audit_log import is_administrative
from narrowcast_server.organization.realm_settings import GIF_POLICY, GROUP_SETTINGS
from narrowcast_server.queries.organization import personal_defaults
from narrowcast_server.routes import ALL_ROUTES
from narrowcast_server.routes.organization import PERSONAL, SETTINGS
from support.server import TestServer

CHANGES_EACH_TIME = {
    "POST /bots",
    "POST /bots/{bot_id}/api_key/regenerate",
    "POST /channel_folders/create",
    "POST /default_stream_groups/create",
    "POST /export/realm",
    "POST /invites",
    "POST /invites/multiuse",
    "POST /invites/{invite_id}/resend",
    "POST /realm/emoji/{name}",
    "POST /realm/filters",
    "POST /realm/icon",
    "POST /realm/logo",
    "POST /realm/playgrounds",
    "POST /realm/profile_fields",
    "POST /user_groups/create",
    "POST /users",
}
"""Whenever one of these is accepted, something new exists or was sent."""


class Repeated(NamedTuple):
    """One call, as Ada makes it: a declared operation, the ids in its path, and its fields."""

    declared: str
    ids: Mapping[str, object] = {}
    fields: Mapping[str, object] = {}

    async def by_ada(self, server: TestServer) -> str:
        """Makes the call; returns why it was refused, or nothing."""
        method, path = self.declared.split(" ")
        response = await server.raw("ada", method, path.format(**self.ids), self.fields)
        assert response.status_code < 500, self
        return str(response.json()["msg"])


async def made(server: TestServer, path: str, key: str, **fields: object) -> object:
    """Creates something by a request of Ada; returns its id."""
    return (await server.call("ada", "POST", path, fields))[key]


async def operations(server: TestServer) -> list[Repeated]:
    """Calls of every operation that can be without effect, on things that are created for them; what removes
    things comes last.
    """
    organization, greta, farid = server.organization, server.id("greta"), server.id("farid")
    hook = await server.create_bot(
        "ada", bot_type=int(BotType.OUTGOING_WEBHOOK), payload_url="https://a.example"
    )
    bot = {"bot_id": hook["user_id"]}
    await server.subscribe("ada", "plans", "dario")
    await server.send("ada", "plans", "tea")
    plans = organization.channels[server.channel("plans")]
    channel = {"stream_id": plans.id}
    group = {"user_group_id": await server.create_group("ada", "cooks", "dario")}
    inner = await server.create_group("ada", "bakers")
    folders = [
        await made(server, "/channel_folders/create", "channel_folder_id", name=name, description="")
        for name in ("A", "B")
    ]
    filters = [
        await made(
            server,
            "/realm/filters",
            "id",
            pattern=f"{letter}(?P<n>[0-9]+)",
            url_template="https://a.example/{n}",
        )
        for letter in "xy"
    ]
    code = {"name": "Play", "highlighter_language": "python", "url_template": "https://a.example/{code}"}
    playground = {"playground_id": await made(server, "/realm/playgrounds", "id", **code)}
    pets = [
        await made(
            server, "/realm/profile_fields", "id", name=name, field_type=int(ProfileFieldType.SHORT_TEXT)
        )
        for name in ("Cat", "Dog")
    ]
    new = {"group_name": "new", "description": "", "stream_names": []}
    await server.call("ada", "POST", "/default_stream_groups/create", new)
    defaults = {"group_id": 1}
    await server.create_link("ada")
    invited = {"invitee_emails": "nadia@example.com", "stream_ids": []}
    await server.call("ada", "POST", "/invites", invited)
    link, mail = organization.store.integers("SELECT id FROM invites ORDER BY email")
    with organization.transaction():
        organization.users.update(server.id("ada"), can_change_user_emails=1)
        organization.store.execute(
            "INSERT INTO exports (id, user_id, kind, requested, place) VALUES (1, ?, 'public', ?, 'x')",
            greta,
            organization.now(),
        )
        organization.store.execute(
            "INSERT INTO custom_emoji (name, author_id, source_url) VALUES ('party', ?, '/x')", greta
        )
    domain = {"domain": "a.example"}
    permissions: dict[str, object] = {
        setting.value: {"new": plans.settings[setting.value]} for setting in ChannelSetting
    }
    realm = {
        name: {"new": value} if name in GROUP_SETTINGS else value
        for name in SETTINGS
        if (value := organization.settings["giphy_rating" if name == GIF_POLICY else name]) is not None
        and name != "message_retention_days"
    }
    return [
        Repeated(
            "PATCH /bots/{bot_id}", bot, {"full_name": "Hook", "short_name": "hook", "bot_owner_id": farid}
        ),
        Repeated(
            "PATCH /bots/{bot_id}", bot, {"service_payload_url": "https://b.example", "service_interface": 2}
        ),
        Repeated(
            "PATCH /streams/{stream_id}",
            channel,
            {
                **permissions,
                "description": "Of *all* kinds",
                "is_private": False,
                "is_web_public": False,
                "history_public_to_subscribers": True,
                "is_default_stream": True,
                "folder_id": folders[0],
                "topics_policy": "allow_empty_topic",
                "message_retention_days": 30,
                "can_send_message_group": {"new": {"direct_members": [greta], "direct_subgroups": []}},
            },
        ),
        Repeated("PATCH /streams/{stream_id}", channel, {"new_name": "later plans"}),
        Repeated(
            "PATCH /channel_folders/{folder_id}", {"folder_id": folders[1]}, {"name": "C", "description": "x"}
        ),
        Repeated("PATCH /channel_folders/{folder_id}", {"folder_id": folders[1]}, {"is_archived": True}),
        Repeated("PATCH /channel_folders", {}, {"order": folders}),
        Repeated("PATCH /channel_folders", {}, {"order": folders[::-1]}),
        Repeated(
            "PATCH /default_stream_groups/{group_id}",
            defaults,
            {"new_group_name": "n", "new_description": "d"},
        ),
        Repeated(
            "PATCH /default_stream_groups/{group_id}/streams",
            defaults,
            {"op": "add", "stream_names": ["support"]},
        ),
        Repeated(
            "PATCH /default_stream_groups/{group_id}/streams",
            defaults,
            {"op": "remove", "stream_names": ["support"]},
        ),
        Repeated("POST /default_streams", {}, {"stream_id": server.channel("general")}),
        Repeated("DELETE /default_streams", {}, {"stream_id": server.channel("general")}),
        Repeated(
            "PATCH /realm/filters/{filter_id}",
            {"filter_id": filters[0]},
            {"pattern": "z(?P<n>[0-9]+)", "url_template": "https://b.example/{n}"},
        ),
        Repeated("PATCH /realm/linkifiers", {}, {"ordered_linkifier_ids": filters}),
        Repeated("PATCH /realm/linkifiers", {}, {"ordered_linkifier_ids": filters[::-1]}),
        Repeated("PATCH /realm", {}, {**realm, "name": "Other", "topics_policy": "disable_empty_topic"}),
        Repeated(
            "PATCH /realm",
            {},
            {"message_retention_days": "unlimited", "message_content_edit_limit_seconds": "unlimited"},
        ),
        Repeated(
            "PATCH /realm/user_settings_defaults",
            {},
            {name: value for name, value in personal_defaults(organization).items() if name in PERSONAL},
        ),
        Repeated("PATCH /realm/user_settings_defaults", {}, {"twenty_four_hour_time": True}),
        Repeated("POST /realm/domains", {}, {"domain": "a.example", "allow_subdomains": False}),
        Repeated("PATCH /realm/domains/{domain}", domain, {"allow_subdomains": True}),
        Repeated(
            "PATCH /realm/profile_fields/{field_id}",
            {"field_id": pets[0]},
            {
                "name": "Bird",
                "hint": "x",
                "display_in_profile_summary": True,
                "required": True,
                "editable_by_user": False,
            },
        ),
        Repeated("PATCH /realm/profile_fields", {}, {"order": pets}),
        Repeated("PATCH /realm/profile_fields", {}, {"order": pets[::-1]}),
        Repeated(
            "PATCH /users/{user_id}",
            {"user_id": greta},
            {"full_name": "Greta Ek", "role": 600, "new_email": "ek@demo.example"},
        ),
        Repeated(
            "PATCH /users/{user_id}",
            {"user_id": greta},
            {"profile_data": [{"id": pets[0], "value": "*Jay*"}]},
        ),
        Repeated(
            "PATCH /users/{user_id}", {"user_id": greta}, {"profile_data": [{"id": pets[0], "value": ""}]}
        ),
        Repeated(
            "PATCH /user_groups/{user_group_id}",
            group,
            {"name": "chefs", "description": "x", "can_mention_group": {"new": server.group("role:members")}},
        ),
        Repeated("POST /user_groups/{user_group_id}/members", group, {"add": [greta]}),
        Repeated("POST /user_groups/{user_group_id}/members", group, {"delete": [greta]}),
        Repeated("POST /user_groups/{user_group_id}/subgroups", group, {"add": [inner]}),
        Repeated("POST /user_groups/{user_group_id}/subgroups", group, {"delete": [inner]}),
        Repeated("PATCH /user_groups/{user_group_id}", group, {"deactivated": True}),
        Repeated("PATCH /user_groups/{user_group_id}", group, {"deactivated": False}),
        Repeated("POST /user_groups/{user_group_id}/deactivate", group),
        Repeated("DELETE /user_groups/{user_group_id}", {"user_group_id": inner}),
        Repeated("POST /streams/{stream_id}/delete_topic", channel, {"topic_name": "tea"}),
        Repeated("PATCH /streams/{stream_id}", channel, {"is_archived": True}),
        Repeated("PATCH /streams/{stream_id}", channel, {"is_archived": False}),
        Repeated("DELETE /streams/{stream_id}", channel),
        Repeated("DELETE /default_stream_groups/{group_id}", defaults),
        Repeated("DELETE /export/realm/{export_id}", {"export_id": 1}),
        Repeated("DELETE /invites/{invite_id}", {"invite_id": mail}),
        Repeated("DELETE /invites/multiuse/{invite_id}", {"invite_id": link}),
        Repeated("DELETE /realm/emoji/{name}", {"name": "party"}),
        Repeated("DELETE /realm/filters/{filter_id}", {"filter_id": filters[0]}),
        Repeated("DELETE /realm/domains/{domain}", domain),
        Repeated("DELETE /realm/icon"),
        Repeated("DELETE /realm/logo", {}, {"night": True}),
        Repeated("DELETE /realm/playgrounds/{playground_id}", playground),
        Repeated("DELETE /realm/profile_fields/{field_id}", {"field_id": pets[0]}),
        Repeated("POST /realm/deactivate"),
        Repeated("DELETE /bots/{bot_id}", bot),
        Repeated("DELETE /users/{user_id}", {"user_id": greta}),
        Repeated("POST /users/{user_id}/reactivate", {"user_id": greta}),
    ]


def number_of_entries(server: TestServer) -> int | None:
    return server.organization.store.integer("SELECT count(*) FROM acts")


async def test_no_operation_is_in_the_audit_log_when_it_is_repeated_without_effect(
    server: TestServer,
) -> None:
    repeated = await operations(server)
    administrative = {
        f"{endpoint.method} {endpoint.path}"
        for routes in ALL_ROUTES
        for endpoint in routes.endpoints
        if not endpoint.public and is_administrative(endpoint.method, endpoint.path)
    }
    assert {call.declared for call in repeated} == administrative - CHANGES_EACH_TIME
    logged, refused = [], []
    for call in repeated:
        if await call.by_ada(server):
            refused.append(call.declared)
        before = number_of_entries(server)
        await call.by_ada(server)
        if number_of_entries(server) != before:
            logged.append(call)
    assert logged == []
    assert refused == ["POST /realm/deactivate"], "which only the operator of this server can do"
