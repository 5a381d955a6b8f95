"""Calls about the organization."""

from __future__ import annotations

from typing import Any

from live.call_recorder import EITHER, CallRecorder
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import ExportType


async def organization(t: CallRecorder) -> None:
    """Domains, linkifiers, playgrounds, the welcome message and calls."""
    domain = f"d{t.now()}.example"
    await t("ada", "organization.domains")
    await t("ada", "organization.add_domain", domain=domain, allow_subdomains=True)
    await t("ada", "organization.update_domain", domain=domain, allow_subdomains=False)
    await t("ada", "organization.remove_domain", domain=domain)
    text: dict[str, Any] = {"welcome_message_custom_text": "hello"}
    await t("ada", "organization.test_welcome_message", needs=Gate.WELCOME_TEST.level, **text)
    patterns = [f"#{t.now()}{letter}(?P<id>[0-9]+)" for letter in "ab"]
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
        "ada", "playgrounds.add", name=f"P {t.now()}", highlighter_language="Python", url_template=template
    )
    await t("ada", "playgrounds.delete", playground_id=playground)
    await t("dario", "calls.bigbluebutton", meeting_name="m", voice_only=True, refused=EITHER)
    await t("dario", "calls.zoom", is_video_call=False, refused="oom")


async def exports(t: CallRecorder) -> None:
    """Exports, and the users who consent to them."""
    await t("ada", "exports.consents")
    await t("ada", "exports.create", export_type=ExportType.PUBLIC)
    for row in (await t("ada", "exports.list")) or ():
        if not row.pending and row.deleted_timestamp is None:
            await t("ada", "exports.delete", export_id=row.id)
