"""Calls about messages and what belongs to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from live.call_recorder import CallRecorder
from narrowcast_api.narrow.destinations import ChannelDestination, DirectDestination
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import Anchor, MessageType, PropagateMode, VisibilityPolicy

_NO_MATCH: Final = ("with", "near")
"""Operators that select a position and do not filter messages."""


async def messages(t: CallRecorder) -> None:
    """Messages, narrows, reactions, typing, polls and lists, scheduled messages and reminders."""
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
    await t("dario", "messages.report", **one, report_type="other", description="d", refused="")
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
    later: dict[str, Any] = {"scheduled_delivery_timestamp": t.now(90_000)}
    for to in (general, both, DirectDestination(frozenset())):
        made = await t(
            "dario", "scheduled_messages.create", to=to, content="later", read_by_sender=False, **later
        )
        row: dict[str, Any] = {"scheduled_message_id": made}
        await t("dario", "scheduled_messages.edit", **row, content="changed")
        await t("dario", "scheduled_messages.edit", **row, scheduled_delivery_timestamp=t.now(95_000))
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
    reminder = await t(
        "dario", "reminders.create", **one, **later, needs=Gate.REMINDER_NOTE.level, note="look"
    )
    await t("dario", "reminders.list", needs=Gate.REMINDER_LIST.level)
    if reminder is not None:
        await t("dario", "reminders.delete", needs=Gate.REMINDER_LIST.level, reminder_id=reminder)
    await t("ada", "messages.delete", **one)


def _narrows(t: CallRecorder, message_id: int) -> Iterator[list[Mapping[str, object]]]:
    """Each operator, with ids and with names, and negated where possible."""
    site = t.site
    general, ada = site.channel("general"), site.id("ada")
    address = site.address("ada")
    terms: list[tuple[str, object]] = [
        *(
            ("is", one)
            for one in ("unread", "starred", "mentioned", "alerted", "dm", "followed", "resolved", "muted")
        ),
        *(("has", one) for one in ("link", "image", "attachment", "reaction")),
        ("channels", "public"),
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
        if operator not in _NO_MATCH:
            yield [{"operator": operator, "operand": operand, "negated": True}]


async def flags(t: CallRecorder) -> None:
    """Flags of messages, of narrows and of channels."""
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


async def topics(t: CallRecorder) -> None:
    """Visibility policies; resolving, moving and deleting topics."""
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
