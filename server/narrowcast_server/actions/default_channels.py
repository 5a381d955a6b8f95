"""Default channels, which new users are subscribed to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_server.actions.channels import emit_default_channels
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import Channel

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core


def set_default(core: Core, channel: Channel, is_default: bool) -> None:
    """Sets whether new users are subscribed to the channel."""
    if is_default and channel.invite_only:
        raise ServiceError("A default channel cannot be private.")
    if channel.is_default == is_default:
        return
    core.channels.update(channel.id, is_default=int(is_default))
    emit_default_channels(core)
