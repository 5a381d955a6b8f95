"""Calls every operation of the library with all parameters, as a user with the permission."""

from __future__ import annotations

from typing import Final

from live.call_recorder import CallRecorder
from live.parts.channels import channels
from live.parts.files import files
from live.parts.messages import flags, messages, topics
from live.parts.organization import exports, organization
from live.parts.people import bots, groups, invitations, people
from live.parts.personal import personal
from live.parts.server import server
from live.parts.settings import settings

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
"""In this order: later parts need objects of earlier ones."""


async def run(t: CallRecorder, only: str | None) -> None:
    """Runs all parts, or `only` one of them."""
    for name, part in PARTS.items():
        if only not in (None, name):
            continue
        try:
            await part(t)
        except (AttributeError, TypeError, LookupError) as error:
            t.stopped.append(f"{name}: {error!r}")
