"""Every operation of the library with all of its parameters, as whoever may do it."""

from __future__ import annotations

from typing import Final

from live.parts.channels import channels
from live.parts.files import files
from live.parts.messages import flags, messages, topics
from live.parts.organization import exports, organization
from live.parts.people import bots, groups, invitations, people
from live.parts.personal import personal
from live.parts.server import server
from live.parts.settings import settings
from live.trial import Trial

PARTS: Final = {
    part.__name__: part
    for part in (
        server,
        channels,
        messages,
        flags,
        topics,
        personal,
        files,
        groups,
        people,
        bots,
        organization,
        settings,
        invitations,
        exports,
    )
}
"""The ones first that need least."""


async def run(t: Trial, only: str | None) -> None:
    """All parts, or `only` one of them."""
    for name, part in PARTS.items():
        if only not in (None, name):
            continue
        try:
            await part(t)
        except (AttributeError, TypeError, LookupError) as error:
            t.stopped.append(f"{name}: {error!r}")
