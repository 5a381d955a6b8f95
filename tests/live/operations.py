"""Every operation of the library with all of its parameters, as whoever may do it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from live.trial import Trial
from narrowcast.screens.settings.catalog import Catalog, Kind
from narrowcast.screens.settings.organization import ORGANIZATION, REPLACED
from narrowcast.screens.settings.own import ELSEWHERE, OWN
from narrowcast_api.http.secret import Secret
from narrowcast_api.model.drafts import DraftVersion
from narrowcast_api.model.user_groups import AdHocGroup
from narrowcast_api.narrow.destinations import ChannelDestination, DirectDestination
from narrowcast_api.routes.user_groups import Change
from narrowcast_api.wire.vocabulary import (
    Anchor,
    BotType,
    ChannelSetting,
    ExportType,
    GroupSetting,
    MessageType,
    PresenceStatus,
    ProfileFieldType,
    PropagateMode,
    Role,
    TopicsPolicy,
    VisibilityPolicy,
    WebhookInterface,
)
from support.pictures import PIXEL

_OF_MODERATION: Final = {
    ChannelSetting.CREATE_TOPIC: 441,
    ChannelSetting.DELETE_ANY_MESSAGE: 407,
    ChannelSetting.DELETE_OWN_MESSAGE: 407,
    ChannelSetting.MOVE_OUT: 396,
    ChannelSetting.MOVE_WITHIN: 396,
    ChannelSetting.RESOLVE_TOPICS: 411,
}
"""Permissions of channels by the level that brought them."""
_TOPICS_POLICY: Final = 392
_NO_MATCH: Final = ("with", "near")
"""Operators of a page, which say nothing of one message."""
_OWN_ALONE: Final = frozenset(
    {
        "allow_private_data_export",
        "default_language",
        "enable_login_emails",
        "enable_marketing_emails",
        "timezone",
    }
)
"""Settings that are no defaults of newcomers, and one that somebody may not have."""
_PASSWORD: Final = Secret("correct horse 7 battery")


def _now(seconds: int = 0) -> int:
    return int(time.time()) + seconds


async def run(t: Trial, only: str | None) -> None:
    """All operations, the ones first that need least; `only` one of the parts below."""
    for part in (
        _server,
        _channels,
        _messages,
        _flags,
        _topics,
        _personal,
        _files,
        _groups,
        _people,
        _bots,
        _organization,
        _settings,
        _invitations,
        _exports,
    ):
        if only not in (None, part.__name__.lstrip("_")):
            continue
        try:
            await part(t)
        except (AttributeError, TypeError, LookupError) as error:
            t.stopped.append(f"{part.__name__}: {error!r}")


async def _server(t: Trial) -> None:
    account = t.site.accounts["dario"]
    await t("dario", "server.settings")
    await t(
        "dario",
        "server.fetch_api_key",
        username=account.email,
        password=Secret("wrong"),
        refused="password is incorrect",
    )
    for wanted in (True, False, "partial"):
        await t("dario", "registration.register", include_subscribers=wanted)
    answer = await t(
        "dario",
        "registration.register",
        event_types=["message", "reaction"],
        fetch_event_types=["message", "realm_user"],
        client_gravatar=False,
        narrow=[{"operator": "is", "operand": "dm"}],
        all_public_streams=False,
    )
    queue: dict[str, Any] = {"queue_id": answer["queue_id"]}
    await t("dario", "events.get", **queue, last_event_id=answer["last_event_id"], dont_block=True)
    await t("dario", "events.delete_queue", **queue)


async def _channels(t: Trial) -> None:
    site = t.site
    moderators, folder = site.group("role:moderators"), None
    folder = await t("ada", "channel_folders.create", needs=389, name=f"Folder {_now()}", description="*d*")
    await t("ada", "channel_folders.list", needs=389, include_archived=True)
    if folder is not None:
        await t("ada", "channel_folders.update", channel_folder_id=folder, name=f"F {_now()}", description="")
        rows = await t("ada", "channel_folders.list")
        await t("ada", "channel_folders.reorder", needs=414, order=[row.id for row in rows])
    people = AdHocGroup(frozenset({site.id("dario"), site.id("ada")}), frozenset({moderators}))
    permissions: dict[str, Any] = {
        setting: people for setting in ChannelSetting if site.level >= _OF_MODERATION.get(setting, 0)
    }
    made = await t(
        "ada",
        "channels.create",
        name=f"made {_now()}",
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
    own_policy = site.level >= _TOPICS_POLICY
    for policy, retention in zip(
        TopicsPolicy, ("realm_default", "unlimited", 30, "realm_default"), strict=True
    ):
        await t(
            "ada",
            "channels.create",
            name=f"made {policy.value} {_now()}",
            subscribers=[site.id("ada")],
            invite_only=True,
            history_public_to_subscribers=policy is TopicsPolicy.INHERIT,
            message_retention_days=retention,
            **({"topics_policy": policy} if own_policy else {}),
        )
        await t("ada", "channels.update", **channel, message_retention_days=retention)
        await t("ada", "channels.update", needs=_TOPICS_POLICY, **channel, topics_policy=policy)
    await t("ada", "channels.update", needs=_TOPICS_POLICY, **channel, topics_policy=TopicsPolicy.INHERIT)
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
        new_name=f"renamed {_now()}",
        description="new",
        is_private=True,
        history_public_to_subscribers=False,
        is_default_stream=False,
        permissions=dict.fromkeys(permissions, moderators),
        expected=permissions,
    )
    await t("ada", "channels.update", **channel, is_private=False, history_public_to_subscribers=True)
    await t("ada", "channels.update", needs=389, **channel, folder_id=folder)
    await t("ada", "channels.update", needs=389, **channel, folder_id=None)
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
        needs=397,
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
    group = f"start {_now()}"
    await t("ada", "default_channel_groups.create", name=group, description="d", channels=[name])
    answer = await t("ada", "registration.register", fetch_event_types=["default_stream_groups"])
    found: dict[str, Any] = {
        "group_id": next(row["id"] for row in answer["realm_default_stream_groups"] if row["name"] == group)
    }
    await t("ada", "default_channel_groups.update", **found, name=f"{group}.", description="e")
    await t("ada", "default_channel_groups.remove", **found, channels=[name])
    await t("ada", "default_channel_groups.add", **found, channels=[name])
    await t("ada", "default_channel_groups.delete", **found)
    await t("ada", "channels.archive", **channel)
    await t("ada", "channels.unarchive", needs=388, **channel)
    await t("ada", "subscriptions.remove", channels=[name], archived=True)


async def _messages(t: Trial) -> None:
    site = t.site
    general = ChannelDestination(site.channel("general"), "lunch")
    first = await t(
        "dario", "messages.send", to=general, content="**soup** @**Ada Moreno**", read_by_sender=False
    )
    both = DirectDestination(frozenset({site.id("ada"), site.id("elif")}))
    queue = (await t("dario", "registration.register"))["queue_id"]
    await t("dario", "messages.send", to=both, content="hello", local_id="1.1", queue_id=queue)
    await t("dario", "messages.send", to=DirectDestination(frozenset()), content="a note")
    await t("dario", "messages.send", to="general", topic="by name", content="x")
    await t("dario", "messages.send", to=ChannelDestination(general.channel_id, ""), content="general chat")
    one: dict[str, Any] = {"message_id": first.id}
    await t("dario", "messages.get", **one, apply_markdown=False)
    await t(
        "dario",
        "messages.edit",
        **one,
        content="stew",
        topic="dinner",
        propagate_mode=PropagateMode.CHANGE_LATER,
        notify_old_thread=True,
        notify_new_thread=True,
        expected_content="**soup** @**Ada Moreno**",
    )
    await t("ada", "messages.edit", **one, channel=site.channel("engineering"), notify_new_thread=False)
    await t("dario", "messages.history", **one)
    await t("dario", "messages.read_receipts", **one)
    await t("dario", "messages.render", content="**x** $$y$$")
    await t("dario", "messages.report", **one, report_type="other", description="d", refused="oderation")
    narrow = [{"operator": "channel", "operand": "engineering"}, {"operator": "topic", "operand": "dinner"}]
    await t("dario", "messages.summarize", narrow=narrow, refused="")
    await t("dario", "messages.list_by_id", message_ids=[first.id], apply_markdown=False)
    every: dict[str, Any] = {"include_anchor": False, "apply_markdown": False, "client_gravatar": False}
    for terms in _narrows(t, first.id):
        for anchor in (Anchor.NEWEST, Anchor.OLDEST, Anchor.FIRST_UNREAD, first.id):
            await t("dario", "messages.list", narrow=terms, anchor=anchor, num_before=2, **every)
        if not terms or terms[0]["operator"] not in _NO_MATCH:
            await t("dario", "narrows.matches", message_ids=[first.id], narrow=terms)
    await t("dario", "messages.list", anchor=Anchor.NEWEST, num_before=1, allow_empty_topic_name=False)
    reaction: dict[str, Any] = {"emoji_name": "tada", "emoji_code": "1f389", "reaction_type": "unicode_emoji"}
    await t("dario", "reactions.add", **one, **reaction)
    await t("dario", "reactions.remove", **one, **reaction)
    await t(
        "dario",
        "reactions.add",
        **one,
        emoji_name="zulip",
        emoji_code="zulip",
        reaction_type="zulip_extra_emoji",
    )
    await t("dario", "reactions.remove", **one, emoji_name="zulip", reaction_type="zulip_extra_emoji")
    await t("dario", "typing.set", op="start", to=both)
    await t("dario", "typing.set", op="stop", to=general)
    for op in ("start", "stop"):
        await t("dario", "typing.set_edit", op=op, **one)
    poll: dict[str, Any] = {
        "message_id": (await t("dario", "messages.send", to=general, content="/poll Lunch?\nsoup")).id
    }
    await t("elif", "submessages.vote", **poll, option_key="canned,0")
    await t("elif", "submessages.add_option", **poll, number=1, option="stew")
    await t("dario", "submessages.change_question", **poll, question="Dinner?")
    await t("dario", "submessages.send", **poll, content={"type": "question", "question": "Lunch?"})
    todo: dict[str, Any] = {
        "message_id": (await t("dario", "messages.send", to=general, content="/todo List\nsalt")).id
    }
    await t("dario", "submessages.add_task", **todo, number=1, task="pepper", description="d")
    await t("dario", "submessages.toggle_task", **todo, task_key="0,canned")
    later: dict[str, Any] = {"scheduled_delivery_timestamp": _now(90_000)}
    for to in (general, both, DirectDestination(frozenset())):
        made = await t(
            "dario", "scheduled_messages.create", to=to, content="later", read_by_sender=False, **later
        )
        row: dict[str, Any] = {"scheduled_message_id": made}
        await t("dario", "scheduled_messages.edit", **row, content="changed")
        await t("dario", "scheduled_messages.edit", **row, scheduled_delivery_timestamp=_now(95_000))
        await t(
            "dario",
            "scheduled_messages.edit",
            **row,
            type=MessageType.CHANNEL,
            to=general.channel_id,
            topic="soup",
            content="x",
        )
        await t("dario", "scheduled_messages.edit", **row, type=MessageType.DIRECT, to=[site.id("dario")])
        await t("dario", "scheduled_messages.delete", **row)
    await t("dario", "scheduled_messages.list")
    reminder = await t("dario", "reminders.create", **one, **later, needs=415, note="look")
    await t("dario", "reminders.list", needs=399)
    if reminder is not None:
        await t("dario", "reminders.delete", needs=399, reminder_id=reminder)
    await t("ada", "messages.delete", **one)


def _narrows(t: Trial, message_id: int) -> Iterator[list[Mapping[str, object]]]:
    """Each operator, with ids and with names, and turned around where that may be."""
    site = t.site
    general, ada = site.channel("general"), site.id("ada")
    address = site.accounts["ada"].email
    terms: list[tuple[str, object]] = [
        *(
            ("is", one)
            for one in ("unread", "starred", "mentioned", "alerted", "dm", "followed", "resolved", "muted")
        ),
        *(("has", one) for one in ("link", "image", "attachment", "reaction")),
        *(("channels", one) for one in ("public",)),
        *((name, operand) for name in ("channel", "stream") for operand in ("general", general)),
        ("topic", "lunch"),
        ("topic", ""),
        ("sender", ada),
        ("sender", address),
        ("dm", [ada]),
        ("dm", address),
        ("dm", [ada, site.id("elif")]),
        ("dm-including", ada),
        ("dm-including", address),
        ("search", "soup"),
        ("search", '"hello there"'),
        ("id", message_id),
        ("id", str(message_id)),
        ("near", str(message_id)),
        ("with", message_id),
    ]
    yield []
    for operator, operand in terms:
        yield [{"operator": operator, "operand": operand, "negated": False}]
        if operator not in ("near", "with"):
            yield [{"operator": operator, "operand": operand, "negated": True}]


async def _flags(t: Trial) -> None:
    general = t.site.channel("general")
    narrow = [{"operator": "channel", "operand": general}]
    sent = await t("ada", "messages.send", to=ChannelDestination(general, "flags"), content="x")
    for flag in ("read", "starred", "collapsed"):
        for op in ("add", "remove"):
            await t("dario", "flags.change", message_ids=[sent.id], op=op, flag=flag)
    page: dict[str, Any] = {"anchor": Anchor.NEWEST, "num_before": 5, "num_after": 0, "include_anchor": True}
    await t("dario", "flags.change_by_narrow", narrow=narrow, op="add", flag="read", **page)
    await t("dario", "flags.change_whole_narrow", narrow=narrow, op="remove", flag="starred")
    await t("dario", "flags.mark_channel_as_read", channel_id=general)
    await t("dario", "flags.mark_topic_as_read", channel_id=general, topic="flags")
    await t("dario", "flags.mark_all_as_read")


async def _topics(t: Trial) -> None:
    general, engineering = t.site.channel("general"), t.site.channel("engineering")
    for topic in ("one", "two", "three"):
        await t("ada", "messages.send", to=ChannelDestination(general, topic), content="x")
    await t("ada", "topics.list", channel_id=general)
    for policy in VisibilityPolicy:
        await t("dario", "topics.set_visibility", channel_id=general, topic="one", policy=policy)
    await t("ada", "topics.resolve", channel_id=general, topic="one")
    await t("ada", "topics.resolve", channel_id=general, topic="✔ one", resolved=False)
    moved: dict[str, Any] = {"new_topic": "four", "new_channel_id": engineering}
    await t("ada", "topics.move", channel_id=general, topic="one", **moved, notify_old_thread=True)
    await t("ada", "topics.move", channel_id=general, topic="two", new_topic="")
    await t("ada", "topics.delete", channel_id=engineering, topic="four")
    await t("ada", "topics.delete_batch", channel_id=general, topic="three")


async def _personal(t: Trial) -> None:
    site = t.site
    other: dict[str, Any] = {"user_id": site.id("elif")}
    destinations = (
        ChannelDestination(site.channel("general"), "soup"),
        DirectDestination(frozenset({site.id("ada")})),
        None,
    )
    for destination in destinations:
        made = await t(
            "dario", "drafts.create", drafts=[DraftVersion(destination, "words")], timestamp=_now()
        )
        draft: dict[str, Any] = {"draft_id": made[0]}
        await t("dario", "drafts.edit", **draft, draft=DraftVersion(None, "more"), timestamp=_now() + 0.25)
        await t("dario", "drafts.delete", **draft)
    await t("dario", "drafts.list")
    snippet: dict[str, Any] = {
        "saved_snippet_id": await t("dario", "saved_snippets.create", title="t", content="c")
    }
    await t("dario", "saved_snippets.edit", **snippet, title="u", content="d")
    await t("dario", "saved_snippets.edit", **snippet, content="e")
    await t("dario", "saved_snippets.list")
    await t("dario", "saved_snippets.delete", **snippet)
    await t("dario", "settings.mute_user", **other)
    await t("dario", "settings.unmute_user", **other)
    await t("dario", "settings.add_alert_words", words=["soup", "stew"])
    await t("dario", "settings.alert_words")
    await t("dario", "settings.remove_alert_words", words=["soup"])
    await t("dario", "settings.change_password", old=Secret("wrong"), new=_PASSWORD, refused="rong password")
    emoji: dict[str, Any] = {"emoji_name": "tada", "emoji_code": "1f389", "reaction_type": "unicode_emoji"}
    await t("dario", "status.set", status_text="busy", **emoji)
    await t("dario", "status.set", status_text="")
    await t("dario", "status.clear")
    await t("ada", "status.set_of", needs=407, **other, status_text="away", **emoji)
    await t("dario", "status.get", **other)
    for status in PresenceStatus:
        await t(
            "dario", "presence.update", status=status, new_user_input=True, ping_only=False, last_update_id=-1
        )
    await t("dario", "presence.update", status=PresenceStatus.ACTIVE, ping_only=True)
    await t("dario", "presence.list")
    await t("dario", "presence.get", user_id=site.id("dario"))
    view: dict[str, Any] = {"fragment": "narrow/is/alerted"}
    await t("dario", "navigation_views.add", needs=390, **view, is_pinned=True, name="Alerts")
    await t("dario", "navigation_views.update", needs=390, **view, is_pinned=False, name="A")
    await t("dario", "navigation_views.list", needs=390)
    await t("dario", "navigation_views.remove", needs=390, **view)
    await t("dario", "avatar.set", image=PIXEL)
    await t("dario", "avatar.delete")


async def _files(t: Trial) -> None:
    path = Path(__file__)
    url = await t("dario", "uploads.upload", path=path)
    sent = await t(
        "dario",
        "messages.send",
        to=ChannelDestination(t.site.channel("general"), "files"),
        content=f"[here]({getattr(url, 'url', url)})",
    )
    assert sent is not None
    await t("dario", "uploads.fetch", url=getattr(url, "url", url), max_bytes=1_000_000)
    rows = await t("dario", "uploads.list")
    await t("dario", "uploads.delete", attachment_id=rows.attachments[-1].id)
    name = f"emoji_{_now()}"
    await t("ada", "custom_emoji.upload", emoji_name=name, image=PIXEL)
    await t("ada", "custom_emoji.list")
    await t("ada", "custom_emoji.deactivate", emoji_name=name)
    await t("ada", "organization_pictures.set_icon", image=PIXEL)
    await t("ada", "organization_pictures.remove_icon")
    for night in (False, True):
        await t("ada", "organization_pictures.set_logo", image=PIXEL, night=night)
        await t("ada", "organization_pictures.remove_logo", night=night)


async def _groups(t: Trial) -> None:
    site = t.site
    moderators, ada, dario = site.group("role:moderators"), site.id("ada"), site.id("dario")
    people = AdHocGroup(frozenset({ada}), frozenset({moderators}))
    group = await t(
        "ada",
        "user_groups.create",
        name=f"group {_now()}",
        description="d",
        members=[ada, dario],
        subgroups=[moderators],
        **dict.fromkeys([str(name) for name in GroupSetting], people),
    )
    group_id = getattr(group, "group_id", group)
    changes: dict[str, Any] = {str(name): Change(moderators, people) for name in GroupSetting}
    await t(
        "ada", "user_groups.update", user_group_id=group_id, name=f"g {_now()}", description="e", **changes
    )
    one: dict[str, Any] = {"user_group_id": group_id}
    await t("ada", "user_groups.change_members", **one, add=[site.id("elif")], delete=[dario])
    await t("ada", "user_groups.change_subgroups", **one, delete=[moderators])
    await t("ada", "user_groups.change_subgroups", **one, add=[moderators])
    await t("ada", "user_groups.members", **one, direct_member_only=True)
    await t("ada", "user_groups.subgroups", **one, direct_subgroup_only=True)
    await t("ada", "user_groups.is_member", **one, user_id=ada, direct_member_only=True)
    await t("ada", "user_groups.deactivate", **one)
    await t("ada", "user_groups.reactivate", needs=386, **one)
    await t("ada", "user_groups.list", include_deactivated_groups=True)


async def _people(t: Trial) -> None:
    site = t.site
    account, elif_id = site.accounts["elif"], site.id("elif")
    every: dict[str, Any] = {"client_gravatar": False, "include_custom_profile_fields": True}
    await t("dario", "users.me")
    await t("dario", "users.list", **every)
    await t("dario", "users.get", user_id=elif_id, **every)
    await t("ada", "users.get_by_email", email=account.email, **every)
    await t("ada", "users.channels", needs=440, user_id=elif_id)
    await t(
        "ada",
        "users.create",
        email=f"new{_now()}@zulip.com",
        password=_PASSWORD,
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
        naming: dict[str, Any] = {} if github else {"name": f"{kind.name} {_now()}", "hint": "h"}
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
                name=f"{kind.name}. {_now()}",
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


async def _bots(t: Trial) -> None:
    for kind in (BotType.GENERIC, BotType.INCOMING_WEBHOOK, BotType.OUTGOING_WEBHOOK):
        outgoing = kind is BotType.OUTGOING_WEBHOOK
        hook: dict[str, Any] = (
            {"payload_url": "https://x.example/", "interface_type": WebhookInterface.SLACK}
            if outgoing
            else {}
        )
        names: dict[str, Any] = {"full_name": f"Bot {kind} {_now()}", "short_name": f"bot{kind}{_now()}"}
        made = await t("dario", "bots.create", **names, bot_type=kind, **hook)
        bot: dict[str, Any] = {"bot_id": made.user_id}
        again: dict[str, Any] = (
            {"payload_url": "https://y.example/", "interface_type": WebhookInterface.GENERIC}
            if outgoing
            else {}
        )
        await t("dario", "bots.update", **bot, full_name=f"Bot {kind}. {_now()}", **again)
        await t("dario", "bots.regenerate_key", **bot)
        await t("ada", "bots.update", **bot, bot_owner_id=t.site.id("elif"))
        await t("ada", "bots.deactivate", **bot)
    await t("dario", "bots.list")


async def _organization(t: Trial) -> None:
    domain = f"d{_now()}.example"
    await t("ada", "organization.domains")
    await t("ada", "organization.add_domain", domain=domain, allow_subdomains=True)
    await t("ada", "organization.update_domain", domain=domain, allow_subdomains=False)
    await t("ada", "organization.remove_domain", domain=domain)
    text: dict[str, Any] = {"welcome_message_custom_text": "hello"}
    await t("ada", "organization.test_welcome_message", needs=416, **text)
    patterns = [f"#{_now()}{letter}(?P<id>[0-9]+)" for letter in "ab"]
    made = [
        await t("ada", "linkifiers.create", pattern=one, url_template="https://x.example/{id}")
        for one in patterns
    ]
    url = "https://y.example/{id}"
    await t("ada", "linkifiers.update", filter_id=made[0], pattern=patterns[0], url_template=url)
    rows = await t("ada", "linkifiers.list")
    await t("ada", "linkifiers.reorder", ordered_linkifier_ids=[row.id for row in rows][::-1])
    for one in made:
        await t("ada", "linkifiers.delete", filter_id=one)
    template = "https://x.example/{code}"
    playground = await t(
        "ada", "playgrounds.add", name=f"P {_now()}", highlighter_language="Python", url_template=template
    )
    await t("ada", "playgrounds.delete", playground_id=playground)
    await t("dario", "calls.bigbluebutton", meeting_name="m", voice_only=True, refused="")
    await t("dario", "calls.zoom", is_video_call=False, refused="oom")


def _offered(catalog: Catalog, known: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    """What the app's settings offer of what a server has: each choice, and a value of each other kind."""
    for settings in catalog.values():
        for setting in settings:
            if prefix + setting.name not in known or setting.name in {*_OWN_ALONE, *REPLACED}:
                continue
            now = known[prefix + setting.name]
            match setting.kind:
                case Kind.CHOICE if setting.options:
                    yield from ((setting.name, value) for value, _ in setting.options)
                case Kind.FLAG:
                    yield from ((setting.name, value) for value in (not now, now))
                case Kind.SECONDS:
                    yield from ((setting.name, value) for value in ("unlimited", 600))
                case Kind.DAYS:
                    yield from ((setting.name, value) for value in (30, "unlimited"))
                case _ if now is not None:
                    yield setting.name, now


async def _settings(t: Trial) -> None:
    known = await t("ada", "registration.register")
    for name, value in _offered({**OWN, **ELSEWHERE}, known["user_settings"]):
        await t("elif", "settings.update", settings={name: value})
    for name, value in _offered({**OWN, **ELSEWHERE}, known["realm_user_settings_defaults"]):
        await t("ada", "organization.update_user_defaults", settings={name: value})
    for name, value in _offered(ORGANIZATION, known, "realm_"):
        new = (
            {"new": value}
            if name.endswith("_group") or name in ("can_create_groups", "can_manage_all_groups")
            else value
        )
        await t("ada", "organization.update", settings={name: new})


async def _invitations(t: Trial) -> None:
    general = t.site.channel("general")
    every: dict[str, Any] = {
        "stream_ids": [general],
        "invite_expires_in_minutes": 60,
        "invite_as": Role.GUEST,
        "group_ids": [],
        "include_realm_default_subscriptions": False,
    }
    await t(
        "ada", "invites.send", invitee_emails=[f"a{_now()}@zulip.com"], **every, notify_referrer_on_join=False
    )
    await t("ada", "invites.send", invitee_emails=[f"b{_now()}@zulip.com"], invite_expires_in_minutes=None)
    await t("ada", "invites.create_link", **every)
    await t("ada", "invites.create_link", stream_ids=[], invite_expires_in_minutes=None)
    for row in (await t("ada", "invites.list")) or ():
        if row.is_multiuse:
            await t("ada", "invites.revoke_link", invite_id=row.id)
        else:
            await t("ada", "invites.resend", invite_id=row.id)
            await t("ada", "invites.revoke", invite_id=row.id)


async def _exports(t: Trial) -> None:
    await t("ada", "exports.consents")
    await t("ada", "exports.create", export_type=ExportType.PUBLIC)
    for row in (await t("ada", "exports.list")) or ():
        if not row.pending and row.deleted_timestamp is None:
            await t("ada", "exports.delete", export_id=row.id)
