"""Replaces `textual.command`, Textual's own command palette, which the app does not use.

Textual imports it with all its widgets, which takes a twentieth of the start. Install this module before
`textual.app` is imported; like everything private, it is valid for the version in `textual_version`.
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
    """Base class of the theme provider."""


class SimpleProvider(Provider):
    """Used by the function that opens the palette."""


class Hit:
    """Used in the types of providers."""


class DiscoveryHit:
    """Used in the types of providers."""


class CommandPalette:
    """Never opened: `ENABLE_COMMAND_PALETTE` is off."""


def install() -> None:
    """Makes Textual import this module instead of its own palette."""
    sys.modules.setdefault("textual.command", sys.modules[__name__])
