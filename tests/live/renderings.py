"""Renders the texts of `support.renderings` again on a live server, in an organization created for it."""

from __future__ import annotations

import asyncio
import tempfile
from itertools import cycle
from pathlib import Path
from typing import Any, Final

from live.site import LiveSite
from support.renderings import Recorded, World, recorded, write
from support.uploads import PIXEL

_CHANNELS: Final = ("general", "design", "support", "lab & co")
_GROUPS: Final = ("crew", "role:members", "role:nobody")
_LINKIFIERS: Final = (
    (r"#(?P<id>[0-9]+)", "https://tracker.example/{id}"),
    (r"T-(?P<number>[0-9]+)", "https://tickets.example/{?number}"),
    (r"go/(?P<path>[^ ]+)", "https://links.example/{+path}"),
)
_FILES: Final = {"image": "p.png", "image2": "q q.png", "video": "v.mp4", "sound": "s.mp3", "file": "t.txt"}
_THUMBNAILS: Final = 4
"""Seconds within which a server creates thumbnails."""


async def run(site: LiveSite) -> int:
    """Writes the file again; returns the number of texts."""
    await site.lay_out()
    world = await _world(site)
    people = cycle(name for name in site.accounts if name != "hugo")
    texts = [one for part in recorded().renderings.values() for one in part]
    # One after the other: threads of a development server mix up what they render for one organization.
    for one, who in zip(texts, people, strict=False):
        response = await site.raw(who, "POST", "/messages/render", {"content": world.filled(one.text)})
        one.html = response.json().get("rendered")
    write(Recorded(level=site.level, world=world, renderings=recorded().renderings))
    return len(texts)


async def _world(site: LiveSite) -> World:
    ids = {name: site.id(name) for name in site.accounts}
    people = {
        row["full_name"]: row["user_id"] for row in (await site.call("ada", "GET", "/users"))["members"]
    }
    subscription = {"subscriptions": [{"name": "lab & co"}], "principals": list(ids.values())}
    await site.call("ada", "POST", "/users/me/subscriptions", subscription)
    crew = {"name": "crew", "description": "", "members": [ids["kaja"], ids["dario"]]}
    await site.call("ada", "POST", "/user_groups/create", crew)
    for pattern, template in _LINKIFIERS:
        await site.call("ada", "POST", "/realm/filters", {"pattern": pattern, "url_template": template})
    await site.look()
    message = {"type": "stream", "to": site.channel("general"), "topic": "known", "content": "x"}
    newest = (await site.call("ada", "POST", "/messages", message))["id"]
    client = site.client("ada")
    uploads = {}
    try:
        if not (parrots := await _parrots(site)):
            await client.custom_emoji.upload(emoji_name="parrot", image=PIXEL)
            parrots = await _parrots(site)
        with tempfile.TemporaryDirectory() as folder:
            for what, name in _FILES.items():
                path = Path(folder) / name
                path.write_bytes(PIXEL)
                uploads[what] = (await client.uploads.upload(path=path)).url.removeprefix(site.url)
    finally:
        await client.aclose()
    await asyncio.sleep(_THUMBNAILS)
    return World(
        site=site.url,
        people={name: user_id for name, user_id in people.items() if user_id in ids.values()},
        groups={name: site.group(name) for name in _GROUPS},
        channels={name: site.channel(name) for name in _CHANNELS},
        topics={"general>known": newest},
        linkifiers=list(_LINKIFIERS),
        emoji={"parrot": (parrots[0]["id"], parrots[0]["source_url"])},
        uploads=uploads,
    )


async def _parrots(site: LiveSite) -> list[dict[str, Any]]:
    rows = (await site.call("ada", "GET", "/realm/emoji"))["emoji"].values()
    return [row for row in rows if row["name"] == "parrot" and not row["deactivated"]]
