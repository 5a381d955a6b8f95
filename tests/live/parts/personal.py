"""Calls about personal data: drafts, snippets, status."""

from __future__ import annotations

from typing import Any

from live.call_recorder import CallRecorder
from narrowcast_api.http.secret import Secret
from narrowcast_api.narrow.destinations import ChannelDestination, DirectDestination
from narrowcast_api.resources.drafts import DraftVersion
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import PresenceStatus
from support.uploads import PIXEL


async def personal(t: CallRecorder) -> None:
    """Drafts, snippets, muted users, alert words, status, presence, views and the avatar."""
    site = t.site
    other: dict[str, Any] = {"user_id": site.id("elif")}
    destinations = (
        ChannelDestination(site.channel("general"), "soup"),
        DirectDestination(frozenset({site.id("ada")})),
        None,
    )
    for destination in destinations:
        made = await t(
            "dario", "drafts.create", drafts=[DraftVersion(destination, "words")], timestamp=t.now()
        )
        draft: dict[str, Any] = {"draft_id": made[0]}
        await t("dario", "drafts.edit", **draft, draft=DraftVersion(None, "more"), timestamp=t.now() + 0.25)
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
    await t(
        "dario",
        "settings.change_password",
        old=Secret("wrong"),
        new=Secret("correct horse 7 battery"),
        refused="rong password",
    )
    emoji: dict[str, Any] = {"emoji_name": "tada", "emoji_code": "1f389", "reaction_type": "unicode_emoji"}
    await t("dario", "status.set", status_text="busy", **emoji)
    await t("dario", "status.set", status_text="")
    await t("dario", "status.clear")
    await t("ada", "status.set_of", needs=Gate.STATUS_OF_OTHERS.level, **other, status_text="away", **emoji)
    await t("dario", "status.get", **other)
    for status in PresenceStatus:
        await t(
            "dario", "presence.update", status=status, new_user_input=True, ping_only=False, last_update_id=-1
        )
    await t("dario", "presence.update", status=PresenceStatus.ACTIVE, ping_only=True)
    await t("dario", "presence.list")
    await t("dario", "presence.get", user_id=site.id("dario"))
    view: dict[str, Any] = {"fragment": "narrow/is/alerted"}
    await t(
        "dario",
        "navigation_views.add",
        needs=Gate.NAVIGATION_VIEWS.level,
        **view,
        is_pinned=True,
        name="Alerts",
    )
    await t(
        "dario",
        "navigation_views.update",
        needs=Gate.NAVIGATION_VIEWS.level,
        **view,
        is_pinned=False,
        name="A",
    )
    await t("dario", "navigation_views.list", needs=Gate.NAVIGATION_VIEWS.level)
    await t("dario", "navigation_views.remove", needs=Gate.NAVIGATION_VIEWS.level, **view)
    await t("dario", "avatar.set", image=PIXEL)
    await t("dario", "avatar.delete")
