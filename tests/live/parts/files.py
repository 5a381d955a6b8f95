"""Calls about files and pictures."""

from __future__ import annotations

from pathlib import Path

from live.call_recorder import CallRecorder
from narrowcast_api.narrow.destinations import ChannelDestination
from support.uploads import PIXEL


async def files(t: CallRecorder) -> None:
    """Uploads, custom emoji and the pictures of the organization."""
    path = Path(__file__)
    uploaded = await t("dario", "uploads.upload", path=path)
    await t(
        "dario",
        "messages.send",
        to=ChannelDestination(t.site.channel("general"), "files"),
        content=f"[here]({uploaded.url})",
    )
    await t("dario", "uploads.fetch", url=uploaded.url, max_bytes=1_000_000)
    rows = await t("dario", "uploads.list")
    await t("dario", "uploads.delete", attachment_id=rows.attachments[-1].id)
    name = f"emoji_{t.now()}"
    await t("ada", "custom_emoji.upload", emoji_name=name, image=PIXEL)
    await t("ada", "custom_emoji.list")
    await t("ada", "custom_emoji.deactivate", emoji_name=name)
    await t("ada", "organization_pictures.set_icon", image=PIXEL)
    await t("ada", "organization_pictures.remove_icon")
    for night in (False, True):
        await t("ada", "organization_pictures.set_logo", image=PIXEL, night=night)
        await t("ada", "organization_pictures.remove_logo", night=night)
