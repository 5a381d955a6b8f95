"""Calls about channels and subscriptions."""

from __future__ import annotations

from typing import Any, Final

from live.call_recorder import CallRecorder
from narrowcast_api.model.user_groups import AdHocGroup
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import ChannelSetting, TopicsPolicy

_OF_MODERATION: Final = {
    ChannelSetting.CREATE_TOPIC: 441,
    ChannelSetting.DELETE_ANY_MESSAGE: 407,
    ChannelSetting.DELETE_OWN_MESSAGE: 407,
    ChannelSetting.MOVE_OUT: 396,
    ChannelSetting.MOVE_WITHIN: 396,
    ChannelSetting.RESOLVE_TOPICS: 411,
}
"""Permissions of channels by the level that introduced them."""


async def channels(t: CallRecorder) -> None:
    """Channel folders, channels with all permissions, subscriptions, default channels and their groups."""
    site = t.site
    moderators = site.group("role:moderators")
    folder = await t(
        "ada",
        "channel_folders.create",
        needs=Gate.CHANNEL_FOLDERS.level,
        name=f"Folder {t.now()}",
        description="*d*",
    )
    await t("ada", "channel_folders.list", needs=Gate.CHANNEL_FOLDERS.level, include_archived=True)
    if folder is not None:
        await t(
            "ada", "channel_folders.update", channel_folder_id=folder, name=f"F {t.now()}", description=""
        )
        rows = await t("ada", "channel_folders.list")
        await t("ada", "channel_folders.reorder", needs=414, order=[row.id for row in rows])
    people = AdHocGroup(frozenset({site.id("dario"), site.id("ada")}), frozenset({moderators}))
    permissions: dict[str, Any] = {
        setting: people for setting in ChannelSetting if site.level >= _OF_MODERATION.get(setting, 0)
    }
    made = await t(
        "ada",
        "channels.create",
        name=f"made {t.now()}",
        subscribers=[site.id("ada"), site.id("dario")],
        description="all *of* it",
        announce=True,
        invite_only=False,
        is_default_stream=True,
        history_public_to_subscribers=True,
        message_retention_days="unlimited",
        permissions=permissions,
    )
    channel: dict[str, Any] = {"channel_id": made.stream_id}
    own_policy = site.level >= Gate.TOPICS_POLICY.level
    for policy, retention in zip(
        TopicsPolicy, ("realm_default", "unlimited", 30, "realm_default"), strict=True
    ):
        await t(
            "ada",
            "channels.create",
            name=f"made {policy.value} {t.now()}",
            subscribers=[site.id("ada")],
            invite_only=True,
            history_public_to_subscribers=policy is TopicsPolicy.INHERIT,
            message_retention_days=retention,
            **({"topics_policy": policy} if own_policy else {}),
        )
        await t("ada", "channels.update", **channel, message_retention_days=retention)
        await t("ada", "channels.update", needs=Gate.TOPICS_POLICY.level, **channel, topics_policy=policy)
    await t(
        "ada",
        "channels.update",
        needs=Gate.TOPICS_POLICY.level,
        **channel,
        topics_policy=TopicsPolicy.INHERIT,
    )
    await t("ada", "channels.get", **channel)
    await t("dario", "channels.get_id", name="general")
    await t("dario", "channels.email", **channel)
    wanted: dict[str, Any] = {"include_public": True, "include_subscribed": True, "include_default": True}
    await t("ada", "channels.list", **wanted, include_web_public=True, exclude_archived=False)
    await t("ada", "channels.list", include_all=True)
    await t(
        "ada",
        "channels.update",
        **channel,
        new_name=f"renamed {t.now()}",
        description="new",
        is_private=True,
        history_public_to_subscribers=True,
        is_default_stream=False,
        permissions=dict.fromkeys(permissions, moderators),
        expected=permissions,
    )
    # Where topics may be created by some only, everybody must see the history.
    everybody = {
        one: site.group("role:everyone") for one in permissions if one is ChannelSetting.CREATE_TOPIC
    }
    await t("ada", "channels.update", **channel, history_public_to_subscribers=False, permissions=everybody)
    await t("ada", "channels.update", **channel, is_private=False, history_public_to_subscribers=True)
    await t("ada", "channels.update", needs=Gate.CHANNEL_FOLDERS.level, **channel, folder_id=folder)
    await t("ada", "channels.update", needs=Gate.CHANNEL_FOLDERS.level, **channel, folder_id=None)
    await t("ada", "channels.add_default", **channel)
    await t("ada", "channels.remove_default", **channel)
    name = (await t("ada", "channels.get", **channel)).name
    await t(
        "ada",
        "subscriptions.add",
        channels={name: ""},
        principals=[site.id("elif"), site.id("hugo")],
        announce=False,
        authorization_errors_fatal=False,
    )
    await t(
        "ada",
        "subscriptions.add",
        needs=Gate.SUBSCRIPTION_NOTICES.level,
        channels=[name],
        principals=[site.id("elif")],
        send_new_subscription_messages=False,
    )
    await t("ada", "subscriptions.list", include_subscribers=True)
    await t("ada", "subscriptions.members", **channel)
    await t("ada", "subscriptions.is_subscribed", user_id=site.id("elif"), **channel)
    properties: dict[str, Any] = {
        **dict.fromkeys(("is_muted", "pin_to_top", "desktop_notifications", "audible_notifications"), True),
        **dict.fromkeys(("push_notifications", "email_notifications", "wildcard_mentions_notify"), False),
        "color": "#c2c2c2",
    }
    for property_, value in properties.items():
        await t("ada", "subscriptions.update", **channel, properties={property_: value})
    await t("ada", "subscriptions.remove", channels=[name], principals=[site.id("elif")])
    group = f"start {t.now()}"
    await t("ada", "default_channel_groups.create", name=group, description="d", channels=[name])
    response = await t("ada", "registration.register", fetch_event_types=["default_stream_groups"])
    found: dict[str, Any] = {
        "group_id": next(row["id"] for row in response["realm_default_stream_groups"] if row["name"] == group)
    }
    await t("ada", "default_channel_groups.update", **found, name=f"{group}.", description="e")
    await t("ada", "default_channel_groups.remove", **found, channels=[name])
    await t("ada", "default_channel_groups.add", **found, channels=[name])
    await t("ada", "default_channel_groups.delete", **found)
    await t("ada", "channels.archive", **channel)
    await t("ada", "channels.unarchive", needs=Gate.UNARCHIVE.level, **channel)
    await t("ada", "subscriptions.remove", channels=[name], archived=True)
