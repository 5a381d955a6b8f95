"""Calls about users, groups, bots and invitations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from live.call_recorder import CallRecorder
from narrowcast_api.http.secret import Secret
from narrowcast_api.model.user_groups import AdHocGroup
from narrowcast_api.routes.user_groups import Change
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import (
    BotType,
    GroupSetting,
    ProfileFieldType,
    Role,
    WebhookInterface,
)


async def groups(t: CallRecorder) -> None:
    """User groups with all permissions, their members and subgroups."""
    site = t.site
    moderators, ada, dario = site.group("role:moderators"), site.id("ada"), site.id("dario")
    people = AdHocGroup(frozenset({ada}), frozenset({moderators}))
    group_id = await t(
        "ada",
        "user_groups.create",
        name=f"group {t.now()}",
        description="d",
        members=[ada, dario],
        subgroups=[moderators],
        **dict.fromkeys([str(name) for name in GroupSetting], people),
    )
    changes: dict[str, Any] = {str(name): Change(moderators, people) for name in GroupSetting}
    await t(
        "ada", "user_groups.update", user_group_id=group_id, name=f"g {t.now()}", description="e", **changes
    )
    one: dict[str, Any] = {"user_group_id": group_id}
    await t("ada", "user_groups.change_members", **one, add=[site.id("elif")], delete=[dario])
    await t("ada", "user_groups.change_subgroups", **one, delete=[moderators])
    await t("ada", "user_groups.change_subgroups", **one, add=[moderators])
    await t("ada", "user_groups.members", **one, direct_member_only=True)
    await t("ada", "user_groups.subgroups", **one, direct_subgroup_only=True)
    await t("ada", "user_groups.is_member", **one, user_id=ada, direct_member_only=True)
    await t("ada", "user_groups.deactivate", **one)
    await t("ada", "user_groups.reactivate", needs=Gate.GROUP_REACTIVATE.level, **one)
    await t("ada", "user_groups.list", include_deactivated_groups=True)


async def people(t: CallRecorder) -> None:
    """Users, their profile fields, roles and activation."""
    site = t.site
    elif_id = site.id("elif")
    every: dict[str, Any] = {"client_gravatar": False, "include_custom_profile_fields": True}
    await t("dario", "users.me")
    await t("dario", "users.list", **every)
    await t("dario", "users.get", user_id=elif_id, **every)
    await t("ada", "users.get_by_email", email=site.address("elif"), **every)
    await t("ada", "users.channels", needs=Gate.CHANNELS_OF_USER.level, user_id=elif_id)
    await t(
        "ada",
        "users.create",
        email=f"new{t.now()}@zulip.com",
        password=Secret("correct horse 7 battery"),
        full_name="New",
        refused="not authorized",
    )
    fields = {}
    options: dict[str, Any] = {"0": {"text": "north", "order": "1"}, "1": {"text": "south", "order": "2"}}
    data: Mapping[ProfileFieldType, Mapping[str, object]] = {
        ProfileFieldType.SELECT: options,
        ProfileFieldType.EXTERNAL_ACCOUNT: {"subtype": "github"},
    }
    values: Mapping[ProfileFieldType, object] = {
        ProfileFieldType.DATE: "2001-02-03",
        ProfileFieldType.LINK: "https://x.example/",
        ProfileFieldType.USERS: [elif_id],
        ProfileFieldType.SELECT: "0",
    }
    for kind in ProfileFieldType:
        github = kind is ProfileFieldType.EXTERNAL_ACCOUNT
        more: dict[str, Any] = {"field_data": data[kind]} if kind in data else {}
        naming: dict[str, Any] = {} if github else {"name": f"{kind.name} {t.now()}", "hint": "h"}
        made = await t(
            "ada",
            "profile_fields.create",
            field_type=kind,
            **naming,
            **more,
            display_in_profile_summary=False,
            required=False,
            editable_by_user=True,
        )
        if made is None:
            continue
        field: dict[str, Any] = {"field_id": made}
        fields[made] = values.get(kind, "value")
        if not github:
            await t(
                "ada",
                "profile_fields.update",
                **field,
                name=f"{kind.name}. {t.now()}",
                hint="i",
                **more,
                required=True,
                display_in_profile_summary=False,
                editable_by_user=True,
            )
    await t("dario", "users.update_my_profile", values=fields)
    await t("dario", "users.clear_my_profile", field_ids=list(fields))
    rows = await t("ada", "profile_fields.list")
    await t("ada", "profile_fields.reorder", order=[row.id for row in rows][::-1])
    await t(
        "ada",
        "users.update",
        user_id=elif_id,
        full_name="Elif Kaya",
        role=Role.MODERATOR,
        profile_data=fields,
    )
    await t("ada", "users.update", user_id=elif_id, role=Role.MEMBER)
    for field_id in fields:
        await t("ada", "profile_fields.delete", field_id=field_id)
    farid: dict[str, Any] = {"user_id": site.id("farid")}
    await t("ada", "users.deactivate", **farid, notification_comment="bye")
    await t("ada", "users.reactivate", **farid)


async def bots(t: CallRecorder) -> None:
    """Creates each type of bot."""
    for kind in (BotType.GENERIC, BotType.INCOMING_WEBHOOK, BotType.OUTGOING_WEBHOOK):
        outgoing = kind is BotType.OUTGOING_WEBHOOK
        hook: dict[str, Any] = (
            {"payload_url": "https://x.example/", "interface_type": WebhookInterface.SLACK}
            if outgoing
            else {}
        )
        names: dict[str, Any] = {"full_name": f"Bot {kind} {t.now()}", "short_name": f"bot{kind}{t.now()}"}
        made = await t("dario", "bots.create", **names, bot_type=kind, **hook)
        bot: dict[str, Any] = {"bot_id": made.user_id}
        again: dict[str, Any] = (
            {"payload_url": "https://y.example/", "interface_type": WebhookInterface.GENERIC}
            if outgoing
            else {}
        )
        await t("dario", "bots.update", **bot, full_name=f"Bot {kind}. {t.now()}", **again)
        await t("dario", "bots.regenerate_key", **bot)
        await t("ada", "bots.update", **bot, bot_owner_id=t.site.id("elif"))
        await t("ada", "bots.deactivate", **bot)
    await t("dario", "bots.list")


async def invitations(t: CallRecorder) -> None:
    """Invitations by email and by link."""
    general = t.site.channel("general")
    every: dict[str, Any] = {
        "stream_ids": [general],
        "invite_expires_in_minutes": 60,
        "invite_as": Role.GUEST,
        "group_ids": [],
        "include_realm_default_subscriptions": False,
    }
    await t(
        "ada",
        "invites.send",
        invitee_emails=[f"a{t.now()}@zulip.com"],
        **every,
        notify_referrer_on_join=False,
    )
    await t("ada", "invites.send", invitee_emails=[f"b{t.now()}@zulip.com"], invite_expires_in_minutes=None)
    await t("ada", "invites.create_link", **every)
    await t("ada", "invites.create_link", stream_ids=[], invite_expires_in_minutes=None)
    for row in (await t("ada", "invites.list")) or ():
        if row.is_multiuse:
            await t("ada", "invites.revoke_link", invite_id=row.id)
        else:
            await t("ada", "invites.resend", invite_id=row.id)
            await t("ada", "invites.revoke", invite_id=row.id)
