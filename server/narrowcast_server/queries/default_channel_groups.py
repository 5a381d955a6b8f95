"""Default channel groups: sets of channels that new users may choose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core

MAX_NAME: Final = 60
MAX_DESCRIPTION: Final = 1024


def groups_of(core: Core) -> list[dict[str, Any]]:
    """All groups, without channels that were archived or made private later."""
    stored = cast("Sequence[Mapping[str, Any]]", core.settings["default_channel_groups"])
    shown = {
        channel.id for channel in core.channels.all() if not (channel.is_archived or channel.invite_only)
    }
    return [{**group, "streams": [one for one in group["streams"] if one in shown]} for group in stored]
