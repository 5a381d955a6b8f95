"""Stands in for `textual.command`, Textual's own command palette, which this app replaces by one of its commands.

Textual imports it with all the widgets of which it is made, a twentieth of what starting takes. It is to be installed
before `textual.app` is imported; like everything private it holds for the version of `textual_private`.
"""

from __future__ import annotations

import sys
from typing import Any

__all__ = [
    "CommandListItem",
    "CommandPalette",
    "DiscoveryHit",
    "Hit",
    "Hits",
    "Provider",
    "SimpleProvider",
    "install",
]

CommandListItem = Hits = Any


class Provider:
    """What the list of themes derives from."""


class SimpleProvider(Provider):
    """Named by what opens the palette."""


class Hit:
    """Named in the types of providers."""


class DiscoveryHit:
    """Named in the types of providers."""


class CommandPalette:
    """Never opened: `ENABLE_COMMAND_PALETTE` is off."""


def install() -> None:
    """Give Textual this module where it asks for its palette."""
    sys.modules.setdefault("textual.command", sys.modules[__name__])
